"""Cells of a slide's tables that a merged cell covers: unstructured takes them for empty cells."""

from __future__ import annotations

from typing import Any

from tasks.conversion.html.readable_markup import ABOVE, COVERED

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_ON = ("1", "true")


def state_covered(presentation: Any) -> bool:
    """Write :data:`COVERED` into the cells of a python-pptx presentation that a cell beside them covers, and
    :data:`ABOVE` into those that a cell above covers; True where any were covered.
    """
    from pptx.table import _Cell

    covered = {
        cell: ABOVE if cell.get("vMerge") in _ON else COVERED
        for slide in presentation.slides
        for cell in slide._element.iter(f"{_A}tc")
        if cell.get("vMerge") in _ON or cell.get("hMerge") in _ON
    }
    for cell, said in covered.items():
        _Cell(cell, None).text = said
    return bool(covered)
