"""A PDF's printed pages as JSON, from the process that reads a part of them to the one that joins the parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from tasks.conversion.layout import Cell, Line, PdfContent, PrintedPage
from tasks.conversion.placed_text import Part
from tasks.records import Box


def to_json(content: PdfContent) -> bytes:
    """The pages and the title as one line of JSON."""
    return orjson.dumps({"pages": content.pages, "title": content.title}, default=tuple)


def join_parts(parts: Iterable[Mapping[str, Any]]) -> PdfContent:
    """The whole of what :func:`to_json` wrote, loaded, in the order of the pages: it is what one process would read.

    No parts give no pages and an empty title.
    """
    pages: list[PrintedPage] = []
    title = ""
    for part in parts:
        title = title or part["title"]
        pages += (PrintedPage(**page | {"lines": tuple(map(_line, page["lines"]))}) for page in part["pages"])
    return PdfContent(pages, title)


def _line(raw: Sequence[Any]) -> Line:
    text, x0, x1, y, y_end, size, bold, cells, parts = raw
    own = tuple(Cell(left, words, gap, _parts(inner)) for left, words, gap, inner in cells)
    return Line(text, x0, x1, y, y_end, size, bold, own, _parts(parts))


def _parts(raw: Sequence[Any]) -> tuple[Part, ...]:
    return tuple(Part(start, end, Box(*box)) for start, end, box in raw)
