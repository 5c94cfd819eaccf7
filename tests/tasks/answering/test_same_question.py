"""Sameness of questions in other words, scored on pairs: two questions taken for one would give a wrong answer."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tasks.answering.conflicts.same_question import Vectors, bare, is_same_question

DATA = Path(__file__).parents[2] / "data" / "same_questions.jsonl"
PAIRS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
SAME = Vectors(np.ones(1, np.float32), np.ones((3, 1), np.float32))
"""The vectors of two texts that a model takes for the same, whatever they say."""


@pytest.mark.parametrize(("kind", "least"), [("fitted", 13), ("blind", 10)])
def test_different_questions_are_kept_apart_and_the_same_found(kind: str, least: int) -> None:
    counts = Counter(
        (pair["same"], is_same_question(pair["one"], pair["other"])) for pair in PAIRS if pair["set"] == kind
    )
    assert counts[False, True] == 0
    assert counts[True, True] >= least


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Is data encrypted at rest?", "Is data encrypted in transit?"),
        ("Do you sell personal data?", "Do you buy personal data?"),
        ("Are logs kept for 12 months?", "Are logs kept for 24 months?"),
        ("Can customers audit you?", "Can you audit customers?"),
        ("Who approves changes?", "How are changes approved?"),
        ("Is data kept in the EU?", "Is data not kept in the EU?"),
        ("Do you hold ISO 27001?", "Do you hold ISO 9001?"),
        ("Are employees trained before release?", "Are employees trained after release?"),
        ("Where are logs kept?", "Where are logs kept for audits?"),
    ],
)
def test_no_vector_makes_one_question_of_two(one: str, other: str) -> None:
    assert not is_same_question(one, other, SAME, SAME)


def test_other_words_need_near_vectors() -> None:
    one, other = "When was the company founded?", "In what year was the company established?"
    far = Vectors(np.zeros(1, np.float32), np.zeros((3, 1), np.float32))
    assert is_same_question(one, other, SAME, SAME)
    assert not is_same_question(one, other, SAME, far)
    assert not is_same_question(one, other)


@pytest.mark.parametrize(
    "text",
    [
        "Do you encrypt backups?",
        "3.1 Do you encrypt  backups ?",
        "Q7: do you encrypt backups",
        "b) DO YOU encrypt backups?",
    ],
)
def test_number_case_and_spaces_change_no_question(text: str) -> None:
    assert bare(text) == bare("Do you encrypt backups?")
