"""Compact JSON form of a PDF's printed pages, a fifth of the size of their lines in memory.

The pages of a long PDF wait on disk in this form until they are put together, and pass in it from the process that
reads a part of them to the one that joins the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

from tasks.conversion.document.placed_text import Part, make_box, make_part
from tasks.conversion.document.spooled_bytes import Spool
from tasks.conversion.layout.page import Cell, Line, PdfContent, PrintedPage, make_cell, make_line

PLAIN_PAGES = 300
"""Number of pages of a PDF that stay unpacked: packing a page and reading it three times takes some hundredths of the
time to read it from the PDF, and few documents are so long that their memory matters."""
_SEPARATOR = b"\x1e"
_WITHIN = b"\x1f"
"""_SEPARATOR stands between pages, _WITHIN in a page between its lines and their places: JSON holds no control
character unescaped."""
_CELL = Cell(0.0, "", 0.0)


class PackedLines(Sequence[Line]):
    """A page's lines, whose JSON ``read`` returns, followed by that of their cells and parts.

    Each access parses them anew: :func:`opened` does so once for a page.
    """

    __slots__ = ("read",)

    def __init__(self, read: Callable[[], bytes]) -> None:
        self.read = read

    def __bool__(self) -> bool:
        return not self.read().startswith(b"[]")

    def __len__(self) -> int:
        return len(self.opened())

    def __getitem__(self, index: Any) -> Any:
        return self.opened()[index]

    def __iter__(self) -> Iterator[Line]:
        return iter(self.opened())

    def opened(self) -> tuple[Line, ...]:
        """The lines as they were before packing."""
        return _lines(self.read())

    def outlined(self) -> tuple[Line, ...]:
        """The lines without their parts and with empty cells of the right number, for a third of the work."""
        lines = orjson.loads(self.read().partition(_WITHIN)[0])
        return tuple([make_line((*line, (_CELL,) * cells, ())) for *line, cells in lines])


def pack(page: PrintedPage, spool: Spool) -> PrintedPage:
    """Pack the page's lines into ``spool``."""
    return replace(page, lines=PackedLines(spool.put(_raw(page))))


def opened(pages: Iterable[PrintedPage]) -> Iterator[PrintedPage]:
    """Yield the pages, each with its lines as they were before packing."""
    for page in pages:
        yield replace(page, lines=page.lines.opened()) if isinstance(page.lines, PackedLines) else page


def outlined(pages: Iterable[PrintedPage]) -> Iterator[PrintedPage]:
    """Yield the pages, packed pages only with the outlines of their lines."""
    for page in pages:
        yield replace(page, lines=page.lines.outlined()) if isinstance(page.lines, PackedLines) else page


def to_json(content: PdfContent) -> bytes:
    """Serialize the content as one line: JSON for all but the lines, then JSON for the lines of each page."""
    head = {"pages": [replace(page, lines=()) for page in content.pages], "title": content.title}
    return _SEPARATOR.join([orjson.dumps(head), *map(_raw, content.pages)])


def join_parts(parts: Iterable[bytes]) -> PdfContent:
    """Join parts that :func:`to_json` wrote, in page order, to the content that one process would read.

    No parts give no pages and an empty title.
    """
    pages: list[PrintedPage] = []
    title = ""
    spool = Spool()
    for part in parts:
        head, *packed = part.rstrip(b"\n").split(_SEPARATOR)
        told = orjson.loads(head)
        title = title or told["title"]
        for page, raw in zip(told["pages"], packed, strict=True):
            lines = _lines(raw) if len(pages) < PLAIN_PAGES else PackedLines(spool.put(raw))
            pages.append(PrintedPage(**page | {"lines": lines}))
    return PdfContent(pages, title)


def _raw(page: PrintedPage) -> bytes:
    if isinstance(page.lines, PackedLines):
        return page.lines.read()
    lines = [(*line[:7], len(line.cells)) for line in page.lines]
    places = [line[7:] for line in page.lines]
    return _WITHIN.join((orjson.dumps(lines), orjson.dumps(places, default=tuple)))


def _lines(raw: bytes) -> tuple[Line, ...]:
    lines, _, places = raw.partition(_WITHIN)
    return tuple(map(_line, orjson.loads(lines), orjson.loads(places)))


def _line(raw: Sequence[Any], places: Sequence[Any]) -> Line:
    text, x0, x1, y, y_end, size, bold, _ = raw
    cells, parts = places
    own = tuple([make_cell((left, words, gap, _parts(inner))) for left, words, gap, inner in cells]) if cells else ()
    return make_line((text, x0, x1, y, y_end, size, bold, own, _parts(parts)))


def _parts(raw: Sequence[Any]) -> tuple[Part, ...]:
    return tuple([make_part((start, end, make_box(box))) for start, end, box in raw])
