"""Help for a person where bidfolio declines: the nearest fact, the nearest documents, and their owners."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tasks.places import locator
from tasks.questions.expected_answer import wanted
from tasks.records import Citation, Document, Hit

NEAREST_DOCUMENTS = 3
_PARTS = re.compile(
    r"; (?=no exact |look in: |ignored text that gives orders|the question gives orders|the question is in )"
)
_OWNER = re.compile(
    r"^\s*(?:(?:document|policy|process) )?(?:owner|owned by|author|maintained by|prepared by|responsible(?: person)?"
    r"|dono|respons[aá]vel|autora?)\s*[:|]\s*(?P<name>[^|\n]{2,80}?)\s*(?:\||$)",
    re.IGNORECASE | re.MULTILINE,
)
Owner = Callable[[str], str | None]
"""Function from a document's id to its owner; None where nobody is named."""


def owner_in(document: Document) -> str | None:
    """The document's owner by a line of its first page such as "Owner: Chief Architect"; None where it names nobody."""
    first = document.pages[0] if document.pages else None
    text = document.text[first.start : first.end] if first else document.text[:3000]
    found = _OWNER.search(text)
    return found["name"].strip() if found else None


def what_to_do(question: str, nearest_fact: Citation | None, hits: Sequence[Hit], owner: Owner) -> str:
    """The nearest fact with its place, and the documents of the best hits with their owners; "" without hits."""
    parts = []
    if nearest_fact:
        quote = " ".join(nearest_fact.quote.split())
        parts.append(
            f"no exact {wanted(question)} found; the closest text is “{quote}” "
            f"{nearest_fact.inline}, {nearest_fact.file_name}"
        )
    places: dict[str, str] = {}
    for hit in hits:
        chunk = hit.chunk
        named = owner(chunk.document_id) if chunk.file_name not in places else None
        # A chunk may be on several pages: a person who looks there wants the one with what is quoted.
        at = nearest_fact if nearest_fact and nearest_fact.document_id == chunk.document_id else chunk
        label = at.page_label if isinstance(at, Citation) else at.label_of(at.page_number)
        place = locator(chunk.file_name, at.page_number, at.sheet_name, at.row_number, page_label=label)
        places.setdefault(chunk.file_name, f"{place}{f' (owner: {named})' if named else ''}")
        if len(places) == NEAREST_DOCUMENTS:
            break
    if places:
        parts.append(f"look in: {'; '.join(places.values())}")
    return "; ".join(parts)


def no_answer(detail: str) -> list[str]:
    """A decline's ``detail`` as paragraphs: why there is no answer, the closest text, where to look, and more."""
    why, *rest = _PARTS.split(detail.rstrip("."))
    return [f"No answer: {why or 'no reason is known'}.", *(f"{part[0].upper()}{part[1:]}." for part in rest)]
