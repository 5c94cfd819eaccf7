"""A document as a PowerPoint file: a title slide, and a slide for each top-level heading.

A paragraph that starts with `Notes: ` becomes the speaker notes, other text the body, a table a real table.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false
# mypy: disable-error-code="no-untyped-call"
# python-pptx leaves some of its types open.

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import PP_ALIGN
from pptx.presentation import Presentation as Deck
from pptx.shapes.autoshape import Shape
from pptx.slide import Slide
from pptx.text.text import TextFrame
from pptx.util import Emu, Mm, Pt

from configs.demo import source as src
from configs.demo.packages import seal
from configs.demo.passages import Passage, Place, Rendered
from configs.demo.yamls import SourceError

_WIDTH, _HEIGHT, _MARGIN = Mm(338.7), Mm(190.5), Mm(18)
_MEASURE = Emu(_WIDTH - 2 * _MARGIN)
_NAVY, _TEAL, _GREY = RGBColor(0x1D, 0x35, 0x57), RGBColor(0x2A, 0x8C, 0x8C), RGBColor(0x5C, 0x67, 0x73)
_NOTES = "Notes: "
_TITLE_LAYOUT, _TITLE_AND_CONTENT, _TITLE_ONLY = 0, 1, 5


@dataclass(frozen=True, slots=True)
class _Plan:
    title: src.Line
    body: tuple[src.Line, ...]
    tables: tuple[src.Table, ...]
    notes: tuple[src.Line, ...]


def render(source: src.Source) -> Rendered:
    """The document as PPTX bytes, the same for the same source, and a passage for each line on its slide.

    Raises `SourceError` where text stands before the first heading.
    """
    deck = Presentation()
    deck.slide_width, deck.slide_height = _WIDTH, _HEIGHT
    properties = deck.core_properties
    properties.title, properties.author, properties.last_modified_by = (
        source.front.title,
        source.front.company,
        source.front.owner,
    )
    _add_title_slide(deck, source.front)
    passages = [Passage(line.number, line.text, Place(1)) for line in source.title_lines]
    for number, plan in enumerate(_plans(source), 2):
        _add_slide(deck, plan, f"{source.front.header}  |  {number}")
        lines = (
            plan.title,
            *plan.body,
            *(line for table in plan.tables for line in src.lines_of(table)),
            *plan.notes,
        )
        passages += (Passage(*line, Place(number)) for line in lines)
    buffer = io.BytesIO()
    deck.save(buffer)
    return Rendered(seal(buffer.getvalue(), source.front.date), tuple(passages))


def _plans(source: src.Source) -> Iterator[_Plan]:
    blocks = source.blocks
    starts = [at for at, block in enumerate(blocks) if isinstance(block, src.Heading) and block.level == 1]
    if not starts or starts[0]:
        raise SourceError(f"{source.front.file}: a slide begins with a line '# title'; the text begins without one")
    for start, end in zip(starts, (*starts[1:], len(blocks)), strict=True):
        tables = tuple(block for block in blocks[start:end] if isinstance(block, src.Table))
        title, *lines = (
            line for block in blocks[start:end] if not isinstance(block, src.Table) for line in src.lines_of(block)
        )
        yield _Plan(
            title,
            tuple(line for line in lines if not line.text.startswith(_NOTES)),
            tables,
            tuple(src.Line(line.number, line.text[len(_NOTES) :]) for line in lines if line.text.startswith(_NOTES)),
        )


def _add_title_slide(deck: Deck, front: src.Front) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[_TITLE_LAYOUT])
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = _NAVY
    title, subtitle = (cast("Shape", shape) for shape in slide.placeholders)
    _place(title, Mm(55), Mm(40))
    _write(title.text_frame, (front.title,), 44, RGBColor(255, 255, 255))
    _place(subtitle, Mm(98), Mm(40))
    details = (f"{front.company}, {front.owner}", f"Version {front.version}, {front.day}", front.footer)
    _write(subtitle.text_frame, details, 18, RGBColor(0xDC, 0xE6, 0xEC))


def _add_slide(deck: Deck, plan: _Plan, running_line: str) -> None:
    layout = _TITLE_AND_CONTENT if plan.body else _TITLE_ONLY
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    title, *content = (cast("Shape", shape) for shape in slide.placeholders)
    _place(title, Mm(9), Mm(22))
    _write(title.text_frame, (plan.title.text,), 34, _NAVY)
    top: int = Mm(38)
    for body in content:
        height = Mm(14 * len(plan.body) + 4) if plan.tables else Mm(130)
        _place(body, top, height)
        _write(body.text_frame, [line.text for line in plan.body], 20 if plan.tables else 24, None)
        top += height + Mm(4)
    for table in plan.tables:
        top = _add_table(slide, table, top)
    bar = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Emu(0), Emu(0), Mm(5), _HEIGHT)
    bar.fill.solid()
    bar.fill.fore_color.rgb = _TEAL
    bar.line.fill.background()
    foot = slide.shapes.add_textbox(_MARGIN, Mm(178), _MEASURE, Mm(8))
    _write(foot.text_frame, (running_line,), 11, _GREY)
    if plan.notes:
        cast("TextFrame", slide.notes_slide.notes_text_frame).text = "\n".join(line.text for line in plan.notes)


def _add_table(slide: Slide, table: src.Table, top: int) -> int:
    """Adds the caption and the table; where the next thing may stand comes back."""
    rows = (table.header, *table.rows)
    caption = slide.shapes.add_textbox(_MARGIN, Emu(top), _MEASURE, Mm(8))
    _write(caption.text_frame, (table.caption.text,), 16, _TEAL)
    height = Mm(11 * len(rows))
    frame = slide.shapes.add_table(len(rows), len(table.header.cells), _MARGIN, Emu(top + Mm(9)), _MEASURE, height)
    widths = src.column_widths(table, width=100)
    for column, width in enumerate(widths):
        frame.table.columns[column].width = Emu(round(_MEASURE * width / sum(widths)))
    for at, row in enumerate(rows):
        for column, text in enumerate(row.cells):
            cell = frame.table.cell(at, column)
            _write(cell.text_frame, (text,), 16, RGBColor(255, 255, 255) if row is table.header else None)
            if row is table.header:
                cell.fill.solid()
                cell.fill.fore_color.rgb = _NAVY
    return int(top + Mm(13) + height)


def _place(shape: Shape, top: int, height: int) -> None:
    shape.left, shape.top, shape.width, shape.height = _MARGIN, Emu(top), _MEASURE, Emu(height)


def _write(frame: TextFrame, lines: Sequence[str], size_pt: float, colour: RGBColor | None) -> None:
    frame.word_wrap = True
    frame.text = "\n".join(lines)
    for paragraph in frame.paragraphs:
        paragraph.alignment = PP_ALIGN.LEFT
        paragraph.font.size = Pt(size_pt)
        if colour is not None:
            paragraph.font.color.rgb = colour
