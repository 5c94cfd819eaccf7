"""Quotes that speak of something else than an open question asks, and quotes that do not."""

from __future__ import annotations

import pytest

from tasks.answering.decision.entity_mismatch import another
from tasks.answering.entailment.negation import opposite_words


@pytest.mark.parametrize(
    ("question", "quote", "word"),
    [
        ("What is the response time of Tier 2?", "Tier 1 incidents are answered within 2 hours.", "Tier 2"),
        ("How soon is priority 2 answered?", "Priority 1 incidents are answered within 30 minutes.", "priority 2"),
        ("Since when are you certified to ISO 22301?", "We are certified to ISO/IEC 27001 since 2017.", "ISO 22301"),
        ("What does SOC 2 Type II cover?", "Our SOC 2 Type I report covers hosting.", "Type II"),
        (
            "Within how many hours do you report incidents?",
            "Customers must report misuse within 24 hours.",
            "Customers",
        ),
        ("How soon do you correct errors?", "The Customer shall inform Acme within 10 days.", "Customer"),
        ("How soon must customers report incidents?", "Employees must report incidents within 1 hour.", "Employees"),
        ("How are contractors trained?", "All employees receive training each year.", "employees"),
        ("When are weekly backups made?", "Daily backups are made at 2 am.", "week"),
        ("Who has access to keys?", "Database administrators do not have access to keys.", "what is not so"),
        ("Who has access to keys?", "There is a team that has no access to keys.", "what is not so"),
        ("Who carries out internal scans?", "External scans are carried out by a firm.", "internal"),
        ("What is the largest file for download?", "The largest file for upload is 2 GB.", "download"),
    ],
)
def test_another_grade_party_rhythm_or_a_denial_is_told(question: str, quote: str, word: str) -> None:
    (told,) = another(question, [quote], "")
    assert word in told


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("How long are backups kept?", "Backups are kept for 30 days."),
        ("How long are backups kept?", "Backups are kept for 30 days in a vault that nobody enters."),
        ("How do you notify customers of a breach?", "Customers are told within 72 hours by mail."),
        ("How soon do you tell customers?", "We tell customers within 24 hours."),
        ("What is the response time of severity 1?", "Severity 1: 4 hours"),
        ("How often do employees receive training?", "All employees receive training each year."),
        ("Which standards do you follow, such as ISO 27001?", "We are certified to ISO/IEC 27001 and ISO 9001."),
        ("How soon are tiers 1 and 2 answered?", "Tier 1 within 1 hour, tier 2 within 4 hours."),
        ("How often is access reviewed?", "Access is reviewed quarterly."),
        ("What is not encrypted?", "Temporary files are not encrypted."),
        ("How are users and employees told?", "Users see a banner; employees must read a mail."),
        ("", "Backups are kept."),
    ],
)
def test_a_quote_of_the_same_is_let_be(question: str, quote: str) -> None:
    assert another(question, [quote], "") == []
    assert another(question, [], "") == []


def test_what_the_section_names_is_said() -> None:
    quote = ["Incidents are answered within 2 hours."]
    assert another("How soon is tier 2 answered?", quote, "sla.pdf Support > Tier 2") == []
    assert another("How soon is tier 2 answered?", quote, "sla.pdf Support > Tier 1") != []


def test_a_compound_with_on_or_off_turns_nothing() -> None:
    assert opposite_words("It is done at the kick-off.", "Encryption is on.") is None
    assert opposite_words("Encryption is off.", "Encryption is on at the kick-off.") == "off"
