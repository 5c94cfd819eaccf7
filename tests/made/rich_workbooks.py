"""Workbooks written as raw XML, with what openpyxl loses: x14 rules, cached formulas, threaded comments, macros."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from tasks.spreadsheets.row import column_letters

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'


class Sheet(NamedTuple):
    """A sheet: its name, the XML of its rows, the XML before them and after them, and its relations."""

    name: str
    rows: str
    before: str = ""
    after: str = ""
    relations: Sequence[tuple[str, str]] = ()
    state: str = "visible"


def text_cell(row: int, column: int, text: str, style: int = 0) -> str:
    """The XML of a cell with an inline string."""
    return f'<c r="{column_letters(column)}{row}" s="{style}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def formula_cell(row: int, column: int, formula: str, shown: str, style: int = 0) -> str:
    """The XML of a cell with a formula and the text that it showed when the file was saved."""
    return (
        f'<c r="{column_letters(column)}{row}" s="{style}" t="str"><f>{escape(formula)}</f><v>{escape(shown)}</v></c>'
    )


def empty_cell(row: int, column: int, style: int) -> str:
    """The XML of an empty cell with a style."""
    return f'<c r="{column_letters(column)}{row}" s="{style}"/>'


def row_xml(number: int, *cells: str) -> str:
    """The XML of a row."""
    return f'<row r="{number}" spans="1:8" x14ac:dyDescent="0.3">{"".join(cells)}</row>'


def package(sheets: Sequence[Sheet], *, extra: dict[str, bytes], with_macros: bool = False) -> bytes:
    """The workbook with the sheets and the ``extra`` parts, by name."""
    kind = (
        "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
        if with_macros
        else "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    )
    worksheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
    overrides = [("/xl/workbook.xml", kind), ("/xl/styles.xml", f"{worksheet[:-13]}styles+xml")]
    overrides += [(f"/xl/worksheets/sheet{n}.xml", worksheet) for n in range(1, len(sheets) + 1)]
    types = "".join(f'<Override PartName="{part}" ContentType="{of}"/>' for part, of in overrides)
    defaults = {
        "rels": "application/vnd.openxmlformats-package.relationships+xml",
        "xml": "application/xml",
        "bin": "application/vnd.ms-office.vbaProject",
        "png": "image/png",
        "vml": "application/vnd.openxmlformats-officedocument.vmlDrawing",
    }
    typed = "".join(f'<Default Extension="{suffix}" ContentType="{of}"/>' for suffix, of in defaults.items())
    listed = "".join(
        f'<sheet name="{escape(sheet.name)}" sheetId="{n}" state="{sheet.state}" r:id="rId{n}"/>'
        for n, sheet in enumerate(sheets, start=1)
    )
    related = [(f"{_OFFICE}/worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    related += [(f"{_OFFICE}/styles", "styles.xml")]
    if with_macros:
        related.append(("http://schemas.microsoft.com/office/2006/relationships/vbaProject", "vbaProject.bin"))
    parts = {
        "[Content_Types].xml": f'{_DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f"{typed}{types}</Types>",
        "_rels/.rels": _relations([(f"{_OFFICE}/officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'{_DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets>'
        '<definedNames><definedName name="Choices">Lists!$A$1:$A$3</definedName></definedNames></workbook>',
        "xl/_rels/workbook.xml.rels": _relations(related),
        "xl/styles.xml": _STYLES,
    }
    for number, sheet in enumerate(sheets, start=1):
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'{_DECLARATION}<worksheet xmlns="{MAIN}" xmlns:r="{_OFFICE}" '
            'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac" '
            'xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac">'
            f"{sheet.before}<sheetData>{sheet.rows}</sheetData>{sheet.after}</worksheet>"
        )
        if sheet.relations:
            parts[f"xl/worksheets/_rels/sheet{number}.xml.rels"] = _relations(sheet.relations)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        for name, data in extra.items():
            archive.writestr(name, data)
    return out.getvalue()


def rich_workbook(questions: Sequence[str], formulas: int = 10_000, sheets: int = 15) -> bytes:
    """A workbook of that many sheets and formulas; the first two ask the ``questions``.

    The first has question texts that are formulas, an answer column with an x14 dropdown and comments; the second has
    columns for yes, no and n/a, of which an example row marks one with ✓. Macros, a picture, threaded comments, custom
    XML and x14 colours are in it.
    """
    asked = len(questions)
    first = [row_xml(1, *(text_cell(1, at, title, 1) for at, title in enumerate(_TITLES, 1)))]
    for number, question in enumerate(questions, start=2):
        looked_up = f"VLOOKUP(A{number},Lists!C:D,2,FALSE)"
        first.append(
            row_xml(
                number,
                text_cell(number, 1, f"Q-{number - 1}"),
                formula_cell(number, 2, looked_up, question, 2),
                empty_cell(number, 3, 2),
                empty_cell(number, 4, 2),
            )
        )
    titles = ("No.", "Requirement", "Yes", "No", "N/A", "Comments")
    second = [row_xml(1, *(text_cell(1, at, title, 1) for at, title in enumerate(titles, 1)))]
    example = (text_cell(2, 1, "0"), text_cell(2, 2, "Do you have an office?"), text_cell(2, 3, "✓", 2))
    second.append(row_xml(2, *example, text_cell(2, 6, "In Leeds.")))
    for number, question in enumerate(questions, start=3):
        cells = (text_cell(number, 1, f"R-{number - 2}"), text_cell(number, 2, f"Again: {question}"))
        second.append(row_xml(number, *cells, *(empty_cell(number, at, 2) for at in range(3, 7))))
    lists = [row_xml(n, text_cell(n, 1, word)) for n, word in enumerate(("Yes - fully", "Yes - partly", "No"), start=1)]
    others = sheets - 3
    each = -(-formulas // others)
    sums = [
        "".join(
            f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}"><f>A{n}*2</f><v>{n * 2}</v></c></row>'
            for n in range(1, each + 1)
        )
        for _ in range(others)
    ]
    dropdown = (
        '<extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}" xmlns:x14="'
        + _X14
        + '"><x14:conditionalFormattings>'
        '<x14:conditionalFormatting xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:cfRule '
        'type="expression" priority="1" id="{A0000000-0000-4000-8000-000000000001}"><xm:f>Lists!$A$1=C2</xm:f><x14:dxf>'
        '<fill><patternFill><bgColor rgb="FFC6EFCE"/></patternFill></fill></x14:dxf></x14:cfRule>'
        f"<xm:sqref>C2:C{asked + 1}</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext><ext "
        'uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:x14="' + _X14 + '"><x14:dataValidations count="1" '
        'xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:dataValidation type="list" allowBlank="1">'
        f"<x14:formula1><xm:f>Lists!$A$1:$A$3</xm:f></x14:formula1><xm:sqref>C2:C{asked + 1}</xm:sqref>"
        "</x14:dataValidation></x14:dataValidations></ext></extLst>"
    )
    relations = [
        (f"{_OFFICE}/drawing", "../drawings/drawing1.xml"),
        ("http://schemas.microsoft.com/office/2017/10/relationships/threadedComment", "../threadedComments/one.xml"),
    ]
    made = [
        Sheet(
            "Questions", "".join(first),
            f'<dimension ref="A1:D{asked + 1}"/><cols><col min="2" max="2" width="60" customWidth="1"/>'
            '<col min="4" max="4" width="40" customWidth="1"/></cols>',
            '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>'
            f'<drawing r:id="rId1"/>{dropdown}',
            relations,
        ),
        Sheet("Marks", "".join(second)),
        Sheet("Lists", "".join(lists), state="hidden"),
        *(Sheet(f"Sums {n}", rows) for n, rows in enumerate(sums, start=1)),
    ]  # fmt: skip
    drawing = (
        f'{_DECLARATION}<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"/>'
    )
    threaded = (
        f'{_DECLARATION}<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">'
        '<threadedComment ref="B2" dT="2026-01-01T00:00:00.00" personId="{A0000000-0000-4000-8000-000000000002}" '
        'id="{A0000000-0000-4000-8000-000000000003}"><text>Mandatory</text></threadedComment></ThreadedComments>'
    )
    extra = {
        "xl/vbaProject.bin": bytes(range(256)) * 8,
        "xl/drawings/drawing1.xml": drawing.encode(),
        "xl/threadedComments/one.xml": threaded.encode(),
        "xl/calcChain.xml": f'{_DECLARATION}<calcChain xmlns="{MAIN}"><c r="B2" i="1"/></calcChain>'.encode(),
        "customXml/item1.xml": b'<form xmlns="urn:customer"><id>  42 </id></form>',
    }
    return package(made, extra=extra, with_macros=True)


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="rId{n}" Type="{kind}" Target="{target}"/>' for n, (kind, target) in enumerate(targets, 1)
    )
    schema = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'{_DECLARATION}<Relationships xmlns="{schema}">{listed}</Relationships>'


_TITLES = ("Ref", "Question", "Answer", "Notes")
_STYLES = (
    f'{_DECLARATION}<styleSheet xmlns="{MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/>'
    '<diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
    '</cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" '
    'fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" '
    'xfId="0" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf></cellXfs></styleSheet>'
)
