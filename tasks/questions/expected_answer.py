"""Kind of the expected answer (a figure, a date, a name), and what a quote lacks of it.

English only; a question that is not recognised expects nothing, so nothing is missed.
"""

from __future__ import annotations

import re
from typing import Literal

from tasks.text.content_words import content_words
from tasks.text.dependent_sentences import LABEL
from tasks.text.english import AUXILIARIES as _AUXILIARY
from tasks.text.names.figures_and_names import figures_of, months_of, periods_of
from tasks.text.search_terms import terms

Wanted = Literal["date", "figure", "name", "statement"]

ONE_WORD = "the question is a single word: find out what is asked"
MOST_WORDS = 90
"""The longest question, in words, that a cross-encoder reads whole: its 128 tokens hold some more English words."""
_IS_DATE = re.compile(
    r"\b(?:what|which)\s+(?:\w+\s+)?(?:date|day|month|year)\b|\b(?:since|from|until|by)\s+when\b", re.IGNORECASE
)
_IS_TIME = re.compile(rf"(?:^\W*|[,;:.?!]\s+|\b(?:and|or)\s+)when\s+(?:{_AUXILIARY})\b", re.IGNORECASE)
_IS_FIGURE = re.compile(
    r"\bhow\s+(?:many|much|long|often|soon|fast|quickly|large|big|old|far|high|tall)\b"
    r"|\b(?:what|which)\s+(?:(?:is|are|was|were)\s+)?(?:the\s+|your\s+)?(?:\w+\s+)?(?:percentage|share|proportion)\b",
    re.IGNORECASE,
)
_IS_RHYTHM = re.compile(
    r"\bhow\s+(?:often|frequently)\b|\b(?:what|which)\s+(?:is\s+)?(?:the\s+)?frequency\b", re.IGNORECASE
)
_RHYTHM_IN_WORDS = re.compile(
    r"\b(?:every|each|per|once|twice|thrice|times|always|never|continuous(?:ly)?|constantly|real[- ]time|regular(?:ly)?"
    r"|periodic(?:ally)?|an? (?:hour|day|week|month|quarter|year)|(?:bi|semi)?-?(?:annual(?:ly)?|yearly|monthly|weekly)"
    r"|quarterly|daily|hourly|nightly|fortnightly|whenever)\b",
    re.IGNORECASE,
)
_IS_NAME = re.compile(r"(?:^\W*|[,;:.?!]\s+|\b(?:and|or|to|by|from|with|for)\s+)(?:who|whom|whose)\b", re.IGNORECASE)
_IS_YES_NO = re.compile(rf"^\W*(?:{_AUXILIARY})\b", re.IGNORECASE)
_TIME_IN_WORDS = re.compile(
    r"\b(?:before|after|within|until|during|upon|once|when(?:ever)?|if|as soon as|immediately|at once|every|each)\b",
    re.IGNORECASE,
)
_INSTEAD_OF_A_FIGURE = (
    r"(?:all|every|each|both|whole|entire(?:ly)?|full(?:y)?|none|no|never|always|unlimited|single|immediately|at once"
    r"|until|as long as|indefinitely|permanently|continuous(?:ly)?|constantly|real[- ]time|regular(?:ly)?)\b"
)
_FIGURE_IN_WORDS = re.compile(rf"(?:^|[.:;!?|\n]\s*)(?i:{_INSTEAD_OF_A_FIGURE})|\b{_INSTEAD_OF_A_FIGURE}")
"""Words in place of a figure, in small letters within a sentence, since "Whole Foods" is a name."""
_YEAR = re.compile(
    r"\b(?:in|since|until|during|versus|vs\.?|FY|[A-Z][a-z]{2,8})\s*(?:19|20)\d\d\b(?!,\d|\s+(?!versus\b)[a-z]+s\b)"
)
_ASKING = r"(?:how|what|which|when|who|whom|whose|where|why)"
_PREPOSITION = r"(?:in|by|to|with|from|for|of|on|at|since|until|under)"
_BEGINS_TO_ASK = re.compile(rf"\b(?:{_ASKING}|{_AUXILIARY})\b", re.IGNORECASE)
_ASKS_MORE = re.compile(
    rf"(?:\?\s+(?:(?:and|or)\s+)?|\b(?:and|or)\s+)(?:if so,?\s+)?(?:{_PREPOSITION}\s+)?{_ASKING}\b"
    rf"|[,;–]\s+(?:if so,?\s+)?(?:{_PREPOSITION}\s+)?(?:how|what|why)\b"
    rf"|\?\s+(?:(?:and|or)\s+)?(?:{_AUXILIARY})\b|\band\s+(?:{_AUXILIARY})\s+(?:it|they|these|those|this|there|you|we)\b",
    re.IGNORECASE,
)
"""A further question: "and where?", "? How long". Behind a comma "which" and "who" go on about it."""
_LISTS = re.compile(
    r"^\W*(?:please\s+)?(?:list|state|give|name|provide|specify|indicate|describe|tell us)\b"
    r"[^.?;]*?\b(?:the|your|its|their|any)\s[^,.?;]+(?:,[^,.?;]+)*,?\s+and\s+(?:the|your|its|their|any)\s",
    re.IGNORECASE,
)
"""A request for more than one thing: "List the regions, the size limit and the browsers"."""
_SCALE = re.compile(
    r"\b(?:on a scale|rate|rating|score|grade)\b(?=[^.?]*?\b(\d{1,3})\s*(?:-|–|—|to)\s*(\d{1,3})\b)",
    re.IGNORECASE,
)
"""A request for a grade on a scale: "rate your maturity from 1 to 5"."""
_WORD = re.compile(r"\w+")
_STEMS_OF_TIME = frozenset(terms("time day week month quarter year hour minute annual yearly monthly"))


def wanted(question: str) -> Wanted:
    """The kind of answer that the question asks for; a "statement" where it is nothing else that is known."""
    if _IS_DATE.search(question) or _IS_TIME.search(question):
        return "date"
    if _IS_FIGURE.search(question):
        return "figure"
    return "name" if _IS_NAME.search(question) and not _IS_YES_NO.match(question) else "statement"


def asks_for_more(question: str) -> bool:
    """Tell if more than one thing is asked, of which a quote may answer the first alone."""
    asked = _BEGINS_TO_ASK.search(question)
    return bool((asked and _ASKS_MORE.search(question, asked.end())) or _LISTS.match(question))


def is_one_word(question: str) -> bool:
    """Tell if the question is a single content word, a title rather than a question."""
    return len(_WORD.findall(question)) == 1 and bool(content_words(question))


def is_long(question: str) -> bool:
    """Tell if the question has more than :data:`MOST_WORDS`, so that its end may not be read with a passage."""
    return len(_WORD.findall(question)) > MOST_WORDS


def is_about(question: str, quote: str) -> bool:
    """Tell if ``quote`` has a word of the question's subject, spans of time left out; True without a subject."""
    asked = set(terms(" ".join(content_words(question)))) - _STEMS_OF_TIME
    return not asked or not asked.isdisjoint(terms(quote))


def only_repeats(question: str, quote: str) -> bool:
    """Tell if ``quote``, or what it says behind a label, has no word that the question has not: a heading or a name."""
    named = quote.partition(":")[2] if LABEL.match(quote) else quote
    return set(terms(named)) <= set(terms(question))


def missed(question: str, answer: str) -> list[str]:
    """The reasons why ``answer`` may not be of the kind that the question asks for; none where it may be."""
    found = []
    kind = wanted(question)
    if is_one_word(question):
        found.append(ONE_WORD)
    in_words = {"date": _TIME_IN_WORDS, "figure": _FIGURE_IN_WORDS}.get(kind)
    is_bare = kind == "date" and _IS_DATE.search(question) is not None
    # Who asks on what day is not told by "each quarter", and one who asks how often is.
    # A year, or a figure that the question has itself, does not say how many.
    asked, said = (_YEAR.sub(" ", text) if kind == "figure" else text for text in (question, answer))
    figures = figures_of(said) - figures_of(asked) if kind == "figure" else figures_of(said)
    has_figure = bool(figures or months_of(said) or (not is_bare and periods_of(said)))
    if in_words and not has_figure and (is_bare or not in_words.search(answer)):
        found.append(f"the question asks for a {kind}, but the quote has none: look it up")
    if scale := _SCALE.search(question):
        found.append(f"the question asks for a grade from {scale[1]} to {scale[2]}: choose one by the quote")
    if _IS_RHYTHM.search(question) and not _RHYTHM_IN_WORDS.search(answer):
        found.append("the question asks how often, but the quote does not say: look it up")
    return found
