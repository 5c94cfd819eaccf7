"""Many who ask at once and one desk that answers: some at a time, some waiting, the rest sent away."""

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
from tasks.errors import BidfolioError, SeveralCorpora, SourceChanged, Terminal, Transient
from tasks.pages.shown import NoSuchPage, PageGone

T = TypeVar("T")
PICTURES_AT_ONCE = 2
ALIVE_EVERY_S = 15.0
"""How often a stream says that it is one: a proxy ends what is silent."""
_COLON = re.compile(r": (?!(?:true|false)\b|[^{]*\})")
CORPUS_SETTING = "BIDFOLIO_ASK_CORPUS"
KEYS = {
    **{name: name for name in ("corpus", "plan", "generator", "session", "since", "until")},
    **{name: f"{name}s" for name in ("file", "folder", "tag", "kind")},
}
"""What a request calls the options of the command line."""
_COMMAND_OR_OPTION = re.compile(rf"`[^`]*`|--({'|'.join(KEYS)})\b")
UNFORESEEN = {"error": "this should not have happened", "remedy": "see what `bidfolio serve` printed"}


class Busy(Transient):
    """Too many are waiting already."""


class Line:
    """Runs what comes in threads, ``at_once`` at a time, while as many as ``waiting`` wait."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._limiter = anyio.CapacityLimiter(at_once)
        self._room, self._inside = at_once + waiting, 0

    async def run(self, work: Callable[[], T]) -> T:
        """What ``work`` gives. Raises Busy where too many wait, and what it does."""
        if self._inside >= self._room:
            raise Busy("too many are asking at the same time: try again in some seconds")
        # Not the limiter's own figures, which know of nobody before his first wait is over.
        self._inside += 1
        try:
            return await run_sync(work, limiter=self._limiter)
        finally:
            self._inside -= 1


class Counter:
    """Hands questions to a desk in threads."""

    def __init__(self, settings: Settings, desk: Desk) -> None:
        self._desk = desk
        self._asking = Line(settings.ask.at_once, settings.ask.waiting)
        self._painting = Line(PICTURES_AT_ONCE, settings.ask.waiting)

    async def ask(self, asking: Asking, on_text: Callable[[str], None] | None = None) -> dict[str, Any]:
        """What the desk says, with ``page_url`` in each citation: where its page is shown with the quote marked.

        Raises Busy where too many wait, and what the desk does.
        """
        said = await self._asking.run(lambda: self._desk.ask(asking, on_text))
        for cited in said["citations"]:
            place = f"/pages/{cited['document_id']}/{cited['shown_on']}.png?start={cited['start']}&end={cited['end']}"
            cited["page_url"] = None if cited["shown_on"] is None else place
        return said

    async def paint(self, picture: Callable[[], bytes]) -> bytes:
        """What ``picture`` gives. Raises Busy where too many wait, and what it does."""
        return await self._painting.run(picture)

    async def stream(self, asking: Asking) -> AsyncIterator[str]:
        """The same as server-sent events: ``delta`` for each piece of a text while it is written, which is not judged
        yet, then ``answer`` with all of it, or ``error``.
        """
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def hand_on(text: str) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, text)

        answering = asyncio.create_task(self.ask(asking, hand_on))

        def end(done: asyncio.Task[Any]) -> None:
            # Who hung up takes no error any more, and asyncio complains of one that nobody has looked at.
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
    """What went wrong, and what to do about it: what stands behind the last colon of a message that is not in braces,
    where an example of JSON has colons of its own, and does not begin the value of a setting. What the command line
    calls ``--corpus`` is the key ``corpus`` of a request; commands to run stay as they are.
    """
    if isinstance(error, SeveralCorpora):
        return {"error": error.told, "remedy": f'name one as "corpus" in the request, or set {CORPUS_SETTING}'}
    shown = _COMMAND_OR_OPTION.sub(lambda found: f'"{KEYS[found[1]]}"' if found[1] else found[0], str(error))
    *wrong, remedy = _COLON.split(shown)
    return {"error": ": ".join(wrong), "remedy": remedy} if wrong else {"error": remedy, "remedy": ""}


def in_one(error: BidfolioError) -> str:
    """As :func:`in_parts`, in one line."""
    return ": ".join(filter(None, in_parts(error).values()))


def status_of(error: BidfolioError) -> int:
    """The HTTP status of an error."""
    for kind, status in ((NoSuchPage, 404), (PageGone, 410), (SourceChanged, 409), (Transient, 503), (Terminal, 502)):
        if isinstance(error, kind):
            return status
    return 400


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, default=str)}\n\n"
