"""Guard before every HTTP request: host names, body size, and security headers.

The server answers only under its own names, as another site's name may be made to point here (DNS rebinding); it
accepts bodies of a question's size; and tells the browser to load nothing from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 64 * 1024
HERE = ("127.0.0.1", "localhost", "[::1]")
_PORT = re.compile(r":\d+$")


class BodyTooLarge(Exception):
    """The body is larger than a question needs."""


class Guard:
    """Middleware that accepts requests for ``hosts`` with limited bodies; every response gets ``headers``.

    Bodies may have MAX_BODY_BYTES, and below a path of ``larger`` as many as that says.
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], headers: dict[str, str], larger: Mapping[str, int] | None = None
    ) -> None:
        self._app, self._headers, self._larger = app, headers, larger or {}
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope)
        received = 0
        path = str(scope.get("path", ""))
        most = next((size for below, size in self._larger.items() if path.startswith(below)), MAX_BODY_BYTES)

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise BodyTooLarge
            return message

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        refused: JSONResponse | None = None
        stated = given.get("content-length", "0")
        if _PORT.sub("", given.get("host", "")).lower() not in self._hosts:
            refused = told(421, "this server is not asked by that name", "name it in BIDFOLIO_ASK_HOSTS, a JSON list")
        elif given.get("sec-fetch-site") == "cross-site" and scope["method"] != "GET":
            refused = told(403, "a page of another site may not ask", "ask from this server's own page")
        elif stated.isdecimal() and int(stated) > most:
            refused = too_large(most)
        await (refused or self._app)(scope, counted, guarded)


def told(status: int, error: str, remedy: str, *, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The response for an error: its message and the remedy."""
    return JSONResponse({"error": error, "remedy": remedy}, status, headers)


def too_large(most: int = MAX_BODY_BYTES) -> JSONResponse:
    """The response to a body of more than ``most`` bytes."""
    return told(413, f"the request has more than {most >> 10} kB", "ask a shorter question")
