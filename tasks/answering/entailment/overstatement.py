"""Reasons why a yes says more than its source: a plan, a wish, an exception, all, at once, or another party."""

from __future__ import annotations

import re

from tasks.answering.entailment.facts import names_of, periods_of
from tasks.answering.entailment.negation import pieces_of
from tasks.answering.entailment.parties import exchanged

_PLANNED = re.compile(
    r"\b(?:plan(?:s|ned|ning)? (?:to|for)|intend(?:s|ed|ing)? to|aim(?:s|ing)? to|hop(?:es|ing) to|expect(?:s|ing)? to"
    r"|work(?:s|ing) towards?|(?:under|in) development|in preparation|on (?:the|our|its|their) roadmap|not yet"
    r"|scheduled (?:for|to)|pretend(?:e|emos) |planej\w+|prev[eê]\w* para)",
    re.IGNORECASE,
)
"""What is meant to be and is not yet, in English and Portuguese."""
_PERIOD = r"(?:\w+ )?(?:second|minute|hour|day|week|fortnight|month|quarter|year|time)s?\b"
_ALL = re.compile(
    rf"\b(?:all|always|entire|entirely|whole|fully|completely|everyone|everybody|everything|(?:each|every)"
    rf"(?! {_PERIOD}))\b",
    re.IGNORECASE,
)
_HARMLESS_ALL = re.compile(
    r"\b(?:at all(?! times)|not all|in all(?=\W*$)|after all|above all|all year)\b", re.IGNORECASE
)
_OF_ALL = re.compile(rf"{_ALL.pattern}|\b(?:any|both|no|none|throughout|without exception)\b", re.IGNORECASE)
"""What says a thing of all; "each month" is how often, and no such."""
_AT_ONCE = re.compile(
    r"\b(?:immediate(?:ly)?|instant(?:ly|aneous(?:ly)?)?|at once|straight away|(?:in )?real[- ]time)\b", re.IGNORECASE
)
_WISHED = re.compile(
    r"\b(?:(?:is|are|was|were|be|been) (?:expected|supposed|encouraged|advised|recommended) to|should|ought to)\b",
    re.IGNORECASE,
)
"""What somebody is asked to do, which does not say that they do."""
_EXCEPTED = re.compile(r"(?<!without )(?<!no )(?<!without any )\b(?:exceptions?|except|apart from)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively|limited to)\b", re.IGNORECASE)


def overstated_yes(question: str, source: str) -> str:
    """Why a yes to ``question`` says more than the ``source`` that it rests on, in words; "" where it does not."""
    if _PLANNED.search(source) and not _PLANNED.search(question):
        return "what is cited tells of a plan"
    if _WISHED.search(source) and not _WISHED.search(question):
        return "what is cited says what should be"
    if _EXCEPTED.search(source) and not _EXCEPTED.search(question):
        return "what is cited makes exceptions"
    if _says_of_all(question) and not _OF_ALL.search(source):
        return "the question asks about all, and what is cited does not say it of all"
    if _AT_ONCE.search(question) and not _AT_ONCE.search(source):
        return "the question asks whether it is so at once, and what is cited does not say so"
    if exchanged(question, [text for _, text in pieces_of(source)]):
        return "what is cited says it of another: see who does it to whom"
    if periods_of(question) - periods_of(source):
        return "what is cited lacks a span of time of the question"
    if _ONLY.search(source) and not _ONLY.search(question) and names_of(question) - names_of(f"x {source}"):
        return "what is cited holds only for something else"
    return ""


def _says_of_all(text: str) -> bool:
    return bool(_ALL.search(_HARMLESS_ALL.sub(" ", text)))
