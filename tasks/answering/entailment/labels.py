"""Entailment labels: a premise supports a claim, contradicts it, or neither, with a probability.

All labellers have one protocol: they are given pairs of a premise and a claim, and label those that they can. They are
asked in turn: :func:`exact_label` settles what figures, names and copies settle; the fitted model weighs every other
pair; further models, where they are configured, are asked last and overrule it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from configs.weights import Entailing, entailment_weights
from tasks.answering.entailment.claims import Sentence, sentences_of
from tasks.answering.entailment.model import Matrix, Tokens, features_of, is_in_order, probability
from tasks.answering.entailment.support import (
    Evidence,
    Finding,
    best_findings,
    evidence_in,
    nowhere,
    ordinary_words,
    said_by,
)

CLEARLY = 0.15
"""The difference in the share of a claim's words from which a passage that is not cited counts as the claim's source,
though the cited one would do.
"""
COPIED = 0.9
"""The share of a claim's words in one passage from which the claim is a copy: what it lacks there contradicts it."""

JUDGE = "judge"
"""The name of the judge model as a labeller: its neutral label means that it gave no judgement."""
Label = Literal["entailment", "neutral", "contradiction"]
TextPair = tuple[str, str]
"""A premise and a claim, in this order."""


class Entailment(NamedTuple):
    """The label of a claim with the ``probability`` that its premise supports it, the reason in words where it does
    not, and the labeller, ``by``.
    """

    label: Label
    probability: float
    reason: str = ""
    by: str = "exact"

    @property
    def is_refuted(self) -> bool:
        """True for a claim that is contradicted, or that its premise hardly supports."""
        return self.label == "contradiction" or not self.probability


Labeller = Callable[[Sequence[TextPair]], Sequence[Entailment | None]]
"""Function that labels each pair, in order; None for those that it has no opinion of."""


class Opinions(NamedTuple):
    """The models that label what is not settled exactly. ``tokens`` gives the unit vectors of texts and of their
    tokens, for the fitted model; the ``further`` models are asked after it, in order.
    """

    tokens: Callable[[Sequence[str]], tuple[Matrix, Sequence[Matrix]]] | None = None
    further: Sequence[Labeller] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence of an answer with the passages that should support it.

    ``findings`` belong to its claims, and ``moved`` are the findings in passages that it does not cite. The sentence is
    weighed against its ``sources``: none where it stands in a passage letter by letter, or ``lacks`` something there
    that nothing makes up for.
    """

    sentence: Sentence
    findings: tuple[Finding, ...] = ()
    moved: tuple[Finding, ...] = ()
    sources: tuple[Evidence, ...] = ()
    lacks: str = ""

    @property
    def texts(self) -> TextPair:
        """The premise and the claim."""
        return "\n".join(dict.fromkeys(finding.source for finding in self.findings)), self.sentence.text

    @property
    def reason(self) -> str:
        """The first thing that the nearest passages lack, in words; "" where they lack nothing."""
        return next((finding.told for finding in self.findings if finding.lacks), "")


def pair_of(
    sentence: Sentence, cited: Sequence[Evidence], handed: Sequence[Evidence], ordinary: frozenset[str]
) -> Pair:
    """The sentence with the passages that are ``cited`` for it, or others of those ``handed`` over that support it
    better. ``ordinary`` words are no names.
    """
    if sentence.is_verdict:
        # A bare "Yes" may stand anywhere: to what it was said there, nobody knows.
        return Pair(sentence)
    # What stands somewhere letter by letter is cited from there, whatever number the model gave.
    own = said_by(sentence.text, cited)
    if whole := own or said_by(sentence.text, handed):
        return Pair(sentence, (whole,), () if own else (whole,))
    findings = best_findings(sentence.claims, cited, ordinary)
    # Only what cites something may have cited the wrong thing.
    placed = _well_placed(findings, handed, ordinary) if cited else findings
    moved = tuple(one for one in placed if not any(one is other for other in findings))
    lacks = nowhere(sentence.text, handed, ordinary) or _contradicted(placed)
    lacks = lacks or ("" if cited or not placed else "it cites no source")
    return Pair(
        sentence, tuple(placed), moved, tuple(handed if moved else cited) if placed and not lacks else (), lacks
    )


def labels(pairs: Sequence[Pair], opinions: Opinions, weights: Entailing | None = None) -> list[Entailment]:
    """The label of each pair, in order; no pairs give none. Without ``weights`` the shipped ones are used."""
    weights = weights or entailment_weights()
    tokens = tokens_of(pairs, opinions)
    found = [exact_label(pair) or _weighed(pair, weights, tokens) for pair in pairs]
    for labeller in opinions.further:
        at = [number for number, one in enumerate(found) if pairs[number].findings and not one.is_refuted]
        for number, opinion in zip(at, labeller([pairs[number].texts for number in at]), strict=True):
            found[number] = opinion or found[number]
    return found


def label(premise: str, claim: str, opinions: Opinions | None = None) -> Entailment:
    """The label of a claim for the text of its premise: of several sentences, that of the least probable; a claim
    without a sentence is supported by anything.
    """
    evidence, ordinary = evidence_in(premise), ordinary_words([premise])
    pairs = [pair_of(sentence, evidence, evidence, ordinary) for sentence in sentences_of(claim)]
    found = labels(pairs, opinions or Opinions())
    return min(found, key=lambda one: one.probability, default=Entailment("entailment", 1.0))


def exact_label(pair: Pair) -> Entailment | None:
    """The label of a sentence that its figures, names or letters settle; None where it has to be weighed."""
    if pair.lacks:
        return Entailment("contradiction", 0.0, pair.lacks)
    return None if pair.sources else Entailment("entailment", 1.0)


def _weighed(pair: Pair, weights: Entailing, tokens: Tokens | None) -> Entailment:
    features = features_of(pair.sentence.text, pair.findings, pair.sources, tokens)
    likely = probability(features, weights)
    if features["share"] < weights.least_share or likely < weights.drop_below:
        return Entailment("neutral", 0.0, pair.reason or "its source says something else", "weighed")
    if likely >= weights.keep_above and is_in_order(features, weights):
        return Entailment("entailment", likely, by="weighed")
    return Entailment("neutral", likely, pair.reason or "its source says it in other words", "weighed")


def _contradicted(findings: Sequence[Finding]) -> str:
    """The contradiction between a copy and its source, in words: nearly all words of a claim stand there, and it has
    another name or span of time, or, in a sentence with one claim, another figure or the opposite; "" where there is
    none.
    """
    copied = (one for one in findings if one.share >= COPIED and (len(findings) == 1 or one.kind in ("name", "span")))
    return next((one.told for one in copied if one.lacks and one.kind != "source"), "")


def _well_placed(
    findings: Sequence[Finding], handed: Sequence[Evidence], ordinary: frozenset[str]
) -> Sequence[Finding]:
    """The findings of a sentence's own passages, each replaced by that of another passage where its own does not
    support the claim, or the other does clearly better or to the last word.
    """
    if all(one.is_supported and one.share == 1.0 for one in findings):
        return findings
    others = best_findings([one.claim for one in findings], handed, ordinary)
    return [
        other if other.is_supported and _is_better(other, one) else one
        for one, other in zip(findings, others, strict=True)
    ]


def _is_better(other: Finding, cited: Finding) -> bool:
    if cited.is_supported:
        return other.share >= min(cited.share + CLEARLY, 1.0)
    # What is cited and says the opposite is no slip of a number.
    return not cited.is_turned_round


def tokens_of(pairs: Sequence[Pair], opinions: Opinions) -> Tokens | None:
    """The vectors of all weighed sentences and their sources, computed as one batch."""
    texts = list(dict.fromkeys(text for pair in pairs for text in _texts(pair)))
    if opinions.tokens is None or not texts:
        return None
    vectors, tokens = opinions.tokens(texts)
    if len(tokens) != len(texts):  # a plan that keeps no token vectors
        return None
    return dict(zip(texts, zip(vectors, tokens, strict=True), strict=True)).__getitem__


def _texts(pair: Pair) -> list[str]:
    return [pair.sentence.text, *(evidence.read for evidence in pair.sources)] if pair.sources else []
