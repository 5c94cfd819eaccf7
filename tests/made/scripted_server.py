"""A local OpenAI-compatible server that gives scripted replies, good or broken."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from configs.settings import OpenAISettings
from tasks.llm.model_server import ModelServer

PIECE = 7
"""Characters of a piece of a reply that is streamed."""
POLL_S = 0.01
"""Seconds after which a server sees that it is to end; half a second by default, which each test would wait for."""


@dataclass(frozen=True)
class Odd:
    """A reply as it goes over the wire, after ``after_s``: ``body``, again and again where it is ``endless``.

    ``promised`` is a Content-Length of more than there is. Where the reply is streamed, ``pieces`` is after how many of
    ``content`` it breaks off, and ``is_closed`` that it does so as a stream does that has ended.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int | None = None
    is_endless: bool = False
    after_s: float = 0.0
    content: str = ""
    pieces: int | None = None
    is_closed: bool = False


Reply = tuple[int, Any] | Odd
"""A status and what the model says: an object, which is given as JSON, or a text. Or whatever it is."""


class Kept(dict[str, str]):
    """Replies in memory."""

    def reply(self, key: str) -> str | None:
        return self.get(key)

    def put_reply(self, key: str, reply: str) -> None:
        self[key] = reply


def completion(content: object) -> bytes:
    """A chat completion that says it."""
    text = content if isinstance(content, str) else json.dumps(content)
    message = {"role": "assistant", "content": text}
    done: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
    done |= {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    if isinstance(content, dict):
        done |= content.get("raw", {})
    return json.dumps(done).encode()


def event(delta: Mapping[str, str], finish_reason: str | None = None) -> bytes:
    """A chunk of a completion that is streamed."""
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return b"data: " + json.dumps(chunk | {"choices": [choice]}).encode() + b"\n\n"


def refusal(message: str) -> bytes:
    """The body of an error."""
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()


@contextmanager
def scripted_url(
    script: Callable[[dict[str, Any]], Reply], *, models: Sequence[Mapping[str, object]] | None = None, key: str = ""
) -> Iterator[str]:
    """The address of a server that answers each request by the script, and says which ``models`` it has.

    Where it wants a ``key``, it tells who has another one which that was, as some do.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listed = json.dumps({"object": "list", "data": models}).encode()
            self.give(Odd(body=listed) if models is not None and self.path == "/v1/models" else Odd(404))

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if not raw:  # who asked has not waited
                return
            body = json.loads(raw)
            given = self.headers.get("Authorization", "")
            if key and given != f"Bearer {key}":
                self.give(Odd(401, refusal(f"Incorrect API key provided: {given}")))
                return
            reply = script(body)
            if isinstance(reply, tuple):
                status, content = reply
                if isinstance(content, str) and content.startswith("<html"):
                    reply = Odd(status, content.encode(), "text/html")
                elif body.get("stream") and status == 200:
                    reply = Odd(content=content if isinstance(content, str) else json.dumps(content))
                else:
                    reply = Odd(status, completion(content))
            time.sleep(reply.after_s)
            self.give(reply)

        def give(self, reply: Odd) -> None:
            try:
                if reply.content:
                    self.stream(reply)
                    return
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.content_type)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if not reply.is_endless:
                    self.send_header("Content-Length", str(reply.promised or len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)
                while reply.is_endless:
                    self.wfile.write(reply.body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the same

        def stream(self, reply: Odd) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            # Without it, a server that breaks off looks like one that has ended.
            self.send_header("X-Whole" if reply.pieces is None or reply.is_closed else "Content-Length", "1000000")
            self.end_headers()
            pieces = [reply.content[begin : begin + PIECE] for begin in range(0, len(reply.content), PIECE)]
            for piece in pieces[: reply.pieces]:
                self.wfile.write(event({"content": piece}))
            if reply.pieces is None:
                self.wfile.write(event({}, finish_reason="stop") + b"data: [DONE]\n\n")

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing: the test's output is not for this."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def scripted_server(
    *replies: Reply, kept: Kept | None = None, models: Sequence[Mapping[str, object]] | None = None, **settings: Any
) -> Iterator[tuple[ModelServer, list[dict[str, Any]]]]:
    """A server that gives the next reply (the last one for ever), and what it was asked."""
    requests: list[dict[str, Any]] = []

    def script(body: dict[str, Any]) -> Reply:
        requests.append(body)
        return replies[min(len(requests), len(replies)) - 1]

    with scripted_url(script, models=models) as url:
        of = OpenAISettings(base_url=url, model="m", **{"timeout_s": 5, **settings})
        yield ModelServer(of, Kept() if kept is None else kept), requests
