"""What a model server is asked and what it gives back, whoever asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from tasks.errors import BidfolioError, GeneratorFailed, ServiceAway
from tasks.parameters import Parameters
from tasks.prompt_files import prompt
from tasks.records import content_id

BYTES_A_TOKEN = 3
"""Fewer than a token of any common tokenizer has in English (some 4), digits apart, which some take one by one: lengths
are rather over- than underestimated. To have them counted would cost each question a request that few servers know."""
TOKENS_OF_FORM = 64
"""What a chat's form adds to its texts."""


class Request(NamedTuple):
    """One request for a JSON object. ``check`` raises GeneratorFailed that says what is wrong with a reply.

    ``version`` is of the prompts that it was made from. ``shorter`` makes it with one passage less, and is None where
    none can give way. The same request is asked anew, and its reply kept apart, for each ``repeat``, from 1.
    ``parameters`` are those that the server takes.
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
        """How many tokens it takes with its reply, by an estimate that is rather too high."""
        text = self.system + self.prompt
        digits = sum(map(str.isdigit, text))
        return (len(text.encode()) - digits) // BYTES_A_TOKEN + digits + TOKENS_OF_FORM + self.max_tokens

    def body(self, model: str) -> dict[str, Any]:
        """What a server is sent, as the API for chat completions has it."""
        return {
            "model": model,
            "messages": [{"role": "system", "content": self.system}, {"role": "user", "content": self.prompt}],
            **self.parameters.body(self.schema, self.max_tokens, self.temperature),
        }

    def sha256(self, model: str) -> str:
        """Of all that a server is sent, as hex digits."""
        return sha256(json.dumps(self.body(model), sort_keys=True).encode()).hexdigest()

    def key(self, server: str, model: str, *more: int) -> str:
        """By which its reply is kept, with what else it depends on."""
        schema = json.dumps(self.schema)
        anew = [] if (self.temperature, self.repeat) == (0.0, 1) else [f"{self.temperature:g}", f"repeat {self.repeat}"]
        return content_id("reply", server, model, self.system, self.prompt, schema, self.version, *anew, *more)

    def again(self, wrong: str) -> Request:
        """The request once more, with what was wrong with the reply to it, after all that servers may keep of it."""
        return self._replace(prompt=f"{self.prompt}\n\n{prompt('refused', reason=wrong)}", shorter=None)

    def within(self, tokens: float) -> tuple[Request, int]:
        """The request in at most so many tokens, and how many passages that cost; where none can give way any more it
        is what is left, whether it fits or not.
        """
        request, left_out = self, 0
        while request.tokens > tokens and request.shorter is not None:
            request, left_out = request.shorter(), left_out + 1
        return request, left_out


class Sent(NamedTuple):
    """What a server was sent once and made of it: ``sha256`` is of all that it was sent, ``raw`` what it said.

    ``failure`` says why that is no reply. ``seconds`` is 0 where the reply was kept from before.
    """

    sha256: str
    raw: str | None
    failure: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request: a ``reply`` that its ``check`` let pass, or the ``error`` why there is none.

    ``is_late`` says that the server did not answer in time, and nothing worse. ``sent`` is what went to the server, in
    order; nothing where it was not asked. ``left_out`` passages did not fit into the model's window.
    """

    reply: str | None = None
    error: BidfolioError | None = None
    is_late: bool = False
    sent: tuple[Sent, ...] = ()
    left_out: int = 0


class Server(Protocol):
    """A model server; ``tasks.model_server`` is one."""

    model: str

    def ask(
        self, requests: Sequence[Request], *, instead: str, late: type[BidfolioError] = ServiceAway
    ) -> list[str | GeneratorFailed]:
        """A reply a request that its ``check`` lets pass, or why there is none, in order; no requests give none.

        A request that is not answered in time raises ``late``; GeneratorFailed is the matter of that request alone.
        Raises ServiceAway where the server is away; ``instead`` is what its message names as the way to do without,
        "" where nobody has to do anything.
        """
        ...

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        """What came of each request, in order; no requests give none. Whatever goes wrong is in there, never raised."""
        ...

    def stream(self, request: Request, on_raw: Callable[[str], None], *, instead: str) -> Outcome:
        """What came of one request; meanwhile ``on_raw`` is given all that the model has said so far, each time that
        there is more. A reply that is asked for again begins anew.
        """
        ...


def raise_if_away(outcomes: Sequence[Outcome]) -> None:
    """Raises what is the matter with the server where it is not a matter of single requests: it is away, refuses the
    key or the model, or answered none of them in time.
    """
    for outcome in outcomes:
        if outcome.error is not None and not outcome.is_late and not isinstance(outcome.error, GeneratorFailed):
            raise outcome.error
    if all(outcome.is_late for outcome in outcomes):
        for outcome in outcomes[:1]:
            raise outcome.error or ServiceAway("no reply came in time")


class Replies(Protocol):
    """A model server's replies, kept by the key of all that it was asked."""

    def reply(self, key: str) -> str | None:
        """The kept reply, or None."""
        ...

    def put_reply(self, key: str, reply: str) -> None:
        """Keeps a reply."""
        ...
