"""A document as a Word file: real styles, tables, header and footer, and breaks before some sections.

A Word file has no pages until it is laid out, but for those that an explicit break begins. A break is set
before a section that might not fit on the page begun, so pages are certain up to the first section that may
itself overrun one.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# mypy: disable-error-code="no-untyped-call"
# python-docx has no call for fields, shading and repeated header rows: they are set in the XML behind it.

import io
from collections.abc import Iterator, Sequence
from math import ceil
from typing import cast

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.text import WD_TAB_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.shared import Mm, Pt, RGBColor
from docx.styles.style import ParagraphStyle
from docx.table import Table as WordTable
from docx.text.paragraph import Paragraph as WordParagraph

from configs.demo import source as src
from configs.demo.packages import seal
from configs.demo.passages import Passage, Place, Rendered

_NAVY = RGBColor(0x1D, 0x35, 0x57)
_MEASURE_MM = 160
_PAGE_PT = 630
"""The height that is certainly free on a page: 90% of the 700 pt between the margins."""
_LINE_CHARS = 82
"""The characters that certainly fit in a line: Calibri at 10.5 pt sets some 95 characters to 160 mm."""


def render(source: src.Source) -> Rendered:
    """The document as DOCX bytes, the same for the same source, and a passage for each line.

    Page 1 is the title page. A passage's page is None where only a layout engine could tell it.
    """
    document = Document()
    _style(document, source.front)
    passages = [Passage(line.number, line.text, Place(1)) for line in source.title_lines]
    _title_page(document, source.front)
    page, used_pt, certain = 2, 0.0, True
    document.add_page_break()
    for section in _sections(source.blocks):
        height_pt = sum(map(_height_pt, section))
        if used_pt and used_pt + height_pt > _PAGE_PT:
            document.add_page_break()
            page, used_pt = page + 1, 0.0
        used_pt += height_pt
        certain = certain and used_pt <= _PAGE_PT
        for block in section:
            _add(document, block)
            passages += (Passage(*line, Place(page if certain else None)) for line in src.lines_of(block))
    buffer = io.BytesIO()
    document.save(buffer)
    return Rendered(seal(buffer.getvalue(), source.front.date), tuple(passages))


def _sections(blocks: Sequence[src.Block]) -> Iterator[list[src.Block]]:
    """The blocks by top-level section; what stands before the first heading is a section of its own."""
    section: list[src.Block] = []
    for block in blocks:
        if isinstance(block, src.Heading) and block.level == 1 and section:
            yield section
            section = []
        section.append(block)
    if section:
        yield section


def _height_pt(block: src.Block) -> float:
    """The height that the block surely does not exceed, in points."""
    match block:
        case src.Heading(_, level):
            return 45.0 if level == 1 else 32.0
        case src.Paragraph(line):
            return 15.0 * ceil(len(line.text) / _LINE_CHARS) + 8
        case src.Items(lines, _):
            return sum(15.0 * ceil(len(line.text) / (_LINE_CHARS - 8)) + 4 for line in lines) + 4
        case src.Table(_, header, rows):
            widths = src.column_widths(block, _LINE_CHARS)
            deepest = (
                max(ceil(len(cell) / (width - 3)) for cell, width in zip(row.cells, widths, strict=True))
                for row in (header, *rows)
            )
            return sum(13.0 * depth + 3 for depth in deepest) + 40


def _style(document: WordDocument, front: src.Front) -> None:
    properties = document.core_properties
    properties.title, properties.author, properties.last_modified_by = front.title, front.company, front.owner
    properties.subject, properties.comments = f"Version {front.version}, {front.day}", ""
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Mm(25)
    for name, size, before, after in (
        ("Normal", 10.5, 0, 6),
        ("Title", 26, 140, 18),
        ("Heading 1", 16, 16, 8),
        ("Heading 2", 12.5, 12, 4),
        ("Heading 3", 11, 8, 3),
        ("Caption", 9.5, 6, 4),
    ):
        style = cast("ParagraphStyle", document.styles[name])
        style.font.size = Pt(size)
        style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(after)
        if name == "Normal":
            style.font.name = "Calibri"
        else:
            style.font.color.rgb = _NAVY
    header, footer = section.header.paragraphs[0], section.footer.paragraphs[0]
    header.text = front.header
    footer.paragraph_format.tab_stops.add_tab_stop(Mm(_MEASURE_MM), WD_TAB_ALIGNMENT.RIGHT)
    footer.add_run(f"{front.footer}\t\tPage ")
    _add_field(footer, "PAGE")
    footer.add_run(" of ")
    _add_field(footer, "NUMPAGES")


def _title_page(document: WordDocument, front: src.Front) -> None:
    document.add_paragraph(front.title, style="Title")
    document.add_paragraph(front.company)
    table = _grid(document, (40, _MEASURE_MM - 40))
    for label, value in front.control.items():
        label_cell, value_cell = table.add_row().cells
        label_cell.text, value_cell.text = label, value


def _add(document: WordDocument, block: src.Block) -> None:
    match block:
        case src.Heading(line, level):
            document.add_heading(line.text, level)
        case src.Paragraph(line):
            document.add_paragraph(line.text)
        case src.Items(lines, ()):
            for line in lines:
                document.add_paragraph(line.text, style="List Bullet")
        case src.Items(lines, numbers):
            for line, number in zip(lines, numbers, strict=True):
                item = document.add_paragraph(f"{number}.\t{line.text}")
                item.paragraph_format.left_indent, item.paragraph_format.first_line_indent = Mm(8), Mm(-8)
        case src.Table(caption):
            document.add_paragraph(caption.text, style="Caption").paragraph_format.keep_with_next = True
            _add_table(document, block)


def _add_table(document: WordDocument, table: src.Table) -> None:
    """Adds the table with a shaded header row that Word repeats on each page, and an empty line after it."""
    widths = src.column_widths(table, _LINE_CHARS)
    grid = _grid(document, [width / _LINE_CHARS * _MEASURE_MM for width in widths])
    for source_row in (table.header, *table.rows):
        row = grid.add_row()
        for cell, text in zip(row.cells, source_row.cells, strict=True):
            run = cell.paragraphs[0].add_run(text)
            run.font.size, cell.paragraphs[0].paragraph_format.space_after = Pt(9), Pt(2)
            if source_row is table.header:
                run.bold = True
                cell._tc.get_or_add_tcPr().append(_element("w:shd", fill="DCE6EC", val="clear"))
    grid.rows[0]._tr.get_or_add_trPr().append(_element("w:tblHeader"))
    document.add_paragraph().paragraph_format.space_after = Pt(0)


def _grid(document: WordDocument, widths_mm: Sequence[float]) -> WordTable:
    grid: WordTable = document.add_table(rows=0, cols=len(widths_mm), style="Table Grid")
    grid.autofit = False
    for column, width in zip(grid.columns, widths_mm, strict=True):
        column.width = Mm(width)
    return grid


def _add_field(paragraph: WordParagraph, name: str) -> None:
    field = _element("w:fldSimple", instr=name)
    field.append(paragraph.add_run("1")._r)
    paragraph._p.append(field)


def _element(tag: str, **attributes: str) -> BaseOxmlElement:
    element = cast("BaseOxmlElement", OxmlElement(tag))
    for name, value in attributes.items():
        element.set(qn(f"w:{name}"), value)
    return element
