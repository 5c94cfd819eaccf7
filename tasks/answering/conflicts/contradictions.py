"""Contradictions between places that answer one question: other figures, dates or modality, and denials.

What a draft cites is compared with every other sentence that was handed over with it. Two sentences are about the same
thing where they have the same names and nearly the same words, and neither is limited to something that the other does
not name. Two past answers are where nearly the same was asked, or where a long sentence of theirs is alike; a past
answer is compared with the documents sentence by sentence, since they may have changed since. Where two documents are
twins by their titles (the plans "Standard" and "Plus") and the question names the one that is cited, the other is not
compared. A false alarm costs a person's time at each question, so texts that are less alike are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.entailment.support import ordinary_words, speakers_of
from tasks.answering.quotes.context_passages import is_of, on_one_page
from tasks.answering.quotes.passages import Passage, sentences_of_hit
from tasks.questions.past_rows import past_verdict
from tasks.records import Citation
from tasks.retrieval.ranking.near_duplicates import LEAST_ANSWER_WORDS, called, names
from tasks.text.names.figures_and_names import (
    SAME_SPAN,
    Figure,
    figures_of,
    months_of,
    names_of,
    periods_of,
    span_days,
    words_of_claim,
)
from tasks.text.negation import denials_of, denies, denying_heading, opposite_words, pieces_of
from tasks.text.search_terms import term_set
from tasks.text.sentences import sentence_spans

ALIKE = 0.7
"""The least share of words that two sentences about the same thing have in common (Jaccard)."""
MOST_OF_QUESTION = 0.75
"""The least share of a question's words in a sentence that answers it."""
LEAST_WORDS = 3
LEAST_SAME_WORDS = 2
"""The least number of words in common of sentences that differ in nothing but their figures."""
_CACHED_TEXTS = 16_384
_TOKEN = re.compile(r"[^\W\d_]+")
_SCOPE = frozenset("in out inside outside non except before after first second third other within without".split())
"""Small words that set one thing apart from another: "in-network" and "out-of-network" are two."""
_BINDING = re.compile(r"\b(?:must|shall|ha(?:s|ve) to|(?:is|are) (?:required|obliged) to)\b", re.IGNORECASE)
_FREE = re.compile(r"\b(?:may|can|could|should|might)\b")
"""Words that allow, in small letters alone, since May is a month."""
_INTERROGATIVE = re.compile(
    r"\b(?:for )?(?:how (?:long|often|many|much)|what|which|when|where|who)\b|\?", re.IGNORECASE
)
_LIMITS = r"\b(?:for|in|at|on|until|during|if|when|where|unless|under)\b"
_SCOPE_PHRASE = re.compile(rf"{_LIMITS}.*?(?=[,;:|.]|$|{_LIMITS})", re.IGNORECASE | re.DOTALL)
_MEASURE = re.compile(r"\w+\s+(?:(?:up to|at least|at most|about|over)\s+)?[\d£$€]", re.IGNORECASE)
"""The beginning of a phrase of time or amount, which limits nothing: "for 35 days and then deleted"."""
_ASKED = re.compile(r"\n(?=(?:Answer|Comments): )")


class Conflict(NamedTuple):
    """Two places that contradict each other. ``is_of_verdicts``: two past answers, of which one says yes, one no."""

    cited: Citation
    other: Citation
    says: str
    other_says: str
    is_of_verdicts: bool = False

    def __str__(self) -> str:
        """The message to a person: both places, what each says, and what to do."""
        both = f"{self.cited.locator} says {self.says}, {self.other.locator} says {self.other_says}"
        return f"{both}: decide which is right"


@dataclass(frozen=True, slots=True)
class _Voice:
    """Words of the compared texts: ``ordinary`` stems, which are no names, and ``speakers``, the authors' names."""

    ordinary: frozenset[str]
    speakers: frozenset[str]
    _heard: dict[str, str] = field(default_factory=dict)
    _named: dict[str, frozenset[str]] = field(default_factory=dict)

    def speaks_of_the_same(self, one: str, other: str) -> bool:
        """Tell if two sentences have the same names and nearly the same words; "Acme reviews" is "we review"."""
        mine, its = self._by_us(one), self._by_us(other)
        return _alike(mine, its) and self.names(mine) == self.names(its)

    def names(self, text: str) -> frozenset[str]:
        """The names in a text, without months and speakers."""
        if text not in self._named:
            self._named[text] = names_of(text, self.ordinary) - months_of(text) - self.speakers
        return self._named[text]

    def _by_us(self, text: str) -> str:
        """The text with "we" in the place of its authors' names. Each text is compared with many others."""
        if text not in self._heard:
            self._heard[text] = _TOKEN.sub(
                lambda word: "we" if word.group().lower() in self.speakers else word.group(), text
            )
        return self._heard[text]


def conflict_of(asked: Asked, draft: Draft) -> Conflict | None:
    """The first place among the hits that contradicts what the draft cites; None without one, or without citations."""
    handed = [passage for hit in on_one_page(asked.hits) for passage in sentences_of_hit(hit)]
    cited = [one for one in handed if any(is_of(citation, one) for citation in draft.citations)]
    question, wants_verdict = asked.question.text, asked.question.kind == "yes_no"
    texts = [question, *(passage.quote for passage in handed)]
    voice = _Voice(ordinary_words(texts), speakers_of((one.chunk, one.quote) for one in handed))
    found = (
        _conflict(wants_verdict, one, other, voice)
        for one, citation in ((one, one.citation()) for one in cited)
        for other in handed
        if not is_of(citation, other) and not _is_other_twin(question, one, other)
    )
    return next(filter(None, found), None) or _counted_otherwise(question, cited, handed, voice)


def _counted_otherwise(
    question: str, cited: Sequence[Passage], handed: Sequence[Passage], voice: _Voice
) -> Conflict | None:
    """The first sentence of another document with most words of the question and another figure of the cited kind:
    patches "applied within 30 days" and "installed within 14". One with further names is about another thing, as are
    two figures that one of the two places has side by side.
    """
    asked = words_of_claim(question)
    if len(asked) < LEAST_WORDS - 1 or not cited:
        return None
    known = frozenset().union(*(voice.names(text) for text in (question, *(one.quote for one in cited))))
    told = [figure for one in cited for figure in _figures_about(asked, one.quote)]
    for other in handed:
        is_apart = all(other.document_id != one.document_id for one in cited)
        if not is_apart or other.is_past_answer or _is_other_twin(question, cited[0], other):
            continue
        if len(asked & words_of_claim(other.quote)) < MOST_OF_QUESTION * len(asked) or voice.names(other.quote) - known:
            continue
        if any(_is_same(one, figure) for one in told for figure in figures_of(other.quote)):
            continue  # a list: what is cited, and how it is with other things
        for figure, one in product(sorted(_figures_about(asked, other.quote)), told):
            know_both = _states(other.chunk.text, one) or any(_states(mine.chunk.text, figure) for mine in cited)
            if _are_of_a_kind(one, figure) and not know_both:
                return Conflict(cited[0].citation(), other.citation(), str(one), str(figure))
    return None


def _figures_about(asked: frozenset[str], text: str) -> list[Figure]:
    """The figures in those clauses of ``text`` that have at least half of the words ``asked``."""
    about = (part for _, part in pieces_of(text) if 2 * len(asked & words_of_claim(part)) >= len(asked))
    return [figure for part in about for figure in figures_of(part)]


def _states(text: str, figure: Figure) -> bool:
    """Tell if ``text`` has that figure, or its number alone, as in "day 60": who states both means two things."""
    return any(_is_same(one, figure) or one == (figure.value, "") for one in figures_of(text))


def _are_of_a_kind(one: Figure, other: Figure) -> bool:
    return bool(one.unit) and (one.unit == other.unit or (span_days(one) > 0 and span_days(other) > 0))


def _is_same(one: Figure, other: Figure) -> bool:
    short, long = sorted((span_days(one), span_days(other)))
    return one == other or 0 < long <= short * SAME_SPAN


def _conflict(wants_verdict: bool, one: Passage, other: Passage, voice: _Voice) -> Conflict | None:
    are_past = one.is_past_answer and other.is_past_answer
    is_asked_alike = are_past and _alike(_asked_of(one), _asked_of(other))
    if is_asked_alike:
        compared = [(one.quote, other.quote)]
    else:
        compared = [pair for pair in product(_said(one), _said(other)) if voice.speaks_of_the_same(*pair)]
        if are_past:
            # What a short sentence is about, such as "30 days", stands in its question.
            least = LEAST_ANSWER_WORDS
            compared = [pair for pair in compared if all(len(words_of_claim(said)) >= least for said in pair)]
    for mine, its in compared:
        for says, other_says in _different(mine, its):
            return Conflict(one.citation(), other.citation(), says, other_says)
    verdicts = past_verdict(one.quote), past_verdict(other.quote)
    if wants_verdict and is_asked_alike and set(verdicts) == {"yes", "no"}:
        return Conflict(one.citation(), other.citation(), str(verdicts[0]), str(verdicts[1]), is_of_verdicts=True)
    if not are_past and any(_contradicts(mine, its) for mine, its in compared):
        return Conflict(one.citation(), other.citation(), _quoted(one.quote), _quoted(other.quote))
    return None


def _said(passage: Passage) -> list[str]:
    """The sentences of a past answer, or the one sentence of any other passage. A sentence as short as "13 months" is
    joined with its question, unless the question has a figure itself, which the answer may deny.
    """
    if not passage.is_past_answer:
        return [_stated(passage.section, passage.quote)]
    asked = _INTERROGATIVE.sub(" ", _asked_of(passage))
    said = [passage.text[start:end] for start, end in sentence_spans(passage.text)]
    whole = not figures_of(asked)
    return [f"{asked} {one}" if whole and len(words_of_claim(one)) < LEAST_WORDS else one for one in said]


@lru_cache(maxsize=_CACHED_TEXTS)
def _stated(section: str, quote: str) -> str:
    """The quote as a statement: an item of a list below a heading that denies is denied."""
    if not denying_heading(section, quote):
        return quote
    text = quote.lstrip("•–-* ")
    # Behind "no" a capital would make a name of the first word.
    return f"No {text[:1].lower() if text[1:2].islower() else text[:1]}{text[1:]}"


def _different(one: str, other: str) -> Iterator[tuple[str, str]]:
    """The pairs of dates, of figures of one unit or value, and of spans of time by which two texts differ."""
    whole = _quoted(one), _quoted(other)
    if months_of(one) - months_of(other) and months_of(other) - months_of(one):
        yield whole
    mine, its = figures_of(one) - figures_of(other), figures_of(other) - figures_of(one)
    periods = periods_of(one) - periods_of(other), periods_of(other) - periods_of(one)
    if len(mine) + len(its) == 1 and all(len(some) == 1 for some in periods):
        # "Every six months" and "quarterly".
        mine, its = (
            some or frozenset({Figure(Decimal(1), *named)}) for some, named in zip((mine, its), periods, strict=True)
        )
    if len(mine) == len(its) == 1:
        (here,), (there,) = mine, its
        is_same_kind = here.unit == there.unit or (here.value == there.value and here.unit and there.unit)
        short, long = sorted((span_days(here), span_days(there)))
        if is_same_kind or 0 < short * SAME_SPAN < long:
            yield str(here), str(there)
    if not mine and not its and all(len(some) == 1 for some in periods):
        yield whole


def _contradicts(one: str, other: str) -> bool:
    """Tell if one text denies what the other says, has a word's opposite, or leaves free what the other demands."""
    mine, its = words_of_claim(one), words_of_claim(other)
    if denies(_without(one, mine - its)) != denies(_without(other, its - mine)) or opposite_words(one, other):
        return True
    if mine == its and denials_of(one) != denials_of(other):
        return True
    return any(
        _BINDING.search(mine) and not _FREE.search(mine) and _FREE.search(its) and not _BINDING.search(its)
        for mine, its in ((one, other), (other, one))
    )


def _without(text: str, extra: frozenset[str]) -> str:
    """``text`` without the clauses that consist of ``extra`` words alone: what is left out is not denied."""
    return " ; ".join(piece for words, piece in pieces_of(text) if not extra or not words <= extra)


def _alike(one: str, other: str) -> bool:
    mine, its = words_of_claim(one), words_of_claim(other)
    both, all_words = len(mine & its), len(mine | its)
    if len(mine ^ its) == 2 and opposite_words(one, other):
        all_words = both  # the two words by which they differ are each other's opposite
    is_of_one_scope = _scope_of(one) == _scope_of(other)
    if (not its - mine and _is_limited(one, mine - its)) or (not mine - its and _is_limited(other, its - mine)):
        return False
    if mine == its:
        return is_of_one_scope and both >= LEAST_SAME_WORDS
    return is_of_one_scope and min(len(mine), len(its)) >= LEAST_WORDS and both / all_words >= ALIKE


@lru_cache(maxsize=_CACHED_TEXTS)
def _scope_of(text: str) -> frozenset[str]:
    return _SCOPE.intersection(_TOKEN.findall(text.lower()))


def _is_limited(text: str, extra: frozenset[str]) -> bool:
    """Tell if ``text`` is limited by a phrase that consists of ``extra`` stems alone."""
    phrases = (words_of_claim(phrase) for phrase in _SCOPE_PHRASE.findall(text) if not _MEASURE.match(phrase))
    return any(phrase and phrase <= extra for phrase in phrases)


def _is_other_twin(question: str, one: Passage, other: Passage) -> bool:
    """Tell if the passages are from twin documents (titles that share half of the shorter one's words) and the question
    names the first by a name or number, not by a common word such as "security", that the other lacks.
    """
    return _names_the_first_twin(question, *((each.chunk.context, each.chunk.file_name) for each in (one, other)))


@lru_cache(maxsize=_CACHED_TEXTS)
def _names_the_first_twin(question: str, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """As :func:`_is_other_twin`, of two documents by the context, which may begin with a title, and the file's name."""
    mine, its = (called(context.partition(" > ")[0], file_name) for context, file_name in (one, other))
    words, others = term_set(mine), term_set(its)
    named = " ".join(word for word in question.split()[1:] if not word.islower())
    are_twins = 2 * len(words & others) >= min(len(words), len(others)) > 0
    return are_twins and names(question, mine, its) and names(named, mine, its)


def _asked_of(passage: Passage) -> str:
    return _ASKED.split(passage.matched_text, maxsplit=1)[0]


def _quoted(text: str) -> str:
    return f"“{' '.join(text.split())}”"
