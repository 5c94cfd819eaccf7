"""Compounds of questions in the corpus' own spelling."""

from __future__ import annotations

import pytest

from tasks.retrieval.compounds import in_corpus_spelling
from tests.tasks.made import bm25_weights

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
