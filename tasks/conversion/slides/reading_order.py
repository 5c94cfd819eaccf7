"""Reading order of a slide's shapes: row by row from above, each from the left.

A group is a unit, and a text right below a heading comes after it.

unstructured sorts all shapes by where they begin. Shapes of a group state places in the group's own measure, so that
they would come anywhere, or be taken for shapes beside the slide; and of two boxes side by side the right one would
come first where it stands a hair higher.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_SAME_ROW_EMU = 91_440
"""A tenth of an inch: shapes whose tops differ by less were meant to stand side by side."""
_FAR_EMU = 914_400
"""An inch: a shape that stands further below a heading does not belong to it."""
_MORE = 1.5
"""A heading's text is at least so many times as long as the heading, or its box as high."""


def state_order(presentation: Any) -> bool:
    """Give the shapes of a python-pptx presentation places that sort in reading order; True where any order changed."""
    is_other = False
    for slide in presentation.slides:
        # Shapes beside the slide keep their place, by which unstructured leaves them out.
        shown = [shape for shape in slide.shapes if min(_place(shape)) >= 0]
        ordered = list(_in_order(shown))
        if ordered == sorted(ordered, key=_place) and not any(map(_is_group, shown)):
            continue
        is_other = True
        for at, shape in enumerate(ordered, start=1):
            shape.top, shape.left = at, at
    return is_other


def _in_order(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield the shapes in reading order, with the shapes of groups in place of the groups."""
    for row in _with_headed(_rows(shapes)):
        for shape in row:
            if _is_group(shape):
                yield from _in_order(shape.shapes)
            else:
                yield shape


def _rows(shapes: Iterable[Any]) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for shape in sorted(shapes, key=_place):
        if rows and (shape.top or 0) - (rows[-1][0].top or 0) < _SAME_ROW_EMU:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [sorted(row, key=lambda one: one.left or 0) for row in rows]


def _with_headed(rows: Sequence[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield the rows; of two rows whose shapes are headings and the texts below them, yield the pairs instead, from the
    left.

    More than two rows in the same columns are a table of boxes, which is read row by row, unless all of them are such
    pairs: short headings over their texts.
    """
    at = 0
    while at < len(rows):
        end = at + 1
        while end < len(rows) and _stands_below(rows[end - 1], rows[end]):
            end += 1
        run = rows[at:end]
        pairs = [(run[i], run[i + 1]) for i in range(0, len(run) - 1, 2)]
        if len(run) == 2 or (len(run) % 2 == 0 and all(_is_heading(*pair) for pair in pairs)):
            for head, below in pairs:
                yield [shape for pair in zip(head, below, strict=True) for shape in pair]
        else:
            yield from run
        at = end


def _stands_below(above: Sequence[Any], row: Sequence[Any]) -> bool:
    """Tell if each of several shapes stands right below one of ``above``, at its width."""
    return len(row) == len(above) > 1 and all(
        abs((one.left or 0) - (head.left or 0)) < _SAME_ROW_EMU
        and abs((one.width or 0) - (head.width or 0)) < _SAME_ROW_EMU
        and -_SAME_ROW_EMU < (one.top or 0) - (head.top or 0) - (head.height or 0) < _FAR_EMU
        for head, one in zip(above, row, strict=True)
    )


def _is_heading(row: Sequence[Any], below: Sequence[Any]) -> bool:
    """Tell if the row is much shorter than the row below it, by its words or by its boxes, as headings are."""
    return any(
        sum(map(measure, below)) > _MORE * sum(map(measure, row))
        for measure in (_length, lambda shape: shape.height or 0)
    )


def _length(shape: Any) -> int:
    return len(shape.text_frame.text) if getattr(shape, "has_text_frame", False) else 0


def _place(shape: Any) -> tuple[int, int]:
    return shape.top or 0, shape.left or 0


def _is_group(shape: Any) -> bool:
    return hasattr(shape, "shapes")
