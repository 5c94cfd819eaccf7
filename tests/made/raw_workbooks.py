"""Workbooks from raw XML: formulas with cached values, hidden rows and sheets, x14 dropdowns, styles, protection."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.sax.saxutils import escape

from tasks.spreadsheets.row import column_letters

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_X14 = (
    '<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" '
    'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main">'
    '<x14:dataValidations count="%d" xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">%s'
    "</x14:dataValidations></ext></extLst>"
)
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/></font><font><b/><sz val="11"/></font></fonts>'
    '<fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf fontId="0"/>'
    '<xf fontId="1" applyFont="1"/><xf fontId="0" applyProtection="1"><protection locked="0"/></xf></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
PLAIN, BOLD, UNLOCKED = 0, 1, 2


class Formula(NamedTuple):
    """A formula with the value that the file keeps; None for a file that was never calculated."""

    formula: str
    value: str | None


class Styled(NamedTuple):
    """A text, or None, in a cell that is BOLD or UNLOCKED."""

    text: str | None
    style: int


Cell = str | int | float | Formula | Styled | None


@dataclass(frozen=True)
class RawSheet:
    """A sheet: its rows from the first on, and what else its XML has.

    ``dropdowns`` and ``x14_dropdowns`` map a range to the formula of its choices.
    """

    name: str
    rows: Sequence[Sequence[Cell]]
    is_hidden: bool = False
    hidden_rows: Sequence[int] = ()
    hidden_columns: Sequence[int] = ()
    merges: Sequence[str] = ()
    dropdowns: Mapping[str, str] = field(default_factory=dict)
    x14_dropdowns: Mapping[str, str] = field(default_factory=dict)


def raw_workbook(*sheets: RawSheet, others: Mapping[str, str] | None = None, links: Sequence[str] = ()) -> bytes:
    """The bytes of a workbook with these sheets, ``others`` as further parts of the package, and ``links`` to the
    workbooks of these URLs, which formulas read as ``[1]``, ``[2]`` ….
    """
    numbered, linked = list(enumerate(sheets, start=1)), list(enumerate(links, start=1))
    references = "".join(f'<externalReference r:id="rIdL{at}"/>' for at, _ in linked)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        + _override("xl/workbook.xml", "sheet.main")
        + _override("xl/styles.xml", "styles")
        + "".join(_override(f"xl/worksheets/sheet{number}.xml", "worksheet") for number, _ in numbered)
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>'
        + "".join(
            f'<sheet name="{escape(sheet.name)}" sheetId="{number}" r:id="rId{number}"'
            f"{' state=' + chr(34) + 'hidden' + chr(34) if sheet.is_hidden else ''}/>"
            for number, sheet in numbered
        )
        + "</sheets>"
        + (f"<externalReferences>{references}</externalReferences>" if links else "")
        + "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="rId{number}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{number}.xml"/>'
            for number, _ in numbered
        )
        + "".join(
            f'<Relationship Id="rIdL{at}" Type="{_RELATIONS}/externalLink" '
            f'Target="externalLinks/externalLink{at}.xml"/>'
            for at, _ in linked
        )
        + f'<Relationship Id="rId{len(sheets) + 1}" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": _STYLES,
    }
    for at, url in linked:
        parts[f"xl/externalLinks/externalLink{at}.xml"] = (
            f'<externalLink xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><externalBook r:id="rId1"/></externalLink>'
        )
        parts[f"xl/externalLinks/_rels/externalLink{at}.xml.rels"] = (
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{_RELATIONS}/externalLinkPath" Target="{url}" TargetMode="External"/></Relationships>'
        )
    parts |= {f"xl/worksheets/sheet{number}.xml": _sheet(sheet) for number, sheet in numbered} | dict(others or {})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(name, text if name.endswith(".bin") else '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return out.getvalue()


def _override(part: str, kind: str) -> str:
    kind = f"application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml"
    return f'<Override PartName="/{part}" ContentType="{kind}"/>'


def _sheet(sheet: RawSheet) -> str:
    columns = "".join(f'<col min="{at}" max="{at}" width="9" hidden="1"/>' for at in sheet.hidden_columns)
    rows = "".join(
        f'<row r="{number}"{" hidden=" + chr(34) + "1" + chr(34) if number in sheet.hidden_rows else ""}>'
        + "".join(_cell(f"{column_letters(at)}{number}", cell) for at, cell in enumerate(cells, start=1))
        + "</row>"
        for number, cells in enumerate(sheet.rows, start=1)
    )
    merges = "".join(f'<mergeCell ref="{area}"/>' for area in sheet.merges)
    plain = "".join(
        f'<dataValidation type="list" allowBlank="1" sqref="{area}"><formula1>{escape(formula)}</formula1>'
        "</dataValidation>"
        for area, formula in sheet.dropdowns.items()
    )
    x14 = "".join(
        f'<x14:dataValidation type="list" allowBlank="1"><x14:formula1><xm:f>{escape(formula)}</xm:f></x14:formula1>'
        f"<xm:sqref>{area}</xm:sqref></x14:dataValidation>"
        for area, formula in sheet.x14_dropdowns.items()
    )
    return (
        f'<worksheet xmlns="{_MAIN}">{f"<cols>{columns}</cols>" if columns else ""}<sheetData>{rows}</sheetData>'
        + (f'<mergeCells count="{len(sheet.merges)}">{merges}</mergeCells>' if merges else "")
        + (f'<dataValidations count="{len(sheet.dropdowns)}">{plain}</dataValidations>' if plain else "")
        + (_X14 % (len(sheet.x14_dropdowns), x14) if x14 else "")
        + "</worksheet>"
    )


def _cell(at: str, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Formula):
        value = "" if cell.value is None else f"<v>{escape(cell.value)}</v>"
        return f'<c r="{at}" t="str"><f>{escape(cell.formula)}</f>{value}</c>'
    if isinstance(cell, Styled):
        if cell.text is None:
            return f'<c r="{at}" s="{cell.style}"/>'
        return f'<c r="{at}" s="{cell.style}" t="inlineStr"><is><t>{escape(cell.text)}</t></is></c>'
    if isinstance(cell, int | float):
        return f'<c r="{at}"><v>{cell}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'


def ods_file(*rows: Sequence[str]) -> bytes:
    """An OpenDocument spreadsheet with one sheet of texts."""
    lines = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(text)}</text:p></table:table-cell>'
            if text
            else "<table:table-cell/>"
            for text in row
        )
        + "</table:table-row>"
        for row in rows
    )
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{urn}:office:1.0" '
        f'xmlns:table="{urn}:table:1.0" xmlns:text="{urn}:text:1.0" office:version="1.3"><office:body>'
        f'<office:spreadsheet><table:table table:name="Security">{lines}</table:table></office:spreadsheet>'
        "</office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{urn}:manifest:1.0" '
        f'manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, text in (("mimetype", kind), ("content.xml", content), ("META-INF/manifest.xml", manifest)):
            package.writestr(name, text)
    return out.getvalue()
