"""Length limits in the text of a question: "Describe your backups in no more than 100 words."

English only. A limit is read where it plainly concerns the answer: in brackets, in a sentence of its own, or at either
end of a question that asks for words. "Do you allow passwords of at most 64 characters?" asks for something else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tasks.questions.wording import AT_MOST, COUNT, FEWER, characters_of, question_kind
from tasks.records import Question

_BELOW = rf"{AT_MOST}|fewer than|below|within|not exceed(?:ing)?|no longer than|not longer than|shorter than"
_SPACES = r"(?:\s*,?\s*\(?(?:including|incl\.?|excluding|excl\.?|with|without)\s+(?:spaces|blanks)\)?)?"
_LENGTH = r"(?:length|size|of|is|to|in|count)"
_RANGE = r"(?:(?:between\s+)?\d+\s*(?:-|–|to|and)\s*)?"
_BOUND = (
    rf"(?:(?:(?:character|word|answer|response|length)\s+)?(?:{_BELOW})(?:[\s:.,]{{0,3}}{_LENGTH}){{0,3}}[\s:.,]{{0,3}}{COUNT}"
    rf"|{_RANGE}{COUNT}[\s,]{{0,3}}(?:{FEWER}|at most|at the most)){_SPACES}"
)
_ANY = rf"(?:{_BOUND}|{_RANGE}{COUNT}{_SPACES})"
"""A limit, or a number alone: enough where a bracket or "answer in" marks it as a limit."""
_ANSWER = r"(?:answers?|responses?|repl(?:y|ies)|respond|text|explanation|description)"
_ASK = rf"(?:please\s+|kindly\s+)?(?:(?:limit|restrict|keep|cap)\s+)?(?:(?:your|the|each|all)\s+)?{_ANSWER}"
_BETWEEN = (
    r"(?:\s+(?:must|should|shall|may|can|to|is|are|be|not|limited|only|briefly|concisely|in|using|with|under)){0,6}"
)
_IN = r"(?:in|using|with|within)\s+"
_OWN_SENTENCE = (
    rf"{_ASK}{_BETWEEN}[\s:]{{0,3}}{_ANY}"
    rf"|(?:please\s+)?(?:{_IN})?{_BOUND}(?:\s+(?:for|per|in)\s+(?:your|the|each)\s+{_ANSWER})?"
)
_BRACKET = re.compile(rf"\s*[(\[]\s*(?:{_OWN_SENTENCE}|{_ANY}(?:\s+{_ANSWER})?)\s*[.;]?\s*[)\]]", re.IGNORECASE)
_SENTENCE = re.compile(
    rf"(?:^|(?<=[.?!;:\n])|\s[–—-]\s|,\s)\s*(?:{_OWN_SENTENCE})\s*(?:[.!;]|(?=\??\s*$)|(?=\n))", re.IGNORECASE
)
_BEFORE = re.compile(rf"^\W*(?:{_ASK}{_BETWEEN}\s+{_ANY}|{_IN}{_ANY})\s*[,:–-]\s*", re.IGNORECASE)
_BEHIND = re.compile(rf"\s*,\s+{_IN}{_ANY},(?=\s)|\s*,?\s+{_IN}{_ANY}(?=\s*[,.?!]*\s*$|,\s)", re.IGNORECASE)
_OF_TEXTS = re.compile(
    r"\b(?:pass(?:word|phrase|code)s?|pins?|user\s?names?|identifiers?|fields?|inputs?|tokens?|keys?|file\s?names?"
    r"|lengths?|messages?|tweets?|posts?)\b",
    re.IGNORECASE,
)
"""Things that have a length themselves."""
_BLANKS = re.compile(r"\s+")
"""Runs of blanks; without long runs, no pattern here takes long to fail."""
_SAYS_ANSWER = re.compile(rf"\b{_ANSWER}\b", re.IGNORECASE)


@lru_cache(maxsize=1024)
def without_limit(text: str) -> tuple[str, int | None]:
    """A question without its length limit, and the limit in characters; unchanged, with None, where it has none."""
    said = _BLANKS.sub(lambda found: "\n" if "\n" in found.group() else " ", text)
    for pattern in (_BRACKET, _SENTENCE, _BEFORE, _BEHIND):
        for found in pattern.finditer(said):
            rest = _joined(said[: found.start()], said[found.end() :])
            limit = characters_of(found.group())
            is_of_answer = _SAYS_ANSWER.search(found.group()) or not _OF_TEXTS.search(rest)
            asks_words = pattern is not _BEHIND or question_kind(rest, (), yes_no_header=False) != "yes_no"
            if limit and is_of_answer and asks_words and re.search(r"[^\W\d_]{2}", rest):
                return rest, limit
    return text, None


def asked_alone(text: str) -> Question:
    """The question for a text outside a questionnaire, with its length limit where it states one."""
    asked, limit = without_limit(text)
    kind = question_kind(asked, (), yes_no_header=False)
    return Question("ask", 0, asked, kind=kind, max_characters=limit, written=text if limit else None)


def _joined(before: str, behind: str) -> str:
    before, behind = before.rstrip(), behind.lstrip()
    if not before:
        return behind[:1].upper() + behind[1:]
    return before + ("" if not behind or behind[0] in ",.;:?!" else " ") + behind
