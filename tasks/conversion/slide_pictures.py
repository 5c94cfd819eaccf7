"""Slides that are pictures: nothing of what they show is read."""

from __future__ import annotations

from typing import Any

_MIN_SHARE = 0.2
"""Of a slide: a logo is less."""


def shows_pictures(slide: Any, area: int) -> bool:
    """Whether pictures cover a good part of ``slide``, whose size is ``area`` in square units of its own; False where
    nothing is on it. Those in groups are left out: their size is stated in units of the group.
    """
    covered = sum((shape.width or 0) * (shape.height or 0) for shape in slide.shapes if _is_picture(shape))
    return bool(covered > _MIN_SHARE * area)


def _is_picture(shape: Any) -> bool:
    # That of a placeholder has another type of python-pptx, and the same element.
    return bool(shape._element.tag.endswith("}pic"))
