"""Text with the boxes that its parts are printed in, so that joining lines loses neither words nor places.

Offsets count in the text that they come with. Separators between printed parts (a blank, a cell separator, a line
break) belong to no part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from tasks.records import Box
from tasks.text.characters import LEADER, LINE_END_HYPHEN, leader_of, mended_pieces


class Part(NamedTuple):
    """A part ``[start, end)`` of a text, and the box on the page that it is printed in."""

    start: int
    end: int
    box: Box


class PlacedText(NamedTuple):
    """A text and its printed parts, in order and without overlap; no parts where no place is known."""

    text: str
    parts: tuple[Part, ...] = ()


make_part = partial(tuple.__new__, Part)
make_box = partial(tuple.__new__, Box)
"""Fast constructors of Part and Box from tuples of their fields: the classes' own are Python functions, take nearly
twice as long, and are called a hundred times a page."""


def shift(parts: Iterable[Part], by: int) -> list[Part]:
    """Move the parts of a text by that many characters, as for the same text inside another."""
    return [make_part((start + by, end + by, box)) for start, end, box in parts] if by else list(parts)


def join(texts: Sequence[PlacedText], separator: str) -> PlacedText:
    """Join the texts with ``separator`` between them. None give an empty text."""
    if len(texts) == 1:
        return texts[0]
    parts: list[Part] = []
    at = 0
    for text, own in texts:
        parts += shift(own, at)
        at += len(text) + len(separator)
    return PlacedText(separator.join(text for text, _ in texts), tuple(parts))


def with_short_leader(placed: PlacedText) -> PlacedText:
    """Replace the dots that lead to a page number with one character; unchanged where there are none.

    Each dot would be a token, and a table of contents as long as a chapter.
    """
    leader = leader_of(placed.text)
    if leader is None:
        return placed
    begin, end = leader
    text = f"{placed.text[:begin]}{LEADER}{placed.text[end:]}"

    def move(offset: int) -> int:
        return min(offset, begin + len(LEADER)) if offset < end else offset - (end - begin) + len(LEADER)

    moved = ((move(start), move(stop), box) for start, stop, box in placed.parts)
    return PlacedText(text, tuple(make_part(part) for part in moved if part[0] < part[1]))


def mend(placed: PlacedText, words: Callable[[], Counter[str]]) -> PlacedText:
    """Mend the hyphens at line ends of ``placed``; a word over two lines keeps its two parts.

    ``words`` are the document's own, called only where there is a hyphen to mend.
    """
    if LINE_END_HYPHEN not in placed.text:
        return placed
    pieces = mended_pieces(placed.text, words)
    sources = [piece.source for piece in pieces]
    targets: list[int] = []
    length = 0
    for piece in pieces:
        targets.append(length)
        length += len(piece.text)

    def move(offset: int) -> int:
        """The length of the mended text that the first ``offset`` characters of the old text make."""
        index = max(bisect_right(sources, offset) - 1, 0)
        if offset <= sources[index]:
            return targets[index]
        return targets[index] + min(offset - sources[index], len(pieces[index].text))

    moved = ((move(start), move(end), box) for start, end, box in placed.parts)
    return PlacedText(
        "".join(piece.text for piece in pieces),
        tuple(Part(start, end, box) for start, end, box in moved if end > start),
    )


def union(boxes: Iterable[Box]) -> Box | None:
    """The smallest box that holds all of ``boxes``; None for none."""
    given = list(boxes)
    if len(given) < 2:
        return given[0] if given else None
    left, top, right, bottom = given[0]
    for x0, y0, x1, y1 in given:
        if x0 < left:
            left = x0
        if y0 < top:
            top = y0
        if x1 > right:
            right = x1
        if y1 > bottom:
            bottom = y1
    return Box(left, top, right, bottom)
