"""Places that say different things to one question: other figures of the same kind, other dates, yes and no.

What a draft cites is compared with every other sentence that it was handed. Two sentences speak of the same thing where
they have the same names and nearly the same words. Past answers do where nearly the same was asked. A false alarm costs
a person's time at each question, so what is less alike is let be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tasks.answering.drafting import Asked, Draft
from tasks.answering.facts import Figure, figures_of, months_of, names_of, words_of_claim
from tasks.answering.handed_over import on_one_page
from tasks.answering.negation import denies, opposite_words
from tasks.answering.passages import Passage, sentences_of_hit
from tasks.answering.polarity import past_verdict, sentence_verdict
from tasks.records import Citation

ALIKE = 0.7
"""The share of two sentences' words that both have (Jaccard), from which they speak of the same thing."""
LEAST_WORDS = 3
_TOKEN = re.compile(r"[^\W\d_]+")
_SCOPE = frozenset("in out inside outside non except before after first second third other within without".split())
"""Small words that tell one thing from another: "in-network" and "out-of-network" are two."""
_ASKED = re.compile(r"\n(?=(?:Answer|Comments): )")


class Conflict(NamedTuple):
    """Two places and what each says. ``is_of_verdicts``: one says yes and the other no to what is asked."""

    cited: Citation
    other: Citation
    says: str
    other_says: str
    is_of_verdicts: bool = False

    def __str__(self) -> str:
        """As a person is asked about it."""
        return f"{self.cited.locator} says {self.says}, and {self.other.locator} says {self.other_says}: which holds?"


def conflict_of(asked: Asked, draft: Draft) -> Conflict | None:
    """The first place among the hits that contradicts what the draft cites; None where none does.

    A draft without citations contradicts nothing.
    """
    handed = [passage for hit in on_one_page(asked.hits) for passage in sentences_of_hit(hit)]
    cited = [one for one in handed if any(_is_in(one, citation) for citation in draft.citations)]
    wants_verdict = asked.question.kind == "yes_no"
    pairs = ((one, other) for one in cited for other in handed if one.citation() != other.citation())
    found = (_conflict(asked.question.text, wants_verdict, one, other) for one, other in pairs)
    return next(filter(None, found), None)


def _conflict(question: str, wants_verdict: bool, one: Passage, other: Passage) -> Conflict | None:
    if one.is_past_answer or other.is_past_answer:
        if not (one.is_past_answer and other.is_past_answer and _alike(_asked_of(one), _asked_of(other))):
            return None
        verdicts = past_verdict(one.quote), past_verdict(other.quote)
    else:
        if not _alike(one.quote, other.quote):
            return None
        if names_of(one.quote) - months_of(one.quote) != names_of(other.quote) - months_of(other.quote):
            return None
        verdicts = sentence_verdict(question, one.quote), sentence_verdict(question, other.quote)
    for mine, its in _different(one.quote, other.quote):
        return Conflict(one.citation(), other.citation(), mine, its)
    if wants_verdict and set(verdicts) == {"yes", "no"}:
        return Conflict(one.citation(), other.citation(), str(verdicts[0]), str(verdicts[1]), is_of_verdicts=True)
    if not one.is_past_answer and (denies(one.quote) != denies(other.quote) or opposite_words(one.quote, other.quote)):
        return Conflict(one.citation(), other.citation(), f"“{_shown(one)}”", f"“{_shown(other)}”")
    return None


def _different(one: str, other: str) -> Iterator[tuple[str, str]]:
    """What the two say of the same kind and differently: figures of one unit, of which each has one, or dates."""
    mine, its = figures_of(one), figures_of(other)
    if months_of(one) and months_of(other) and (months_of(one) != months_of(other)):
        yield f"“{one.strip()}”", f"“{other.strip()}”"
    for unit in sorted({figure.unit for figure in mine} & {figure.unit for figure in its}):
        here, there = ([figure for figure in side if figure.unit == unit] for side in (mine, its))
        if len(here) == len(there) == 1 and here != there and _others(mine, unit) == _others(its, unit):
            yield str(here[0]), str(there[0])


def _others(figures: frozenset[Figure], unit: str) -> set[Figure]:
    return {figure for figure in figures if figure.unit != unit}


def _alike(one: str, other: str) -> bool:
    mine, its = words_of_claim(one), words_of_claim(other)
    both, all_words = len(mine & its), len(mine | its)
    if len(mine ^ its) == 2 and opposite_words(one, other):
        all_words = both  # the two words by which they differ are each other's opposite
    is_of_one_scope = _SCOPE & set(_TOKEN.findall(one.lower())) == _SCOPE & set(_TOKEN.findall(other.lower()))
    return is_of_one_scope and min(len(mine), len(its)) >= LEAST_WORDS and both / all_words >= ALIKE


def _asked_of(passage: Passage) -> str:
    return _ASKED.split(passage.matched_text, maxsplit=1)[0]


def _is_in(passage: Passage, citation: Citation) -> bool:
    is_same = passage.chunk.document_id == citation.document_id
    return is_same and passage.start < citation.end and citation.start < passage.end


def _shown(passage: Passage) -> str:
    return " ".join(passage.quote.split())
