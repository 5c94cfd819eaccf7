"""Text boxes and other shapes with words on a sheet: they stand in a drawing part of the package, beside the cells."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from tasks.conversion.sheets.visible_cells import Hidden
from tasks.text.characters import clean_block

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DRAWING = "/drawing"
_NAMED = ("nvSpPr", "nvGrpSpPr")
_MOST_BYTES = 1 << 24
_MOST_BOXES = 200
_TRUE = ("1", "true")


class TextBox(NamedTuple):
    """The text of a shape, and the number of the row that it begins in."""

    text: str
    row: int


def boxes_of(package: zipfile.ZipFile, sheet: str, hidden: Hidden) -> list[TextBox]:
    """The visible text boxes of the sheet whose part is called ``sheet``, from the top down.

    Those beyond the first 200, and a drawing of 16 MB or more, are left out.
    """
    from lxml import etree

    found: list[TextBox] = []
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for part in _drawings(package, sheet):
        try:
            drawing = etree.fromstring(package.read(part), parser)
        except etree.XMLSyntaxError:
            # A broken drawing leaves the cells readable.
            continue
        for anchor in drawing:
            # A shape without an anchor is in the first row.
            said = [anchor.findtext(f"{_XDR}from/{_XDR}{name}") or "" for name in ("row", "col")]
            row, column = (int(one) if one.strip().isdecimal() else 0 for one in said)
            if row + 1 not in hidden.rows and column not in hidden.columns:
                found += (TextBox(text, row + 1) for text in _texts(anchor))
    return sorted(found, key=lambda box: box.row)[:_MOST_BOXES]


def _drawings(package: zipfile.ZipFile, sheet: str) -> Iterator[str]:
    from openpyxl.packaging.relationship import get_dependents

    folder, name = posixpath.split(sheet)
    relations = f"{folder}/_rels/{name}.rels"
    parts = {part.filename: part.file_size for part in package.infolist()}
    if relations in parts:
        for relation in get_dependents(package, relations):
            if relation.Type.endswith(_DRAWING) and parts.get(relation.target, _MOST_BYTES) < _MOST_BYTES:
                yield relation.target


def _texts(anchor: Any) -> Iterator[str]:
    for shape in anchor.iter(_XDR + "sp"):
        around = (shape, *shape.iterancestors())
        names = [name for one in around for kind in _NAMED for name in one.iterfind(f"{_XDR}{kind}/{_XDR}cNvPr")]
        if any(one.tag == _FALLBACK for one in around) or any(name.get("hidden") in _TRUE for name in names):
            continue
        if text := clean_block("\n".join(map(_said, shape.iter(_A + "p")))):
            yield text


def _said(paragraph: Any) -> str:
    """The words of a paragraph, without those that are struck out."""
    said = ""
    for part in paragraph:
        strikes = {properties.get("strike", "noStrike") for properties in part.iterfind(_A + "rPr")}
        said += "\n" if part.tag == _A + "br" else ""
        said += (part.findtext(_A + "t") or "") if strikes <= {"noStrike"} else ""
    return said
