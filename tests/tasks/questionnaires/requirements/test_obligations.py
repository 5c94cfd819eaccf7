"""Whose duty a sentence of a tender is: the bidder's, or the buyer's."""

from __future__ import annotations

import json

import pytest

from tasks.questionnaires.requirements.obligations import acronyms_of, obliges_bidder
from tests.made.paths import ROOT

LABELLED = ROOT / "tests" / "data" / "rfp-requirements.jsonl"
"""Sentences of a request for proposals of the State of Alaska (public domain), labelled before the rule was written;
those "held out" after the rest had been looked at, and before the rule was run on them."""


@pytest.mark.parametrize(
    "sentence",
    [
        "The Contractor shall deliver monthly reports.",
        "4.2 The supplier must not store data outside the EU.",
        "Bidders are asked to state their certificates.",
        "Please describe your backup procedures.",
        "Succinctly describe your understanding of the task.",
        "Provide a staffing plan that names your key persons.",
        "How do you test backups?",
        "All source code must be tested.",
        "The solution will support single sign-on.",
        "We expect you to attend weekly meetings.",
        "It is the responsibility of the Offeror to obtain permits.",
        "If the contractor uses subcontractors, the contractor is required to name them.",
        "The proposal should include three references.",
        "You may not subcontract the work.",
        "The Contractor agrees to indemnify the State.",
        "The Offeror’s plan must include a schedule.",
        "Travel costs shall not be charged.",
        "The Agency must be notified of each breach.",
    ],
)
def test_a_duty_of_the_bidder(sentence: str) -> None:
    assert obliges_bidder(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "The Department will pay invoices within 30 days.",
        "The State shall provide access to its offices.",
        "Proposals will be evaluated by a committee.",
        "The procurement officer may reject any proposal.",
        "“Confidential information” shall mean all data marked so.",
        "This agreement shall be governed by the laws of Alaska.",
        "We expect to award the contract in May.",
        "When work is required, the director will write to the contractor.",
        "These are the standards that the agency must comply with.",
        "Did we mention the holidays?",
        "Go figure, huh?",
        "The office is open from 8 to 5.",
        "Staffing plan",
        "For more information, please contact the procurement officer.",
    ],
)
def test_no_duty_of_the_bidder(sentence: str) -> None:
    assert not obliges_bidder(sentence)


def test_acronyms_name_who_they_stand_for() -> None:
    text = "The Department of Health (DOH) buys. It is called “Business Associate” or “BA”. See the Wide Network (WAN)."
    roles = acronyms_of(text)
    assert roles == {"DOH": "buyer", "BA": "bidder"}
    assert obliges_bidder("BA shall keep records.", roles) and not obliges_bidder("DOH shall keep records.", roles)


@pytest.mark.parametrize(
    ("part", "precision", "recall"), [("development", 0.97, 0.95), ("test", 0.95, 0.95), ("held out", 0.92, 0.89)]
)
def test_precision_and_recall_on_a_real_tender(part: str, precision: float, recall: float) -> None:
    lines = map(json.loads, LABELLED.read_text(encoding="utf-8").splitlines())
    roles = {"DHSS": "buyer", "DOA": "buyer", "DPA": "buyer", "BA": "bidder"}
    judged = [(one["requirement"], obliges_bidder(one["text"], roles)) for one in lines if one["part"] == part]  # type: ignore[arg-type]
    right = sum(is_one and found for is_one, found in judged)
    assert right / sum(found for _, found in judged) >= precision
    assert right / sum(is_one for is_one, _ in judged) >= recall
