"""Requirements of a converted tender, in order, each with its number, section and page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tasks.questionnaires.requirements.obligations import Role, acronyms_of, obliges_bidder
from tasks.questions.wording import header_role
from tasks.records import Document, Element
from tasks.text.sentences import line_spans, sentence_spans

LOGIC_VERSION = "1"
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

    ``number`` is the tender's own number, else that of its section with a count behind it. ``page_number`` is None
    where the format has no pages.
    """

    number: str
    text: str
    section: str
    page_number: int | None


@dataclass(slots=True)
class _Found:
    own: str
    text: str
    section: str
    page_number: int | None
    is_open: bool = False


def find_requirements(document: Document) -> tuple[Requirement, ...]:
    """The requirements of a document in reading order; none where it asks the reader nothing."""
    acronyms = acronyms_of(document.text)
    found: list[_Found] = []
    for element in document.elements:
        if element.kind in ("header", "footer", "notes") or _CONTENTS.search(element.section_path):
            continue
        if element.kind == "table":
            found += _rows(element, acronyms)
            continue
        if element.kind == "title" and not element.text.rstrip().endswith(("?", ":", ".")):
            found = _closed(found)
            continue
        number = _number_of(element.text)
        for begin, end in sentence_spans(element.text):
            said = _BULLET.sub("", element.text[begin:end])
            if _LEADER.search(said):
                continue
            if obliges_bidder(said, acronyms):
                # The number of a paragraph is that of its first requirement.
                own, number = _number_of(said) or number, ""
                found.append(_Found(own, said, element.section_path, element.page_number, said.endswith(":")))
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
    sections = [_section_number(one.section) for one in found]
    own = [_full_number(one.own, section) for one, section in zip(found, sections, strict=True)]
    known = Counter(own)
    counts: Counter[str] = Counter()
    for one, number, section in zip(found, own, sections, strict=True):
        if not number or known[number] > 1:
            base = number or section
            while True:
                counts[base] += 1
                number = f"{base}-{counts[base]}" if base else f"R-{counts[base]}"
                if number not in known:
                    break
        yield Requirement(
            number, _NUMBER.sub("", one.text, count=1) if one.own else one.text, one.section, one.page_number
        )


def _full_number(own: str, section: str) -> str:
    """The tender's own number; a letter or a count within a section gets the section's number before it."""
    is_whole = bool(re.search(r"\d[.\-]\d|[A-Z]-?\d", own))
    return own if not own or is_whole or not section else f"{section} {own})"


def _section_number(path: str) -> str:
    """The number of the innermost section that has one; '' for none."""
    for title in reversed(path.split(" > ")):
        if found := _SECTION.match(title.strip()):
            return found[1]
    return ""
