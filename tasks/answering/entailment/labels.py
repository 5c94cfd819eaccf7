"""Entailment labels: a premise supports a claim, contradicts it, or neither, with a probability.

Labellers label those pairs of a premise and a claim that they can, in turn: :func:`exact_label` settles what figures,
names and copies settle, the fitted model every other pair, and further models, if configured, overrule it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from configs.weights import Entailing, entailment_weights
from tasks.answering.entailment.claims import Sentence
from tasks.answering.entailment.model import Matrix, Tokens, features_of, is_in_order, probability
from tasks.answering.entailment.support import (
    LEAST_SHARE,
    Evidence,
    Finding,
    best_findings,
    nowhere,
    said_by,
)

CLEARLY = 0.15
"""The lead in the share of words from which a passage that is not cited counts as a claim's source."""
COPIED = 0.9
"""The share of a claim's words in one passage from which the claim is a copy: what it lacks there contradicts it."""

JUDGE = "judge"
"""The name of the judge model as a labeller: its neutral label means that it gave no judgement."""
Label = Literal["entailment", "neutral", "contradiction"]
TextPair = tuple[str, str]
"""A premise and a claim, in this order."""


class Entailment(NamedTuple):
    """The label of a claim, the ``probability`` that its premise supports it, the reason if not, and the labeller."""

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
    """The models that label what is not settled exactly: ``tokens`` gives unit vectors of texts and of their tokens."""

    tokens: Callable[[Sequence[str]], tuple[Matrix, Sequence[Matrix]]] | None = None
    further: Sequence[Labeller] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence of an answer with the passages that should support it.

    ``findings`` belong to its claims, ``moved`` are those in passages that it does not cite. It is weighed against its
    ``sources``: none for a copy, or where it ``lacks`` something that nothing makes up for.
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
    """The sentence with the passages ``cited`` for it, or better ones of those ``handed`` over."""
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
    sources = tuple(handed if moved else cited) if placed and not lacks else ()
    return Pair(sentence, tuple(placed), moved, sources, lacks)


def labels(pairs: Sequence[Pair], opinions: Opinions) -> list[Entailment]:
    """The label of each pair, in order; no pairs give none."""
    tokens = tokens_of(pairs, opinions)
    found = [exact_label(pair) or _weighed(pair, entailment_weights(), tokens) for pair in pairs]
    for labeller in opinions.further:
        at = [number for number, one in enumerate(found) if pairs[number].findings and not one.is_refuted]
        for number, opinion in zip(at, labeller([pairs[number].texts for number in at]), strict=True):
            found[number] = opinion or found[number]
    return found


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
    """The findings of a sentence's own passages, each replaced by that of another passage that supports it better."""
    if all(one.is_supported and one.share == 1.0 for one in findings):
        return findings
    others = best_findings([one.claim for one in findings], handed, ordinary)
    pairs = zip(findings, others, strict=True)
    return [other if other.is_supported and _is_better(other, one) else one for one, other in pairs]


def _is_better(other: Finding, cited: Finding) -> bool:
    if cited.is_supported:
        return other.share >= min(cited.share + CLEARLY, 1.0)
    # What is cited and says the opposite is no slip of a number.
    return not (cited.is_about_it and cited.lacks and cited.share >= LEAST_SHARE)


def tokens_of(pairs: Sequence[Pair], opinions: Opinions) -> Tokens | None:
    """The vectors of all weighed sentences and their sources, computed as one batch."""
    weighed = [pair for pair in pairs if pair.sources]
    texts = dict.fromkeys(text for one in weighed for text in (one.sentence.text, *(of.read for of in one.sources)))
    if opinions.tokens is None or not texts:
        return None
    vectors, tokens = opinions.tokens([*texts])
    if len(tokens) != len(texts):  # a plan that keeps no token vectors
        return None
    return dict(zip(texts, zip(vectors, tokens, strict=True), strict=True)).__getitem__
