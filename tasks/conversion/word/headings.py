"""Headings of a Word file and their levels: by outline level, as in Word's own navigation, and by a section's number
where only bold type sets it off.

unstructured tells neither the first level from a short line that merely looks like a title, nor the level of a custom
style. So each heading carries its level, in marks before its text, until its element is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from tasks.conversion.word.run_styles import RunStyles

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MARK = "\ufdd2"
"""Mark before a heading's text, followed by its level: a Unicode noncharacter, so no text has it."""
_MARKED = re.compile(f"{_MARK}(\\d)")
_TITLE = 0
_SUBTITLE = 1
"""A subtitle ranks beside the first headings: no other block stands below it."""
_DEEPEST = 9
_NAMED = re.compile(r"heading ([1-9])")
_MAX_CHAIN = 20
_MAX_CHARACTERS = 250
_NUMBERED = re.compile(
    r"\s*(\d{1,2}(?:(?:\.\d{1,3})+\.?|\.))\s+(?![^\W\d_]*[^\S\t]+\d{4}$)[^\W\d_][^\t]{0,100}(?<![.,;:?!])\s*"
)
"""A section's number and its title. A bare number may begin a date, such as "14. März 2024", and a line with a tab is
an entry of a table of contents."""
_DEFAULT_SIZE = "20"
"""Word's default type size where none is stated, in half points."""


class Heading(NamedTuple):
    """A heading's text and its level: 0 for the document's title, 1 to 9 as Word counts them."""

    text: str
    level: int

    @property
    def is_short(self) -> bool:
        """Tell if the heading is short enough to name a section: contracts set whole clauses in a heading's style, for
        its number.
        """
        return len(self.text) <= _MAX_CHARACTERS


def mark_headings(body: Any, styles: Any) -> None:
    """Put the marks into ``body``; ``styles`` is the root of the part that holds the styles. Tables are left alone.

    A section's number and title in bold without the style of a heading are a heading by their number.
    """
    levels = _levels_of_styles(styles)
    default = next(
        (s.get(_W + "styleId") for s in styles.iter(_W + "style") if _is_default(s)),
        None,
    )
    drawn = _BoldLines(list(body), RunStyles(styles))
    above, is_numbered = 0, False
    for at, paragraph in enumerate(drawn.blocks):
        if paragraph.tag != _W + "p":
            continue
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        own = _outline(paragraph)
        level = levels.get(default if style is None else style.get(_W + "val")) if own is None else own
        if level is None:
            depth = drawn.depth(at)
            # Below headings without numbers, numbering starts anew.
            level = min(depth if is_numbered else above + depth, _DEEPEST) if depth else None
        elif _TITLE < level <= _DEEPEST:
            above, is_numbered = level, is_numbered or _has_number(paragraph, styles)
        if level is None or level > _DEEPEST:
            continue
        first = next((text for text in paragraph.iter(_W + "t") if (text.text or "").strip()), None)
        if first is not None:
            first.text = f"{_MARK}{level}{(first.text or '').lstrip()}"


class _BoldLines:
    """Titles without a heading style among the blocks of a body, by their number and type."""

    def __init__(self, blocks: Sequence[Any], styles: RunStyles) -> None:
        self.blocks = blocks
        self._styles = styles

    def depth(self, at: int) -> int:
        """The depth of the section's number (1.2 has 2); 0 where the block is no title.

        The block is a title if it is larger than most text, or if the next block is neither bold nor of the same depth,
        as in a list.
        """
        depth = self._numbers(at)
        if not depth:
            return 0
        below = next((next_ for next_ in range(at + 1, len(self.blocks)) if _is_said(self.blocks[next_])), None)
        if below is None:
            return 0
        is_apart = self._numbers(below) > depth or not self._is_bold(self.blocks[below])
        return depth if is_apart or self._size(self.blocks[at]) > self._usual_size else 0

    def _numbers(self, at: int) -> int:
        paragraph = self.blocks[at]
        found = _NUMBERED.fullmatch(_text(paragraph)) if paragraph.tag == _W + "p" else None
        return found[1].strip(".").count(".") + 1 if found and self._is_bold(paragraph) else 0

    def _is_bold(self, block: Any) -> bool:
        return block.tag == _W + "p" and all(self._styles.is_on(run, "b") for run in _runs(block))

    def _size(self, paragraph: Any) -> int:
        return min((self._size_of(run) for run in _runs(paragraph)), default=0)

    def _size_of(self, run: Any) -> int:
        said = self._styles.value(run, "sz") or _DEFAULT_SIZE
        return int(said) if said.isdecimal() else int(_DEFAULT_SIZE)

    @cached_property
    def _usual_size(self) -> int:
        """The type size of most of the characters, in half points."""
        sizes: Counter[int] = Counter()
        for block in self.blocks:
            for run in _runs(block):
                sizes[self._size_of(run)] += len(_text(run))
        return sizes.most_common(1)[0][0]


def _runs(block: Any) -> list[Any]:
    return [
        run for run in block.iter(_W + "r") if any((text.text or "").strip() for text in run.iterchildren(_W + "t"))
    ]


def _text(element: Any) -> str:
    """The text, with a tab for each tab and break."""
    parts = element.iter(_W + "t", _W + "tab", _W + "br")
    return "".join((part.text or "") if part.tag == _W + "t" else "\t" for part in parts)


def _is_said(block: Any) -> bool:
    return bool(_text(block).strip())


def _has_number(paragraph: Any, styles: Any) -> bool:
    """Tell if a heading has a number, in its text or by its list or its style's."""
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    said = None if style is None else style.get(_W + "val")
    of_style = (one.find(f"{_W}pPr/{_W}numPr") for one in styles.iter(_W + "style") if one.get(_W + "styleId") == said)
    return (
        _text(paragraph).lstrip()[:1].isdecimal()
        or paragraph.find(f"{_W}pPr/{_W}numPr") is not None
        or any(found is not None for found in of_style)
    )


def part_heading(text: str) -> Heading | None:
    """Parse a marked heading: its level, and its text with the number that stood before the mark; None where ``text``
    has no mark.
    """
    found = _MARKED.search(text)
    if found is None:
        return None
    return Heading(_MARKED.sub("", text), int(found.group(1)))


def _levels_of_styles(styles: Any) -> dict[str | None, int | None]:
    """The level of each style by its id; None for a style of body text."""
    by_id = {style.get(_W + "styleId"): style for style in styles.iter(_W + "style")}
    return {name: _level(style, by_id) for name, style in by_id.items()}


def _level(style: Any, by_id: dict[str, Any]) -> int | None:
    """The level of a style: its own, else that of the nearest style that it is based on. A chain may lead in a
    circle.
    """
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
    """The outline level that a paragraph or style states for itself, from 1; 10 is body text. None for none."""
    stated = element.find(f"{_W}pPr/{_W}outlineLvl")
    value = "" if stated is None else stated.get(_W + "val", "")
    return int(value) + 1 if value.isdecimal() else None


def _is_default(style: Any) -> bool:
    return style.get(_W + "type") == "paragraph" and style.get(_W + "default") in ("1", "true", "on")
