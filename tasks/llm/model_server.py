"""Client of OpenAI-compatible model servers; vLLM is the server that bidfolio ships and tests."""

from __future__ import annotations

import asyncio
import json
import math
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from configs.settings import OpenAISettings, key_variable, setting_variable
from tasks.errors import BidfolioError, GeneratorFailed, ReplyTooLong, ServiceAway, UsageError
from tasks.llm.circuit_breaker import Breaker
from tasks.llm.completion_parameters import Parameters
from tasks.llm.completion_reader import Cut, Page, hear
from tasks.llm.completions import Outcome, Replies, Request, Sent
from tasks.llm.retries import Again, Exchange, Failure, InFlight, OnRaw, Patience, TooLong, Unsupported
from tasks.llm.server_errors import NAMES_A_MODEL, NO_MODEL, SHORTEST_KEY, TOO_LONG, fault_of_key, reason_of
from tasks.progress import tell
from tasks.records import content_id

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import APIStatusError, AsyncOpenAI

MAX_BYTES = 1 << 20
"""The most bytes read of a response: more than any reply takes."""
TRIES = 3
"""The number of tries for a server that breaks off or has a fault."""
_SEE_LOG = "look into its log for why"

Ask = Callable[[str, Request, OnRaw | None], Awaitable[Outcome]]
"""Function that gives the outcome of a request, whose reply is stored under the key; it may be streamed."""


class _Endless(Exception):
    """A response of more than MAX_BYTES."""


class ModelServer:
    """Client that asks a model server for replies of a fixed JSON shape; an invalid reply is asked for once more.

    A valid reply is stored as soon as it is there: after a server that went away, a request that failed, or a crash,
    the same command asks only for missing replies.
    """

    def __init__(
        self,
        settings: OpenAISettings,
        replies: Replies,
        *,
        name: str = "openai",
        seconds: float | None = None,
        breaker: Breaker | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take server and model from ``settings``; the key, where it needs one, comes from the environment, from
        the variable of ``name``. ``seconds`` is how long a request of a chain may take with all its tries;
        None: as long as each try may.
        """
        self.model = settings.model or ""
        self._settings, self._replies = settings, replies
        self._url = settings.base_url or ""
        self._name, self._seconds = name, seconds or math.inf
        self._breaker, self._clock = breaker or Breaker(), clock
        self._window: float | None = settings.context_tokens
        self._has_replied = self._has_told_busy = False
        self._parameters = Parameters()
        self._in_flight = InFlight(settings.max_in_flight)

    def ask(
        self, requests: Sequence[Request], *, instead: str, late: type[BidfolioError] = ServiceAway
    ) -> list[str | GeneratorFailed]:
        """A reply for each request, or the reason why there is none, in order, many in flight; see
        ``tasks.llm.completions.Server``.

        Raises ServiceAway where the server does not answer, UsageError for a wrong key or model.
        """
        found: list[str | GeneratorFailed] = []
        for outcome in self.exchange(requests, instead=instead):
            error = late(str(outcome.error)) if outcome.is_late else outcome.error
            if error is not None and not isinstance(error, GeneratorFailed):
                raise error
            found.append(error or outcome.reply or "")
        return found

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        """The outcome of each request, in order, many in flight; see ``tasks.llm.completions.Server``.

        Equal requests are sent once.
        """
        keys = [self._key(request) for request in requests]
        outcomes = {key: self._kept(key, request) for key, request in zip(keys, requests, strict=True)}
        missing = {key: request for key, request in zip(keys, requests, strict=True) if outcomes[key] is None}
        asked = asyncio.run(self._ask_all(missing, instead)) if missing else {}
        return [outcomes[key] or asked[key] for key in keys]

    def stream(self, request: Request, on_raw: OnRaw, *, instead: str) -> Outcome:
        """The outcome of one request, streamed; see ``tasks.llm.completions.Server``. Not to be called within an
        event loop.
        """
        key = self._key(request)
        kept = self._kept(key, request)
        if kept is not None:
            on_raw(kept.reply or "")
            return kept

        if wrong := self._wrong_key():
            return Outcome(error=wrong)

        async def heard() -> Outcome:
            async with self._asking(instead) as ask:
                return await ask(key, request, on_raw)

        return asyncio.run(heard())

    def _key(self, request: Request) -> str:
        window = self._settings.context_tokens
        return request.key(self._url, self.model, *([] if window is None else [window]))

    def _kept(self, key: str, request: Request) -> Outcome | None:
        """The stored outcome of a request, for which no server is needed; None where there is none."""
        raw = self._replies.reply(key)
        if raw is None:
            return None
        left_out = int(self._replies.reply(content_id(key, "left out")) or 0)
        said = request
        for _ in range(left_out):
            said = said.shorter() if said.shorter else said
        taken = self._replies.reply(content_id(key, "parameters"))
        said = said._replace(parameters=Parameters(*json.loads(taken)) if taken else Parameters())
        try:
            said.check(raw)
        except ReplyTooLong:
            pass  # an earlier reply was too long as well
        except GeneratorFailed:
            return None  # it was stored by a version that read replies in another way
        return Outcome(raw, sent=(Sent(said.sha256(self.model), raw, None, 0.0),), left_out=left_out)

    def _keep(self, key: str, outcome: Outcome) -> None:
        if outcome.reply is not None:
            if outcome.left_out:
                self._replies.put_reply(content_id(key, "left out"), str(outcome.left_out))
            if self._parameters != Parameters():
                self._replies.put_reply(content_id(key, "parameters"), json.dumps(self._parameters))
            self._replies.put_reply(key, outcome.reply)

    async def _ask_all(self, requests: Mapping[str, Request], instead: str) -> dict[str, Outcome]:
        if wrong := self._wrong_key():
            return {key: Outcome(error=wrong) for key in requests}
        async with self._asking(instead, self._in_flight) as ask:

            async def one(key: str, request: Request) -> Outcome:
                async with self._in_flight:
                    return await ask(key, request, None)

            try:
                async with asyncio.TaskGroup() as group:
                    running = {key: group.create_task(one(key, request)) for key, request in requests.items()}
            except* BidfolioError as several:  # say, a reply that cannot be stored
                raise several.exceptions[0] from None
            return {key: task.result() for key, task in running.items()}

    @asynccontextmanager
    async def _asking(self, instead: str, room: InFlight | None = None) -> AsyncIterator[Ask]:
        """A function that asks for a request and stores the reply, over connections that are closed at the end.

        ``room`` is the limit on concurrent requests.
        """
        key = os.environ.get(key_variable(self._name)) or "none"
        # In a chain of servers, a fault is a reason to try the next server, not to wait.
        tries = TRIES if self._seconds == math.inf else 1
        patience = Patience(self._seconds, self._settings.timeout_s, self._settings.patience_s, tries)
        lock = asyncio.Lock()
        async with _open_client(self._url, key) as client:

            async def send(request: Request, limit_s: float, on_raw: OnRaw | None) -> str:
                return await self._send(client, request, limit_s, on_raw, instead)

            async def window(limit_s: float) -> float:
                async with lock:
                    return await self._window_of(client, limit_s)

            async def ask(key: str, request: Request, on_raw: OnRaw | None) -> Outcome:
                named = (self._url, self.model)
                exchange = Exchange(
                    send,
                    window,
                    self._breaker,
                    self._clock,
                    patience,
                    *named,
                    on_raw,
                    self._tell_busy,
                    lambda: self._parameters,
                    room,
                )
                outcome = await exchange.outcome(request)
                self._keep(key, outcome)
                return outcome

            yield ask

    async def _window_of(self, client: AsyncOpenAI, limit_s: float) -> float:
        """The model's context window in tokens, from the settings or else from the server, which is asked once.

        Infinity where neither names it.
        """
        if self._window is None:
            window = math.inf
            try:
                async with asyncio.timeout(limit_s):
                    async for model in client.models.list():
                        if model.id == self.model:
                            window = float((model.model_extra or {}).get("max_model_len") or math.inf)
            except Exception:  # any error: a server that does not name its window refuses requests that are too long
                window = math.inf
            self._window = window
        return self._window

    async def _send(
        self, client: AsyncOpenAI, request: Request, limit_s: float, on_raw: OnRaw | None, instead: str
    ) -> str:
        """Send a request once and return the model's text, without the key, should it repeat that.

        Raises as ``tasks.llm.retries.Send``.
        """
        from httpx2 import TransportError
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        try:
            async with asyncio.timeout(limit_s):
                raw = await hear(client.chat.completions.create, request, self.model, on_raw, self._secret)
                self._has_replied = True
                return raw
        except (APITimeoutError, TimeoutError) as error:
            raise Failure(self._late(instead), is_late=True) from error
        except (APIConnectionError, TransportError, Cut) as error:
            is_there = not type(error.__cause__ or error).__name__.startswith("Connect")
            what, mend = f"no model server answers at {self._url}", "start it"
            if is_there:
                what, mend = f"{self._url} broke off its reply", _SEE_LOG
            raise Again(Failure(ServiceAway(what + _ways(mend, instead)))) from error
        except APIStatusError as error:
            raise self._refused(error, request, instead) from error
        except _Endless as error:
            wrong = f"{self._url} said more than {MAX_BYTES >> 20} MB, and is not read on"
            raise Failure(GeneratorFailed(wrong + _ways(_SEE_LOG, instead))) from error
        except Page as error:
            setting = setting_variable(self._name, "base_url")
            wrong = f"{self._url} does not answer as an OpenAI-compatible server does"
            raise Failure(ServiceAway(f"{wrong}: set {setting}, which often ends in /v1")) from error
        except (OpenAIError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # The client builds its objects from any JSON, and validates later.
            wrong = f"{self._url} said what is no chat completion"
            raise Failure(GeneratorFailed(wrong + _ways(_SEE_LOG, instead))) from error

    def _tell_busy(self, why: str) -> None:
        if not self._has_told_busy:
            self._has_told_busy = True
            setting, patience_s = setting_variable(self._name, "patience_s"), self._settings.patience_s
            tell(f"{why}: it is busy, and asked again for up to {patience_s:g} s ({setting})")

    @property
    def _secret(self) -> str:
        """The key that a reply must not repeat; "" where there is none."""
        key = os.environ.get(key_variable(self._name), "")
        return key if len(key) >= SHORTEST_KEY else ""

    def _wrong_key(self) -> UsageError | None:
        """An error for a key that cannot be sent, without a character of it; None where it can be sent."""
        variable = key_variable(self._name)
        fault = fault_of_key(os.environ.get(variable, ""))
        wrong = f"the key of {self._url} has {fault}, which no key has: set {variable} to the key alone"
        return UsageError(wrong) if fault else None

    def _late(self, instead: str) -> ServiceAway:
        if self._seconds <= self._settings.timeout_s:
            given_s, setting = self._seconds, "BIDFOLIO_CHAIN_SECONDS"
        else:
            given_s, setting = self._settings.timeout_s, setting_variable(self._name, "timeout_s")
        late = f"the model server at {self._url} gave no reply within {given_s:g} s"
        return ServiceAway(late + _ways(f"set {setting}", instead))

    def _unsupported(self, error: APIStatusError, asked_with: Parameters) -> Unsupported | None:
        """The error for a refused parameter, after dropping it for this server from now on;
        None for any other error.
        """
        fewer = asked_with.after(f"{error.message} {error.body}", error.param)
        if fewer is None:
            return None
        change = f"it refused a parameter, and is asked with {asked_with.change_to(fewer)}"
        if self._parameters == asked_with:  # else another request that was under way has changed it
            self._parameters = fewer
            tell(f"{self._url}: {change}")
        return Unsupported(change)

    def _refused(self, error: APIStatusError, request: Request, instead: str) -> Exception:
        # For an error with a plain-text body the message has only the status.
        status, said = error.status_code, f"{error.message} {error.body}"
        if status in (401, 403):
            variable = key_variable(self._name)
            wrong = f"refused the key: set {variable}" if os.environ.get(variable) else f"wants a key: set {variable}"
            return Failure(UsageError(f"{self._url} {wrong}"))
        if status == 404 and not NAMES_A_MODEL.search(said):
            setting = setting_variable(self._name, "base_url")
            return Failure(UsageError(f"{self._url} has no /chat/completions: set {setting}, which often ends in /v1"))
        if status == 404 or (status == 400 and NO_MODEL.search(said)):
            setting = setting_variable(self._name, "model")
            return Failure(UsageError(f"{self._url} does not serve the model {self.model!r}: set {setting}"))
        if status in (400, 413, 422, 500) and TOO_LONG.search(said):
            return TooLong()
        if status in (400, 422) and (unsupported := self._unsupported(error, request.parameters)):
            return unsupported
        message, waits_s = f"{self._url} answered with status {status}", _retry_after_s(error.response)
        is_page = "html" in error.response.headers.get("content-type", "")
        if status >= 500 and is_page and not (waits_s or self._has_replied):
            # Behind a proxy that has never passed a reply there may be no server worth waiting for.
            wrong = f"{message} and a page, as a proxy does that has no model server behind it"
            setting = setting_variable(self._name, "base_url")
            return Again(Failure(ServiceAway(wrong + _ways(f"start that, set {setting}", instead))))
        if status in (429, 502, 503, 504):
            setting = setting_variable(self._name, "patience_s")
            failure = Failure(GeneratorFailed(message + _ways(f"ask again later, set {setting}", instead)))
            return Again(failure, after_s=waits_s, is_busy=True, reason=message)
        reason = reason_of(error.body, self._secret)
        message += (f", saying “{reason}”" if reason else "") + _ways("" if reason else _SEE_LOG, instead)
        failure = Failure(GeneratorFailed(message), is_fault=status >= 429)
        return Again(failure) if status in (408, 409) or status >= 500 else failure


def _ways(mend: str, instead: str) -> str:
    """The remedies as the end of a message; "" where another server takes over."""
    return ": " + ", or ".join(filter(None, [mend, f"take {instead}"])) if instead else ""


def _open_client(url: str, key: str) -> AsyncOpenAI:
    from httpx2 import AsyncByteStream
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    class Bounded(AsyncByteStream):
        """Response body that is read up to MAX_BYTES."""

        def __init__(self, stream: AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for part in self._stream:
                read += len(part)
                if read > MAX_BYTES:
                    raise _Endless
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def bound(response: Response) -> None:
        if isinstance(response.stream, AsyncByteStream):
            response.stream = Bounded(response.stream)

    # A redirect would carry the passages to a server that nobody has configured, and a body that is packed could be of
    # any size.
    client = DefaultAsyncHttpxClient(
        event_hooks={"response": [bound]}, follow_redirects=False, headers={"Accept-Encoding": "identity"}
    )
    # The exchange counts time limits and tries, as it knows when a server asks to come again.
    return AsyncOpenAI(base_url=url, api_key=key, timeout=None, max_retries=0, http_client=client)


def _retry_after_s(response: Response) -> float:
    """The seconds to wait from the server's Retry-After header; 0 without it."""
    said = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except ValueError:
        return 0.0
