"""Quote highlighting: the boxes on the page that a viewer marks to show a quote."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import attrgetter

from tasks.records import Box, LineBox

_NARROW = frozenset("iIjltfr.,:;'!|()[]-’‘ ")
_WIDE = frozenset("mwMWABCDEGHKNOPQRUVXYZ&%@—…")


def boxes_of(lines: Sequence[LineBox], start: int, end: int, text: str = "") -> list[tuple[int, Box]]:
    """The page number and the box of each printed part of ``[start, end)``, in order; empty if none is printed.

    ``lines`` are all lines of the document, in order. A line that the quote covers only in part is cut in proportion to
    its characters, by their rough widths if the document's ``text`` is given: accurate to about a letter. Lines are
    already split where sentences end, so a quote of whole sentences needs no cut.
    """
    first = bisect_right(lines, start, key=attrgetter("end"))
    found: list[tuple[int, Box]] = []
    for line in lines[first:]:
        if line.start >= end or start >= end:
            break
        found.append((line.page_number, _cut(line, max(start, line.start), min(end, line.end), text)))
    return found


def _cut(line: LineBox, start: int, end: int, text: str) -> Box:
    """Cut the box of a line down to the characters from ``start`` to ``end``."""
    if (start, end) == (line.start, line.end):
        return line.box
    own = text[line.start : line.end] or "n" * (line.end - line.start)
    edges = [0.0, *accumulate(_width(c) for c in own)]
    scale = (line.box.right - line.box.left) / edges[-1]
    left, right = (line.box.left + scale * edges[offset - line.start] for offset in (start, end))
    return line.box._replace(left=left, right=right)


def _width(character: str) -> float:
    return 0.3 if character in _NARROW else 0.75 if character in _WIDE else 0.53
