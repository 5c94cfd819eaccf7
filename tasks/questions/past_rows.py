"""Parser for rows of past questionnaires, as conversion writes them: the question, then lines with the answer."""

from __future__ import annotations

import re

from tasks.records import Verdict
from tasks.text.verdict_words import BEGINNING

VERDICT_WORDS: dict[str, Verdict] = {**BEGINNING, "fully": "yes", "full": "yes"}
"""Words that state a verdict by themselves."""
VERDICT_PATTERN = "|".join(map(re.escape, sorted(VERDICT_WORDS, key=len, reverse=True)))
_GRADE = r"(?:compliant|conform|met|implemented|supported|satisfied|fulfilled|in place)"
_GRADES: dict[str, Verdict] = {"": "yes", "fully": "yes", "full": "yes", "partially": "partial", "partly": "partial"}
_VERDICT = re.compile(
    rf"^Answer:\s*(?:(?:(?P<said>{VERDICT_PATTERN})|(?P<how>fully |full |partially |partly |not |non[ -]?)?{_GRADE})"
    # "N. America" is not a no.
    r"(?=\s*(?:[.,;:!(–-]|$))|(?P<letter>[yn])(?=\s*(?:[,;:!(]|$)))",
    re.IGNORECASE | re.MULTILINE,
)
_ROW = re.compile(r"^(?P<question>.+?)\n(?P<answer>(?:(?:Answer|Comments): [^\n]*\n?)+)", re.DOTALL)
_WITHIN = r"(?:§ [^\[\]]*|p\. [\w-]+(?: \(sheet \d+\))?|(?:sheet [^\[\]]*, )?row \d+)"
_FILE = r"[^\[\]]+\.(?:pdf|docx?|docm|dotx|odt|rtf|pptx?|odp|xlsx?|xlsm|ods|csv|html?|md|txt|eml|msg)"
_PLACE = re.compile(rf"\s*\[(?:(?:[^\[\]]+, )?{_WITHIN}|{_FILE})\]", re.IGNORECASE)
"""A citation behind an answer, as :attr:`tasks.records.Citation.inline` writes it, or with the document before it."""
_LABEL = re.compile(r"^(?:Answer|Comments): ", re.MULTILINE)


def without_places(text: str) -> str:
    """A past answer without its citations, which refer to the documents of that time."""
    return _PLACE.sub("", text)


def past_question(text: str) -> tuple[str, str] | None:
    """The question and the answer of a row, each in one line; None for any other text. Other columns are left out."""
    found = _ROW.match(text)
    if found is None:
        return None
    return " ".join(found["question"].split()), " ".join(_LABEL.sub("", found["answer"]).split())


def past_verdict(quote: str) -> Verdict | None:
    """The verdict that a past answer begins with; None where it begins with none."""
    found = _VERDICT.match(quote)
    if found is None:
        return None
    if letter := found["letter"]:
        return "yes" if letter in "yY" else "no"
    if said := found["said"]:
        return VERDICT_WORDS[said.lower()]
    return _GRADES.get((found["how"] or "").strip(" -").lower(), "no")


def past_verdict_end(quote: str) -> int | None:
    """The end of the verdict that a past answer begins with; None where it begins with none."""
    found = _VERDICT.match(quote)
    return found.end() if found else None
