"""Text boxes that lie on the sheets of a workbook."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest

from tests.made.conversions import convert_bytes

NAMESPACES = (
    'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing" '
    'Target="../drawings/drawing1.xml"/></Relationships>'
)


def box(*paragraphs: str, name: str = "") -> str:
    said = "".join(f"<a:p>{paragraph}</a:p>" for paragraph in paragraphs)
    named = f'<xdr:nvSpPr><xdr:cNvPr id="2" name="Box" {name}/></xdr:nvSpPr>'
    return f"<xdr:sp>{named}<xdr:txBody>{said}</xdr:txBody></xdr:sp>"


def run(text: str, properties: str = "") -> str:
    return f"<a:r><a:rPr {properties}/><a:t>{text}</a:t></a:r>"


def anchored(shapes: str, row: int, column: int = 0) -> str:
    place = f"<xdr:from><xdr:col>{column}</xdr:col><xdr:row>{row}</xdr:row></xdr:from>"
    return f"<xdr:oneCellAnchor>{place}{shapes}</xdr:oneCellAnchor>"


def read(drawing: str, *rows: list[str]) -> list[tuple[str, int | None]]:
    """What is read of a workbook of one sheet with ``rows``, its second one and its column D hidden, and ``drawing``
    on it.
    """
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.active.row_dimensions[2].hidden = True
    book.active.column_dimensions["D"].hidden = True
    out = io.BytesIO()
    book.save(out)
    with zipfile.ZipFile(out, "a") as package:
        package.writestr("xl/worksheets/_rels/sheet1.xml.rels", RELATIONS)
        package.writestr("xl/drawings/drawing1.xml", drawing)
    return [(element.text, element.row_number) for element in convert_bytes("box.xlsx", out.getvalue()).elements]


def drawn(*anchors: str) -> str:
    return f"<xdr:wsDr {NAMESPACES}>{''.join(anchors)}</xdr:wsDr>"


@pytest.mark.parametrize("rows", [(), (["Cover"],)])
def test_text_boxes_are_read_after_the_cells(rows: tuple[list[str], ...]) -> None:
    boxes = (
        anchored(box(run("Below."), run("Second ") + run("paragraph.")), 8),
        anchored(box(run("As of March 2025.")), 3),
    )
    assert read(drawn(*boxes), *rows) == [
        *(("Cover", 1) for _ in rows),
        ("As of March 2025.", 4),
        ("Below.\nSecond paragraph.", 9),
    ]


def test_hidden_and_struck_out_words_of_boxes_are_left_out() -> None:
    group = '<xdr:grpSp><xdr:nvGrpSpPr><xdr:cNvPr id="3" name="Group" hidden="1"/></xdr:nvGrpSpPr>{}</xdr:grpSp>'
    chosen = "<mc:AlternateContent><mc:Choice>{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback></mc:AlternateContent>"
    boxes = (
        anchored(box(run("Hidden."), name='hidden="1"'), 3),
        anchored(group.format(box(run("In a hidden group."))), 3),
        anchored(box(run("On a hidden row.")), 1),
        anchored(box(run("On a hidden column.")), 3, column=3),
        anchored(chosen.format(box(run("Said once."))), 3),
        anchored(box(run("Kept for ") + run("30", 'strike="sngStrike"') + run(" 90 days.")), 5),
        anchored(box(""), 6),
    )
    assert read(drawn(*boxes)) == [("Said once.", 4), ("Kept for 90 days.", 6)]


def test_a_drawing_that_is_broken_leaves_the_cells_readable() -> None:
    assert read(drawn("<xdr:sp>"), ["Cover"]) == [("Cover", 1)]
