"""Labels of automatically numbered paragraphs ("3.2", "a)"), counted as Word counts them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tasks.questionnaires.word.markup import attribute

_LEVEL = re.compile(r"%(\d)")
_MOST_LEVELS = 9
BULLET = "•"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_ONES = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


class _Level(NamedTuple):
    start: int
    format: str
    text: str


class Styles:
    """Paragraph styles: the outline level and the numbering that a paragraph has by its style."""

    def __init__(self, styles: Any | None) -> None:
        found = styles.iterfind("{*}style") if styles is not None else ()
        self._styles = {attribute(style, "styleId"): style for style in found}

    def properties(self, paragraph: Any, name: str) -> Any | None:
        """The paragraph property ``name``, of the paragraph itself or else of its style and those it is based on."""
        own = paragraph.find(f"{{*}}pPr/{{*}}{name}")
        style_id = attribute(paragraph.find("{*}pPr/{*}pStyle"), "val")
        seen: set[str] = set()
        while own is None and style_id and style_id not in seen:
            seen.add(style_id)
            style = self._styles.get(style_id)
            if style is None:
                break
            own = style.find(f"{{*}}pPr/{{*}}{name}")
            style_id = attribute(style.find("{*}basedOn"), "val")
        return own

    def heading_level(self, paragraph: Any) -> int | None:
        """The outline level of a heading, from 0; None for body text."""
        level = attribute(self.properties(paragraph, "outlineLvl"), "val")
        if level is not None and level.isdigit():
            return int(level) if int(level) < _MOST_LEVELS else None
        style_id = attribute(paragraph.find("{*}pPr/{*}pStyle"), "val") or ""
        style = self._styles.get(style_id)
        name = attribute(style.find("{*}name"), "val") if style is not None else style_id
        found = re.fullmatch(r"heading\s*(\d)", name or "", re.IGNORECASE)
        return int(found[1]) - 1 if found else None


class Numbering:
    """Counters of a document's lists. Paragraphs are to be asked for in document order, each once."""

    def __init__(self, numbering: Any | None, styles: Styles) -> None:
        self._styles = styles
        self._levels: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[str, list[int]] = {}
        if numbering is None:
            return
        for abstract in numbering.iterfind("{*}abstractNum"):
            levels = {int(attribute(one, "ilvl") or 0): _level(one) for one in abstract.iterfind("{*}lvl")}
            self._levels[attribute(abstract, "abstractNumId") or ""] = levels
        for number in numbering.iterfind("{*}num"):
            abstract_id = attribute(number.find("{*}abstractNumId"), "val") or ""
            number_id = attribute(number, "numId") or ""
            self._abstract[number_id] = abstract_id
            starts = number.findall("{*}lvlOverride/{*}startOverride")
            if starts:
                # A list that begins anew counts by itself.
                own = dict(self._levels.get(abstract_id, {}))
                for start in starts:
                    level = int(attribute(start.getparent(), "ilvl") or 0)
                    if level in own:
                        own[level] = own[level]._replace(start=int(attribute(start, "val") or 1))
                self._abstract[number_id] = f"num {number_id}"
                self._levels[f"num {number_id}"] = own

    def label(self, paragraph: Any) -> str:
        """The label of a paragraph, as it is printed; BULLET for one with a bullet, '' for one without either."""
        holder = self._styles.properties(paragraph, "numPr")
        if holder is None:
            return ""
        number_id = attribute(holder.find("{*}numId"), "val")
        level = int(attribute(holder.find("{*}ilvl"), "val") or 0)
        abstract = self._abstract.get(number_id or "")
        levels = self._levels.get(abstract or "", {})
        if abstract is None or level not in levels:
            return ""
        counts = self._counts.setdefault(abstract, [levels[at].start - 1 if at in levels else 0 for at in range(9)])
        counts[level] += 1
        for deeper in range(level + 1, _MOST_LEVELS):
            counts[deeper] = levels[deeper].start - 1 if deeper in levels else 0
        if levels[level].format == "bullet":
            return BULLET
        if levels[level].format == "none":
            return ""

        def counted(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            shown = max(counts[at], 1)
            return written_number(shown, levels[at].format if at in levels else "decimal")

        return _LEVEL.sub(counted, levels[level].text).strip()


def _level(level: Any) -> _Level:
    start = attribute(level.find("{*}start"), "val") or "1"
    kind = attribute(level.find("{*}numFmt"), "val") or "decimal"
    return _Level(int(start) if start.isdigit() else 1, kind, attribute(level.find("{*}lvlText"), "val") or "")


def written_number(number: int, kind: str) -> str:
    """A number in one of Word's formats, such as "lowerRoman"; decimal for any other."""
    if kind in ("lowerLetter", "upperLetter"):
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters if kind == "lowerLetter" else letters.upper()
    if kind in ("lowerRoman", "upperRoman"):
        roman = ""
        for value, sign in (*_ROMAN, *_ROMAN_ONES):
            while number >= value:
                roman, number = roman + sign, number - value
        return roman if kind == "lowerRoman" else roman.upper()
    return f"{number:02d}" if kind == "decimalZero" else str(number)
