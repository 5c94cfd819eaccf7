"""The features that the model of entailment weighs, and what it makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from configs.weights import entailment_weights
from tasks.answering.entailment.claims import Claim
from tasks.answering.entailment.labels import Entailment, Label, Opinions, TextPair, labels
from tasks.answering.entailment.model import LATE, features_of, probability
from tasks.answering.entailment.support import best_findings, evidence_of
from tasks.text.negation import opposite_words
from tests.made.drafts import label as label_of
from tests.made.hits import hits

SOURCE = "Acme tells the customer of a breach within 48 hours of confirmation."


def features(claim: str, source: str = SOURCE) -> dict[str, float]:
    evidence = evidence_of(hits(source))
    return features_of(claim, best_findings([Claim(claim)], evidence, frozenset()), evidence)


@pytest.mark.parametrize(
    ("claim", "raised"),
    [
        (SOURCE, {"verbatim"}),
        ("Acme tells the regulator of a breach within 48 hours of confirmation.", {"unknown_roles", "other_roles"}),
        ("Acme tells the customer of a breach after 48 hours of confirmation.", {"turned_bounds"}),
        ("Acme tells the customer of a breach within 72 hours of confirmation.", {"lacks_figure"}),
        ("Acme never tells the customer of a breach.", {"added_not", "lacks_turned"}),
        ("Acme must tell the customer of a breach.", {"added_must"}),
    ],
)
def test_each_change_raises_its_feature(claim: str, raised: set[str]) -> None:
    found = features(claim)
    assert {
        name for name, value in found.items() if value and name not in ("share", "least_claim", "in_order")
    } == raised


def test_what_cannot_be_computed_has_its_typical_value() -> None:
    entailing = entailment_weights()
    known = features(SOURCE)
    assert not set(LATE) & set(known)
    typical = {name: entailing.typical[name] for name in LATE}
    assert probability(known, entailing) == pytest.approx(probability(known | typical, entailing))


@pytest.mark.parametrize(
    ("claim", "label", "refuted", "reason"),
    [
        (SOURCE, "entailment", False, ""),
        ("Acme tells the customer of a breach within 48 hours.", "entailment", False, ""),
        ("Within 48 hours the customer hears of a breach from Acme.", "neutral", False, "in other words"),
        ("Acme tells the customer of a breach within 72 hours.", "contradiction", True, "72 hours"),
        ("Acme tells Globex of a breach within 48 hours.", "contradiction", True, "Globex"),
        ("The laptops carry a sticker of the hotline.", "neutral", True, "something else"),
        ("", "entailment", False, ""),
    ],
)
def test_a_claim_is_borne_out_doubted_or_refuted(claim: str, label: Label, refuted: bool, reason: str) -> None:
    found = label_of(SOURCE, claim)
    assert (found.label, found.is_refuted) == (label, refuted) and reason in found.reason


def test_further_labellers_overrule_the_fitted_model_and_not_what_is_exact() -> None:
    asked: list[TextPair] = []

    def for_all(pairs: Sequence[TextPair]) -> list[Entailment | None]:
        asked.extend(pairs)
        return [Entailment("entailment", 0.9, by="inference")] * len(pairs)

    doubted, wrong = "Within 48 hours the customer hears of a breach from Acme.", "Acme tells Globex of a breach."
    opinions = Opinions(further=[for_all])
    assert label_of(SOURCE, doubted, opinions).by == "inference"
    assert label_of(SOURCE, wrong, opinions).is_refuted and asked == [(SOURCE, doubted)]
    assert labels([], opinions) == []


def test_a_compound_with_on_or_off_turns_nothing() -> None:
    assert opposite_words("It is done at the kick-off.", "Encryption is on.") is None
    assert opposite_words("Encryption is off.", "Encryption is on at the kick-off.") == "off"
