"""Text rendered as a PDF page with a part marked, for formats that have no picture of a page."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONT, BOLD = "Vera", "VeraBd"
"""Fonts that come with reportlab and are embedded, so that the picture is the same on every machine."""
SIZE_PT, LEADING_PT, MARGIN_PT = 10.0, 15.0, 50.0
MARK_RGB = (1.0, 0.9, 0.3)
CHARACTERS_AROUND = 6000
"""Characters that are laid out before and after the start of the marked part: more than a page holds."""
LINES_BEFORE = 12
"""Lines shown above the marked part, if there are as many."""


class _Line(NamedTuple):
    """A laid out line: the part ``[start, end)`` of the text."""

    start: int
    end: int


def text_page(title: str, text: str, start: int = 0, end: int = 0) -> bytes:
    """Render ``text`` below ``title`` as a PDF of one A4 page, with ``text[start:end]`` marked.

    If the text is longer than a page, the lines around the mark are shown; an empty text gives a page with the title
    alone. A character that the font lacks is shown without its accent, or as a box.
    """
    for name in (FONT, BOLD):
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    width, height = A4
    lines = _cut(text, max(0, start - CHARACTERS_AROUND), min(len(text), start + CHARACTERS_AROUND), width)
    first = next((number for number, line in enumerate(lines) if start < line.end), 0) if end > start else 0
    fitting = int((height - 2 * MARGIN_PT - 2 * LEADING_PT) / LEADING_PT)
    begin = max(0, min(first - LINES_BEFORE, len(lines) - fitting))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=True)
    canvas.setFont(BOLD, SIZE_PT)
    canvas.drawString(MARGIN_PT, height - MARGIN_PT, _shown(title)[:90])
    canvas.setFont(FONT, SIZE_PT)
    at = height - MARGIN_PT - 2 * LEADING_PT
    for line in lines[begin : begin + fitting]:
        left, right = max(start, line.start), min(end, line.end)
        if left < right:
            canvas.setFillColorRGB(*MARK_RGB)
            before = _width(text[line.start : left])
            canvas.rect(MARGIN_PT + before, at - 4, _width(text[left:right]), LEADING_PT, stroke=0, fill=1)
            canvas.setFillColorRGB(0, 0, 0)
        canvas.drawString(MARGIN_PT, at, _shown(text[line.start : line.end]))
        at -= LEADING_PT
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _cut(text: str, begin: int, end: int, width: float) -> list[_Line]:
    """Lay out ``text[begin:end]`` as lines, broken between words if they are too long for the page."""
    lines: list[_Line] = []
    at = begin
    for paragraph in text[begin:end].split("\n"):
        lines += _wrapped(text, at, at + len(paragraph), width - 2 * MARGIN_PT)
        at += len(paragraph) + 1
    return lines


def _wrapped(text: str, start: int, end: int, room: float) -> Iterator[_Line]:
    line, used = start, 0.0
    blank: int | None = None
    for at in range(start, end):
        if text[at] == " ":
            blank = at
        used += _width(text[at])
        if used > room and at > line:
            cut = blank + 1 if blank is not None and blank > line else at
            yield _Line(line, cut)
            line, blank, used = cut, None, _width(text[cut : at + 1])
    yield _Line(line, end)


def _width(text: str) -> float:
    return float(pdfmetrics.stringWidth(_shown(text), FONT, SIZE_PT))


def _shown(text: str) -> str:
    """Replace characters that the font lacks, one for one: by the letter without its accent, or by a box."""
    known = pdfmetrics.getFont(FONT).face.charToGlyph
    return "".join(character if ord(character) in known else _instead(character, known) for character in text)


def _instead(character: str, known: Mapping[int, int]) -> str:
    if character.isspace():
        return " "
    plain = "-" if character in "‐‑" else unicodedata.normalize("NFKD", character)[0]
    return plain if ord(plain) in known else "□"
