"""What a model server is asked and what it gives back, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from tasks.errors import BidfolioError, GeneratorFailed, ServiceAway


class Request(NamedTuple):
    """One request for a JSON object. ``check`` raises GeneratorFailed that says what is wrong with a reply."""

    system: str
    prompt: str
    schema: dict[str, object]
    max_tokens: int
    check: Callable[[str], object]


class Server(Protocol):
    """A model server; ``tasks.model_server`` is one."""

    def ask(
        self, requests: Sequence[Request], *, instead: str, late: type[BidfolioError] = ServiceAway
    ) -> list[str | GeneratorFailed]:
        """A reply a request that its ``check`` lets pass, or why there is none, in order; no requests give none.

        A request that is not answered in time raises ``late``; GeneratorFailed is the matter of that request alone.
        Raises ServiceAway where the server is away; ``instead`` is what its message names as the way to do without.
        """
        ...


class Replies(Protocol):
    """A model server's replies, kept by the key of all that it was asked."""

    def reply(self, key: str) -> str | None:
        """The kept reply, or None."""
        ...

    def put_reply(self, key: str, reply: str) -> None:
        """Keeps a reply."""
        ...
