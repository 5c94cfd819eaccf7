"""Document status: words by which a document says that it is not in force (superseded, expired, a draft, a plan).

They are read from the first page and the title, and only where the document speaks of itself: "this policy is …", or a
label in a line of its own. What it says of others, a certificate or a cipher, does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from tasks.records import Citation, Document
from tasks.text.english import MONTHS

Standing = Callable[[str], str]
"""Function from a document's id to the words by which it says that it is not in force; "" where it says no such thing.
"""
FIRST_CHARACTERS = 3000
_ITSELF = (
    r"\b(?:this|these|the present)\s+(?:document|policy|policies|version|edition|revision|statement|standard|procedure"
    r"|plan|guideline|guide|handbook|manual|report|paper|page|sheet|description|agreement|contract|terms)\b"
)
_LABEL = (
    r"^(?:[^\w\n]*(?=(?-i:[A-Z]))(?:document\s|policy\s)?"
    r"|[^\n]{0,80}\b(?:version|v\d|revision|edition|owner|author|effective|status|classification)\b[^\n]{0,80}?"
    r"[|;,·(–—-]\s*)"
)
"""Text that may stand before a label in its line. A small letter would continue the sentence of the line above."""
_NO_LONGER = re.compile(
    rf"(?:{_ITSELF}(?:\s[\w.()-]+){{0,3}}?\s(?:is|was|are|were|has been|have been|became)\s(?:now\s|hereby\s|\w+ly\s)?"
    rf"|{_ITSELF}\s(?=no longer applies)|{_LABEL}|\b(?=(?:document )?status\s*[:|])|\b(?=this (?:document )?is a))"
    r"(?P<said>(?:superseded (?:by|on|with effect)|replaced by (?:version|v\d|the (?:version|policy|edition))|withdrawn"
    r"(?=\s*$|\s*[|.]| (?:on|by|and)\b)|no longer (?:valid|in force|in use|current|applies)|obsolete(?=\s*$|\s*[|.,;)])"
    r"|(?:document )?status\s*[:|]\s*(?:draft|superseded|expired|withdrawn|archived|retired|for review|proposed)"
    r"|(?:this (?:document )?is a|(?<=\bis )a) draft"
    r"|(?:first|second|working|discussion|internal) draft(?=\s*$|\s*[|.,;(–—-]| (?:version|v\d|for|of)\b)"
    r"|draft(?=,? (?:version\b|v\d|for\b|internal\b)))"
    r"[^.\n|]{0,40})",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE = re.compile(r"\b(?:draft|roadmap|superseded|withdrawn|obsolete|archived?)\b", re.IGNORECASE)
_DAY = (
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?P<month>{'|'.join(MONTHS)}) (?P<year>(?:19|20)\d\d)"
    r"|(?P<iso>(?:19|20)\d\d-\d\d-\d\d)|(?P<dotted>\d{1,2}\.\d{1,2}\.(?:19|20)\d\d))"
)
_ENDS = (
    rf"(?P<said>\b(?:valid (?:until|to|through)|expir(?:es|ed|y(?: date)?)(?: on)?|in force until|gültig bis)"
    rf"[\s:|*]*{_DAY})"
)
_UNTIL = re.compile(rf"(?:{_ITSELF}[^.|]{{0,80}}?|{_LABEL}){_ENDS}", re.IGNORECASE | re.MULTILINE)
_ANY_UNTIL = re.compile(_ENDS, re.IGNORECASE)
_CERTIFICATE = re.compile(r"\bcertificate\b", re.IGNORECASE)


def standing_in(document: Document, today: date) -> str:
    """The words on the first page, or in the title, by which ``document`` is not in force on ``today``; or ""."""
    first = document.pages[0] if document.pages else None
    text = document.text[first.start : min(first.end, first.start + FIRST_CHARACTERS)] if first else ""
    if found := _NO_LONGER.search(text):
        return " ".join(found["said"].split())
    # What a certificate says of a day, it says of itself.
    until = _ANY_UNTIL if _CERTIFICATE.search(document.title) else _UNTIL
    for found in until.finditer(text):
        day = _day_of(found)
        if day is not None and day < today:
            return " ".join(found["said"].split())
    in_title = _TITLE.search(document.title)
    return in_title.group() if in_title else ""


def doubts_of_standing(citations: Sequence[Citation], standing: Standing) -> list[str]:
    """Reasons to review an answer that cites documents which are not in force, one for each document."""
    files = {citation.document_id: citation.file_name for citation in citations}
    told = ((name, standing(document_id)) for document_id, name in files.items())
    return [f"{name} calls itself “{said}”: check that it holds" for name, said in told if said]


def _day_of(found: re.Match[str]) -> date | None:
    try:
        if iso := found["iso"]:
            return date.fromisoformat(iso)
        if dotted := found["dotted"]:
            day, month, year = map(int, dotted.split("."))
            return date(year, month, day)
        return date(int(found["year"]), MONTHS.index(found["month"].capitalize()) + 1, int(found["day"]))
    except ValueError:
        return None  # a day that is none, the 31st of June
