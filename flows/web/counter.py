"""Queue of questions for the HTTP server: some are answered at a time, some wait, and the rest are refused."""

from __future__ import annotations

import asyncio
import json
import re
import traceback
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import anyio
from anyio.to_thread import run_sync

from configs.settings import Settings
from flows.ask import Asking, Desk
from tasks.errors import BidfolioError, Damaged, SeveralCorpora, SourceChanged, Terminal, Transient
from tasks.pages.pictures.page_lookup import NoSuchPage, PageGone

T = TypeVar("T")
PICTURES_AT_ONCE = 2
ALIVE_EVERY_S = 15.0
"""The seconds between keep-alive comments of a stream: a proxy ends a silent stream."""
_COLON = re.compile(r": (?!(?:true|false)\b|[^{]*\})")
CORPUS_SETTING = "BIDFOLIO_ASK_CORPUS"
KEYS = {
    **{name: name for name in ("corpus", "plan", "generator", "session", "since", "until")},
    **{name: f"{name}s" for name in ("file", "folder", "tag", "kind")},
}
"""The request keys for the options of the command line."""
_COMMAND_OR_OPTION = re.compile(rf"`[^`]*`|--({'|'.join(KEYS)})\b")
UNFORESEEN = {"error": "this should not have happened", "remedy": "see what `bidfolio serve` printed"}


class Busy(Transient):
    """Too many questions are waiting already."""


class Line:
    """Bounded queue that runs work in threads, ``at_once`` at a time, while at most ``waiting`` wait."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._limiter = anyio.CapacityLimiter(at_once)
        self._room, self._inside = at_once + waiting, 0

    async def run(self, work: Callable[[], T]) -> T:
        """Run ``work`` and return its result. Raises Busy where too many wait, and what ``work`` raises."""
        if self._inside >= self._room:
            raise Busy("too many are asking at the same time: try again in some seconds")
        # Not the limiter's own figures, which count a task only after its first wait.
        self._inside += 1
        try:
            return await run_sync(work, limiter=self._limiter)
        finally:
            self._inside -= 1


class Counter:
    """Passes questions to a desk in threads, through bounded queues."""

    def __init__(self, settings: Settings, desk: Desk) -> None:
        self._desk = desk
        self._asking = Line(settings.ask.at_once, settings.ask.waiting)
        self._painting = Line(PICTURES_AT_ONCE, settings.ask.waiting)

    async def ask(self, asking: Asking, on_text: Callable[[str], None] | None = None) -> dict[str, Any]:
        """The desk's answer, with ``page_url`` in each citation: the address of its page with the quote marked.

        Raises Busy where too many wait, and what the desk raises.
        """
        said = await self._asking.run(lambda: self._desk.ask(asking, on_text))
        for cited in said["citations"]:
            place = f"/pages/{cited['document_id']}/{cited['shown_on']}.png?start={cited['start']}&end={cited['end']}"
            cited["page_url"] = None if cited["shown_on"] is None else place
        return said

    async def paint(self, picture: Callable[[], bytes]) -> bytes:
        """The picture that ``picture`` gives. Raises Busy where too many wait, and what ``picture`` raises."""
        return await self._painting.run(picture)

    async def stream(self, asking: Asking) -> AsyncIterator[str]:
        """The answer as server-sent events: ``delta`` for each piece of unjudged text, then ``answer``,
        or ``error``.
        """
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def hand_on(text: str) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, text)

        answering = asyncio.create_task(self.ask(asking, hand_on))

        def end(done: asyncio.Task[Any]) -> None:
            # A client that hung up gets no error any more, and asyncio complains of an exception never retrieved.
            if not done.cancelled():
                done.exception()
            pieces.put_nowait(None)

        answering.add_done_callback(end)
        while True:
            try:
                piece = await asyncio.wait_for(pieces.get(), ALIVE_EVERY_S)
            except TimeoutError:
                yield ": still at it\n\n"
                continue
            if piece is None:
                break
            yield _event("delta", {"text": piece})
        try:
            yield _event("answer", await answering)
        except BidfolioError as error:
            yield _event("error", in_parts(error))
        except Exception:
            traceback.print_exc()
            yield _event("error", UNFORESEEN)


def in_parts(error: BidfolioError) -> dict[str, str]:
    """The error and the remedy in a message: they are separated by its last colon.

    Colons in braces, as in an example of JSON, and those before the value of a setting do not count. Options of the
    command line such as ``--corpus`` become keys of a request, ``corpus``; commands to run stay as they are.
    """
    if isinstance(error, SeveralCorpora):
        return {"error": error.told, "remedy": f'name one as "corpus" in the request, or set {CORPUS_SETTING}'}
    shown = _COMMAND_OR_OPTION.sub(lambda found: f'"{KEYS[found[1]]}"' if found[1] else found[0], str(error))
    *wrong, remedy = _COLON.split(shown)
    return {"error": ": ".join(wrong), "remedy": remedy} if wrong else {"error": remedy, "remedy": ""}


def in_one(error: BidfolioError) -> str:
    """The parts of :func:`in_parts` in one line."""
    return ": ".join(filter(None, in_parts(error).values()))


def status_of(error: BidfolioError) -> int:
    """The HTTP status of an error."""
    for kind, status in (
        (NoSuchPage, 404),
        (PageGone, 410),
        (SourceChanged, 409),
        (Damaged, 503),
        (Transient, 503),
        (Terminal, 502),
    ):
        if isinstance(error, kind):
            return status
    return 400


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, default=str)}\n\n"
