"""In which order a slide's shapes are read: as rows from above, each from the left, and a group as one.

unstructured sorts all shapes by where they begin. Those of a group state places in the group's own measure, so that
they would come anywhere, or be taken for ones beside the slide; and of two boxes side by side the right one would come
first where it stands a hair higher.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

_SAME_ROW_EMU = 91_440
"""A tenth of an inch: shapes whose tops differ by less were meant to stand side by side."""


def state_order(presentation: Any) -> bool:
    """Gives the shapes of a python-pptx presentation places that sort as they are read; whether any had others."""
    is_other = False
    for slide in presentation.slides:
        # What stands beside the slide keeps its place, by which unstructured knows to pass it over.
        shown = [shape for shape in slide.shapes if min(_place(shape)) >= 0]
        ordered = list(_in_order(shown))
        if ordered == sorted(ordered, key=_place) and not any(map(_is_group, shown)):
            continue
        is_other = True
        for at, shape in enumerate(ordered, start=1):
            shape.top, shape.left = at, at
    return is_other


def _in_order(shapes: Iterable[Any]) -> Iterator[Any]:
    """The shapes, and those of groups in the place of these."""
    rows: list[list[Any]] = []
    for shape in sorted(shapes, key=_place):
        if rows and (shape.top or 0) - (rows[-1][0].top or 0) < _SAME_ROW_EMU:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    for row in rows:
        for shape in sorted(row, key=lambda one: one.left or 0):
            if _is_group(shape):
                yield from _in_order(shape.shapes)
            else:
                yield shape


def _place(shape: Any) -> tuple[int, int]:
    return shape.top or 0, shape.left or 0


def _is_group(shape: Any) -> bool:
    return hasattr(shape, "shapes")
