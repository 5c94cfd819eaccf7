"""Places for answers in a Word file, each of which takes a text and keeps the style of what was there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lxml import etree

from tasks.questionnaires.word.check_boxes import Boxes, is_check_box
from tasks.questionnaires.word.markup import (
    attribute,
    controls_of,
    is_prompting,
    name_of,
    new_run,
    paragraph_text,
    paragraphs_of,
    place_properties,
    plain_properties,
    replace_text,
    run_text,
    runs_of,
    set_attribute,
    tagged,
)
from tasks.questions.wording import is_placeholder

BLANK_LINE = re.compile(r"_{4,}|\.{6,}|…{3,}|‥{4,}")
_NOT_FOR_TEXT = ("picture", "date", "group", "repeatingSection", "docPartList", "docPartObj", "equation", "citation")


class Place(Protocol):
    """A place that takes an answer: what it shows now ('' while it is empty), the choices and length that it allows."""

    @property
    def text(self) -> str:
        """The answer that stands there; '' for a prompt or blank."""
        ...

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers that can be chosen; empty where any text may be written."""
        ...

    @property
    def max_characters(self) -> int | None:
        """The number of characters that it takes; None without a limit."""
        ...

    def write(self, text: str) -> None:
        """Put the answer there."""
        ...


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A table cell, or the empty paragraphs below a question, as the paragraphs that it has."""

    paragraphs: tuple[Any, ...]
    choices: tuple[str, ...] = ()
    max_characters: int | None = None

    @property
    def text(self) -> str:
        """The answer that stands there."""
        text = "\n".join(map(paragraph_text, self.paragraphs)).strip()
        return "" if is_placeholder(text) else text

    def write(self, text: str) -> None:
        """Put the answer there."""
        filled = [run for one in self.paragraphs for run in runs_of(one) if run_text(run).strip()]
        if not filled:
            first = self.paragraphs[0]
            first.append(new_run(first, text, place_properties(first)))
            return
        filled[0].addprevious(new_run(filled[0], text, filled[0].find("{*}rPr")))
        for run in filled:
            for holder in list(run.iterchildren("{*}t", "{*}tab", "{*}br")):
                run.remove(holder)


@dataclass(frozen=True, slots=True)
class LinePlace:
    """The rest of a line behind a label such as "Answer:"."""

    paragraph: Any
    answer: str = ""
    choices: tuple[str, ...] = ()
    max_characters: int | None = None

    @property
    def text(self) -> str:
        """The answer that stands there."""
        return self.answer

    def write(self, text: str) -> None:
        """Put the answer there."""
        runs = list(runs_of(self.paragraph))
        properties = plain_properties(runs[-1].find("{*}rPr")) if runs else place_properties(self.paragraph)
        space = "" if paragraph_text(self.paragraph)[-1:].isspace() else " "
        added = new_run(self.paragraph, f"{space}{text}", properties)
        if runs:
            runs[-1].addnext(added)
        else:
            self.paragraph.append(added)


@dataclass(frozen=True, slots=True)
class BlankPlace:
    """A drawn line of underscores or dots, in a paragraph and perhaps in those below it."""

    paragraphs: tuple[Any, ...]
    choices: tuple[str, ...] = ()
    max_characters: int | None = None

    @property
    def text(self) -> str:
        """The answer that stands there."""
        return ""

    def write(self, text: str) -> None:
        """Put the answer there."""
        left = text
        for holder in [one for paragraph in self.paragraphs for one in _texts(paragraph)]:
            shown = holder.text or ""
            is_blank = bool(shown.strip()) and not shown.strip(" _.…‥\t")
            if is_blank or BLANK_LINE.search(shown):
                before, behind = ("", "") if is_blank else BLANK_LINE.split(shown, maxsplit=1)
                replace_text(holder, f"{before}{left}{BLANK_LINE.sub('', behind)}")
                left = ""


@dataclass(frozen=True, slots=True)
class ControlPlace:
    """A content control: text, rich text, or a list to choose from."""

    control: Any

    @property
    def text(self) -> str:
        """The answer that stands there."""
        if is_prompting(self.control):
            return ""
        content = self.control.find("{*}sdtContent")
        paragraphs = list(content.iter("{*}p")) or [content]
        text = "\n".join(map(paragraph_text, paragraphs)).strip()
        return "" if is_placeholder(text) else text

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers that can be chosen."""
        return tuple(shown for shown, _ in self._items())

    @property
    def max_characters(self) -> int | None:
        """The number of characters that it takes."""
        return None

    def _items(self) -> Iterator[tuple[str, str]]:
        """The shown text and the value of each item, without the prompt."""
        for kind in ("dropDownList", "comboBox"):
            for item in self.control.iterfind(f"{{*}}sdtPr/{{*}}{kind}/{{*}}listItem"):
                value = attribute(item, "value") or ""
                shown = attribute(item, "displayText") or value
                if value and not is_placeholder(shown):
                    yield shown, value

    def write(self, text: str) -> None:
        """Put the answer there."""
        properties = self.control.find("{*}sdtPr")
        plain = properties.find("{*}text")
        if plain is not None and attribute(plain, "multiLine") not in ("1", "true", "on"):
            text = " ".join(text.split("\n"))
        content = self.control.find("{*}sdtContent")
        paragraph = next(content.iter("{*}p"), None)
        holder = paragraph if paragraph is not None else content
        style = properties.find("{*}rPr")
        runs = list(runs_of(holder, prompts=True))
        own = plain_properties(style) if style is not None else _style_of(holder, runs)
        added = new_run(holder, text, own)
        if runs:
            runs[0].addprevious(added)
        else:
            holder.append(added)
        for run in runs:
            run.getparent().remove(run)
        for further in list(content.iter("{*}p"))[1:]:
            if further.getparent() is content:
                content.remove(further)
        for prompt in properties.findall("{*}showingPlcHdr"):
            properties.remove(prompt)
        values = dict(self._items())
        for kind in ("dropDownList", "comboBox"):
            chosen = properties.find(f"{{*}}{kind}")
            if chosen is not None and attribute(chosen, "lastValue") is not None:
                set_attribute(chosen, "lastValue", values.get(text, text))

    @property
    def value(self) -> str:
        """The stored value of what the control shows: of a list the value of the chosen item."""
        content = self.control.find("{*}sdtContent")
        shown = "\n".join(map(paragraph_text, list(content.iter("{*}p")) or [content]))
        return dict(self._items()).get(shown, shown)


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A legacy form field: a text, or a list to choose from."""

    begin: Any

    @property
    def _data(self) -> Any:
        return self.begin.find("{*}ffData")

    @property
    def text(self) -> str:
        """The answer that stands there."""
        chosen = self._data.find("{*}ddList/{*}result")
        if chosen is not None and (number := int(attribute(chosen, "val") or 0)) < len(self._entries):
            return "" if is_placeholder(self._entries[number]) else self._entries[number]
        if self._data.find("{*}ddList") is not None:
            return ""
        text = "".join(run_text(run) for run in self._result()).strip()
        default = attribute(self._data.find("{*}textInput/{*}default"), "val") or ""
        return "" if text == default.strip() or is_placeholder(text) else text

    @property
    def _entries(self) -> list[str]:
        return [attribute(one, "val") or "" for one in self._data.iterfind("{*}ddList/{*}listEntry")]

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers that can be chosen."""
        return tuple(one for one in self._entries if one.strip() and not is_placeholder(one))

    @property
    def max_characters(self) -> int | None:
        """The number of characters that it takes."""
        most = attribute(self._data.find("{*}textInput/{*}maxLength"), "val") or ""
        return int(most) if most.isdigit() and int(most) else None

    def _result(self) -> list[Any]:
        """The runs between the field's separator and its end."""
        found: list[Any] = []
        is_result = False
        run = self.begin.getparent().getnext()
        while run is not None:
            mark = attribute(run.find("{*}fldChar"), "fldCharType")
            if mark == "end":
                return found
            if is_result and name_of(run) == "r":
                found.append(run)
            is_result = is_result or mark == "separate"
            run = run.getnext()
        return found

    def write(self, text: str) -> None:
        """Put the answer there."""
        choices = self._data.find("{*}ddList")
        if choices is not None:
            result = choices.find("{*}result")
            if result is None:
                result = etree.Element(tagged(choices, "result"))
                choices.insert(0, result)
            set_attribute(result, "val", str(self._entries.index(text)))
            return
        runs = self._result()
        if not runs:
            return
        runs[0].addprevious(new_run(runs[0], text, runs[0].find("{*}rPr")))
        for run in runs:
            run.getparent().remove(run)


@dataclass(frozen=True, slots=True)
class BoxesPlace:
    """Check boxes of which one is ticked: the one whose label is the answer."""

    boxes: Boxes
    max_characters: int | None = None

    @property
    def text(self) -> str:
        """The answer that stands there."""
        return self.boxes.ticked

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers that can be chosen."""
        return tuple(one.label for one in self.boxes.choices)

    def write(self, text: str) -> None:
        """Put the answer there."""
        for choice in self.boxes.choices:
            if choice.label.casefold() == text.strip().casefold():
                choice.box.tick()
                return


@dataclass(frozen=True, slots=True)
class MarkPlace:
    """A single check box in a column of its own, which any text ticks."""

    boxes: Boxes
    choices: tuple[str, ...] = ()
    max_characters: int | None = None

    @property
    def text(self) -> str:
        """The answer that stands there."""
        return self.boxes.ticked and "x"

    def write(self, text: str) -> None:
        """Put the answer there."""
        if text:
            self.boxes.choices[0].box.tick()


def place_in(holders: Sequence[Any], control: Any | None = None) -> ControlPlace | FieldPlace | None:
    """The content control or legacy field for a text in some paragraphs; None without any.

    ``control`` is one that lies around them. Locked controls, and those for pictures and dates, are not filled.
    """
    inside = (one for holder in holders for one in controls_of(holder))
    for one in (control, *inside):
        if one is not None and takes_text(one):
            return ControlPlace(one)
    for holder in holders:
        for begin in holder.iter("{*}fldChar"):
            data = begin.find("{*}ffData")
            if data is not None and data.find("{*}checkBox") is None:
                return FieldPlace(begin)
    return None


def takes_text(control: Any) -> bool:
    """Tell if a content control can hold an answer in words."""
    properties = control.find("{*}sdtPr")
    if properties is None or is_check_box(control):
        return False
    lock = attribute(properties.find("{*}lock"), "val")
    has_other_use = any(name_of(child) in _NOT_FOR_TEXT for child in properties)
    return lock not in ("contentLocked", "sdtContentLocked") and not has_other_use


def cell_paragraphs(cell: Any) -> tuple[Any, ...]:
    """The paragraphs of a cell; one is made where a damaged cell has none."""
    found = tuple(paragraphs_of(cell))
    return found or (etree.SubElement(cell, tagged(cell, "p")),)


def _texts(paragraph: Any) -> Iterator[Any]:
    for run in runs_of(paragraph):
        yield from run.iterchildren("{*}t")


def _style_of(holder: Any, runs: Sequence[Any]) -> Any | None:
    return plain_properties(runs[0].find("{*}rPr")) if runs else place_properties(holder)
