"""An OpenAI-compatible server on loopback that says what a test has written for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from configs.settings import OpenAISettings
from tasks.model_server import ModelServer

Reply = tuple[int, Any]
"""A status and what the model says: an object, which is given as JSON, or a text."""


class Kept(dict[str, str]):
    """Replies in memory."""

    def reply(self, key: str) -> str | None:
        return self.get(key)

    def put_reply(self, key: str, reply: str) -> None:
        self[key] = reply


@contextmanager
def scripted_url(script: Callable[[dict[str, Any]], Reply]) -> Iterator[str]:
    """The address of a server that answers each request by the script."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, content = script(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            is_page = isinstance(content, str) and content.startswith("<html")
            text = content if isinstance(content, str) else json.dumps(content)
            message = {"role": "assistant", "content": text}
            done: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
            done |= {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
            if isinstance(content, dict):
                done |= content.get("raw", {})
            raw = content.encode() if is_page else json.dumps(done).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "text/html" if is_page else "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
            except BrokenPipeError:
                self.close_connection = True  # who asked has not waited

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing: the test's output is not for this."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def scripted_server(*replies: Reply, kept: Kept | None = None) -> Iterator[tuple[ModelServer, list[dict[str, Any]]]]:
    """A server that gives the next reply (the last one for ever), and what it was asked."""
    requests: list[dict[str, Any]] = []

    def script(body: dict[str, Any]) -> Reply:
        requests.append(body)
        return replies[min(len(requests), len(replies)) - 1]

    with scripted_url(script) as url:
        settings = OpenAISettings(base_url=url, model="m", timeout_s=5)
        yield ModelServer(settings, Kept() if kept is None else kept), requests
