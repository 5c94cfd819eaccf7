"""Entailment labels: a premise bears a claim out, contradicts it, or neither, with a probability.

Every labeller has one protocol: it is given pairs of a premise and a claim, and labels those that it can. They are
asked in turn: :func:`exact_label` settles what figures, names and copies settle; the fitted model weighs every other
pair; further models, where they are configured, are asked last and overrule it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from configs.entailment import Entailing, shipped_weights
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
"""A passage that is not cited and has so much larger a share of a claim's words is where the claim comes from, though
the cited one would do.
"""
COPIED = 0.9
"""With so many of its words in one passage, a claim that lacks something there is contradicted by it."""

JUDGE = "judge"
"""The labeller whose neutral label is that it was not heard."""
Label = Literal["entailment", "neutral", "contradiction"]
TextPair = tuple[str, str]
"""A premise and a claim."""


class Entailment(NamedTuple):
    """The label of a claim, the ``probability`` that its premise bears it out, the reason in words where it does not,
    and ``by`` whom it was labelled.
    """

    label: Label
    probability: float
    reason: str = ""
    by: str = "exact"

    @property
    def is_refuted(self) -> bool:
        """True for a claim that is contradicted, or of which its premise says next to nothing."""
        return self.label == "contradiction" or not self.probability


Labeller = Callable[[Sequence[TextPair]], Sequence[Entailment | None]]
"""Labels each pair, in order; None of those that it has no opinion of."""


class Opinions(NamedTuple):
    """The models that label what is not settled exactly: ``tokens`` gives the unit vectors of texts, and of each those
    of its tokens, which the fitted model weighs; the ``further`` ones are asked after it, in order.
    """

    tokens: Callable[[Sequence[str]], tuple[Matrix, Sequence[Matrix]]] | None = None
    further: Sequence[Labeller] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence of an answer beside the passages that should bear it out.

    ``findings`` are of its claims, and ``moved`` those of them that are of passages which it does not cite. It is
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
        """The first thing that its nearest passages do not have, in words; "" where they have all."""
        return next((finding.told for finding in self.findings if finding.lacks), "")


def pair_of(
    sentence: Sentence, cited: Sequence[Evidence], handed: Sequence[Evidence], ordinary: frozenset[str]
) -> Pair:
    """The sentence beside the passages that are ``cited`` for it, or others that were ``handed`` over and bear it out
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
    """The label of each pair, in order; no pairs give none. Without ``weights`` those that are shipped are taken."""
    weights = weights or shipped_weights()
    tokens = tokens_of(pairs, opinions)
    found = [exact_label(pair) or _weighed(pair, weights, tokens) for pair in pairs]
    for labeller in opinions.further:
        at = [number for number, one in enumerate(found) if pairs[number].findings and not one.is_refuted]
        for number, opinion in zip(at, labeller([pairs[number].texts for number in at]), strict=True):
            found[number] = opinion or found[number]
    return found


def label(premise: str, claim: str, opinions: Opinions | None = None) -> Entailment:
    """The label of a claim beside the text of its premise: of several sentences, that of the least probable; one
    without a sentence is borne out by anything.
    """
    evidence, ordinary = evidence_in(premise), ordinary_words([premise])
    pairs = [pair_of(sentence, evidence, evidence, ordinary) for sentence in sentences_of(claim)]
    found = labels(pairs, opinions or Opinions())
    return min(found, key=lambda one: one.probability, default=Entailment("entailment", 1.0))


def exact_label(pair: Pair) -> Entailment | None:
    """The label of a sentence by its figures, its names and its letters; None where it has to be weighed."""
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
    """The difference of a copy from its source, in words: nearly all words of a claim stand there, and it has another
    name or span of time, or, of a sentence that claims one thing, another figure or the opposite; "" where it does not.
    """
    copied = (one for one in findings if one.share >= COPIED and (len(findings) == 1 or one.kind in ("name", "span")))
    return next((one.told for one in copied if one.lacks and one.kind != "source"), "")


def _well_placed(
    findings: Sequence[Finding], handed: Sequence[Evidence], ordinary: frozenset[str]
) -> Sequence[Finding]:
    """The findings of a sentence's own passages; one of another passage in the place of each that they do not bear out
    or that the other bears out clearly better, or to the last word.
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
    """The vectors of all sentences that are weighed and of their sources, which are asked for together."""
    texts = list(dict.fromkeys(text for pair in pairs for text in _texts(pair)))
    if opinions.tokens is None or not texts:
        return None
    vectors, tokens = opinions.tokens(texts)
    if len(tokens) != len(texts):  # a plan that keeps no token vectors
        return None
    return dict(zip(texts, zip(vectors, tokens, strict=True), strict=True)).__getitem__


def _texts(pair: Pair) -> list[str]:
    return [pair.sentence.text, *(evidence.read for evidence in pair.sources)] if pair.sources else []
