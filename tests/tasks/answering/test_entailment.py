"""The features that the model of entailment weighs, and what it makes of them."""

from __future__ import annotations

import pytest

from configs.entailment import Entailing, shipped_weights
from tasks.answering.entailment.claims import Claim
from tasks.answering.entailment.model import LATE, features_of, is_sure, is_unsupported, probability
from tasks.answering.entailment.support import best_findings, evidence_of
from tests.tasks.answering.test_checks import hits

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
    entailing = shipped_weights()
    known = features(SOURCE)
    assert not set(LATE) & set(known)
    typical = {name: entailing.typical[name] for name in LATE}
    assert probability(known, entailing) == pytest.approx(probability(known | typical, entailing))


def test_a_sentence_is_sure_marked_or_left_out() -> None:
    entailing = Entailing(
        drop_below=0.7,
        keep_above=0.8,
        least_share=0.25,
        least_in_order=0.8,
        intercept=0.0,
        weights={"share": 2.0},
        typical={},
    )
    told = {
        (is_unsupported(one, entailing), is_sure(one, entailing))
        for one in ({"share": 1.0, "in_order": 1.0}, {"share": 1.0, "in_order": 0.5}, {"share": 0.1, "in_order": 1.0})
    }
    assert told == {(False, True), (False, False), (True, False)}
