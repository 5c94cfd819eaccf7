"""Exchanges with a model server: retries, waiting, shortening and limits on concurrent requests.

A request that is too long is shortened, one to a busy server is repeated later, an invalid reply is asked for once
more, a parameter that the server refuses is left out, and a server that keeps failing is not asked for a while. The
function that sends a request is a parameter.
"""

from __future__ import annotations

import asyncio
import math
import random
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tasks.errors import BidfolioError, GeneratorFailed, ReplyTooLong, ServiceAway
from tasks.llm.circuit_breaker import Breaker
from tasks.llm.completion_parameters import Parameters
from tasks.llm.completions import Outcome, Request, Sent

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 8.0
SMALLEST_WINDOW = 2048
"""Requests of up to this many tokens fit into any model, so its window is not looked up."""
TOLD_FROM_S = 3.0
"""The wait for a busy server from which on it is reported: a user who sees nothing takes the program for hung."""
REFUSED_SHARE = 0.75
"""The share to which a request that a server found too long is shortened at once, not by one passage at a time."""

FIRST_IN_FLIGHT = 4
"""The number of requests sent at once before the server's capacity is known."""
WELL_WITHIN = 0.5
"""A reply within this share of its time limit raises the number of concurrent requests."""
ROUNDS_TO_GROW = 4
"""The number of rounds of such replies, after a time-out, for one more concurrent request."""
LATE_TRIES = 4
"""The number of times that a request is sent that is late among others."""
LOOK_S = 0.01
"""The interval of a waiting request's checks for room, in seconds: next to nothing beside a reply."""

OnRaw = Callable[[str], None]


class Failure(Exception):
    """No reply, with the reason in ``error``; ``is_fault`` means that the server is to blame, not this request alone,
    ``is_late`` that it only did not answer in time.
    """

    def __init__(self, error: BidfolioError, *, is_fault: bool = True, is_late: bool = False) -> None:
        super().__init__(str(error))
        self.error, self.is_fault, self.is_late = error, is_fault, is_late


class Again(Exception):
    """The request may work when it is sent again; else ``failure`` holds.

    ``after_s`` is the wait that the server gives; without it, the wait grows with each try.

    ``is_busy``: the server asks to be asked later; ``reason`` has its words.
    """

    def __init__(self, failure: Failure, *, after_s: float = 0.0, is_busy: bool = False, reason: str = "") -> None:
        super().__init__(str(failure))
        self.failure, self.after_s, self.is_busy, self.reason = failure, after_s, is_busy, reason


class _Crowded(Exception):
    """A request was late while others were under way: alone it may be in time, else ``failure`` holds."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


class TooLong(Exception):
    """The request does not fit into the model's window."""

    def __init__(self) -> None:
        super().__init__("it was too long for the model's window")


class Unsupported(Exception):
    """The server refuses a parameter, which the message names; later requests leave it out."""


Send = Callable[[Request, float, OnRaw | None], Awaitable[str]]
"""Function that sends a request once and returns the model's text within a time limit in seconds,
or raises the above.
"""


class InFlight:
    """Adaptive limit on the number of concurrent requests to a server, across the event loops of all threads.

    asyncio's semaphores know only one loop each, so a waiting request checks every LOOK_S, and only the first in the
    line is let in: requests that share a prefix are sent one after another, as they came. The limit adapts by additive
    increase and multiplicative decrease. It begins at FIRST_IN_FLIGHT and grows with each reply that comes well within
    its time limit (by one at first, after a time-out by one in ROUNDS_TO_GROW rounds). After a time-out it is halved,
    once for all requests that were under way together. A server that has not replied yet is asked one request at a time
    after a time-out.
    """

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._most, self._room = most, float(min(FIRST_IN_FLIGHT, most))
        self._under_way = 0
        self._line: deque[object] = deque()
        self._shrunk_at = -math.inf
        self.has_worked = False

    async def __aenter__(self) -> None:
        await self._wait_in_line(self._line.append)

    async def __aexit__(self, *_: object) -> None:
        with self._lock:
            self._under_way -= 1

    @property
    def under_way(self) -> int:
        """The number of requests under way."""
        return self._under_way

    @property
    def room(self) -> int:
        """The present limit on requests under way."""
        return int(self._room)

    async def _wait_in_line(self, join: Callable[[object], None]) -> None:
        place = object()
        with self._lock:
            join(place)
        try:
            while not self._take(place):
                await asyncio.sleep(LOOK_S)
        finally:
            with self._lock:
                self._line.remove(place)

    def _take(self, place: object) -> bool:
        with self._lock:
            is_free = self._line[0] is place and self._under_way < int(self._room)
            self._under_way += is_free
            return is_free

    def worked(self, seconds: float, limit_s: float) -> None:
        """Count a reply that took ``seconds`` of its ``limit_s``."""
        with self._lock:
            self.has_worked = True
            if seconds <= WELL_WITHIN * limit_s:
                step = 1.0 if self._shrunk_at == -math.inf else 1 / (ROUNDS_TO_GROW * self._room)
                self._room = min(self._most, self._room + step)

    def late(self, began: float, now: float) -> None:
        """Count a time-out of a request that was sent at ``began``; both are times of one clock."""
        with self._lock:
            if began >= self._shrunk_at:
                self._room = max(1.0, self._room / 2 if self.has_worked else 1.0)
                self._shrunk_at = now

    async def again(self) -> None:
        """Give the place back and take the next that is free, before those who have not been let in yet."""
        await self.__aexit__()
        await self._wait_in_line(self._line.appendleft)


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits of a request in seconds: with all retries, of a single try, and for waiting on a busy server.

    A request that breaks off or meets a server fault is tried ``tries`` times.
    """

    seconds: float
    seconds_a_try: float
    seconds_busy: float
    tries: int


@dataclass(slots=True)
class Exchange:
    """A request with all that is sent for it.

    ``server`` and ``model`` are names for messages. ``on_busy`` is called with the reason of a long wait.
    ``parameters`` gives the parameters that the server is known to accept. ``room`` is the limit on concurrent
    requests; None means that the request is the only one.
    """

    send: Send
    window: Callable[[float], Awaitable[float]]
    breaker: Breaker
    clock: Callable[[], float]
    patience: Patience
    server: str
    model: str
    on_raw: OnRaw | None = None
    on_busy: Callable[[str], None] = lambda why: None
    parameters: Callable[[], Parameters] = Parameters
    room: InFlight | None = None
    _deadline: float = field(default=math.inf, init=False)
    _sent: list[Sent] = field(default_factory=list, init=False)
    _left_out: int = field(default=0, init=False)
    _was_crowded: bool = field(default=False, init=False)

    async def outcome(self, request: Request) -> Outcome:
        """Send the request, with retries, and return its outcome."""
        began = self.clock()
        if refusal := self.breaker.refusal(began):
            return Outcome(error=ServiceAway(f"{self.server}: {refusal}"))
        self._deadline = began + self.patience.seconds
        try:
            return self._outcome(reply=await self._reply(request))
        except TooLong:
            message = (
                f"{self.server}: the question does not fit into the window of {self.model!r} with any passage: "
                "set a larger one where the server is started, or take a plan of smaller chunks"
            )
            # The failure recorded with the last try is the one that the user sees.
            self._sent[-1] = self._sent[-1]._replace(failure=message)
            return self._outcome(error=GeneratorFailed(message))
        except Failure as failure:
            if failure.is_fault:
                self.breaker.failed(self.clock(), str(failure.error))
            return self._outcome(error=failure.error, is_late=failure.is_late)

    def _outcome(
        self, *, reply: str | None = None, error: BidfolioError | None = None, is_late: bool = False
    ) -> Outcome:
        return Outcome(reply, error, is_late, tuple(self._sent), self._left_out)

    async def _reply(self, request: Request) -> str:
        asked, raw = await self._said(request)
        wrong = self._wrong_with(asked, raw)
        if wrong is not None:
            raw = await self._say(asked.again(str(wrong)))
            wrong = self._wrong_with(asked, raw, is_last=True)
            if wrong is not None:
                raise Failure(wrong, is_fault=False)
        return raw

    async def _said(self, request: Request) -> tuple[Request, str]:
        """The model's text and the request that it answers: with fewer passages where the window is too small."""
        window = math.inf
        if request.tokens > SMALLEST_WINDOW:
            window = await self.window(min(self.patience.seconds_a_try, self._deadline - self.clock()))
        asked, self._left_out = request.within(window)
        while True:
            try:
                return asked, await self._say(asked)
            except TooLong:
                asked, more = asked.within(asked.tokens * REFUSED_SHARE)
                if not more:
                    raise
                self._left_out += more

    def _wrong_with(self, asked: Request, raw: str, *, is_last: bool = False) -> GeneratorFailed | None:
        try:
            asked.check(raw)
        except GeneratorFailed as wrong:
            if is_last and isinstance(wrong, ReplyTooLong):
                return None  # too long is better than nothing: a person can cut it
            self._sent[-1] = self._sent[-1]._replace(failure=str(wrong))
            return wrong
        return None

    async def _say(self, request: Request) -> str:
        """The model's text for a request, sent with the parameters that the server accepts."""
        while True:
            try:
                return await self._say_as(request._replace(parameters=self.parameters()))
            except Unsupported:
                continue  # by then there is less to refuse

    async def _say_as(self, request: Request) -> str:
        """The model's text for a request, sent again as the server's state requires."""
        began, tries = self.clock(), 0
        raw, failure = None, None
        try:
            while True:
                tries += 1
                try:
                    raw = await self._timed(request)
                    return raw
                except Again as again:
                    await self._wait(again, tries, began)
                except _Crowded as crowded:
                    if self.patience.tries == 1 or tries >= LATE_TRIES:
                        raise crowded.failure from None
                    await self._take_another_place()
        except (Failure, TooLong, Unsupported) as error:
            failure = str(error)
            raise
        finally:
            seconds = round(self.clock() - began, 3)
            self._sent.append(Sent(request.sha256(self.model), raw, failure, seconds))

    async def _timed(self, request: Request) -> str:
        """Send a request once and record its time for ``room``. Raises _Crowded where it was late among others."""
        began, beside = self.clock(), self.room.under_way if self.room else 0
        limit_s = min(self.patience.seconds_a_try, self._deadline - began)
        try:
            raw = await self.send(request, limit_s, self.on_raw)
        except Failure as failure:
            if self.room is None or not failure.is_late:
                raise
            is_crowded = max(beside, self.room.under_way) > 1
            # A server may go on for a while with requests that were given up.
            is_again = is_crowded or (self._was_crowded and self.room.has_worked)
            self._was_crowded = is_crowded
            self.room.late(began, self.clock())
            raise _Crowded(failure) if is_again else failure from None
        self.breaker.worked()
        if self.room is not None:
            self.room.worked(self.clock() - began, limit_s)
        return raw

    async def _take_another_place(self) -> None:
        """Wait for a free place within the reduced limit."""
        if self.room is not None:
            await self.room.again()
        if refusal := self.breaker.refusal(self.clock()):
            raise Failure(ServiceAway(f"{self.server}: {refusal}"), is_fault=False)

    async def _wait(self, again: Again, tries: int, began: float) -> None:
        wait_s = max(again.after_s, min(FIRST_WAIT_S * 2 ** (tries - 1), LONGEST_WAIT_S))
        wait_s *= 1 + random.random() / 4  # requests refused together should not come back together
        begins = self.clock() + wait_s
        is_over = begins > began + self.patience.seconds_busy if again.is_busy else tries >= self.patience.tries
        if is_over or begins >= self._deadline:
            raise again.failure
        if again.is_busy and begins - began >= TOLD_FROM_S:
            self.on_busy(again.reason)
        await asyncio.sleep(wait_s)
