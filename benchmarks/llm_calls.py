"""What a call to a model costs us, beside what it costs anyway.

    python benchmarks/llm_calls.py

A server in another process on the loopback address answers after 0 or 200 ms. Calls go the way of a run: endpoint
limits, the openai client, the reply cache in SQLite; 64 in flight; prompts of 3,000 characters. Prints and writes to
``benchmarks/results/llm_calls.json``:

- CPU milliseconds per call of this process, and of the openai client alone, called directly (its floor);
- wall time ÷ (unique calls x latency ÷ concurrency), at 200 ms, for both; other work on the machine shows in it;
- requests that reached the server ÷ unique requests, for ten cells at once that ask the same things.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from saferag.models import ChatModel, ChatRequest, Message
from saferag.models.openai import Secret, make_client
from saferag.resources import Resources

IN_FLIGHT = 64
RESULTS = Path(__file__).parent / "results" / "llm_calls.json"


@dataclass(frozen=True)
class Cost:
    """Wall and CPU seconds of a stretch of work in this process."""

    wall: float
    cpu: float


def question(number: int) -> ChatRequest:
    return ChatRequest((Message("user", f"Question {number}. " + "The dam is 12 m high. " * 136),))


@contextmanager
def server(latency: float) -> Iterator[str]:
    script = Path(__file__).with_name("loopback_server.py")
    process = subprocess.Popen([sys.executable, str(script), str(latency)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait()


def requests_at(url: str) -> int:
    with urllib.request.urlopen(url) as reply:
        return int(json.load(reply)["requests"])


async def measured(work: Callable[[], Awaitable[object]]) -> Cost:
    wall, cpu = time.perf_counter(), time.process_time()
    await work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


async def in_flight(call: Callable[[int], Awaitable[object]], numbers: range) -> None:
    """Every call, at most `IN_FLIGHT` at once, as a run does it."""
    left = iter(numbers)

    async def worker() -> None:
        for number in left:
            await call(number)

    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))


@contextmanager
def our_model(url: str) -> Iterator[tuple[ChatModel, Resources]]:
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(cache_dir=Path(folder), concurrency=IN_FLIGHT)
        yield resources.chat(f"openai:loopback(base_url={url}/v1)", "the benchmark"), resources


async def ours(url: str, calls: int) -> Cost:
    """The way of a run."""
    with our_model(url) as (model, resources):
        await in_flight(lambda number: model.complete(question(number)), range(-IN_FLIGHT, 0))  # connections
        cost = await measured(lambda: in_flight(lambda number: model.complete(question(number)), range(calls)))
        await resources.close()
    return cost


async def client_alone(url: str, calls: int) -> Cost:
    """The openai client with nothing around it."""
    client = make_client(f"{url}/v1", Secret("no-key"))

    async def call(number: int) -> None:
        messages: list[Any] = [{"role": "user", "content": question(number).messages[0].content}]
        await client.chat.completions.create(model="loopback", messages=messages, temperature=0, max_tokens=1024)

    await in_flight(call, range(-IN_FLIGHT, 0))
    cost = await measured(lambda: in_flight(call, range(calls)))
    await client.close()
    return cost


async def overlapping(url: str, cells: int, unique: int) -> float:
    """Requests sent ÷ unique ones, for cells that run at once and ask the same things in different orders."""
    with our_model(url) as (model, resources):
        before = requests_at(url)

        async def cell(shift: int) -> None:
            await in_flight(lambda n: model.complete(question((n + shift) % unique)), range(unique))

        await asyncio.gather(*(cell(7 * i) for i in range(cells)))
        await resources.close()
    return (requests_at(url) - before) / unique


def machine() -> dict[str, object]:
    packages = ("openai", "aiohttp", "httpx2", "pydantic")
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def main() -> None:
    load = os.getloadavg()[0]
    with server(0.0) as url:
        fast = [asyncio.run(ours(url, 3000)) for _ in range(3)]
        floor = [asyncio.run(client_alone(url, 3000)) for _ in range(3)]
    with server(0.2) as url:
        slow = [asyncio.run(ours(url, 3200)) for _ in range(3)]
        slow_floor = [asyncio.run(client_alone(url, 3200)) for _ in range(3)]
        ratio = asyncio.run(overlapping(url, cells=10, unique=320))
    bound = 3200 * 0.2 / IN_FLIGHT
    results = {
        "command": "python benchmarks/llm_calls.py",
        "machine": machine() | {"load_average_before": round(load, 2)},
        "in_flight": IN_FLIGHT,
        "cpu_ms_per_call_0ms": spread([c.cpu / 3000 * 1000 for c in fast]),
        "cpu_ms_per_call_200ms": spread([c.cpu / 3200 * 1000 for c in slow]),
        "cpu_ms_per_call_openai_client_alone": spread([c.cpu / 3000 * 1000 for c in floor]),
        "calls_per_second_0ms": spread([3000 / c.wall for c in fast]),
        "wall_over_bound_200ms": spread([c.wall / bound for c in slow]),
        "wall_over_bound_200ms_openai_client_alone": spread([c.wall / bound for c in slow_floor]),
        "requests_sent_over_unique_10_cells": ratio,
        "goals": {"cpu_ms_per_call": 2.5, "wall_over_bound": 1.15, "requests_sent_over_unique": 1.0},
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


def spread(values: list[float]) -> dict[str, float]:
    """Median, lowest and highest."""
    ordered = sorted(values)
    return {name: round(ordered[i], 3) for name, i in (("median", len(ordered) // 2), ("low", 0), ("high", -1))}


if __name__ == "__main__":
    main()
