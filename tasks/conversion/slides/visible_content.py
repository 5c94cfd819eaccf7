"""Visible content of slides: hidden shapes and struck-out text are removed, covered cells marked, pictures noticed."""

from __future__ import annotations

from typing import Any

from tasks.conversion.html.readable_markup import ABOVE, COVERED

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ON = ("1", "true")
_STRUCK = ("sngStrike", "dblStrike")
_MIN_SHARE = 0.2
"""Least share of a slide that pictures cover: a logo covers less."""


def is_shown(slide: Any) -> bool:
    """Tell if a slide of python-pptx is shown when the presentation is given."""
    return slide._element.get("show", "1") in _ON


def shows_pictures(slide: Any, area: int) -> bool:
    """Tell if pictures, whose content is not read, cover a good part of ``slide``, whose ``area`` is in square slide
    units; False where nothing is on it.

    Pictures in groups are left out: their size is stated in units of the group.
    """
    # A picture placeholder has another python-pptx type, but the same element.
    pictures = (shape for shape in slide.shapes if shape._element.tag.endswith("}pic"))
    return bool(sum((picture.width or 0) * (picture.height or 0) for picture in pictures) > _MIN_SHARE * area)


def drop_hidden_shapes(presentation: Any) -> bool:
    """Remove hidden shapes from all slides of a python-pptx presentation; True where there were any."""
    properties = [one for slide in presentation.slides for one in slide._element.iter(f"{_P}cNvPr")]
    found = [one.getparent().getparent() for one in properties if one.get("hidden") in _ON]
    for shape in found:
        if shape.getparent() is not None:
            shape.getparent().remove(shape)
    return bool(found)


def drop_struck_text(presentation: Any) -> bool:
    """Remove struck-out text from all slides of a python-pptx presentation; True where there was any."""
    properties = (one for slide in presentation.slides for one in slide._element.iter(f"{_A}rPr"))
    runs = [one.getparent() for one in properties if one.get("strike") in _STRUCK]
    found = [text for run in runs for text in run.iterchildren(f"{_A}t")]
    for text in found:
        text.text = ""
    return bool(found)


def state_covered(presentation: Any) -> bool:
    """Write :data:`COVERED` into the cells of a python-pptx presentation that a cell beside them covers, and
    :data:`ABOVE` into those that a cell above covers; True where any were covered.

    unstructured takes them for empty cells.
    """
    from pptx.table import _Cell

    cells = [cell for slide in presentation.slides for cell in slide._element.iter(f"{_A}tc")]
    covered = [cell for cell in cells if cell.get("vMerge") in _ON or cell.get("hMerge") in _ON]
    for cell in covered:
        _Cell(cell, None).text = ABOVE if cell.get("vMerge") in _ON else COVERED
    return bool(covered)
