"""Whether a document says of itself that it does not hold: superseded, expired, a draft, or a plan of what is to come.

It is read off the first page, where such things stand, and off the title; what the document says elsewhere of others
counts for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from tasks.records import Citation, Document

Standing = Callable[[str], str]
"""The words by which the document of that id says that it does not hold; "" where it says no such thing."""
FIRST_CHARACTERS = 3000
_MONTHS = "january february march april may june july august september october november december".split()
_NO_LONGER = re.compile(
    r"\b(?:superseded (?:by|on|with effect)|replaced by (?:version|v\d|the (?:version|policy|edition))|withdrawn"
    r"(?= (?:on|by|and)\b)|no longer (?:valid|in force|in use|current|applies)|obsolete"
    r"|(?:document )?status\s*[:|]\s*(?:draft|superseded|expired|withdrawn|archived|retired|for review|proposed)"
    r"|(?:this (?:document )?is a|first|second|working|discussion|internal) draft"
    r"|draft(?=,? (?:version|v\d|for|internal)))"
    r"[^.\n|]{0,40}",
    re.IGNORECASE,
)
_TITLE = re.compile(r"\b(?:draft|roadmap|superseded|withdrawn|obsolete|archived?)\b", re.IGNORECASE)
_DAY = rf"(?:(\d{{1,2}})(?:st|nd|rd|th)? ({'|'.join(_MONTHS)}) ((?:19|20)\d\d)|((?:19|20)\d\d)-(\d\d)-(\d\d))"
_UNTIL = re.compile(
    rf"\b(?:valid (?:until|to|through)|expir(?:es|ed|y(?: date)?)(?: on)?|in force until)\s*[:|]?\s*{_DAY}",
    re.IGNORECASE,
)


def standing_in(document: Document, today: date) -> str:
    """The words on the first page of ``document``, or of its title, by which it does not hold on ``today``; "" where it
    has none.
    """
    first = document.pages[0] if document.pages else None
    text = document.text[first.start : min(first.end, first.start + FIRST_CHARACTERS)] if first else ""
    if found := _NO_LONGER.search(text):
        return " ".join(found.group().split())
    for until in _UNTIL.finditer(text):
        day = _day_of(until)
        if day is not None and day < today:
            return " ".join(until.group().split())
    in_title = _TITLE.search(document.title)
    return in_title.group() if in_title else ""


def doubts_of_standing(citations: Sequence[Citation], standing: Standing) -> list[str]:
    """Why a person should look at what is cited of documents that do not hold, one each; no citations give none."""
    files = {citation.document_id: citation.file_name for citation in citations}
    told = ((name, standing(document_id)) for document_id, name in files.items())
    return [f"{name} calls itself “{said}”: does it hold?" for name, said in told if said]


def _day_of(found: re.Match[str]) -> date | None:
    try:
        if found[3]:
            return date(int(found[3]), _MONTHS.index(found[2].lower()) + 1, int(found[1]))
        return date(int(found[4]), int(found[5]), int(found[6]))
    except ValueError:
        return None  # a day that is none, the 31st of June
