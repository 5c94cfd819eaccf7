"""Which cells of a slide's tables are covered by one beside or above them: unstructured takes them for empty ones."""

from __future__ import annotations

from typing import Any

from tasks.conversion.markup import ABOVE, COVERED

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_ON = ("1", "true")


def state_covered(presentation: Any) -> bool:
    """Has the covered cells of a python-pptx presentation say :data:`COVERED`, and those that one above reaches down to
    :data:`ABOVE`; whether there was any.
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
