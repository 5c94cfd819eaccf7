"""Claims and verdicts that say more than their source, beside those that do not."""

from __future__ import annotations

import pytest

from tasks.answering.entailment.overstatement import overstated_yes

ENCRYPTED = "Customer data at rest is encrypted with AES-256."
PLAN = "The vendor plans to obtain SOC 2 Type II certification in 2027."
SIGN_ON = "Single sign-on is available in the Enterprise edition only."
CREDITS = "The vendor credits 5% of the monthly fee if availability falls below 99.9% and 10% if it falls below 99.5%."
CLOUDS = "The vendor uses Amazon Web Services in London and Microsoft Azure in Dublin as subprocessors."
ROLES = "The Security Officer approves exceptions. The Head of Engineering reviews access rights every quarter."
KEPT = "Snapshots are taken every four hours and are kept for 35 days."
DELETED = "Customer data is deleted within 30 days of the end of the contract."


@pytest.mark.parametrize(
    ("question", "source", "told"),
    [
        ("Do you hold SOC 2 Type II certification?", PLAN, "tells of a plan"),
        ("Is single sign-on available in every edition?", SIGN_ON, "asks about all"),
        ("Is single sign-on included in the Core edition?", SIGN_ON, "only for something else"),
        ("Do you test every quarter?", "A test is done once a year.", "lacks a span of time"),
        ("Is data deleted immediately at the end of the contract?", DELETED, "at once"),
        ("Do you meet WCAG 2.1 AA?", "The pages meet WCAG 2.1 AA with three known exceptions.", "makes exceptions"),
        ("Are doors locked?", "All doors are locked, except those of the fire exits.", "makes exceptions"),
        ("Is a second factor used?", "The provider is expected to ask for a second factor.", "says what should be"),
        ("Are bags checked?", "Bags should be checked.", "says what should be"),
        ("Are all doors locked?", "All doors are locked without exception.", ""),
        ("Should bags be checked?", "Bags should be checked.", ""),
        ("Do you grant exceptions?", "Exceptions are granted by the Security Officer.", ""),
        ("Is customer data at rest encrypted?", ENCRYPTED, ""),
        ("Do you plan to obtain SOC 2 Type II certification?", PLAN, ""),
        ("Is single sign-on available in the Enterprise edition?", SIGN_ON, ""),
        ("Do you delete all data at the end of the contract?", "All data is deleted at the end of the contract.", ""),
    ],
)
def test_a_yes_needs_what_the_question_adds(question: str, source: str, told: str) -> None:
    found = overstated_yes(question, source)
    assert told in found if told else found == ""
