"""Pages whose text runs sideways or upside down as displayed: mostly wide tables set along a page's long side.

Their lines are placed as if the page had been turned, so that paragraphs and tables are found by the same rules; their
boxes stay where they are displayed.
"""

from __future__ import annotations

from functools import partial
from itertools import groupby
from math import pi
from typing import Any

import pypdfium2.raw as pdfium_c

from tasks.conversion.layout.page import Line, with_boxes
from tasks.conversion.pdf.lines import read_lines
from tasks.conversion.pdf.page_text import View
from tasks.records import Box

_PROBES = 5
_SAMPLES = 64
_FEW_CHARACTERS = 4
_LEAST_RUN = 3


def upright(lines: list[Line], text_page: Any, view: View) -> list[Line] | None:
    """Place turned lines as if they were upright: ``lines``, read from ``text_page`` by ``view``.

    None where less than half are turned, as on nearly every page.
    """
    probes = lines[:: len(lines) // _PROBES + 1]
    if not any(map(_is_turned, probes)) or 2 * sum(map(_is_turned, lines)) < len(lines):
        return None
    turned = view._replace(turns=_turns(text_page))
    if turned == view:
        return None
    read = read_lines(text_page, turned)
    if [line.text for line in read] != [line.text for line in lines]:
        return _in_order([_as_shown(line, turned, view) for line in read])
    told: list[Line] = []
    for is_turned, run in groupby(zip(lines, read, strict=True), key=lambda pair: _is_turned(pair[0])):
        pairs = list(run)
        told += (
            _in_order([_as_shown(new, turned, view) for _, new in pairs]) if is_turned else [old for old, _ in pairs]
        )
    return told


def _is_turned(line: Line) -> bool:
    return line.placed and len(line.text) >= _FEW_CHARACTERS and line.x1 - line.x0 < line.size


def _turns(text_page: Any) -> int:
    """The quarter turns clockwise that set most of the page's text upright."""
    count = pdfium_c.FPDFText_CountChars(text_page)
    solid = [
        at for at in range(0, count, count // _SAMPLES + 1) if pdfium_c.FPDFText_GetUnicode(text_page, at) > ord(" ")
    ]
    turns = [-round(pdfium_c.FPDFText_GetCharAngle(text_page, at) / (pi / 2)) % 4 for at in solid]
    return max(set(turns), key=turns.count) if turns else 0


def _in_order(lines: list[Line]) -> list[Line]:
    """Reverse runs of lines that go up the page: pdfium gives text that runs down a page from its last line on. A
    single step up may lead to the next column.
    """
    runs: list[list[Line]] = []
    for line in lines:
        if runs and line.placed and line.y > runs[-1][-1].y + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return [line for run in runs for line in (run[::-1] if len(run) >= _LEAST_RUN else run)]


def _as_shown(line: Line, turned: View, view: View) -> Line:
    return with_boxes(line, partial(_box, turned, view))


def _box(turned: View, view: View, box: Box) -> Box:
    corners = turned.own(box.left, turned.height - box.bottom), turned.own(box.right, turned.height - box.top)
    left, low, right, high = view.show_box((*corners[0], *corners[1]))
    return Box(*(round(side, 2) for side in (left, view.height - high, right, view.height - low)))
