from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.evaluation.gold.statement_questions import made_questions
from tasks.questions.past_rows import past_question
from tasks.records import Chunk, GoldEvidence, GoldQuestion
from tasks.tuning.training_pairs import Pair, collect
from tests.made.chunks import chunk_of

WORDS = ("backup", "breach", "visitor", "audit")


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """A direction for each word; a text without any has none."""
    found = np.array([[word in text.lower() for word in WORDS] for text in texts], np.float32).reshape(-1, len(WORDS))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
    return unit


def collected(chunks: Sequence[Chunk], *gold: GoldQuestion) -> list[Pair]:
    return collect(gold, chunks, encode([chunk.text for chunk in chunks]), encode)


def asked(question: str, *pages: int, answer: str | None = None) -> GoldQuestion:
    evidence = tuple(GoldEvidence("made.pdf", page, None, None) for page in pages)
    return GoldQuestion(question, question, answerable=bool(pages), answer=answer, verdict=None, evidence=evidence)


def test_a_gold_answer_picks_the_chunk_of_its_page() -> None:
    chunks = [chunk_of("Of the audit."), chunk_of("Of a backup.", start=20), chunk_of("Backups.", page_number=2)]
    pairs = collected(chunks, asked("How long?", 1, answer="A backup is kept"), asked("Never said?"), asked("Gone?", 9))
    assert pairs == [Pair("How long?", "gold", 1, (0, 1))]
    assert pairs[0].is_real


def test_a_past_answer_picks_what_bears_it_out() -> None:
    past = "How soon are we told?\nAnswer: Of a breach, within 48 hours."
    rows = [chunk_of(text, page_number=None, row_number=2, sheet_name="S") for text in (past, "No?\nAnswer: Never.")]
    chunks = [*rows, chunk_of("visitor rules"), chunk_of("breach rules", page_number=2)]
    assert collected(chunks) == [Pair("How soon are we told?", "past", 3, (3,), passed_over=0)]
    assert collected(rows) == [], "a past answer bears out no other"


def test_a_past_row_is_read_as_it_was_indexed() -> None:
    assert past_question("Do you\nencrypt?\nAnswer: Yes\nComments: AES-256.") == ("Do you encrypt?", "Yes AES-256.")
    assert past_question("Name: Jo; Age: 3") is None


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "Customers are told about a confirmed breach of personal data within 48 hours.",
            "How soon are customers told about a confirmed breach of personal data?",
        ),
        ("The backups are kept for thirty days in Dublin.", "How long are the backups kept?"),
        ("A penetration test is carried out by an independent firm.", "Is a penetration test carried out by an "
         "independent firm?"),
        ("SCIM is a protocol that provisions the accounts of users.", "What is SCIM?"),
        ("They are told about a breach within 48 hours.", None),
        ("If a breach is found, customers are told at once.", None),
        ("Visitors sign in at the front desk each day.", None),
    ],
)  # fmt: skip
def test_a_sentence_is_turned_round(sentence: str, question: str | None) -> None:
    assert made_questions([chunk_of(sentence)]) == ([(0, question)] if question else [])


def test_a_made_question_is_right_where_its_sentence_stands() -> None:
    text = "The audit log is kept by the operations team in Dublin."
    chunks = [chunk_of(text, start=0), chunk_of(text[10:], start=10), chunk_of("Else.", start=90)]
    (pair,) = collected(chunks)
    assert (pair.source, pair.positive, pair.right) == ("made", 0, (0, 1)) and not pair.is_real
    assert collected([]) == []
