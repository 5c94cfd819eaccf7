"""Slides that show pictures, whose content is not read."""

from __future__ import annotations

from typing import Any

_MIN_SHARE = 0.2
"""Least share of a slide that pictures cover: a logo covers less."""


def shows_pictures(slide: Any, area: int) -> bool:
    """Tell if pictures cover a good part of ``slide``, whose ``area`` is in square slide units; False where nothing is
    on it.

    Pictures in groups are left out: their size is stated in units of the group.
    """
    covered = sum((shape.width or 0) * (shape.height or 0) for shape in slide.shapes if _is_picture(shape))
    return bool(covered > _MIN_SHARE * area)


def _is_picture(shape: Any) -> bool:
    # A picture placeholder has another python-pptx type, but the same element.
    return bool(shape._element.tag.endswith("}pic"))
