"""Features of a yes/no question beside one passage, for the model that proposes a verdict.

Each feature is a function of a :class:`Reading` and gives a number near [0, 1] or [-1, 1]. None decides by itself: the
fitted model weighs them. An empty question or quote gives zeros.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.text.dependent_sentences import CELLS
from tasks.text.english import AUXILIARIES
from tasks.text.names.figures_and_names import (
    SAME_SPAN,
    Figure,
    figures_of,
    names_of,
    periods_of,
    span_days,
    words_of_claim,
)
from tasks.text.negation import asks_for_none, clauses_of, denying_heading, is_negative, opposite_words, says_opposite
from tasks.text.word_stems import stems_of

_FRAME = frozenset(
    stems_of("company organisation organization vendor supplier bidder provider solution confirm please currently")
)
"""Names for who answers, which are not part of what a question asks for."""
_RESTRICTION = re.compile(
    r"\b(?:only|except|excluding|unless|without|limited to|up to|other than|apart from|some|certain|selected"
    r"|part(?:ly|ially))\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|when(?:ever)?|where|provided|subject to|on request|upon request|optional(?:ly)?|depending|in case)\b",
    re.IGNORECASE,
)
_POSSIBILITY = re.compile(
    r"\b(?:may|might|could|can|should|usually|normally|generally|typically|recommend\w*"
    r"|(?:when|where)(?:ever)? possible)\b"
)
"""Words of possibility, in small letters, since May is a month."""
_ALTERNATIVE = re.compile(r"\b(?:either|or)\b", re.IGNORECASE)
_PLAN = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|intends?|roadmap|future|not yet|in preparation|in progress|under ?way|expected|draft"
    r"|aims?|goals?|striv(?:e[sd]?|ing)|efforts?|pilot|beta|from (?:\w+ )?20\d\d)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were|had|until|former(?:ly)?|previous(?:ly)?|no longer|ceased|ended|withdrawn)\b", re.I)
_ALL = re.compile(r"\b(?:all|every|each|any|always|entire|both|whole|never)\b", re.IGNORECASE)
_CUSTOMER = re.compile(r"^\W*(?:the |each |every |a |an )?(?:customers?|clients?|users?|you)\b(?! data)", re.IGNORECASE)
_VERB = re.compile(rf"\b(?:{AUXILIARIES}|be|been|might|\w{{3,}}(?:ed|es|s))\b", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:within|under|at most|not? (?:more|later|longer) than|less than|maximum|every|each|or (?:less|fewer)|up to"
    r"|before|by)\b",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|minimum|more than|or (?:more|longer|above)|not? (?:less|fewer) than|over|exceed\w*)\b",
    re.IGNORECASE,
)
LEAST_CELLS = 2
"""The least number of cells of a row that may say several things: a label with one value says one thing."""


class Contrasts(NamedTuple):
    """The lead, in cosines, of the statement of a yes over that of a no and over the two ways to say partly."""

    no: float = 0.0
    excepted: float = 0.0
    planned: float = 0.0


@dataclass(frozen=True)
class Reading:
    """A question and a passage that may settle it, with scores of models for the pair.

    ``quote`` is the text to cite and ``read`` the text that is compared with the question, which for a past answer has
    its question before it. ``place`` is the title and the heading above it. ``relevance`` is the cross-encoder's logit
    for the passage below its title, ``lead`` how far it is above that of the best other passage, ``similarity`` the
    cosine of question and passage, ``rank`` the 1-based rank of its hit, ``known_words`` the share of the question's
    words that any document has, and ``is_past_answer`` is true for the answer of a past questionnaire.
    """

    question: str
    quote: str
    read: str
    place: str
    relevance: float
    similarity: float
    lead: float
    rank: int
    known_words: float
    contrasts: Contrasts
    is_past_answer: bool = False

    @cached_property
    def asked(self) -> frozenset[str]:
        """The stems that the question asks about."""
        return words_of_claim(_joined(self.question)) - _FRAME

    @cached_property
    def said(self) -> frozenset[str]:
        """The stems of the text that was compared with the question."""
        return words_of_claim(_joined(self.read)) | words_of_claim(self.read)

    @cached_property
    def clause(self) -> str:
        """The shortest of the clauses of the quote that share most words with the question; "" for an empty quote."""
        clauses = [(words_of_claim(_joined(text)), text) for text in clauses_of(self.quote)]
        return max(clauses, key=lambda one: (len(self.asked & one[0]), -len(one[0])), default=(self.asked, ""))[1]

    @cached_property
    def is_opposed(self) -> bool:
        """True where the clause says the opposite of what is asked, by a word of its own."""
        return says_opposite(self.question, self.clause)

    @cached_property
    def asks_for_none(self) -> bool:
        """True where a yes to the question denies something, so that a denial bears it out."""
        return asks_for_none(self.question)

    @cached_property
    def clause_denies(self) -> bool:
        """True where the clause as a whole denies, or says the opposite of what is asked, and not both."""
        return is_negative(self.clause) != self.is_opposed

    @property
    def quote_denies(self) -> bool:
        """True where a part of the quote denies, or its clause does by the opposite of what is asked."""
        return self.clause_denies if self.is_opposed else is_negative(self.quote)

    @cached_property
    def figures_met(self) -> float:
        """As :func:`figures_met`, of question and quote."""
        return figures_met(self.question, self.quote)


def _joined(text: str) -> str:
    """``text`` with compounds as one word: "sub-processors" as "subprocessors"."""
    return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "", text)


def _uncapitalized(sentence: str) -> str:
    """The sentence without the capital of its first word: that of "May we …?" is no month's, nor another name's."""
    return f"{sentence[:1].lower()}{sentence[1:]}"


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / len(whole) if whole else 0.0


def logistic(log_odds: float) -> float:
    """The probability for the log-odds, which beyond 30 make no difference."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, log_odds))))


def _more(pattern: re.Pattern[str], text: str, question: str) -> float:
    """1 where ``text`` matches the pattern and the question does not, else 0."""
    return float(bool(pattern.search(text)) and not pattern.search(question))


def figures_met(question: str, quote: str) -> float:
    """1 where the quote keeps the figures and rhythms of the question, -1 where it has others, 0 where none is asked.

    "within 24 hours" is kept by 12 hours, "at least 90 days" by a year, "annually" by each quarter.
    """
    asked = {figure for figure in figures_of(question) if not _is_name_number(figure, question)}
    spans = [(span_days(one), question) for one in asked if span_days(one)]
    if not spans:
        spans = [(span_days(Figure(Decimal(1), unit)), "every") for unit in periods_of(question)]
    said = [span_days(one) for one in figures_of(quote) if span_days(one)]
    if not said:
        said = [span_days(Figure(Decimal(1), unit)) for unit in periods_of(quote)]
    found: list[bool] = []
    if spans and said:
        found += [any(_keeps(days, bound, wanted) for days in said) for wanted, bound in spans]
    others = {one for one in asked if not span_days(one)}
    if others:
        units = {one.unit for one in others}
        there = {one for one in figures_of(quote) if one.unit in units}
        if there:
            found += [one in there or _keeps_any(there, one, question) for one in others]
    if not found:
        return 0.0
    return 1.0 if all(found) else -1.0


def _is_name_number(figure: Figure, question: str) -> bool:
    """Tell if a number is part of a name: ISO 27001, SOC 2."""
    return not figure.unit and bool(re.search(rf"\b[A-Z]{{2,}}[\w/ -]*\b{figure.value:f}", question))


def _keeps(days: float, bound: str, wanted: float) -> bool:
    if 1 / SAME_SPAN <= days / wanted <= SAME_SPAN:
        return True
    if _AT_LEAST.search(bound) and bound != "every":
        return days > wanted
    return days < wanted if bound == "every" or _AT_MOST.search(bound) else False


def _keeps_any(there: set[Figure], one: Figure, question: str) -> bool:
    if _AT_LEAST.search(question):
        return any(other.value >= one.value for other in there)
    return _AT_MOST.search(question) is not None and any(Decimal(0) < other.value <= one.value for other in there)


def _names_lacking(one: Reading) -> float:
    names = names_of(_uncapitalized(one.question), one.asked)
    said = f"{one.read} {one.place}".lower()
    return sum(name not in said for name in names) / len(names) if names else 0.0


def cells_differ(quote: str) -> float:
    """1 for a table's row whose cells, but for the first, are not all the same: what it says depends on the column."""
    cells = [cell.strip().casefold() for cell in CELLS.split(quote.strip().strip("|"))]
    return float(len(cells) > LEAST_CELLS and len(set(cells[1:])) > 1)


FEATURES: Mapping[str, Callable[[Reading], float]] = {
    "relevance": lambda one: logistic(one.relevance),
    "similarity": lambda one: one.similarity,
    "lead": lambda one: max(-1.0, min(1.0, one.lead / 5)),
    "rank": lambda one: 1 / one.rank,
    "known_words": lambda one: one.known_words,
    "covered_in_place": lambda one: _share(one.said | words_of_claim(_joined(one.place)), one.asked),
    "uncovered": lambda one: min(4, len(one.asked - one.said)) / 4,
    "contrast_no": lambda one: 5 * one.contrasts.no,
    "contrast_excepted": lambda one: 5 * one.contrasts.excepted,
    "contrast_planned": lambda one: 5 * one.contrasts.planned,
    "clause_denies": lambda one: float(one.clause_denies and not one.asks_for_none),
    "quote_denies": lambda one: float(one.quote_denies and not one.asks_for_none),
    "polarity_differs": lambda one: float(one.asks_for_none != one.clause_denies),
    "denying_heading": lambda one: float(bool(denying_heading(one.place, one.quote))),
    "opposite": lambda one: float(opposite_words(one.question, one.clause) is not None),
    "restricted_clause": lambda one: _more(_RESTRICTION, one.clause, one.question),
    "restricted_quote": lambda one: _more(_RESTRICTION, one.quote, one.question),
    "asks_restricted": lambda one: float(bool(_RESTRICTION.search(one.question))),
    "condition": lambda one: _more(_CONDITION, one.clause, one.question),
    "possibility": lambda one: _more(_POSSIBILITY, one.clause, _uncapitalized(one.question)),
    "plan": lambda one: _more(_PLAN, one.quote, one.question),
    "past": lambda one: _more(_PAST, one.clause, one.question),
    "all_unsaid": lambda one: _more(_ALL, one.question, one.clause),
    "of_customer": lambda one: float(bool(_CUSTOMER.search(one.clause)) and not _CUSTOMER.search(one.question)),
    "figures_met": lambda one: max(0.0, one.figures_met),
    "figures_broken": lambda one: max(0.0, -one.figures_met),
    "figures_lacking": lambda one: float(bool(figures_of(one.question) - figures_of(f"{one.read} {one.place}"))),
    "names_lacking": _names_lacking,
    "cells_differ": lambda one: cells_differ(one.quote),
    "alternative": lambda one: _more(_ALTERNATIVE, one.quote, one.question),
    "is_fragment": lambda one: float(not _VERB.search(one.quote)),
}

QUALIFIED = (
    "restricted_clause restricted_quote condition possibility plan past all_unsaid of_customer figures_broken "
    "figures_lacking cells_differ alternative is_fragment names_lacking opposite denying_heading"
).split()
"""The features that show that a passage says less than a plain yes or no."""


def qualifications(features: Mapping[str, float]) -> float:
    """The number of ways in which a passage says less than a plain yes or no."""
    return float(sum(features[name] > 0 for name in QUALIFIED))


def features_of(one: Reading) -> NDArray[np.float64]:
    """The features of ``one`` in the order of :data:`FEATURES`, ``(len(FEATURES),)``."""
    return np.array([function(one) for function in FEATURES.values()])
