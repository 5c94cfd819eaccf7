"""Follow-ups joined with the question before them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from configs.weights import follow_up_weights
from tasks.chat.follow_ups import Wording
from tasks.chat.joining import joined, placings, topic_of, with_topic

POINTING, ELLIPTICAL = Wording(0.9, 0.05), Wording(0.05, 0.9)
WEIGHTS = follow_up_weights()


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors that know letters alone: texts with the same words, whatever their order, are alike."""
    rows = [
        [sum(hashlib.md5(word.encode()).digest()[at] for word in text.lower().split()) for at in range(16)]
        for text in texts
    ]
    vectors = np.array(rows, np.float32)
    unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit


def test_a_pointing_follow_up_gets_the_words_of_what_was_asked() -> None:
    found = joined("How often are they tested?", "Do you encrypt backups?", POINTING, encode, WEIGHTS)
    assert found == "How often are they tested (backups)?"


def test_words_that_it_has_are_not_added_again() -> None:
    assert with_topic("Who owns it?", "Do you have an asset register?", WEIGHTS) == "Who owns it (asset register)?"
    assert with_topic("Who restores backups?", "Where are backups kept?", WEIGHTS) == "Who restores backups?"


def test_the_topic_of_a_joined_question_stays_one() -> None:
    assert topic_of("Where are they (backups)?", WEIGHTS) == "backups"
    assert topic_of("How are they kept?", WEIGHTS) == "kept", "there is no other word"
    before = with_topic("Is it tested?", "Do you have a plan for the loss of a site?", WEIGHTS)
    assert with_topic("Who owns it?", before, WEIGHTS) == "Who owns it (tested, plan for the loss of a site)?"


@pytest.mark.parametrize(
    ("before", "topic"),
    [
        ("Is customer data stored in the United Kingdom?", "customer data, United Kingdom"),
        ("In which countries is personal data stored?", "countries, personal data"),
        ("Do you run background checks on new employees?", "background checks on new employees"),
    ],
)
def test_a_topic_reads_as_phrases(before: str, topic: str) -> None:
    assert with_topic("Is it?", before, WEIGHTS) == f"Is it ({topic})?"


@pytest.mark.parametrize(
    ("before", "follow_up", "asked"),
    [
        ("Do you have an office in Germany?", "and in Ireland?", "Do you have an office in Ireland?"),
        ("Is data encrypted at rest?", "And at work?", "Is data encrypted at work?"),
        ("What is the fee in Gold?", "And in Silver?", "What is the fee in Silver?"),
    ],
)
def test_an_elliptical_one_takes_the_place_of_what_begins_as_it_does(before: str, follow_up: str, asked: str) -> None:
    assert joined(follow_up, before, ELLIPTICAL, encode, WEIGHTS) == asked


def test_one_way_is_behind_and_no_way_leaves_no_content_word() -> None:
    found = [one.text for one in placings("and logs?", "Are backups kept?", encode)]
    assert found[0] == "Are backups kept – and logs?"
    assert found[1:] == ["logs kept?", "Are logs kept?", "Are backups logs?"]
    assert [one.text for one in placings("and logs?", "Backups?", encode)] == ["Backups – and logs?"]
    assert [one.text for one in placings("and?", "Are backups kept?", encode)] == ["Are backups kept – and?"]


def test_a_long_elliptical_one_is_not_put_into_another() -> None:
    long = "for the customers of the resellers of our partners in the other regions?"
    assert joined(long, "Are backups kept?", ELLIPTICAL, encode, WEIGHTS).endswith("regions (backups)?")
