"""How questions read: alone, pointing to what was said, or elliptical; by the weights that are shipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from configs.weights import follow_up_weights
from tasks.chat.follow_ups import UNKNOWN, wording_features, wording_of

COMPANIES = Path(__file__).parents[2] / "data" / "companies"
WEIGHTS = follow_up_weights()


@pytest.mark.parametrize(
    ("question", "way"),
    [
        ("and for backups?", "elliptical"),
        ("What about tablets?", "elliptical"),
        ("And in Portugal?", "elliptical"),
        ("Who decides that?", "pointing"),
        ("How often is it reviewed?", "pointing"),
        ("Are they stored elsewhere, too?", "pointing"),
        ("Why?", "pointing"),
    ],
)
def test_what_leans_and_how(question: str, way: str) -> None:
    wording = wording_of(question, WEIGHTS)
    assert wording.leans > 0.5 and wording.way == way


@pytest.mark.parametrize(
    "question",
    [
        "How soon do you tell customers about a breach?",
        "And in which country is customer data stored?",
        "Does the company encrypt the laptops of its employees?",
        "Is it possible to restrict sign-in to addresses of the customer's network?",
        "The supplier shall keep security logs for a year.",
    ],
)
def test_what_stands_alone(question: str) -> None:
    assert wording_of(question, WEIGHTS).leans < 0.5


def test_questions_of_two_companies_that_no_wording_was_fitted_on() -> None:
    lines = [line for path in COMPANIES.glob("*/conversations.jsonl") for line in path.read_text().splitlines()]
    turns = [turn for line in lines for turn in json.loads(line)["turns"]]
    right = [(wording_of(turn["question"], WEIGHTS).leans > 0.5) == turn["leans"] for turn in turns]
    assert sum(right) >= 0.85 * len(right) > 100


def test_of_another_language_nothing_is_known() -> None:
    assert wording_of("Onde ficam guardadas as cópias?", WEIGHTS) == UNKNOWN


def test_no_words_have_one_feature() -> None:
    assert wording_features("?") == {"content 0": 1.0}
