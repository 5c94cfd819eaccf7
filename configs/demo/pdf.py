"""A document as a PDF on A4: title page, contents, running lines, and a record of what stands where."""

# pyright: reportUnknownMemberType=false
# reportlab is untyped, and the stubs that pyright brings for it leave some arguments open.

import io
from collections.abc import Iterator
from functools import partial
from itertools import takewhile
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from configs.demo import source as src
from configs.demo.flowables import GREY, Bookmarked, ContentsLine, Placed, placed, settable
from configs.demo.passages import Passage, Place, Rendered
from configs.demo.yamls import SourceError

_WIDTH, _HEIGHT = A4
_MARGIN, _TOP, _BOTTOM = 27 * mm, 32 * mm, 27 * mm
_MEASURE = _WIDTH - 2 * _MARGIN
_BAND = 150 * mm

_NAVY, _TEAL, _PALE, _RULE = map(HexColor, ("#1d3557", "#2a8c8c", "#f2f6f8", "#c9d3da"))

_TEXT = ParagraphStyle("text", fontName="Helvetica", fontSize=10.5, leading=16.5, allowWidows=0, allowOrphans=0)
_BOLD = ParagraphStyle("bold", fontName="Helvetica-Bold")
_BODY = ParagraphStyle("body", _TEXT, spaceAfter=8)
_ITEM = ParagraphStyle("item", _TEXT, leftIndent=18, bulletIndent=4, spaceAfter=4)
_CELL = ParagraphStyle("cell", _TEXT, fontSize=9, leading=12.5)
_HEAD_CELL = ParagraphStyle("head cell", _BOLD, fontSize=9, leading=12.5, textColor=white)
_CAPTION = ParagraphStyle("caption", _BOLD, fontSize=9.5, leading=16, textColor=_TEAL, spaceBefore=6, spaceAfter=5)
_HEADINGS = (
    ParagraphStyle("h1", _BOLD, fontSize=18, leading=23, spaceBefore=20, spaceAfter=9, textColor=_NAVY),
    ParagraphStyle("h2", _BOLD, fontSize=13, leading=17, spaceBefore=13, spaceAfter=6, textColor=_NAVY),
    ParagraphStyle("h3", _BOLD, fontSize=11, leading=15, spaceBefore=9, spaceAfter=4, textColor=_TEAL),
)
_COMPANY = ParagraphStyle("company", _TEXT, fontSize=14, leading=20, textColor=white)
_TITLE = ParagraphStyle("title", _BOLD, fontSize=30, leading=37, spaceBefore=12, textColor=white)


def render(source: src.Source) -> Rendered:
    """The document as PDF bytes, the same for the same source, and a passage for each line on each page.

    Page 1 is the title page. Raises `SourceError` for a character that the fonts have no glyph for.
    """
    data, ledger = b"", list[Passage]()
    pages: dict[int, int] = {}
    for _ in range(2):  # the contents and "of M" need the pages: the first pass finds them, the second keeps them
        try:
            data, ledger = _typeset(source, pages)
        except UnicodeEncodeError as error:
            glyph = error.object[error.start : error.end]
            raise SourceError(f"{source.front.file}: no glyph for {glyph!r} in {error.object[:60]!r}") from error
        pages = {passage.line: passage.place.page or 0 for passage in reversed(ledger)}
    return Rendered(data, tuple(ledger))


def _typeset(source: src.Source, pages: dict[int, int]) -> tuple[bytes, list[Passage]]:
    """One pass, given the pages of the lines where known: the PDF, and its passages as they were drawn."""
    front = source.front
    ledger = [Passage(line.number, line.text, Place(1)) for line in source.title_lines]
    buffer = io.BytesIO()
    document = BaseDocTemplate(
        buffer,
        pagesize=A4,
        title=front.title,
        author=front.company,
        subject=f"Version {front.version}, {front.day}",
        lang="en-GB",
        invariant=1,
    )
    cover = [
        Frame(_MARGIN, _HEIGHT - _BAND, _MEASURE, _BAND - 52 * mm, 0, 0, 0, 0),
        Frame(_MARGIN, _BOTTOM, _MEASURE, _HEIGHT - _BAND - _BOTTOM - 18 * mm, 0, 0, 0, 0),
    ]
    body = [Frame(_MARGIN, _BOTTOM, _MEASURE, _HEIGHT - _TOP - _BOTTOM, 0, 0, 0, 0)]
    total = max(pages.values(), default=0)
    document.addPageTemplates(
        [
            PageTemplate("cover", cover, onPage=partial(_draw_cover, front=front)),
            PageTemplate("body", body, onPage=partial(_draw_running_lines, front=front, total=total)),
        ]
    )
    document.build([*_cover(front), *_contents(source, pages), *_body(source, ledger)])
    return buffer.getvalue(), ledger


def _draw_cover(canvas: Canvas, _: BaseDocTemplate, front: src.Front) -> None:
    """The title page's band; and the file's date, which invariant mode would put in the year 2000."""
    written = f"D:{front.date:%Y%m%d}090000Z"
    canvas.setDateFormatter(lambda *_: written)
    canvas.setFillColor(_NAVY)
    canvas.rect(0, _HEIGHT - _BAND, _WIDTH, _BAND, stroke=0, fill=1)
    canvas.setFillColor(_TEAL)
    canvas.rect(0, _HEIGHT - _BAND - 3 * mm, _WIDTH, 3 * mm, stroke=0, fill=1)


def _draw_running_lines(canvas: Canvas, _: BaseDocTemplate, front: src.Front, total: int) -> None:
    head, foot = _HEIGHT - 20 * mm, 16 * mm
    canvas.setStrokeColor(_RULE)
    canvas.line(_MARGIN, head - 5, _WIDTH - _MARGIN, head - 5)
    canvas.line(_MARGIN, foot + 11, _WIDTH - _MARGIN, foot + 11)
    canvas.setFont("Helvetica", 8)
    canvas.setFillColor(GREY)
    canvas.drawString(_MARGIN, head, settable(front.header))
    canvas.drawString(_MARGIN, foot, settable(front.footer))
    canvas.drawRightString(_WIDTH - _MARGIN, foot, f"Page {canvas.getPageNumber()} of {total}")


def _cover(front: src.Front) -> Iterator[Flowable]:
    yield Paragraph(escape(settable(front.company)), _COMPANY)
    yield Paragraph(escape(settable(front.title)), _TITLE)
    yield FrameBreak()
    yield Table(
        [[Paragraph(key, _CELL), Paragraph(escape(settable(value)), _TEXT)] for key, value in front.control.items()],
        colWidths=[32 * mm, _MEASURE - 32 * mm],
        style=[("VALIGN", (0, 0), (-1, -1), "MIDDLE"), ("LINEBELOW", (0, 0), (-1, -1), 0.5, _RULE)],
    )
    yield NextPageTemplate("body")
    yield PageBreak()


def _contents(source: src.Source, pages: dict[int, int]) -> Iterator[Flowable]:
    """The contents: headings of the first two levels, as many lines before their pages are known as after."""
    yield Paragraph("Contents", _HEADINGS[0])
    for block in source.blocks:
        if isinstance(block, src.Heading) and block.level <= 2:
            yield ContentsLine(block, pages.get(block.line.number, 0), _MEASURE)
    yield PageBreak()


def _body(source: src.Source, ledger: list[Passage]) -> Iterator[Flowable]:
    """The text. A heading stands with what follows it; tables and paragraphs break where the page ends."""
    depth, tables, after_heading = -1, 0, False
    for at, block in enumerate(source.blocks):
        match block:
            case src.Heading(line, level):
                if not after_heading:
                    run = takewhile(lambda other: isinstance(other, src.Heading), source.blocks[at:])
                    yield CondPageBreak(20 * mm + sum(11 * mm for _ in run))
                heading = placed(Bookmarked, line, _HEADINGS[level - 1], ledger)
                heading.title, heading.depth = settable(line.text), (depth := min(level - 1, depth + 1))
                yield heading
            case src.Paragraph(line):
                yield placed(Placed, line, _BODY, ledger)
            case src.Items(lines, numbers):
                marks = [f"{number}." for number in numbers] or ["\u2022" for _ in lines]
                for line, mark in zip(lines, marks, strict=True):
                    yield placed(Placed, line, _ITEM, ledger, mark=mark)
                yield Spacer(0, 4)
            case src.Table(caption):
                tables += 1
                if not after_heading:
                    yield CondPageBreak(30 * mm)
                numbered = src.Line(caption.number, f"Table {tables}: {caption.text}")
                yield placed(Placed, numbered, _CAPTION, ledger)
                yield _table(block, ledger)
                yield Spacer(0, 14)
        after_heading = isinstance(block, src.Heading)


def _table(table: src.Table, ledger: list[Passage]) -> Table:
    styles = (_HEAD_CELL, *(_CELL for _ in table.rows))
    measure = partial(stringWidth, fontName=_HEAD_CELL.fontName, fontSize=_HEAD_CELL.fontSize)
    return Table(
        [
            [placed(Placed, src.Line(row.number, cell), style, ledger) for cell in row.cells]
            for row, style in zip((table.header, *table.rows), styles, strict=True)
        ],
        colWidths=src.column_widths(table, _MEASURE, measure, padding=13),
        repeatRows=1,
        style=[
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("BACKGROUND", (0, 0), (-1, 0), _NAVY),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, _PALE]),
            ("LINEBELOW", (0, 1), (-1, -1), 0.5, _RULE),
            ("TOPPADDING", (0, 0), (-1, -1), 4),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
        ],
    )
