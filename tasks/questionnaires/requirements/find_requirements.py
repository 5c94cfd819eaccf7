"""Requirements of a converted tender, in order, each with its number, section and page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tasks.questionnaires.requirements.obligations import Role, acronyms_of, obliges_bidder
from tasks.questions.wording import header_role
from tasks.records import Document, Element
from tasks.text.sentences import line_spans, sentence_spans

LOGIC_VERSION = "2"
"""Version of the finding of requirements: raise it when a document would give others."""
MOST_CHARACTERS = 1200
"""The longest text of a requirement with the items of its list."""
_NUMBER = re.compile(
    r"^\s*(?:(?P<long>(?:[A-Z]{1,5}[-. ]?)?\d+(?:[.\-]\d+)+|[A-Z]{1,5}-\d+)[.):]?"
    r"|(?P<short>\d{1,3}|[a-z]|[ivx]{1,5}|[A-Z])[.)]|\((?P<bracket>\d{1,3}|[a-z]{1,4})\))\s+(?=\S)"
)
_SECTION = re.compile(
    r"(?:(?:sec(?:tion)?|article|clause|part|appendix|annex|schedule|exhibit|attachment|§)\.?\s*)?"
    r"([A-Z]?\d+(?:\.\d+)*|[A-Z](?=[.:\s–-]))\b",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*[-–—•*▪◦]\s+")
_ITEM = re.compile(r"\s*(?:[-–—•*▪◦]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+")
_CONTENTS = re.compile(r"\btable of contents\b|^\s*contents\s*$", re.IGNORECASE)
_LEADER = re.compile(r"\.{5,}\s*\d+\s*$")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement or a question of a tender.

    ``number`` is the tender's own number, else that of the paragraph or section it stands in with a count behind it.
    ``page_number`` is None where the format has no pages.
    """

    number: str
    text: str
    section: str
    page_number: int | None


@dataclass(slots=True)
class _Found:
    """A requirement with its ``own`` number, "" without one, and that of the paragraph or section above it.

    ``is_next``: it stands behind the first one of its paragraph, whose number is ``above``.
    """

    own: str
    text: str
    section: str
    page_number: int | None
    above: str = ""
    is_next: bool = False
    is_open: bool = False


@dataclass(slots=True)
class _Numbers:
    """The numbers above a paragraph: that of its section, of the last clause such as 2.3, and of the last paragraph."""

    path: str = ""
    section: str = ""
    clause: str = ""
    paragraph: str = ""

    @property
    def last(self) -> str:
        return self.paragraph or self.clause or self.section

    def enter(self, path: str) -> None:
        if path != self.path:
            self.path, self.section, self.clause, self.paragraph = path, _section_number(path), "", ""

    def whole(self, own: str) -> str:
        """The number of a paragraph whose ``own`` is "a", "1" or "2.3", with that of its clause; "" for none."""
        if not own:
            return ""
        if re.search(r"\d[.\-]\d|[A-Z]-?\d", own):
            if " " not in own:  # "AS 36.30.560" refers to a law
                self.clause, self.paragraph = own, ""
            return own
        if own.isdecimal():
            self.paragraph = f"{self.clause} {own})" if self.clause else own
            return self.paragraph
        return f"{self.last} {own})" if self.last else own


def find_requirements(document: Document, numbers: Mapping[int, str] | None = None) -> tuple[Requirement, ...]:
    """The requirements of a document in reading order; none where it asks the reader nothing.

    ``numbers`` are those of its elements that their texts lack, by the element's place
    (:func:`tasks.questionnaires.requirements.list_numbers.list_numbers`).
    """
    acronyms = acronyms_of(document.text)
    found: list[_Found] = []
    labels = numbers or {}
    titles: dict[str, str] = {}
    above = _Numbers()
    for at, element in enumerate(document.elements):
        label = labels.get(at, "")
        if element.kind == "title":
            titles[element.text] = f"{label} {element.text}" if label else element.text
        path = " > ".join(titles.get(title, title) for title in element.section_path.split(" > "))
        element = replace(element, section_path=path)
        if element.kind in ("header", "footer", "notes") or _CONTENTS.search(element.section_path):
            continue
        if element.kind == "table":
            found += _rows(element, acronyms)
            continue
        if element.kind == "title" and not element.text.rstrip().endswith(("?", ":", ".")):
            found = _closed(found)
            continue
        above.enter(path)
        number = above.whole(_number_of(element.text) or _number_of(f"{label} .") or label)
        if not number and element.kind != "list_item":
            above.paragraph = ""  # the list above has ended
        parent, is_next = number or above.last, False
        for begin, end in sentence_spans(element.text):
            said = _BULLET.sub("", element.text[begin:end])
            if _LEADER.search(said):
                continue
            if obliges_bidder(said, acronyms):
                # The number of a paragraph is that of its first requirement.
                own = (above.whole(_number_of(said)) if begin else "") or number
                found.append(_Found(own, said, path, element.page_number, parent, is_next, said.endswith(":")))
                number, is_next = "", True
            elif found and found[-1].is_open and (element.kind == "list_item" or _ITEM.match(element.text)):
                found[-1] = _with_item(found[-1], said)
            elif element.kind != "list_item" and not _ITEM.match(element.text):
                found = _closed(found)
    return tuple(_numbered(found))


def _rows(element: Element, acronyms: Mapping[str, Role]) -> Iterator[_Found]:
    """The requirements in the cells of a table: those of a column with that title, else those that oblige."""
    lines = [element.text[begin:end].split(" | ") for begin, end in line_spans(element.text)]
    roles = [header_role(cell) for cell in lines[0]] if lines else []
    column = roles.index("question") if roles.count("question") == 1 else None
    for cells in lines[1:] if column is not None else lines:
        number = cells[0].strip().rstrip(".):") if len(cells) > 1 and _is_number(cells[0]) else ""
        for at, cell in enumerate(cells):
            is_named = column == at and len(cell.split()) > 2
            if is_named or (column is None and obliges_bidder(cell, acronyms)):
                yield _Found(number or _number_of(cell), cell.strip(), element.section_path, element.page_number)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"(?:[A-Z]{1,5}[-. ]?)?\d[\d.\-]*[.):]?|\(?[a-z][.)]", cell.strip()) is not None


def _number_of(text: str) -> str:
    found = _NUMBER.match(text)
    return next(filter(None, found.groups()), "") if found else ""


def _closed(found: list[_Found]) -> list[_Found]:
    if found and found[-1].is_open:
        found[-1].is_open = False
    return found


def _with_item(lead: _Found, item: str) -> _Found:
    said = _ITEM.sub("", item).strip()
    joined = f"{lead.text} {said}" if lead.text.endswith(":") else f"{lead.text.rstrip('.;')}; {said}"
    if len(joined) <= MOST_CHARACTERS:
        lead.text = joined
    return lead


def _numbered(found: list[_Found]) -> Iterator[Requirement]:
    known = Counter(one.own for one in found)
    shared = {one.section for one in found if known[one.own] > 1 and one.own.isdecimal()}
    own = [_in_section(one) if one.section in shared else one.own for one in found]
    known = Counter(own)
    counts: Counter[str] = Counter()
    given: dict[tuple[str, str], str] = {}
    for one, number in zip(found, own, strict=True):
        if not number or known[number] > 1:
            base = number or given.get((one.section, one.above), one.above)
            if one.is_next and base and not number:
                counts[base] = max(counts[base], 1)  # the first one has the number of the paragraph
            while True:
                counts[base] += 1
                number = f"{base}-{counts[base]}" if base else f"R-{counts[base]}"
                if number not in known:
                    break
        if one.own:
            given[one.section, one.own] = number
        yield Requirement(
            number, _NUMBER.sub("", one.text, count=1) if one.own else one.text, one.section, one.page_number
        )


def _in_section(one: _Found) -> str:
    """The number of an item of one of several lists: with that of its section, where it has one."""
    section = _section_number(one.section)
    return f"{section} {one.own})" if section and one.own.isdecimal() else one.own


def _section_number(path: str) -> str:
    """The number of the innermost section that has one; '' for none."""
    for title in reversed(path.split(" > ")):
        if found := _SECTION.match(title.strip()):
            return found[1]
    return ""
