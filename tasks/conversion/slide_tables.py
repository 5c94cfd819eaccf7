"""Which cells of a slide's tables are covered by one beside them: unstructured takes them for empty ones."""

from __future__ import annotations

from typing import Any

from tasks.conversion.markup import COVERED

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_ON = ("1", "true")


def state_covered(presentation: Any) -> bool:
    """Has the covered cells of a python-pptx presentation say :data:`COVERED`; whether there was any.

    One that is covered from above stays empty, as in tables of other formats.
    """
    from pptx.table import _Cell

    covered = [
        cell
        for slide in presentation.slides
        for cell in slide._element.iter(f"{_A}tc")
        if cell.get("hMerge") in _ON and cell.get("vMerge") not in _ON
    ]
    for cell in covered:
        _Cell(cell, None).text = COVERED
    return bool(covered)
