"""A document that a question names weighs more; a word that only means a thing names none."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.retrieval.queries.named_documents import DocumentName, document_names, words_as_names
from tests.made.chunks import chunk_of

NAMES = {
    "w20.pdf": "American Water Works 2020",
    "w21.pdf": "American Water Works 2021",
    "v.pdf": "Verizon 2021",
    "p.pdf": "Password Policy",
}
CHUNKS = [chunk_of("Text.", file_name=name) for name in (*NAMES, "unnamed.pdf")]


def scores(question: str) -> dict[str, float]:
    (row,) = document_names(tuple(DocumentName(*each) for each in NAMES.items())).scores([question], CHUNKS)
    return dict(zip([chunk.file_name for chunk in CHUNKS], row.tolist(), strict=True))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What did American Water Works earn in FY2021?", "w21.pdf"),
        ("What did American Water Works earn in FY20?", "w20.pdf"),
        ("How large was Verizon's debt?", "v.pdf"),
        ("According to the Password Policy, how long is a password?", "p.pdf"),
    ],
)
def test_the_named_document_has_the_highest_score(question: str, first: str) -> None:
    found = scores(question)
    assert max(found, key=lambda name: found[name]) == first
    assert found["unnamed.pdf"] == 0


def test_a_year_alone_raises_all_documents_of_it() -> None:
    found = scores("What was the revenue in 2021?")
    assert found["w21.pdf"] > 0 and found["v.pdf"] > 0
    assert found["w20.pdf"] == found["p.pdf"] == 0


@pytest.mark.parametrize(
    "question",
    [
        "Do you have a password policy?",
        "Water coolers: who cleans them?",
        "IS IT WATER FROM VERIZON?",
        "",
        ". " * 50_000,
    ],
)
def test_a_word_that_is_not_written_as_a_name_names_nothing(question: str) -> None:
    assert not any(scores(question).values())


def test_no_documents_and_no_questions_give_empty_scores() -> None:
    assert document_names(()).scores(["Verizon in 2021"], CHUNKS).shape == (1, len(CHUNKS))
    assert not np.any(document_names(()).scores(["Verizon in 2021"], CHUNKS))
    assert document_names(tuple(DocumentName(*each) for each in NAMES.items())).scores([], CHUNKS).shape == (
        0,
        len(CHUNKS),
    )


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the FY2018 figure for 3M?", {"fy2018", "2018", "3m"}),
        ("in Q2 2022 or FY'23", {"q2", "2022", "2023", "fy", "23"}),
        ("What does Österreich Post say? Éclair SA?", {"osterreich", "sa"}),
        ("FY98 and FY'71", {"1998", "1971"}),
        ("Under the US rules, does IT lock it?", {"us", "it"}),
        ("What does version 2.1 of it say? And v3.0?", {"v2.1", "v3"}),
    ],
)
def test_capitals_and_digits_make_names(question: str, words: set[str]) -> None:
    assert words_as_names(question) >= words


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What did version 1 of the rules say?", "rules_v1.0.pdf"),
        ("What does v10 say?", "rules_v10.pdf"),
        ("Under the US rules?", "us.pdf"),
    ],
)
def test_versions_and_stop_words_in_capitals_name_documents(question: str, first: str) -> None:
    called = [
        DocumentName("rules_v1.0.pdf", "Rules"),
        DocumentName("rules_v10.pdf", "Rules"),
        DocumentName("us.pdf", "US"),
    ]
    chunks = [chunk_of("Text.", file_name=one.file_name) for one in called]
    (row,) = document_names(tuple(called)).scores([question], chunks)
    assert np.flatnonzero(row == row.max()).tolist() == [[one.file_name for one in called].index(first)]
    assert row.max() > 0
