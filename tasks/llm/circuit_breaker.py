"""Circuit breaker: a server that fails again and again is not asked for a while."""

from __future__ import annotations

from threading import Lock

FAILURES = 3
PAUSE_S = 30.0


class Breaker:
    """Circuit breaker that opens after ``failures`` in a row.

    After ``pause_s`` one request is let through: if it fails, too, the next pause begins; else all requests are let
    through. Times are seconds of any clock that never goes back. Several threads may use it.
    """

    def __init__(self, failures: int = FAILURES, pause_s: float = PAUSE_S) -> None:
        self._limit, self._pause_s = failures, pause_s
        self._lock = Lock()
        self._in_a_row = 0
        self._open_until = 0.0
        self._reason = ""

    def refusal(self, now: float) -> str | None:
        """The reason not to ask the server now, or None if it may be asked:
        then ``failed`` or ``worked`` must follow.
        """
        with self._lock:
            if self._in_a_row < self._limit:
                return None
            if now >= self._open_until:
                self._open_until = now + self._pause_s  # for all other requests
                return None
            return f"after {self._in_a_row} failures in a row it is not asked for a while: {self._reason}"

    def failed(self, now: float, reason: str) -> None:
        """Count a failure of the server, with its reason."""
        with self._lock:
            self._in_a_row += 1
            self._reason = reason
            self._open_until = now + self._pause_s

    def worked(self) -> None:
        """Count a reply of the server, whatever it was."""
        with self._lock:
            self._in_a_row = 0
