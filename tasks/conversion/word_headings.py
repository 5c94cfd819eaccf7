"""Which paragraphs of a Word file are headings, and how deep: by outline level, as Word's own navigation has them.

unstructured tells neither the first level from a short line that merely looks like a title, nor the level of a style
that somebody made. So each heading says its level itself, by marks before its text, until its element is there.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MARK = "\ufdd2"
"""What stands before a heading's text, with its level: Unicode keeps it for programs, so no text has it."""
_MARKED = re.compile(f"{_MARK}(\\d)")
_TITLE = 0
_SUBTITLE = 1
"""Beside the first headings: nothing but itself stands below it."""
_DEEPEST = 9
_NAMED = re.compile(r"heading ([1-9])")
_MAX_CHAIN = 20
_MAX_CHARACTERS = 250


class Heading(NamedTuple):
    """A heading's text and its level: 0 for the document's title, 1 to 9 as Word counts them."""

    text: str
    level: int

    @property
    def is_short(self) -> bool:
        """Whether it names what follows: contracts have whole clauses in the style of a heading, for its number."""
        return len(self.text) <= _MAX_CHARACTERS


def mark_headings(body: Any, styles: Any) -> None:
    """Puts the marks into ``body``; ``styles`` is the root of the part that holds the styles. Tables are left alone."""
    levels = _levels_of_styles(styles)
    default = next(
        (s.get(_W + "styleId") for s in styles.iter(_W + "style") if _is_default(s)),
        None,
    )
    for paragraph in body.iterchildren(_W + "p"):
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        own = _outline(paragraph)
        level = levels.get(default if style is None else style.get(_W + "val")) if own is None else own
        if level is None or level > _DEEPEST:
            continue
        first = next((text for text in paragraph.iter(_W + "t") if (text.text or "").strip()), None)
        if first is not None:
            first.text = f"{_MARK}{level}{(first.text or '').lstrip()}"


def part_heading(text: str) -> Heading | None:
    """The heading that ``text`` is, where it is one, with what stood before the mark (its number) before its text."""
    found = _MARKED.search(text)
    if found is None:
        return None
    return Heading(_MARKED.sub("", text), int(found.group(1)))


def _levels_of_styles(styles: Any) -> dict[str | None, int | None]:
    """The level of each style by its id; None for one of body text."""
    by_id = {style.get(_W + "styleId"): style for style in styles.iter(_W + "style")}
    return {name: _level(style, by_id) for name, style in by_id.items()}


def _level(style: Any, by_id: dict[str, Any]) -> int | None:
    """By the nearest of the styles that it is based on which says so, itself first. A chain may lead in a circle."""
    for _ in range(_MAX_CHAIN):
        own = _outline(style)
        if own is not None:
            return own
        name = style.find(_W + "name")
        said = "" if name is None else name.get(_W + "val", "").lower()
        if said in ("title", "subtitle"):
            return _TITLE if said == "title" else _SUBTITLE
        if numbered := _NAMED.fullmatch(said):
            return int(numbered.group(1))
        base = style.find(_W + "basedOn")
        style = None if base is None else by_id.get(base.get(_W + "val"))
        if style is None:
            return None
    return None


def _outline(element: Any) -> int | None:
    """The outline level that a paragraph or style states for itself, from 1; 10 is body text."""
    stated = element.find(f"{_W}pPr/{_W}outlineLvl")
    value = "" if stated is None else stated.get(_W + "val", "")
    return int(value) + 1 if value.isdecimal() else None


def _is_default(style: Any) -> bool:
    return style.get(_W + "type") == "paragraph" and style.get(_W + "default") in ("1", "true", "on")
