"""Line numbers in the margin of a page, as in contracts and calls for tenders: found and removed.

They are not part of the text: read with it, each line would begin with a figure that its author did not write.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

from tasks.conversion.layout.line_segments import cut_out
from tasks.conversion.layout.page import Line

_NUMBER = re.compile(r"\d{1,3} (?=\S)")
_LEAST_LINES = 6
_LEAST_WITHIN = 2
_MOST = 0.9
_MOST_CELLS = 2
"""Maximum cells of a numbered line: the number and the line itself. A line with more is a row of a table."""


def without_margin_numbers(lines: list[Line]) -> list[Line]:
    """Remove line numbers from the lines of a page; the lines are returned unchanged where they have none.

    Numbers at the beginning of lines are line numbers where nearly all are consecutive and, unlike those of a list,
    some stand in the middle of a sentence.
    """
    # Most pages have few lines that begin with a digit.
    found = ((at, _NUMBER.match(line.text)) for at, line in enumerate(lines) if line.text[:1].isdecimal())
    ends = {at: number.end() for at, number in found if number}
    numbered = list(ends)
    if len(numbered) < max(_LEAST_LINES, len(lines) / 2):
        return lines
    if 2 * sum(len(lines[at].cells) > _MOST_CELLS for at in numbered) > len(numbered):
        return lines
    counted = [int(lines[at].text[: ends[at]]) for at in numbered]
    steps = sum(after == before + 1 for before, after in pairwise(counted))
    within = sum(
        lines[at].text[ends[at]].islower() and not lines[at - 1].text.endswith((".", ":", ";")) for at in numbered if at
    )
    if steps < _MOST * (len(numbered) - 1) or within < _LEAST_WITHIN:
        return lines
    left = median(_left(lines[at], ends[at]) for at in numbered)
    return [_cut(line, ends[at], left) if at in ends else line for at, line in enumerate(lines)]


def _left(line: Line, end: int) -> float:
    """The approximate left edge, in points, of the text that begins at character ``end``, after the number."""
    if len(line.cells) > 1 and line.cells[0].text == line.text[: end - 1]:
        return line.cells[1].x0
    return line.x0 + (line.x1 - line.x0) * end / len(line.text)


def _cut(line: Line, end: int, left: float) -> Line:
    cells = line.cells
    if cells and len(cells[0].text) < end:
        cells = (cells[1]._replace(gap=0.0), *cells[2:])
    elif cells:
        text, parts = cut_out(cells[0].placed_text, end, len(cells[0].text))
        cells = (cells[0]._replace(x0=left, text=text, parts=parts), *cells[1:])
    text, parts = cut_out(line.placed_text, end, len(line.text))
    return line._replace(text=text, x0=left, cells=cells if len(cells) > 1 else (), parts=parts)
