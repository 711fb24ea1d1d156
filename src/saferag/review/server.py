"""The page's server: this machine alone, a token for everything that holds data, no code but our own files."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from saferag.errors import OptionError, UserError
from saferag.review.desks import Desk
from saferag.review.journal import ConflictError

if TYPE_CHECKING:
    from aiohttp import web

HOST = "127.0.0.1"
MAX_BODY = 1_000_000
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_FILES = {
    "/": ("page.html", "text/html"),
    "/page.js": ("page.js", "text/javascript"),
    "/review.js": ("review.js", "text/javascript"),
    "/label.js": ("label.js", "text/javascript"),
    "/texts.js": ("texts.js", "text/javascript"),
    "/page.css": ("page.css", "text/css"),
}


@dataclass(slots=True)
class ReviewServer:
    """Serves a desk.

    Attributes:
        desk: What is asked.
        port: 0 takes a free one.
        token: Whoever has it may read and write.
    """

    desk: Desk
    port: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """What to open in a browser, token included."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    async def start(self) -> None:
        """Begin to serve.

        Raises:
            UserError: The port is taken.
        """
        from aiohttp import web

        app = web.Application(middlewares=[self._guard()], client_max_size=MAX_BODY)
        for path in _FILES:
            app.router.add_get(path, _file)
        app.router.add_get("/api/queue", self._queue)
        app.router.add_get("/api/items/{key}", self._show)
        app.router.add_post("/api/items/{key}/{action}", self._act)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=2)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, HOST, self.port).start()
        except OSError as error:
            await self._runner.cleanup()
            raise UserError(f"port {self.port} cannot be used: {error.strerror}; choose another --port") from None
        self.port = self._runner.addresses[0][1]
        self.desk.changed()

    async def stop(self) -> None:
        """Stop serving and finish what is under way."""
        if self._runner is not None:
            await self._runner.cleanup()
        await self.desk.close()

    def _guard(self) -> Any:  # noqa: ANN401 - aiohttp's own type
        from aiohttp import web

        @web.middleware
        async def guard(
            request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            response: web.StreamResponse
            try:
                if not self._is_ours(request):
                    response = web.json_response({"error": "not allowed"}, status=403)
                else:
                    response = await handler(request)
            except web.HTTPException as error:
                response = web.json_response({"error": error.reason}, status=error.status)
            except ConflictError as error:
                response = web.json_response({"error": str(error), "who": error.who}, status=409)
            except UserError as error:
                response = web.json_response({"error": str(error)}, status=400)
            response.headers.update(HEADERS)
            return response

        return guard

    def _is_ours(self, request: web.Request) -> bool:
        """The right address (another name for this machine is an attack on it) and, for data, the right token."""
        allowed = {f"{HOST}:{self.port}", f"localhost:{self.port}"}
        origin = request.headers.get("Origin")
        if request.host not in allowed or (origin is not None and origin.removeprefix("http://") not in allowed):
            return False
        if not request.path.startswith("/api/"):
            return True
        return hmac.compare_digest(request.headers.get("X-Token", "").encode(), self.token.encode())

    async def _queue(self, request: web.Request) -> web.Response:
        lines = await asyncio.to_thread(self.desk.queue, _who(request.query.get("who", "")))
        return _json({"mode": self.desk.mode, "items": lines})

    async def _show(self, request: web.Request) -> web.Response:
        who = _who(request.query.get("who", ""))
        return _json(await asyncio.to_thread(self.desk.show, request.match_info["key"], who))

    async def _act(self, request: web.Request) -> web.Response:
        try:
            data = await request.json()
        except ValueError:
            raise OptionError("the request is not JSON") from None
        if not isinstance(data, dict) or not _who(data.get("who")):
            raise OptionError("say who you are")
        key, action = request.match_info["key"], request.match_info["action"]
        # A client that goes away in the middle does not undo what it asked for.
        shown = await asyncio.shield(asyncio.to_thread(self.desk.act, key, _who(data["who"]), action, data))
        self.desk.changed()
        return _json(shown)


def _who(value: object) -> str:
    return value.strip()[:80] if isinstance(value, str) else ""


def _json(value: object) -> web.Response:
    from aiohttp import web

    # ASCII: half characters in a text cannot break a reply.
    return web.Response(text=json.dumps(value), content_type="application/json")


async def _file(request: web.Request) -> web.Response:
    from aiohttp import web

    name, kind = _FILES[request.path]
    text = (resources.files("saferag.review") / "page" / name).read_text("utf-8")
    return web.Response(text=text, content_type=kind)
