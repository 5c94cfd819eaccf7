"""A circuit breaker: a server that fails again and again is not asked for a while."""

from __future__ import annotations

from threading import Lock

FAILURES = 3
PAUSE_S = 30.0


class Breaker:
    """Opens after ``failures`` in a row. When ``pause_s`` are over one request is let through: if that fails, too, the
    next pause begins; else all are.

    Times are seconds of any clock that never goes back. It may be used by several threads.
    """

    def __init__(self, failures: int = FAILURES, pause_s: float = PAUSE_S) -> None:
        """Nothing has failed yet."""
        self._limit, self._pause_s = failures, pause_s
        self._lock = Lock()
        self._in_a_row = 0
        self._open_until = 0.0
        self._reason = ""

    def refusal(self, now: float) -> str | None:
        """Why the server is not to be asked now, or None where it is: then ``failed`` or ``worked`` must follow."""
        with self._lock:
            if self._in_a_row < self._limit:
                return None
            if now >= self._open_until:
                self._open_until = now + self._pause_s  # for all but this one
                return None
            return f"after {self._in_a_row} failures in a row it is not asked for a while: {self._reason}"

    def failed(self, now: float, reason: str) -> None:
        """The server gave nothing, for that reason."""
        with self._lock:
            self._in_a_row += 1
            self._reason = reason
            self._open_until = now + self._pause_s

    def worked(self) -> None:
        """The server said something, whatever it was."""
        with self._lock:
            self._in_a_row = 0
