"""Check boxes in Word files: content controls (``w14:checkbox``), legacy form fields, symbols and characters.

A box is ticked as Word ticks it: the state of a control and the character that it shows, the value of a form field, and
of a drawn box the character of a ticked one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lxml import etree

from tasks.questionnaires.word.markup import (
    attribute,
    is_on,
    is_prompting,
    name_of,
    runs_of,
    set_attribute,
    tagged,
)
from tasks.questions.wording import verdict_of

_TICKED = {
    "☐": "☒",
    "□": "■",
    "❏": "☒",
    "❑": "☒",
    "▢": "☒",
    "○": "●",
    "◯": "●",
    "[ ]": "[x]",
    "( )": "(x)",
}
_MARKS = ("☒", "☑", "■", "●", "[x]", "[X]", "(x)", "(X)", "🗹", "🗷", "✓", "✔")
_CHARACTER = re.compile("|".join(re.escape(one) for one in (*_TICKED, *_MARKS[:-2])))
_SYMBOLS = {
    "wingdings": ({"F0A8": "F0FE", "F06F": "F0FE", "F071": "F0FE", "F072": "F0FE"}, {"F0FE", "F0FD", "F078", "F0FC"}),
    "wingdings 2": ({"F0A3": "F052", "F02A": "F052", "F081": "F052"}, {"F052", "F051", "F053", "F054"}),
}
_LABEL_END = re.compile(r"\s{3,}|\t|\n|;")
_ASKS_FOR_TEXT = re.compile(r":|_{4,}|\.{6,}")
_BETWEEN_LABELS = " \t\n\xa0,;/|–-"


@dataclass(eq=False, slots=True)
class Box:
    """A check box: the element that holds it, its kind, and if it is ticked.

    ``at`` is the position of a drawn box in the text of its element.
    """

    element: Any
    kind: str
    is_ticked: bool
    at: int = 0

    def tick(self) -> None:
        """Tick the box."""
        getattr(self, f"_tick_{self.kind}")()
        self.is_ticked = True

    def _tick_control(self) -> None:
        box = self.element.find("{*}sdtPr/{*}checkbox")
        checked = box.find("{*}checked")
        if checked is None:
            checked = etree.Element(tagged(box, "checked"))
            box.insert(0, checked)
        set_attribute(checked, "val", "1")
        state = box.find("{*}checkedState")
        shown = attribute(state, "val") or "2612"
        font = attribute(state, "font") or "MS Gothic"
        for run in runs_of(self.element.find("{*}sdtContent"), prompts=True):
            for text in run.iterchildren("{*}t"):
                text.text = chr(int(shown, 16))
            for symbol in run.iterchildren("{*}sym"):
                set_attribute(symbol, "char", shown)
                set_attribute(symbol, "font", font)
            fonts = run.find("{*}rPr/{*}rFonts")
            if fonts is not None:
                for name in ("ascii", "hAnsi", "eastAsia", "cs"):
                    if attribute(fonts, name) is not None:
                        set_attribute(fonts, name, font)

    def _tick_field(self) -> None:
        box = self.element
        checked = box.find("{*}checked")
        if checked is None:
            checked = etree.SubElement(box, tagged(box, "checked"))
        set_attribute(checked, "val", "1")

    def _tick_symbol(self) -> None:
        boxes, _ = _SYMBOLS[(attribute(self.element, "font") or "").casefold()]
        set_attribute(self.element, "char", boxes[(attribute(self.element, "char") or "").upper()])

    def _tick_character(self) -> None:
        text = self.element.text or ""
        drawn = next(one for one in _TICKED if text.startswith(one, self.at))
        self.element.text = f"{text[: self.at]}{_TICKED[drawn]}{text[self.at + len(drawn) :]}"


class Choice(NamedTuple):
    """A box with the words beside it."""

    label: str
    box: Box


class Boxes(NamedTuple):
    """The choices of a line or cell, with the text before the first of them and behind the last."""

    before: str
    choices: tuple[Choice, ...]
    behind: str

    @property
    def ticked(self) -> str:
        """The labels of the ticked boxes, joined; '' without any."""
        return " ".join(one.label or "x" for one in self.choices if one.box.is_ticked)


def is_check_box(control: Any) -> bool:
    """Tell if a content control is a check box."""
    return control.find("{*}sdtPr/{*}checkbox") is not None


def find_boxes(paragraphs: Iterable[Any]) -> Boxes:
    """The check boxes in paragraphs with their labels, which stand behind their boxes or, in all of them, before."""
    texts: list[str] = [""]
    boxes: list[Box] = []
    for paragraph in paragraphs:
        for piece in _pieces(paragraph):
            if isinstance(piece, Box):
                boxes.append(piece)
                texts.append("")
            else:
                texts[-1] += piece
        texts[-1] += "\n"
    first, last = texts[0].strip(_BETWEEN_LABELS), texts[-1].strip(_BETWEEN_LABELS)
    if boxes and not last and verdict_of(_last_words(texts[0]), whole=True):
        labels = [text.strip(_BETWEEN_LABELS) for text in texts[:-1]]
        labels[0] = _last_words(texts[0])
        before = texts[0].rstrip(_BETWEEN_LABELS).removesuffix(labels[0])
        return Boxes(before.strip(), tuple(map(Choice, labels, boxes)), "")
    split = [_split(text) for text in texts[1:]]
    labels = [label for label, _ in split]
    rest = " ".join(filter(None, (behind for _, behind in split)))
    return Boxes(first, tuple(map(Choice, labels, boxes)), rest)


def has_controls(paragraph: Any, text: str) -> bool:
    """Tell if a paragraph with this visible text may hold a check box, a content control or a form field."""
    found = next(paragraph.iter("{*}sdt", "{*}fldChar", "{*}sym"), None)
    return found is not None or _CHARACTER.search(text) is not None


def holds_group(boxes: Boxes) -> bool:
    """Tell if boxes are choices of one answer: two or more, each with other words."""
    labels = [one.label.casefold() for one in boxes.choices]
    return len(labels) >= 2 and all(labels) and len(set(labels)) == len(labels)


def _pieces(paragraph: Any) -> Iterator[str | Box]:
    known: set[Any] = set()
    for run in runs_of(paragraph, prompts=True):
        around = _controls_around(run, paragraph)
        control = next(filter(is_check_box, around), None)
        if control is not None:
            if control not in known:
                known.add(control)
                checked = control.find("{*}sdtPr/{*}checkbox/{*}checked")
                yield Box(control, "control", is_on(checked))
        elif not any(map(is_prompting, around)):  # a prompt is no label
            for child in run.iterchildren():
                yield from _of_child(child)


def _of_child(child: Any) -> Iterator[str | Box]:
    name = name_of(child)
    if name == "fldChar" and (field := child.find("{*}ffData/{*}checkBox")) is not None:
        checked = field.find("{*}checked")
        yield Box(field, "field", is_on(checked if checked is not None else field.find("{*}default")))
    elif name == "sym":
        boxes, ticked = _SYMBOLS.get((attribute(child, "font") or "").casefold(), ({}, set()))
        character = (attribute(child, "char") or "").upper()
        if character in boxes or character in ticked:
            yield Box(child, "symbol", character in ticked)
    elif name == "t":
        text, at = child.text or "", 0
        for found in _CHARACTER.finditer(text):
            yield text[at : found.start()]
            yield Box(child, "character", found.group() in _MARKS, found.start())
            at = found.end()
        yield text[at:]
    elif name in ("tab", "br", "cr"):
        yield "\t" if name == "tab" else "\n"


def _controls_around(run: Any, paragraph: Any) -> list[Any]:
    found, at = [], run.getparent()
    while at is not None and at is not paragraph:
        if name_of(at) == "sdt":
            found.append(at)
        at = at.getparent()
    return found


def _split(text: str) -> tuple[str, str]:
    """The label of a box, and the text behind it that belongs to none."""
    text = text.strip(_BETWEEN_LABELS)
    first, _, rest = text.partition(" ")
    if rest and verdict_of(first, whole=True) and _ASKS_FOR_TEXT.search(rest):
        return first.strip(_BETWEEN_LABELS), rest.strip()
    found = _LABEL_END.search(text)
    return (text[: found.start()], text[found.end() :].strip()) if found else (text, "")


def _last_words(text: str) -> str:
    """The last word of a text, or the last two where they are a verdict together."""
    words: Sequence[str] = text.strip(_BETWEEN_LABELS).split()
    pair = " ".join(words[-2:])
    return pair if verdict_of(pair, whole=True) else "".join(words[-1:])
