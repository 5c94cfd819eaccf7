"""Bulleted list items of a slide, whose bullets mostly come from the slide's layout and master.

unstructured sees only a paragraph's own bullets, and takes short list items without one for titles: each would be a
section of the text that follows. So each paragraph is given the bullet that it inherits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_PLACEHOLDER = f"{_P}nvSpPr/{_P}nvPr/{_P}ph"
_BULLETS = tuple(_A + name for name in ("buChar", "buAutoNum", "buBlip"))
_STATED = (*_BULLETS, _A + "buNone")
_BODY = (None, "body", "obj", "vertBody")
"""The types of placeholders that hold a slide's text; a placeholder without a type may hold anything."""
_AFTER_BULLET = tuple(_A + name for name in ("tabLst", "defRPr", "extLst"))
"""Elements that stand after a bullet among the properties of a paragraph."""


def state_bullets(presentation: Any) -> bool:
    """Give the paragraphs of a python-pptx presentation the bullets that they inherit, in place; True where any
    changed.
    """
    found = False
    for slide in presentation.slides:
        for shape in slide._element.iter(_P + "sp"):
            placeholder = shape.find(_PLACEHOLDER)
            if placeholder is not None and placeholder.get("type") in _BODY:
                styles = list(_styles(shape, placeholder, slide.slide_layout))
                for paragraph in shape.iterfind(f"{_P}txBody/{_A}p"):
                    found |= _state(paragraph, styles)
    return found


def _styles(shape: Any, placeholder: Any, layout: Any) -> Iterator[Any]:
    """Yield the list styles of a shape, the nearest first: its own, its layout's, its master's."""
    yield from shape.iterfind(f"{_P}txBody/{_A}lstStyle")
    master = layout.slide_master
    for holder, is_same in (
        (layout, lambda other: other.get("idx", "0") == placeholder.get("idx", "0")),
        (master, lambda other: other.get("type") in _BODY),
    ):
        shapes = ((other, other.find(_PLACEHOLDER)) for other in holder._element.iter(_P + "sp"))
        same = next((other for other, own in shapes if own is not None and is_same(own)), None)
        yield from () if same is None else same.iterfind(f"{_P}txBody/{_A}lstStyle")
    yield from master._element.iterfind(f"{_P}txStyles/{_P}bodyStyle")


def _state(paragraph: Any, styles: list[Any]) -> bool:
    properties = paragraph.find(_A + "pPr")
    if properties is not None and _bullet(properties) is not None:
        return False
    level = "0" if properties is None else properties.get("lvl", "0")
    name = f"{_A}lvl{int(level) + 1 if level.isdecimal() else 1}pPr"
    inherited = (_bullet(stated) for style in styles for stated in style.iterfind(name))
    nearest = next((bullet for bullet in inherited if bullet is not None), None)
    if nearest is None or nearest.tag not in _BULLETS:
        return False
    if properties is None:
        properties = paragraph.makeelement(_A + "pPr")
        paragraph.insert(0, properties)
    bullet = paragraph.makeelement(_A + "buChar", {"char": "•"})
    follower = next(properties.iterchildren(*_AFTER_BULLET), None)
    if follower is None:
        properties.append(bullet)
    else:
        follower.addprevious(bullet)
    return True


def _bullet(properties: Any) -> Any:
    """The bullet element in a paragraph's properties; None where they state none."""
    return next(properties.iterchildren(*_STATED), None)
