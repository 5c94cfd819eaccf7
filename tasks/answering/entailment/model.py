"""The fitted entailment model: the probability that passages support a sentence, a logistic regression over features.

They are of words, of tokens (late interaction), of what a claim lacks in the nearest passage, of parties, of bounds
beside a number, and of words that turn a sentence and that its source lacks. The weights are in
``configs/entailment.yaml``; ``tests/bench/entailment_fit.py`` fits them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from math import exp

import numpy as np
from numpy.typing import NDArray

from configs.weights import Entailing
from tasks.answering.entailment.support import Evidence, Finding
from tasks.text.characters import fold
from tasks.text.content_words import all_words
from tasks.text.english import NUMBER_WORDS
from tasks.text.names.figures_and_names import words_of_claim
from tasks.text.negation import denies
from tasks.text.stemmed_words import without_accents
from tasks.text.word_stems import stems_of

Matrix = NDArray[np.float32]
Tokens = Callable[[str], tuple[Matrix, Matrix]]
"""Function from a text to its unit vector (d,) and those of its tokens (t, d)."""

LATE = ("soft_min_of_4", "cosine")
"""The features that need vectors; without vectors they take their typical values."""
_A_NEIGHBOUR_COSTS = 0.02
_NEAREST = 4
_ADDED = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for name, words in (
        ("added_must", "must|shall|required?|requires|needs?|needed|has to|have to|mandatory|compulsory|obliged"),
        ("added_before", "before|prior to|until|till|ahead"),
        ("added_done", "guarantees?|guaranteed|measured|completed|finished|achieved"),
        ("added_some", "some|sometimes|partly|certain|several"),
    )
}
"""Patterns of words that turn a sentence, by the feature that is 1 where its source has none of the kind."""
_BOUNDS = {
    "most": "within|up to|at most|no more than|no longer than|not later than|no later than|inside|less than|fewer than"
    "|under|below|latest",
    "least": "at least|more than|over|longer than|exceeding|no less than|no fewer than|beyond|above",
    "after": "after|following|since|from|once",
    "before": "before|prior to|until|till|by",
}
_AGAINST = {("most", "least"), ("most", "after"), ("after", "before"), ("before", "least")}
_BOUND = re.compile(
    rf"\b(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _BOUNDS.items())})\s+"
    r"(?:(?:the|about|another|further|day|allowed|a)\s+)*"
    rf"(?P<number>[£$€]?\d[\d.,]*|{'|'.join(NUMBER_WORDS)})\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"(?:customer|client|tenant|vendor|supplier|provider|processor|controller|sub-?processor|contractor|subcontractor"
    r"|auditor|assessor|regulator|authority|authorities|user|employee|staff|personnel|worker"
    r"|colleague|manager|owner|officer|board|committee|team|department|administrator|engineer|buyer|seller|licensor|licensee|lessor|lessee|insurer|partner|party|parties"
    r"|cliente|fornecedor|utilizador|titular|autoridade)(?:e?s)?",
)
_SPEAKER = frozenset(("we", "us"))
_OURSELVES = frozenset(("we", "vendor", "supplier", "provider", "processor", "fornecedor"))
_STAFF = frozenset(("staff", "employee", "engineer", "team", "personnel", "worker", "colleague"))
_CUSTOMERS = frozenset(("customer", "client", "tenant", "user", "cliente", "utilizador"))
_OUTSIDE = {"outside": "outside", "external": "outside", "in-house": "inside", "internal": "inside", "own": "inside"}
_OUTSIDE |= {word: word for word in ("third", "director", "executive", "ciso", "insurer", "prospects", "police")}


def features_of(
    sentence: str, findings: Sequence[Finding], evidence: Sequence[Evidence], tokens: Tokens | None = None
) -> dict[str, float]:
    """The features of a ``sentence`` and its ``evidence``, which is not empty; ``findings`` are those of its claims."""
    words = words_of_claim(sentence)
    shares = [len(words & one.words_beside) / len(words) if words else 1.0 for one in evidence]
    late = [_match(sentence, one.read, tokens) for one in evidence] if tokens else []
    means = [float(one.mean()) for one in late] or [0.0] * len(evidence)
    scores = [
        share + mean - _A_NEIGHBOUR_COSTS * len(one.passages)
        for share, mean, one in zip(shares, means, evidence, strict=True)
    ]
    order = sorted(range(len(evidence)), key=lambda at: -scores[at])
    nearest = evidence[order[0]]
    roles = roles_of(sentence, nearest.speakers)
    known = roles_of(" ".join(f"{one.read} {one.beside}" for one in evidence), nearest.speakers)
    lacking = {finding.kind for finding in findings}
    found = {
        "share": shares[order[0]],
        "least_claim": min((finding.share for finding in findings), default=1.0),
        "in_order": max(_in_order(sentence, one.read) for one in evidence),
        "verbatim": float(any(fold(sentence).rstrip(".") in fold(one.read) for one in evidence)),
        **{f"lacks_{kind}": float(kind in lacking) for kind in ("turned", "figure", "name", "span")},
        "unknown_roles": float(len(roles - known)),
        "other_roles": float(len(roles - roles_of(nearest.read, nearest.speakers))),
        "turned_bounds": float(_turned_bounds(sentence, nearest.read)),
        "added_not": float(denies(sentence) and not denies(nearest.read)),
        **{
            name: float(bool(pattern.search(sentence)) and not pattern.search(nearest.read))
            for name, pattern in _ADDED.items()
        },
    }
    if tokens:
        best = np.max([late[at] for at in order[:_NEAREST]], axis=0)
        cosines = [float(tokens(sentence)[0] @ tokens(one.read)[0]) for one in evidence]
        found |= dict(zip(LATE, (float(best.min()), max(cosines)), strict=True))
    return found


def is_in_order(features: Mapping[str, float], entailing: Entailing) -> bool:
    """Tell if a sentence has its source's words in their order: two parties or figures may have changed places."""
    return features["in_order"] >= entailing.least_in_order


def probability(features: Mapping[str, float], entailing: Entailing) -> float:
    """The probability that a sentence with these ``features`` is supported."""
    values = {**entailing.typical, **features}
    weighed = sum(weight * values[name] for name, weight in entailing.weights.items())
    return 1 / (1 + exp(-min(500.0, max(-500.0, entailing.intercept + weighed))))


def _in_order(sentence: str, source: str) -> float:
    """The share of the sentence's words, small ones included, that stand in the source in the same order."""
    one, other = _words(sentence), _words(source)
    if not one:
        return 1.0
    matcher = SequenceMatcher(None, other, one, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(one)


def _words(text: str) -> list[str]:
    return [(stems_of(word) or [word.lower()])[0] for word in all_words(text)]


def _match(sentence: str, source: str, tokens: Tokens) -> Matrix:
    """The highest cosine of each token of the sentence with a token of the source, (t,)."""
    one, other = tokens(sentence)[1], tokens(source)[1]
    if not len(one) or not len(other):
        return np.zeros(max(1, len(one)), np.float32)
    return np.asarray((one @ other.T).max(axis=1))


def _bounds(text: str) -> set[tuple[str, str]]:
    """The bounds in ``text``, each with the number that it stands before."""

    def number(written: str) -> str:
        return str(NUMBER_WORDS.get(written.lower(), written.strip("£$€.,")))

    found = _BOUND.finditer(text)
    return {(next(kind for kind in _BOUNDS if one[kind]), number(one["number"])) for one in found}


def _turned_bounds(sentence: str, source: str) -> int:
    """The count of numbers whose bound in the sentence is the opposite of the one in its source."""
    told = _bounds(source)
    return sum(
        (kind, other) in _AGAINST or (other, kind) in _AGAINST
        for kind, number in _bounds(sentence) - told
        for other, same in told
        if same == number
    )


def roles_of(text: str, speakers: frozenset[str] = frozenset()) -> frozenset[str]:
    """The parties in ``text``, without the speakers, under one name for those that may stand for each other."""
    words = (re.sub(r"['’]s?$", "", without_accents(word.lower())) for word in all_words(text))
    named = (word for word in words if word not in speakers | _SPEAKER)
    singular = (re.sub(r"ies$", "y", word).removesuffix("s") for word in named if _ROLE.fullmatch(word))
    outside = frozenset(_OUTSIDE[word] for word in re.findall(r"[\w-]+", text.lower()) if word in _OUTSIDE)
    return (frozenset(map(_kin, singular)) | outside) - {"we"}


def _kin(party: str) -> str:
    """The common name of parties that may stand for each other: the vendor, its customers, and its staff."""
    if party in _CUSTOMERS:
        return "customer"
    if party in _STAFF:
        return "staff"
    return "we" if party in _OURSELVES or not _ROLE.fullmatch(party) else party
