"""Removal of hidden and struck-out content from web pages before they are read.

Content that one click of a reader shows, such as a folded answer of a list of questions, counts as shown.
"""

from __future__ import annotations

import re
from typing import Any

_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all"
    r"|text-decoration(?:-line)?\s*:[^;]*line-through)\b",
    re.IGNORECASE,
)
_UNSAID = ("template", "del", "s", "strike")
_UNFOLDS = ("aria-controls", "data-target", "data-bs-target", "href")


def drop_hidden_markup(root: Any) -> None:
    """Remove hidden and struck-out elements from ``root``, an lxml element of HTML: by their name, their attribute or
    their own style.

    An element that another element unfolds stays.
    """
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    hidden = [
        element
        for element in elements
        if element.tag in _UNSAID or "hidden" in element.attrib or _HIDING.search(element.get("style", ""))
    ]
    if not hidden:
        return
    names = (element.get(attribute, "") for element in elements for attribute in _UNFOLDS)
    unfolded = {name.removeprefix("#") for several in names for name in several.split()}
    for element in hidden:
        if element.getparent() is not None and element.get("id") not in unfolded:
            element.drop_tree()
