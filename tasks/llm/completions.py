"""Requests to a model server, their outcomes, and the server's interface."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from tasks.errors import BidfolioError, GeneratorFailed, ServiceAway
from tasks.llm.completion_parameters import Parameters
from tasks.llm.prompts import prompt
from tasks.records import content_id

BYTES_A_TOKEN = 3
"""Bytes of text for each token, for estimates.

It is less than a token of any common tokenizer has in English (some 4). Digits count one token each, as some tokenizers
take them. So lengths are rather over- than underestimated. To have tokens counted would cost each question a request
that few servers know.
"""
TOKENS_OF_FORM = 64
"""The tokens that a chat's form adds to its texts."""


class Request(NamedTuple):
    """A request for a JSON object. ``check`` raises GeneratorFailed, with the reason, for an invalid reply.

    ``version`` is that of its prompts. ``shorter`` makes the request with one passage less; None where none can be left
    out. Each ``repeat``, from 1, sends the same request anew and stores its reply apart. ``parameters`` are those that
    the server accepts.
    """

    system: str
    prompt: str
    schema: dict[str, object]
    max_tokens: int
    check: Callable[[str], object]
    version: str = ""
    shorter: Callable[[], Request] | None = None
    temperature: float = 0.0
    repeat: int = 1
    parameters: Parameters = Parameters()

    @property
    def tokens(self) -> int:
        """The estimated number of tokens of the request with its reply, rather too high."""
        text = self.system + self.prompt
        digits = sum(map(str.isdigit, text))
        return (len(text.encode()) - digits) // BYTES_A_TOKEN + digits + TOKENS_OF_FORM + self.max_tokens

    def body(self, model: str) -> dict[str, Any]:
        """The JSON body for the chat completions API."""
        return {
            "model": model,
            "messages": [{"role": "system", "content": self.system}, {"role": "user", "content": self.prompt}],
            **self.parameters.body(self.schema, self.max_tokens, self.temperature),
        }

    def sha256(self, model: str) -> str:
        """The SHA-256 of the body, as hex digits."""
        return sha256(json.dumps(self.body(model), sort_keys=True).encode()).hexdigest()

    def key(self, server: str, model: str, *more: int) -> str:
        """The key that its reply is stored under, with anything ``more`` that it depends on."""
        schema = json.dumps(self.schema)
        anew = [] if (self.temperature, self.repeat) == (0.0, 1) else [f"{self.temperature:g}", f"repeat {self.repeat}"]
        return content_id("reply", server, model, self.system, self.prompt, schema, self.version, *anew, *more)

    def again(self, wrong: str) -> Request:
        """The request with the reason why its reply was refused appended,
        behind the prefix that servers may have cached.
        """
        return self._replace(prompt=f"{self.prompt}\n\n{prompt('refused', reason=wrong)}", shorter=None)

    def within(self, tokens: float) -> tuple[Request, int]:
        """The request in at most so many tokens, and the number of passages left out.

        Where none can be left out any more it is returned as it is, whether it fits or not.
        """
        request, left_out = self, 0
        while request.tokens > tokens and request.shorter is not None:
            request, left_out = request.shorter(), left_out + 1
        return request, left_out


class Sent(NamedTuple):
    """A single transmission to a server: ``sha256`` of its body, and ``raw``, the model's text.

    ``failure`` is the reason why that is no valid reply. ``seconds`` is 0 where the reply was stored before.
    """

    sha256: str
    raw: str | None
    failure: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a request: a ``reply`` that its ``check`` accepts, or the ``error``.

    ``is_late`` means that the server only did not answer in time. ``sent`` are the transmissions, in order; none where
    the server was not asked. ``left_out`` passages did not fit into the model's window.
    """

    reply: str | None = None
    error: BidfolioError | None = None
    is_late: bool = False
    sent: tuple[Sent, ...] = ()
    left_out: int = 0


class Server(Protocol):
    """A model server; ``tasks.llm.model_server`` implements it."""

    model: str

    def ask(
        self, requests: Sequence[Request], *, instead: str, late: type[BidfolioError] = ServiceAway
    ) -> list[str | GeneratorFailed]:
        """A reply to each request that its ``check`` accepts, or the reason why there is none, in order;
        no requests give none.

        A request that is not answered in time raises ``late``; GeneratorFailed concerns that request alone. Raises
        ServiceAway where the server is away; ``instead`` is the alternative that its message names, "" where the user
        need not do anything.
        """

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        """The outcome of each request, in order; no requests give none. Errors are in the outcomes, never raised."""

    def stream(self, request: Request, on_raw: Callable[[str], None], *, instead: str) -> Outcome:
        """The outcome of one request; ``on_raw`` is called with all text so far, each time that there is more.

        A reply that is asked for again starts over.
        """


def raise_if_away(outcomes: Sequence[Outcome]) -> None:
    """Raise the server's error where it concerns more than single requests.

    That is a server that is away, refuses the key or the model, or answered none of the requests in time.
    """
    for outcome in outcomes:
        if outcome.error is not None and not outcome.is_late and not isinstance(outcome.error, GeneratorFailed):
            raise outcome.error
    if all(outcome.is_late for outcome in outcomes):
        for outcome in outcomes[:1]:
            raise outcome.error or ServiceAway("no reply came in time")


class Replies(Protocol):
    """Store of a model server's replies, by the key of the request."""

    def reply(self, key: str) -> str | None:
        """The stored reply, or None."""

    def put_reply(self, key: str, reply: str) -> None:
        """Store a reply."""
