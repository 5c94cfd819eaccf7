"""Who does it to whom, in a claim and in its source."""

from __future__ import annotations

import pytest

from tasks.answering.entailment.overstatement import overstated_yes
from tasks.answering.entailment.parties import exchanged

ACME = frozenset({"acme"})
TOLD = "Acme tells the customer of an incident within 72 hours."


@pytest.mark.parametrize(
    ("claim", "source", "who"),
    [
        ("The customer tells Acme of an incident within 72 hours.", TOLD, "customer"),
        ("Acme is told of an incident by the customer.", TOLD, "customer"),
        ("We notify the customer.", "The customer notifies us.", "we"),
        ("Acme notifies the customer.", "The customer notifies us.", "we"),
        ("The regulator informs the customer.", "The customer informs the regulator.", "regulator"),
        ("The customer receives the report from Acme.", "Acme receives the report from the customer.", "we"),
        ("Globex audits Initech.", "Every year Initech audits Globex.", "globex"),
        ("The privacy officer tells the customer of an incident.", TOLD, "officer"),
        ("Acme tells the regulator of an incident.", TOLD, "regulator"),
        ("O cliente avisa o fornecedor.", "O fornecedor avisa o cliente.", "cliente"),
    ],
)
def test_parties_that_are_exchanged_are_told(claim: str, source: str, who: str) -> None:
    assert f"“{who}”" in exchanged(claim, [source], ACME)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Acme tells customers of incidents.", TOLD),
        ("The vendor tells its clients of incidents.", TOLD),
        ("The customer is told of incidents by Acme.", TOLD),
        ("The customer sends logs to Acme.", "Acme receives logs from the customer."),
        ("Acme stores customer data.", "Customer data is stored at Acme."),
        ("With the customer's consent Acme shares data.", "Acme shares data with the customer's consent."),
        ("The vendor audits the supplier.", "The supplier audits the vendor as the vendor audits the supplier."),
        ("Acme notifies the customer.", "We notify our customers."),
        ("For customers Acme keeps logs.", "Acme keeps logs for customers."),
        ("Acme tells the customer.", ""),
        ("", TOLD),
    ],
)
def test_the_same_parties_in_other_words_are_let_be(claim: str, source: str) -> None:
    assert exchanged(claim, [source], ACME) == ""


def test_a_yes_is_not_given_by_who_does_it_the_other_way_round() -> None:
    assert "who does it" in overstated_yes("Does the customer tell Acme of an incident?", TOLD)
    assert overstated_yes("Does Acme tell the customer of an incident?", TOLD) == ""
    assert overstated_yes("Do you notify regulators of breaches?", "We notify regulators of breaches.") == ""
