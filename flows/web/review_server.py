"""The server of `bidfolio review`: the desk alone, on this machine, until Ctrl-C."""

from __future__ import annotations

import socket
import sys

import uvicorn

from configs.settings import Settings
from flows.serve import require_free
from flows.web.app import make_desk_app
from tasks.errors import UsageError
from tasks.review.task import load_review

PORT = 4220
TRIED = 20
GRACE_S = 2


def serve_desk(wanted: str, settings: Settings, port: int | None) -> int:
    """Serve the review desk for a run until Ctrl-C; returns 0. Without a ``port``, PORT or the next that is free.

    Raises UsageError as :func:`load_review`, and for a port that is in use.
    """
    review = load_review.fn(wanted, settings)
    host = settings.ask.listen
    if port is not None:
        require_free(host, port)
    else:
        port = free_port(host)
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    print(
        f"bidfolio: {len(review.open_items)} of {len(review.items)} answers to review at "
        f"http://{shown}:{port}/review/{review.run_id} (Ctrl-C stops it; decisions are saved at once)",
        flush=True,
    )
    uvicorn.run(
        make_desk_app(settings),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    print("bidfolio: stopped", file=sys.stderr)
    return 0


def free_port(host: str) -> int:
    """PORT, or the next one that nobody listens on. Raises UsageError where there is none."""
    for port in range(PORT, PORT + TRIED):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise UsageError(f"no port from {PORT} to {PORT + TRIED - 1} is free: name one with --port")
