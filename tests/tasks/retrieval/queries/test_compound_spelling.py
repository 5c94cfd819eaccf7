"""Compounds and abbreviations of questions in the corpus' own words."""

from __future__ import annotations

import pytest

from tasks.embedding.lexical.abbreviations import NO_ABBREVIATIONS, Abbreviations
from tasks.retrieval.queries.compound_spelling import in_corpus_spelling, with_abbreviations, with_long_forms
from tests.made.lexical_models import bm25_weights

DOCUMENTS = (
    "Six sub-processors store data off-site.",
    "Backups are kept, and multi-factor authentication is on.",
    "The back office is staffed; penetration testers are hired.",
)


@pytest.mark.parametrize(
    ("question", "spelled"),
    [
        ("Do you use subprocessors?", "Do you use sub-processors?"),
        ("Is multifactor authentication on?", "Is multi-factor authentication on?"),
        ("Are back-ups kept offsite?", "Are backups kept off-site?"),
        ("Are pen-testers hired?", "Are pen-testers hired?"),
        ("Do you hold a zygomorphic licence?", "Do you hold a zygomorphic licence?"),
        ("", ""),
    ],
)
def test_compounds_are_spelled_as_in_the_documents(question: str, spelled: str) -> None:
    assert in_corpus_spelling(question, bm25_weights(DOCUMENTS, 1.2, 0.75).knows) == spelled


def test_an_empty_corpus_changes_nothing() -> None:
    assert (
        in_corpus_spelling("Do you use subprocessors?", bm25_weights((), 1.2, 0.75).knows)
        == "Do you use subprocessors?"
    )


LEARNED = Abbreviations(
    {
        "RTO": "recovery time objective",
        "MFA": "multi-factor authentication",
        "ISO": "information security officer",
        "CISO": "chief information security officer",
        "DPA": "data processing agreement",
    },
    frozenset({"RTO", "MFA", "ISO", "CISO"}),
)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("What is your RTO?", "What is your recovery time objective (RTO)?"),
        ("What are your RTOs?", "What are your recovery time objective (RTO)?"),
        ("Do you have a DPA?", "Do you have a data processing agreement?"),
        ("State your recovery time objective (RTO).", "State your recovery time objective (RTO)."),
        ("What is the Recovery Time Objective?", "What is the Recovery Time Objective?"),
        ("Is the rto met?", "Is the rto met?"),
        ("Do you support FIDO2?", "Do you support FIDO2?"),
        ("", ""),
    ],
)
def test_an_abbreviation_is_read_with_its_long_form(question: str, read: str) -> None:
    assert with_long_forms(question, LEARNED) == read
    assert with_long_forms(question, NO_ABBREVIATIONS) == question


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("What is the Recovery Time Objective?", "What is the Recovery Time Objective (RTO)?"),
        ("Is multi factor authentication on?", "Is multi factor authentication (MFA) on?"),
        ("Do you have a data processing agreement?", "Do you have a data processing agreement?"),
        ("State your recovery time objective (RTO).", "State your recovery time objective (RTO)."),
        ("Who is your chief information security officer?", "Who is your chief information security officer (CISO)?"),
        ("Do you support FIDO2?", "Do you support FIDO2?"),
        ("", ""),
    ],
)
def test_a_long_form_is_searched_with_its_abbreviation(question: str, searched: str) -> None:
    assert with_abbreviations(question, LEARNED) == searched
    assert with_abbreviations(question, NO_ABBREVIATIONS) == question
