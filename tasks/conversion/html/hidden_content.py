"""Removal of hidden and struck-out content from web pages and presentations before they are read.

Content that one click of a reader shows, such as a folded answer of a list of questions, counts as shown.
"""

from __future__ import annotations

import re
from typing import Any

_SLIDES = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all"
    r"|text-decoration(?:-line)?\s*:[^;]*line-through)\b",
    re.IGNORECASE,
)
_UNSAID = ("template", "del", "s", "strike")
_STRUCK = ("sngStrike", "dblStrike")
_UNFOLDS = ("aria-controls", "data-target", "data-bs-target", "href")
_ON = ("1", "true")


def drop_hidden_markup(root: Any) -> None:
    """Remove hidden and struck-out elements from ``root``, an lxml element of HTML: by their name, their attribute or
    their own style.

    An element that another element unfolds stays.
    """
    hidden = [element for element in root.iter() if isinstance(element.tag, str) and _is_hidden(element)]
    if not hidden:
        return
    unfolded = {
        name.removeprefix("#")
        for element in root.iter()
        for attribute in _UNFOLDS
        for name in element.get(attribute, "").split()
    }
    for element in hidden:
        if element.getparent() is not None and element.get("id") not in unfolded:
            element.drop_tree()


def _is_hidden(element: Any) -> bool:
    return element.tag in _UNSAID or "hidden" in element.attrib or bool(_HIDING.search(element.get("style", "")))


def drop_hidden_shapes(presentation: Any) -> bool:
    """Remove hidden shapes from all slides of a python-pptx presentation; True where there were any."""
    found = [
        properties.getparent().getparent()
        for slide in presentation.slides
        for properties in slide._element.iter(f"{_SLIDES}cNvPr")
        if properties.get("hidden") in _ON
    ]
    for shape in found:
        if shape.getparent() is not None:
            shape.getparent().remove(shape)
    return bool(found)


def drop_struck_text(presentation: Any) -> bool:
    """Remove struck-out text from all slides of a python-pptx presentation; True where there was any."""
    found = [
        text
        for slide in presentation.slides
        for properties in slide._element.iter(f"{_DRAWN}rPr")
        if properties.get("strike") in _STRUCK
        for text in properties.getparent().iterchildren(f"{_DRAWN}t")
    ]
    for text in found:
        text.text = ""
    return bool(found)


def is_shown(slide: Any) -> bool:
    """Tell if a slide of python-pptx is shown when the presentation is given."""
    return slide._element.get("show", "1") in _ON
