"""Clauses of a sentence, and whether one denies as a whole."""

from __future__ import annotations

import pytest

from tasks.text.negation import asks_for_none, clauses_of, is_negative


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Direct access by SSH and access to buckets are prohibited.", []),
        ("Accounts are owned by people, not by organisations.", []),
        ("Certification to ISO 22301, which is not held.", []),
        ("We do not hold ISO 22301, ISO 9001 or PCI DSS.", []),
        ("USB storage is blocked; nobody can lift that.", ["USB storage is blocked", "nobody can lift that."]),
        ("Data is encrypted and keys are rotated.", ["Data is encrypted", "keys are rotated."]),
        ("Encryption | Data is encrypted | No exception", ["Encryption", "Data is encrypted", "No exception"]),
        (
            "Data is encrypted at rest and we never share it with others.",
            ["Data is encrypted at rest", "we never share it with others."],
        ),
        (
            "A plan is in place. We never test it without notice.",
            ["A plan is in place", "We never test it without notice."],
        ),
        (" ", None),
        ("", None),
    ],
)
def test_a_part_without_a_verb_is_no_clause(text: str, clauses: list[str] | None) -> None:
    assert clauses_of(text) == ([] if clauses is None else [text, *clauses])


@pytest.mark.parametrize(
    ("clause", "is_so"),
    [
        ("Users may not download software without approval.", False),
        ("Software is downloaded without approval.", True),
        ("It is neither sold nor rented.", True),
        ("It was held without a break.", False),
        ("The service runs without agents and does not store customer data.", True),
        ("We'll never sell it, and we won't use your name without your permission either.", True),
        ("Backups are encrypted.", False),
        ("", False),
    ],
)
def test_without_turns_another_denial_round(clause: str, is_so: bool) -> None:
    assert is_negative(clause) is is_so


def test_a_question_whose_yes_denies() -> None:
    assert asks_for_none("Can users download software without approval?")
    assert asks_for_none("Is the firm free of bank debt?")
    assert not asks_for_none("Is support free of charge?") and not asks_for_none("Are backups encrypted?")
