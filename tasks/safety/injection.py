"""Prompt injection: text that gives orders to a language model, such as "ignore the instructions above".

A document's words are data. Lines and sentences that give orders are left out of the evidence, whether a model would
obey them or not, and a person is told where they stand; the rest of the chunk stays evidence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tasks.places import locator
from tasks.records import Chunk, Hit, content_id
from tasks.safety.injection_patterns import FOLLOWS, PATTERNS, is_mentioned, patterns_for
from tasks.text.sentences import sentence_spans

_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\U000e0000-\U000e007f]")
"""Invisible characters: soft hyphens, zero-width letters, marks of direction, tags."""
_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝɡвкмнтАΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχ",
    "ABESIJKMHOPCTYXaesijopcyxhdqwgbkmhtABEZHIKMNOPTYXaeiknoptux",
)
"""Letters of other alphabets that look like Latin ones."""
_SPACED = re.compile(r"\b(?:\w ){3,}\w\b")
_SPACED_SHORT = re.compile(r"\b(?:\w ){1,2}\w\b")
_FIGURED = re.compile(r"\b(?=\w*[013457@$])(?=(?:\w*?[a-zA-Z]){3})[a-zA-Z013457@$]{4,}(?!\w)")
_FIGURES = str.maketrans("013457@$", "oieastas")
"""Figures that stand for letters within a word."""
_BLANKS = re.compile(r"\s+")
_SHOWN_CHARACTERS = 80
LOGIC_KEY = content_id("2", *PATTERNS, _HIDDEN.pattern, _SPACED.pattern)
"""Version of the detection logic, by its patterns; change its number with any other change of the logic."""


class Suspect(NamedTuple):
    """A place in a document where text gives orders to a model, and the words of that text."""

    place: str
    words: str

    def __str__(self) -> str:
        """Format the place and the words for a message."""
        return f"{self.place} (“{self.words}”)"


class _Cleared(NamedTuple):
    """The parts that are left of a chunk that gives orders, each verbatim, and the places of the orders."""

    parts: tuple[Chunk, ...]
    suspects: tuple[Suspect, ...]


class _Order(NamedTuple):
    """An order: the part ``[start, end)`` of a text to leave out, the position ``at`` where it begins, its words."""

    start: int
    end: int
    at: int
    words: str


def order_in(text: str) -> str | None:
    """The words by which ``text`` gives orders to a model, other than as an example, in one line; None without any."""
    shown = _plain(text)
    # Lower-cased once, which is faster than patterns that ignore case.
    lowered = shown.lower()
    for pattern in patterns_for(lowered):
        for found in pattern.finditer(lowered):
            if not is_mentioned(lowered, found.start(), found.end()):
                # A few letters become two in lower case: then the offsets differ, and the lower-cased words are shown.
                is_same = len(shown) == len(lowered)
                words = shown[found.start() : found.end()] if is_same else found.group()
                return " ".join(words.split())[:_SHOWN_CHARACTERS].strip(" .!?:;,|>\"“”'‘’«([{*#•–—-")
    return None


def order_in_chunk(chunk: Chunk) -> str | None:
    """The words that give orders in any part of a chunk that a prompt holds, file name and headings too; or None."""
    name = re.sub(r"[-_./]+", " ", re.sub(r"\.\w{1,5}$", "", chunk.file_name))
    return (
        order_in(chunk.text)
        or _order_above(f"{chunk.context}\n{chunk.section_path}\n{chunk.sheet_name or ''}")
        or _order_above(name)
    )


_order_above = lru_cache(maxsize=256)(order_in)
"""As :func:`order_in`, for titles and file names that many chunks in a row share."""


def without_orders(hits: Iterable[Hit], count: int) -> tuple[list[Hit], list[Suspect]]:
    """The best ``count`` hits without text that gives orders, and the places of the orders found.

    A hit hands over what is left of its chunks, as separate chunks, and is dropped where nothing is left of its own.
    """
    kept: list[Hit] = []
    suspects: list[Suspect] = []
    for hit in hits:
        if len(kept) == count:
            break
        every = dict.fromkeys((hit.chunk, *hit.chunks, *hit.around))
        found = {chunk: cleared for chunk in every if (cleared := _cleared(chunk))}
        suspects += [suspect for cleared in found.values() for suspect in cleared.suspects]
        if not found:
            kept.append(hit)
            continue
        own = found[hit.chunk].parts if hit.chunk in found else (hit.chunk,)
        handed_over = tuple(
            part for chunk in hit.chunks for part in (found[chunk].parts if chunk in found else (chunk,))
        )
        around = tuple(chunk for chunk in hit.around if chunk not in found)
        if own and handed_over:
            chunk = max(own, key=lambda part: len(part.text))
            kept.append(replace(hit, chunk=chunk, handed_over=handed_over, around=around))
    return kept, list(dict.fromkeys(suspects))


def told_of_passages(suspects: Sequence[Suspect]) -> list[str]:
    """The message about passages that were left out; an empty list if there are none."""
    left_out = "ignored text that gives orders to a language model"
    return [f"{left_out}: {'; '.join(map(str, suspects))}"] if suspects else []


def told_of_question(question: str) -> list[str]:
    """The reason to review the answer to a question that gives orders; an empty list if it gives none."""
    words = order_in(question)
    return [f"the question gives orders to a language model: ignore “{words}”"] if words else []


@lru_cache(maxsize=2048)
def _cleared(chunk: Chunk) -> _Cleared | None:
    """Remove the orders from a chunk; None if it gives none.

    Nothing is left of a sheet row, which is one statement, nor where a title or the file's name gives orders.
    """
    words = order_in_chunk(chunk)
    below = next(filter(None, (_order_above(path) for _, path in chunk.section_starts)), None)
    if words is None and below is None:
        return None
    is_inside = words in (None, order_in(chunk.text)) and chunk.row_number is None
    orders = _orders(chunk) if is_inside else []
    if not orders:
        return _Cleared((), (_suspect(chunk, chunk.start, words or below or ""),))
    edges = [0, *(edge for one in orders for edge in (one.start, one.end)), len(chunk.text)]
    parts = (_part(chunk, begin, end) for begin, end in zip(edges[::2], edges[1::2], strict=True))
    suspects = tuple(_suspect(chunk, chunk.start + one.at, one.words) for one in orders)
    return _Cleared(tuple(part for part in parts if part and order_in(part.text) is None), suspects)


def _orders(chunk: Chunk) -> list[_Order]:
    """The whole lines, sentences and sections with orders, in order; empty where no two in a row have one."""
    text = chunk.text
    sentences, lines = list(sentence_spans(text)), list(_lines(text))
    units = dict.fromkeys((*sentences, *lines))
    found = [(span, words) for span in units if (words := order_in(text[slice(*span)]))]
    if not found:
        pairs = ((one[0], other[1]) for some in (sentences, lines) for one, other in pairwise(some))
        found = [(span, words) for span in pairs if (words := order_in(text[slice(*span)]))]
    # The shortest match first: it locates the order best.
    parts = [
        _with_rest(_Order(*span, span[0], words), sentences, lines, text)
        for span, words in sorted(found, key=lambda one: one[0][1] - one[0][0])
    ]
    starts = [(max(0, at - chunk.start), path) for at, path in chunk.section_starts if at < chunk.end]
    for (at, path), (end, _) in pairwise([*starts, (len(text), "")]):
        if words := _order_above(path):
            parts.append(_Order(at, end, at, words))
    return _merged(parts)


def _with_rest(
    order: _Order, sentences: Sequence[tuple[int, int]], lines: Sequence[tuple[int, int]], text: str
) -> _Order:
    """Extend an order to its whole lines, to sentences that overlap these, and to next sentences with more orders."""
    start, end = order.start, order.end
    for spans in (lines, sentences):
        touched = [span for span in spans if span[0] < end and start < span[1]]
        start = min([start, *(span[0] for span in touched)])
        end = max([end, *(span[1] for span in touched)])
    for begin, stop in sentences:
        if begin >= end and not text[end:begin].strip() and FOLLOWS.match(text[begin:stop].lower()):
            end = stop
    return order._replace(start=start, end=end)


def _merged(parts: Iterable[_Order]) -> list[_Order]:
    """Merge the parts that touch, in order of position; the words are those of the part that was found first."""
    merged: list[_Order] = []
    for one in parts:
        apart = [other for other in merged if other.end < one.start or one.end < other.start]
        touching = [other for other in merged if other not in apart]
        start, end = min([one.start, *(t.start for t in touching)]), max([one.end, *(t.end for t in touching)])
        merged = [*apart, (touching[0] if touching else one)._replace(start=start, end=end)]
    return sorted(merged)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield at, at + len(line.rstrip())
        at += len(line)


def _part(chunk: Chunk, begin: int, end: int) -> Chunk | None:
    """The part of the chunk from ``begin`` to ``end`` of its text, stripped; None if it has no word."""
    said = chunk.text[begin:end]
    text = said.strip()
    if not re.search(r"[^\W_]", text):
        return None
    start = chunk.start + begin + len(said) - len(said.lstrip())
    stop = start + len(text)
    spans = (
        span._replace(start=max(span.start, start), end=min(span.end, stop))
        for span in chunk.page_spans
        if span.start < stop and start < span.end
    )
    return replace(
        chunk,
        start=start,
        end=stop,
        text=text,
        page_spans=tuple(spans),
        section_path=chunk.section_at(start),
        section_starts=tuple(one for one in chunk.section_starts if start < one[0] < stop),
    )


def _suspect(chunk: Chunk, at: int, words: str) -> Suspect:
    page = next((span.page_number for span in chunk.page_spans if span.start <= at < span.end), chunk.page_number)
    place = (chunk.file_name, page, chunk.sheet_name, chunk.row_number, chunk.section_at(at), chunk.label_of(page))
    return Suspect(locator(*place), words)


def _plain(text: str) -> str:
    """Normalize a text to what a reader sees: letters of one form and alphabet, no hidden characters, words spelled
    with blanks or figures restored, white space as single blanks or line ends.
    """
    shown = _HIDDEN.sub("", unicodedata.normalize("NFKC", text)).translate(_LOOK_ALIKES)
    if _SPACED.search(shown):
        for spaced in (_SPACED, _SPACED_SHORT):
            shown = spaced.sub(lambda found: found.group().replace(" ", ""), shown)
    shown = _FIGURED.sub(lambda found: found.group().translate(_FIGURES), shown)
    return _BLANKS.sub(lambda found: "\n" if "\n" in found.group() else " ", shown)
