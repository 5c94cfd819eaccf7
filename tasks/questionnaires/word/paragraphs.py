"""Questions in the running text of a Word file, each with the space that is left for its answer.

A question is a paragraph, or a cell of a table with a single column. Its space stands in it or directly below: check
boxes, a content control, a form field, a drawn line, a line such as "Answer:", an empty cell, or empty paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tasks.questionnaires.word.check_boxes import Boxes, find_boxes, holds_group
from tasks.questionnaires.word.markup import controls_of, paragraph_text
from tasks.questionnaires.word.places import (
    BLANK_LINE,
    BlankPlace,
    BoxesPlace,
    CellPlace,
    LinePlace,
    Place,
    place_in,
)
from tasks.questions.wording import (
    asks_by_itself,
    character_limit,
    fact_words,
    header_role,
    is_placeholder,
    looks_like_question,
    words_of,
)

_LABEL = re.compile(r"\s*([^:?\n]{2,60}?)\s*[:：]\s*(.*)", re.DOTALL)
_NUMBER = re.compile(r"\s*((?:[A-Z]{1,4}[-. ]?)?\d+(?:[.\-]\d+)*|\(?[a-z]\)|\([ivx]+\)|[A-Z]\.)[.):]?\s+(?=\S)")
_MODAL = re.compile(r"\b(?:shall|must|should|required)\b", re.IGNORECASE)
_MOST_TITLE_WORDS = 12
_MOST_GUIDANCE = 10
_MOST_LABEL_WORDS = 6
_REQUEST = re.compile(r"\W*(?:\d[\d.]*\s*)?(?:please|describe|explain|how|what|which|who|why)\b", re.IGNORECASE)
_EXPLAINS = re.compile(r"\W*if\s+(?:so|not|yes|no|[\"“‘']?(?:yes|no)[\"”’']?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph of the running text: its number in the document, text, label, and the level of a heading.

    The text is '' where it only prompts. ``has_controls`` is False where it has no box, control or field. ``cell`` are
    the paragraphs of the cell of a one-column table that it stands in. ``control`` is a content control around it. An
    ``is_item`` has a bullet. A ``wall`` is the name of a table with columns, over which no answer space reaches.
    """

    number: int
    paragraph: Any
    text: str = ""
    has_controls: bool = False
    label: str = ""
    level: int | None = None
    cell: tuple[Any, ...] = ()
    control: Any | None = None
    is_item: bool = False
    wall: str = ""


class Asked(NamedTuple):
    """A question in the running text with its reference and section, and the places for the answer and a comment.

    If it ``is_fact``, it is the label of a fact about the bidder's company.
    """

    number: int
    text: str
    reference: str
    section: str
    answer: Place
    comment: Place | None
    max_characters: int | None = None
    is_fact: bool = False


@dataclass(slots=True)
class _Space:
    """The places found for a question so far; ``blanks`` are the empty paragraphs that follow it."""

    choice: Place | None = None
    texts: list[Place] = field(default_factory=list)
    blanks: list[Block] = field(default_factory=list)
    sure: bool = False
    limit: int | None = None


class RunningText(NamedTuple):
    """The questions of the running text, in order, and the section of each table by its name."""

    asked: tuple[Asked, ...]
    sections: dict[str, str]


def read_running_text(blocks: Sequence[Block]) -> RunningText:
    """Find the questions that have space for an answer; none where nothing leaves any."""
    texts = [block.text for block in blocks]
    usual: int | None = None
    titles: dict[int, str] = {}
    found: list[Asked] = []
    sections: dict[str, str] = {}
    at = 0
    while at < len(blocks):
        block, begin = blocks[at], at
        at += 1
        if block.wall:
            sections[block.wall] = " > ".join(titles[one] for one in sorted(titles))
        if block.wall or not texts[begin]:
            continue
        text, space = _own_space(block, texts[begin])
        if not text or _answers_label(text):
            continue
        end = _space_below(blocks, texts, _behind_guidance(blocks, texts, at, space), space)
        if space.blanks and usual is None:
            usual = _usual_blanks(blocks, texts)
        place = _answer_place(block, text, space, usual or 0)
        if place is None:
            if block.level is not None or _is_title(block, text):
                level = block.level if block.level is not None else 9
                titles = {one: title for one, title in titles.items() if one < level}
                titles[level] = " ".join(filter(None, [block.label, text]))
            continue
        answer, comment = place
        number = _NUMBER.match(text)
        reference = (block.label or (number[1] if number else "")).rstrip(".): ").lstrip("(")
        section = " > ".join(titles[one] for one in sorted(titles) if block.level is None or one < block.level)
        is_fact = _is_fact(text, space)
        found.append(Asked(block.number, text, reference, section, answer, comment, space.limit, is_fact))
        at = max(at, end)
    return RunningText(tuple(found), sections)


def _own_space(block: Block, text: str) -> tuple[str, _Space]:
    """The question in a paragraph without the space that it has itself, and that space."""
    space = _Space()
    boxes = _boxes(block)
    if holds_group(boxes) and boxes.before:
        space.choice, space.sure = BoxesPlace(_without_rest(boxes)), True
        text = boxes.before
        if BLANK_LINE.search(boxes.behind):
            space.texts.append(BlankPlace((block.paragraph,)))
    elif control := _control(block):
        inside = control.text
        if inside != text:
            _add(space, control)
            text = text.removesuffix(inside).strip() if inside else text
    elif BLANK_LINE.search(text) and not is_placeholder(text) and BLANK_LINE.split(text, maxsplit=1)[0].strip():
        before, behind = BLANK_LINE.split(text, maxsplit=1)
        if not behind.strip(" _.…"):
            text, space.sure = before.strip(), True
            space.texts.append(BlankPlace((block.paragraph,)))
    return text, space


def _without_rest(boxes: Boxes) -> Boxes:
    """The boxes with labels that end before a drawn line."""
    choices = (one._replace(label=BLANK_LINE.split(one.label)[0].strip()) for one in boxes.choices)
    return boxes._replace(choices=tuple(choices))


def _space_below(blocks: Sequence[Block], texts: Sequence[str], at: int, space: _Space) -> int:
    """Collect the space below a question from ``blocks[at]`` on; returns where the space ends."""
    lines: list[Any] = []
    label: Block | None = None
    cell = blocks[at - 1].cell
    while at < len(blocks) and not blocks[at].wall:
        block, text = blocks[at], texts[at]
        boxes = _boxes(block)
        control = _control(block)
        labelled = _answers_label(text)
        if block.level is not None and not (control or boxes.choices):
            break
        if holds_group(boxes) and not boxes.before and space.choice is None:
            space.choice, space.sure = BoxesPlace(_without_rest(boxes)), True
        elif control is not None and text in ("", control.text):
            _add(space, control)
            label = None
        elif text and is_placeholder(text) and BLANK_LINE.search(text):
            lines.append(block.paragraph)
            if len(lines) > 1:
                space.texts.pop()
            space.texts.append(BlankPlace(tuple(lines)))
            space.sure, label = True, None
        elif labelled is not None:
            space.sure, label = True, block
            _labelled(space, block, labelled, control)
            if labelled:
                label = None
        elif text and _is_answer_cell(blocks[at - 1], block, texts[at - 1], text):
            space.sure = True
            space.texts.append(CellPlace(block.cell))
        elif not text:
            if block.cell and block.cell != cell and block.paragraph is block.cell[0]:
                if not any(paragraph_text(one).strip() for one in block.cell):
                    space.sure = True
                    space.texts.append(CellPlace(block.cell))
            elif label is not None:
                # The answer goes into the empty line below its label.
                space.texts[-1] = CellPlace((block.paragraph,))
                label = None
            elif any(True for _ in controls_of(block.paragraph)):
                break  # a locked control, a date or a picture
            elif not block.cell or block.cell == cell:
                space.blanks.append(block)
        else:
            break
        at += 1
    return at


def _is_answer_cell(above: Block, block: Block, asked: str, text: str) -> bool:
    """Tell if a cell of a one-column table holds the answer to the question in the cell above it."""
    begins = bool(block.cell) and block.cell != above.cell and bool(above.cell) and block.paragraph is block.cell[0]
    return begins and looks_like_question(asked) and not looks_like_question(text)


def _behind_guidance(blocks: Sequence[Block], texts: Sequence[str], at: int, space: _Space) -> int:
    """The block behind the guidance below a question, where a place that is surely for its answer follows; else ``at``.

    Guidance is a length limit, and what an answer should cover.
    """
    begin, asked = at, texts[at - 1]
    if space.sure or not _asks_plainly(asked) or blocks[at - 1].is_item:
        return at
    limit: int | None = None
    while at < len(blocks) and at - begin < _MOST_GUIDANCE:
        block, text = blocks[at], texts[at]
        is_guidance = text and block.level is None and not block.label and not block.wall
        is_limit = character_limit(text) is not None
        if not is_guidance or _boxes(block).choices or _answers_label(text) is not None:
            break
        if BLANK_LINE.search(text) or _control(block):
            break
        if not block.is_item and not is_limit and (_asks_plainly(text) or block.cell):
            return begin
        limit = character_limit(text) if is_limit else limit
        at += 1
    below = _Space()
    _space_below(blocks, texts, at, below)
    if at > begin and not below.sure:
        return begin
    space.limit = limit
    return at


def _labelled(space: _Space, block: Block, said: str, control: Place | None) -> None:
    """Add the place of a line such as "Answer:" with what stands behind the label."""
    if control is not None:
        _add(space, control)
    elif BLANK_LINE.search(said) and is_placeholder(said):
        space.texts.append(BlankPlace((block.paragraph,)))
    elif holds_group(boxes := _boxes(block)):
        space.choice = BoxesPlace(_without_rest(boxes))
    else:
        space.texts.append(LinePlace(block.paragraph, "" if is_placeholder(said) else said))


def _add(space: _Space, place: Place) -> None:
    space.sure = True
    if place.choices and space.choice is None:
        space.choice = place
    else:
        space.texts.append(place)


def _answer_place(block: Block, text: str, space: _Space, usual: int) -> tuple[Place, Place | None] | None:
    """The places for the answer and for a comment; None for a paragraph that is no question or has no space."""
    if not space.sure:
        if len(space.blanks) <= usual or not _asks_plainly(text):
            return None
        return CellPlace((space.blanks[0].paragraph,)), None
    if _is_fact(text, space):
        return space.texts[0], None
    is_topic = (block.level is not None or bool(block.label)) and not text.endswith(":")
    if _is_label(text) or not looks_like_question(text):
        # A heading with an empty place below asks for a text about it; one with a text has it.
        places = [space.choice] if space.choice is not None else space.texts[:1]
        if not is_topic or any(place.text for place in places):
            return None
    if space.choice is not None:
        return space.choice, next(iter(space.texts), None)
    if not space.texts:
        return (CellPlace((space.blanks[0].paragraph,)), None) if space.blanks else None
    return space.texts[0], next(iter(space.texts[1:]), None)


def _answers_label(text: str) -> str | None:
    """The text behind the label of a line such as "Answer: …"; None for a line without such a label."""
    found = _LABEL.fullmatch(text)
    if not found:
        return None
    is_label = header_role(found[1]) in ("answer", "comment") or bool(_EXPLAINS.match(found[1]))
    return found[2].strip() if is_label and len(words_of(found[1])) <= 8 else None


def _is_label(text: str) -> bool:
    """Tell if a text names what is to be entered ("Name of the bidder:") and asks nothing."""
    is_short = text.endswith(":") and len(words_of(text)) <= _MOST_LABEL_WORDS
    return is_short and "?" not in text and not _REQUEST.match(text)


def _is_fact(text: str, space: _Space) -> bool:
    """Tell if a text with a place asks for a fact about the company: "Name of the bidder: ____".

    "Name" alone is that of the person who signs.
    """
    words = fact_words(text)
    return bool(words and space.texts) and space.sure and (words != {"name"} or len(words_of(text)) > 1)


def _boxes(block: Block) -> Boxes:
    return find_boxes([block.paragraph]) if block.has_controls else Boxes(block.text, (), "")


def _control(block: Block) -> Place | None:
    if block.has_controls or block.control is not None:
        return place_in([block.paragraph], block.control)
    return None


def _asks_plainly(text: str) -> bool:
    """Tell if a paragraph asks, and does not only oblige: empty lines below an obligation are no answer space."""
    return text.rstrip().endswith("?") or (asks_by_itself(text) and not _MODAL.search(text))


def _is_title(block: Block, text: str) -> bool:
    numbered = bool(block.label) or bool(_NUMBER.match(text))
    return numbered and len(words_of(text)) <= _MOST_TITLE_WORDS and text[-1] not in ".?:;,"


def _usual_blanks(blocks: Sequence[Block], texts: Sequence[str]) -> int:
    """The empty paragraphs that follow most paragraphs that ask nothing: this many are no space for an answer."""
    counts: list[int] = []
    for at, (block, text) in enumerate(zip(blocks, texts, strict=True)):
        if text and not block.wall and block.level is None and not _asks_plainly(text):
            below = at + 1
            while below < len(blocks) and not texts[below] and not blocks[below].wall:
                below += 1
            counts.append(below - at - 1)
    counts.sort()
    return counts[len(counts) // 2] if counts else 0
