"""Text rendered as a PDF page with a part marked, for formats that have no picture of a page."""

from __future__ import annotations

import io
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from tasks.records import Box

FONT, BOLD = "Vera", "VeraBd"
"""Fonts that come with reportlab and are embedded, so that the picture is the same on every machine."""
SIZE_PT, LEADING_PT, MARGIN_PT = 10.0, 15.0, 50.0
MARK_RGB = (1.0, 0.9, 0.3)
CHARACTERS_AROUND = 6000
"""Characters that are laid out before and after the start of the marked part: more than a page holds."""
LINES_BEFORE = 12
"""Lines shown above the marked part, if there are as many."""
FITTING = int((A4[1] - 2 * MARGIN_PT - 2 * LEADING_PT) / LEADING_PT)
"""Lines that fit on a page."""
SHEET_STEP = FITTING // 2
"""Lines between the beginnings of two pages of a long text: a quote in the upper half is seen whole."""


class Line(NamedTuple):
    """A laid out line: the part ``[start, end)`` of the text."""

    start: int
    end: int


def text_page(title: str, text: str, start: int = 0, end: int = 0) -> bytes:
    """Render ``text`` below ``title`` as a PDF of one A4 page, with ``text[start:end]`` marked.

    If the text is longer than a page, the lines around the mark are shown; an empty text gives a page with the title
    alone. A character that the font lacks is shown without its accent, or as a box.
    """
    lines = lay_out(text, max(0, start - CHARACTERS_AROUND), min(len(text), start + CHARACTERS_AROUND))
    first = next((number for number, line in enumerate(lines) if start < line.end), 0) if end > start else 0
    begin = max(0, min(first - LINES_BEFORE, len(lines) - FITTING))
    shown = lines[begin : begin + FITTING]
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=True)
    draw_lines(canvas, title, text, shown, boxes_on(text, shown, start, end))
    canvas.save()
    return buffer.getvalue()


def text_sheets(title: str, text: str, spans: Sequence[tuple[int, int]]) -> tuple[bytes, list[tuple[int, list[Box]]]]:
    """Render the parts of ``text`` below ``title`` that hold the ``spans``, as a PDF with a page for each such part.

    Returns the PDF, without marks, and for each span the index of its page and its boxes on it. Spans that stand near
    each other share a page.
    """
    lines = lay_out(text, 0, len(text))
    ends = [line.end for line in lines]
    begins: list[int] = []
    places: list[tuple[int, list[Box]]] = []
    for start, end in spans:
        first = min(bisect_right(ends, start), len(lines) - 1)
        begin = max(0, (first - LINES_BEFORE) // SHEET_STEP * SHEET_STEP)
        if begin not in begins:
            begins.append(begin)
        places.append((begins.index(begin), boxes_on(text, lines[begin : begin + FITTING], start, end)))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=True)
    for begin in begins:
        draw_lines(canvas, title, text, lines[begin : begin + FITTING], [])
    canvas.save()
    return buffer.getvalue(), places


def boxes_on(text: str, shown: Sequence[Line], start: int, end: int) -> list[Box]:
    """The boxes of ``text[start:end]`` on a page that shows these lines from its top on."""
    found: list[Box] = []
    for number, line in enumerate(shown):
        left, right = max(start, line.start), min(end, line.end)
        if left < right:
            x = MARGIN_PT + text_width(text[line.start : left])
            foot = MARGIN_PT + (2 + number) * LEADING_PT + 4
            found.append(Box(x, foot - LEADING_PT, x + text_width(text[left:right]), foot))
    return found


def draw_lines(canvas: Canvas, title: str, text: str, shown: Sequence[Line], marked: Sequence[Box]) -> None:
    """Draw a page with the title and the lines, over the marked boxes."""
    _register_fonts()
    _, height = A4
    canvas.setFillColorRGB(*MARK_RGB)
    for box in marked:
        canvas.rect(box.left, height - box.bottom, box.right - box.left, box.bottom - box.top, stroke=0, fill=1)
    canvas.setFillColorRGB(0, 0, 0)
    canvas.setFont(BOLD, SIZE_PT)
    canvas.drawString(MARGIN_PT, height - MARGIN_PT, printable(title)[:90])
    canvas.setFont(FONT, SIZE_PT)
    at = height - MARGIN_PT - 2 * LEADING_PT
    for line in shown:
        canvas.drawString(MARGIN_PT, at, printable(text[line.start : line.end]))
        at -= LEADING_PT
    canvas.showPage()


def _register_fonts() -> None:
    for name in (FONT, BOLD):
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))


def lay_out(text: str, begin: int, end: int) -> list[Line]:
    """Lay out ``text[begin:end]`` as lines, broken between words if they are too long for the page."""
    _register_fonts()
    width, _ = A4
    lines: list[Line] = []
    at = begin
    for paragraph in text[begin:end].split("\n"):
        lines += _wrapped(text, at, at + len(paragraph), width - 2 * MARGIN_PT)
        at += len(paragraph) + 1
    return lines


def _wrapped(text: str, start: int, end: int, room: float) -> Iterator[Line]:
    line, used = start, 0.0
    blank: int | None = None
    for at in range(start, end):
        if text[at] == " ":
            blank = at
        used += text_width(text[at])
        if used > room and at > line:
            cut = blank + 1 if blank is not None and blank > line else at
            yield Line(line, cut)
            line, blank, used = cut, None, text_width(text[cut : at + 1])
    yield Line(line, end)


def text_width(text: str) -> float:
    """The width of a text as it is printed, in points."""
    return float(pdfmetrics.stringWidth(printable(text), FONT, SIZE_PT))


def printable(text: str) -> str:
    """Replace characters that the font lacks, one for one: by the letter without its accent, or by a box."""
    known = pdfmetrics.getFont(FONT).face.charToGlyph
    return "".join(character if ord(character) in known else _instead(character, known) for character in text)


def _instead(character: str, known: Mapping[int, int]) -> str:
    if character.isspace():
        return " "
    plain = "-" if character in "‐‑" else unicodedata.normalize("NFKD", character)[0]
    return plain if ord(plain) in known else "□"
