"""A chat server that does nothing but wait and count: the other end of `llm_calls.py`.

    python benchmarks/loopback_server.py LATENCY_SECONDS

Prints its port. ``GET /`` gives the number of chat requests so far, how many of them differ, and its own CPU seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time

from aiohttp import web

CHOICE = {
    "index": 0,
    "message": {"role": "assistant", "content": "The dam is 12 m high. " * 20},
    "finish_reason": "stop",
}
REPLY = json.dumps(
    {"object": "chat.completion", "choices": [CHOICE], "usage": {"prompt_tokens": 900, "completion_tokens": 140}}
).encode()


async def main(latency: float) -> None:
    requests = 0
    seen: set[bytes] = set()

    async def chat(request: web.Request) -> web.Response:
        nonlocal requests
        requests += 1
        seen.add(hashlib.sha256(await request.read()).digest())
        await asyncio.sleep(latency)
        return web.Response(body=REPLY, content_type="application/json")

    async def count(request: web.Request) -> web.Response:
        return web.json_response({"requests": requests, "unique": len(seen), "cpu_s": time.process_time()})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/", count)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
