"""Running headers and footers of two pages only, as in a short letter, form or sheet.

A line that returns once may be chance, or a title that two pages share; so the conditions are stricter than for three
pages. It stands at the same place of both, beyond all lines that differ, and has the same text in both but for one
number that is higher by one. It also looks as running lines do: it counts the pages up to their number; or is set
smaller than the text; or stands further from the text than any line of the text does from the line above it, no larger
and not bold. Pages that are alike as a whole, as a form that is filled in twice, prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from tasks.conversion.layout.page import Line, PrintedPage

MAX_LINES = 6
_ALIGNED = 2.0
_SMALL = 0.92
_MIN_ROW_CELLS = 3
_MAX_CHARACTERS = 300
_NUMBER = re.compile(r"\d+")


_Pair = tuple[int, int]
"""The indices of two lines with the same text, one on each page."""


def returning_on_two(pages: tuple[PrintedPage, PrintedPage], count: int, body_size: float) -> tuple[set[int], set[int]]:
    """The indices of the running lines of two consecutive pages, in a document of ``count`` pages.

    ``body_size`` is the type size of most of its text. Empty where the pages are alike as a whole.
    """
    first, second = pages[0].lines, pages[1].lines
    pairs = [(i, j) for i in _ends(first) for j in _ends(second) if _is_same(first[i], second[j])]
    if len(pairs) > MAX_LINES or _are_alike(first, second, pairs):
        return set(), set()
    while True:
        kept = [pair for pair in pairs if _is_running(pages, pairs, pair, count, body_size)]
        if len(kept) == len(pairs):
            return {i for i, _ in kept}, {j for _, j in kept}
        # Rejected lines are text, and lines within the text are no running lines either: check the rest again.
        pairs = kept


def _are_alike(first: Sequence[Line], second: Sequence[Line], pairs: Sequence[_Pair]) -> bool:
    """Tell if more than half of the other lines on either page stand on both."""
    ours = {line.text for index, line in enumerate(first) if all(index != i for i, _ in pairs)}
    theirs = {line.text for index, line in enumerate(second) if all(index != j for _, j in pairs)}
    return 2 * len(ours & theirs) > min(len(ours), len(theirs))


def _ends(lines: Sequence[Line]) -> list[int]:
    ends = [*range(len(lines))[:MAX_LINES], *range(max(MAX_LINES, len(lines) - MAX_LINES), len(lines))]
    return [index for index in ends if lines[index].placed and len(lines[index].text) <= _MAX_CHARACTERS]


def _is_same(a: Line, b: Line) -> bool:
    """Tell if the lines stand at one place, in one type, and differ by no more than a number that is one higher."""
    is_there = abs(a.y - b.y) < _ALIGNED and min(abs(a.x0 - b.x0), abs(a.x1 - b.x1)) < _ALIGNED
    if not is_there or a.size != b.size or _NUMBER.split(a.text) != _NUMBER.split(b.text):
        return False
    return a.text == b.text or _page_of(a, b) is not None


def _page_of(a: Line, b: Line) -> int | None:
    """The number in ``a`` that is one higher in ``b``, where it is their only difference; None otherwise."""
    numbers = zip(_NUMBER.findall(a.text), _NUMBER.findall(b.text), strict=True)
    apart = [(int(x), int(y)) for x, y in numbers if int(x) != int(y)]
    return apart[0][0] if len(apart) == 1 and apart[0][0] + 1 == apart[0][1] else None


def _is_running(
    pages: tuple[PrintedPage, PrintedPage], pairs: Sequence[_Pair], pair: _Pair, count: int, body_size: float
) -> bool:
    line, other = (page.lines[index] for page, index in zip(pages, pair, strict=True))
    texts = [
        [one.y for index, one in enumerate(page.lines) if index not in taken and one.placed]
        for page, taken in zip(pages, zip(*pairs, strict=True), strict=True)
    ]
    if not all(texts) or not all(line.y > max(ys) or line.y < min(ys) for ys in texts):
        return False
    page, looks_as_title = _page_of(line, other), line.bold or line.size > body_size
    if page is not None and not any(map(str.isalpha, line.text)):
        return True
    if page is not None and not looks_as_title and _counts_up_to(line.text, page, count):
        return True
    if len(line.cells) >= _MIN_ROW_CELLS:
        # Lines of cells may be a table's headings, which it repeats.
        return False
    if line.size <= _SMALL * body_size:
        return True
    # A line above the text that is numbered from page to page may be a title.
    may_be_title = looks_as_title or (page is not None and line.y > max(texts[0]))
    return not may_be_title and all(_is_set_off(line.y, ys) for ys in texts)


def _counts_up_to(text: str, page: int, count: int) -> bool:
    """Tell if the text counts pages, as "1 of 2" or "1/2" do, and "Phase 1: 2 weeks" does not."""
    return re.search(rf"(?<!\d)0*{page}\s*(?:/|[^\W\d_]{{2,3}})\s*0*{count}(?!\d)", text) is not None


def _is_set_off(y: float, text: Sequence[float]) -> bool:
    """Tell if ``y`` is further from the text's lines than any two consecutive lines of it are apart."""
    ordered = sorted(text)
    return min(abs(y - ordered[0]), abs(y - ordered[-1])) > max((b - a for a, b in pairwise(ordered)), default=0.0)
