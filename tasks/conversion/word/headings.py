"""Headings of a Word file and their levels.

By outline level, as in Word's own navigation, and by a section's number where only bold type sets it off.

unstructured tells neither the first level from a short line that merely looks like a title, nor the level of a custom
style. So each heading carries its level, in marks before its text, until its element is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tasks.conversion.word.markup import W, value_of
from tasks.conversion.word.run_styles import RunStyles

_MARK = "\ufdd2"
"""Mark before a heading's text, followed by its level: a Unicode noncharacter, so no text has it."""
_MARKED = re.compile(f"{_MARK}(\\d)")
_NAMED = {"title": 0, "subtitle": 1} | {f"heading {level}": level for level in range(1, 10)}
"""Levels by the names of styles. A subtitle ranks beside the first headings: no other block stands below it."""
_DEEPEST = 9
MAX_HEADING_CHARACTERS = 250
"""Longest heading that names a section: contracts set whole clauses in a heading's style, for its number."""
_NUMBERED = re.compile(
    r"\s*(\d{1,2}(?:(?:\.\d{1,3})+\.?|\.))\s+(?![^\W\d_]*[^\S\t]+\d{4}$)[^\W\d_][^\t]{0,100}(?<![.,;:?!])\s*"
)
"""A section's number and its title. A bare number may begin a date, such as "14. März 2024", and a line with a tab is
an entry of a table of contents."""
_DEFAULT_SIZE = "20"
"""Word's default type size where none is stated, in half points."""


def mark_headings(body: Any, styles: RunStyles) -> None:
    """Put the marks into ``body``. Tables are left alone.

    A section's number and title in bold without the style of a heading are a heading by their number.
    """
    drawn = _BoldLines(list(body), styles)
    above, is_numbered = 0, False
    for at, paragraph in enumerate(drawn.blocks):
        if paragraph.tag != W + "p":
            continue
        level = _level(paragraph, styles)
        if level is None:
            depth = drawn.depth(at)
            # Below headings without numbers, numbering starts anew.
            level = min(depth if is_numbered else above + depth, _DEEPEST) if depth else None
        elif 0 < level <= _DEEPEST:
            above, is_numbered = level, is_numbered or _has_number(paragraph, styles)
        first = next((text for text in paragraph.iter(W + "t") if (text.text or "").strip()), None)
        if level is not None and level <= _DEEPEST and first is not None:
            first.text = f"{_MARK}{level}{first.text.lstrip()}"


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
        depth = self._numbers(self.blocks[at])
        below = next((block for block in self.blocks[at + 1 :] if _text(block).strip()), None) if depth else None
        if below is None:
            return 0
        is_apart = self._numbers(below) > depth or not self._is_bold(below)
        return depth if is_apart or min(map(self._size, _runs(self.blocks[at])), default=0) > self._usual_size else 0

    def _numbers(self, block: Any) -> int:
        found = _NUMBERED.fullmatch(_text(block)) if block.tag == W + "p" else None
        return found[1].strip(".").count(".") + 1 if found and self._is_bold(block) else 0

    def _is_bold(self, block: Any) -> bool:
        return block.tag == W + "p" and all(self._styles.is_on(run, "b") for run in _runs(block))

    def _size(self, run: Any) -> int:
        said = self._styles.value(run, "sz")
        return int(said if said.isdecimal() else _DEFAULT_SIZE)

    @cached_property
    def _usual_size(self) -> int:
        """The type size of most of the characters, in half points."""
        sizes: Counter[int] = Counter()
        for block in self.blocks:
            for run in _runs(block):
                sizes[self._size(run)] += len(_text(run))
        return sizes.most_common(1)[0][0]


def _runs(block: Any) -> list[Any]:
    return [run for run in block.iter(W + "r") if any((text.text or "").strip() for text in run.iterchildren(W + "t"))]


def _text(element: Any) -> str:
    """The text, with a tab for each tab and break."""
    parts = element.iter(W + "t", W + "tab", W + "br")
    return "".join((part.text or "") if part.tag == W + "t" else "\t" for part in parts)


def _has_number(paragraph: Any, styles: RunStyles) -> bool:
    """Tell if a heading has a number, in its text or by its list or its style's."""
    style = styles.by_id.get(value_of(paragraph, "pPr/pStyle"))
    holders = [paragraph] if style is None else [paragraph, style]
    has_list = any(holder.find(f"{W}pPr/{W}numPr") is not None for holder in holders)
    return has_list or _text(paragraph).lstrip()[:1].isdecimal()


def part_heading(text: str) -> tuple[str, int] | None:
    """Parse a marked heading: its text with the number that stood before the mark, and its level, 0 for the document's
    title, 1 to 9 as Word counts them; None where ``text`` has no mark.
    """
    found = _MARKED.search(text)
    return (_MARKED.sub("", text), int(found[1])) if found else None


def _level(paragraph: Any, styles: RunStyles) -> int | None:
    """The level that a paragraph or the nearest of its styles states; None for body text without one."""
    own = _outline(paragraph)
    stated = map(_level_of_style, styles.chain(styles.of_paragraph(paragraph)))
    return next((level for level in stated if level is not None), None) if own is None else own


def _level_of_style(style: Any) -> int | None:
    own = _outline(style)
    return _NAMED.get((value_of(style, "name") or "").lower()) if own is None else own


def _outline(element: Any) -> int | None:
    """The outline level that a paragraph or style states for itself, from 1; 10 is body text. None for none."""
    value = value_of(element, "pPr/outlineLvl") or ""
    return int(value) + 1 if value.isdecimal() else None
