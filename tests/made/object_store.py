"""A local S3 server (moto) that records its requests and can act before it answers one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.parse import unquote

import boto3
import pytest
from botocore.config import Config
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from s3fs import S3FileSystem
from werkzeug.serving import make_server

KEY, SECRET = "tester", "s3cr3t/of+tests"


class ObjectStore:
    """The server under way. ``requests`` are method and path of each, the oldest first."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self._before: dict[tuple[str, str], Callable[[], object]] = {}
        self._refused: tuple[str, str, str] | None = None
        self._methods: frozenset[str] = frozenset()
        self._writes_left: int | None = None
        self._app = DomainDispatcherApplication(create_backend_app)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._serve(0)
        self.url = f"http://127.0.0.1:{self._server.port}"
        self.client: Any = boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
            config=Config(proxies={}, s3={"addressing_style": "path"}),
        )
        self._buckets = 0

    def _serve(self, port: int) -> None:
        self._server = make_server("127.0.0.1", port, self._answer, threaded=True, request_handler=MotoRequestHandler)
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.client.close()
        self.die()

    def die(self) -> None:
        """Refuses connections from now on; what it has stored is kept."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def rise(self) -> None:
        """Answers again, at the same address."""
        self._serve(self._server.port)

    def make_bucket(self, **objects: bytes) -> str:
        """The name of a new bucket."""
        self._buckets += 1
        bucket = f"documents-{self._buckets}"
        self.client.create_bucket(Bucket=bucket)
        self.put(bucket, objects)
        return bucket

    def put(self, bucket: str, objects: dict[str, bytes]) -> None:
        for key, data in objects.items():
            self.client.put_object(Bucket=bucket, Key=key, Body=data)

    def delete(self, bucket: str, *keys: str) -> None:
        for key in keys:
            self.client.delete_object(Bucket=bucket, Key=key)

    def read(self) -> list[str]:
        """The paths of the objects whose bytes were fetched since this was asked last."""
        paths = [path for method, path in self.requests if method == "GET" and path.count("/") > 1]
        self.requests.clear()
        return paths

    def before(self, method: str, path: str, act: Callable[[], object]) -> None:
        """Does something once, when that request has come in and before it is answered."""
        self._before[method, path] = act

    @contextmanager
    def refusing(self, status: str, code: str, message: str, methods: str = "") -> Iterator[None]:
        """Answers everything, or those ``methods``, with that error of S3."""
        self._refused, self._methods = (status, code, message), frozenset(methods.split())
        try:
            yield
        finally:
            self._refused = None

    @contextmanager
    def failing_after(self, writes: int) -> Iterator[None]:
        """Carries out so many requests that write, and from then on answers everything with an error of its own."""
        self._writes_left = writes
        try:
            with self.refusing("500 Internal Server Error", "InternalError", "We are sorry"):
                yield
        finally:
            self._writes_left = None

    def _is_over(self, method: str) -> bool:
        """Tell if the writes that are carried out are over; counts this one."""
        if self._writes_left is None:
            return True
        if self._writes_left and method != "GET" and method != "HEAD":
            self._writes_left -= 1
            return False
        return not self._writes_left

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        request = environ["REQUEST_METHOD"], unquote(environ["RAW_URI"].partition("?")[0])
        self.requests.append(request)
        act = self._before.pop(request, None)
        if act:
            act()
        if self._refused and (not self._methods or request[0] in self._methods) and self._is_over(request[0]):
            status, code, message = self._refused
            body = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
            start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
            return [] if request[0] == "HEAD" else [body]
        answer: Iterable[bytes] = self._app(environ, start)
        return answer


def set_environment(patch: pytest.MonkeyPatch, url: str) -> None:
    """The environment that a user sets to reach the store at ``url``, without this machine's own settings."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_CA_BUNDLE", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3"):
        patch.delenv(name, raising=False)
    for name, value in {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        # One more try of what has failed: four more, the default, wait for half a minute at most.
        "AWS_MAX_ATTEMPTS": "2",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "NO_PROXY": "127.0.0.1",
    }.items():
        patch.setenv(name, value)
    S3FileSystem.clear_instance_cache()
