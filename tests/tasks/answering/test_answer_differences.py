"""Differences between two answers to one question, scored on pairs that contradict and pairs that agree."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tasks.answering.conflicts.answer_differences import Side, bears_out, differs
from tasks.questions.wording import begins_with_verdict, first_clause
from tasks.records import Verdict

DATA = Path(__file__).parents[2] / "data" / "approved_answers.jsonl"
PAIRS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
OPPOSITE: dict[str, Verdict] = {"yes": "no", "no": "yes"}


def _approved(text: str) -> Side:
    verdict = begins_with_verdict(text)
    return Side(text.removeprefix(first_clause(text)).lstrip(",. ") if verdict else text, verdict)


@pytest.mark.parametrize(("kind", "misses", "false_alarms"), [("fitted", 0, 0), ("blind", 1, 1)])
def test_contradictions_are_found_and_agreement_in_other_words_is_left_alone(
    kind: str, misses: int, false_alarms: int
) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    for pair in (one for one in PAIRS if one["set"] == kind):
        verdict = pair["verdict"] and (pair["verdict"] if pair["label"] == "agrees" else OPPOSITE[pair["verdict"]])
        found = differs(pair["question"], _approved(pair["answer"]), Side(pair["document"], verdict))
        counts[pair["label"], found] += 1
    assert counts["contradicts", False] <= misses
    assert counts["agrees", True] <= false_alarms


@pytest.mark.parametrize(
    ("question", "one", "other", "found"),
    [
        ("How soon are we told?", "Within 48 hours.", "We tell you within two days.", False),
        ("How soon are we told?", "Within 48 hours.", "We tell you at once.", False),
        ("How often?", "Twice a year.", "Every six months.", False),
        ("How often?", "Twice a year.", "Every year.", True),
        ("When was it founded?", "In 1998.", "It was founded in March 1998.", False),
        ("Which protocol?", "TLS 1.2 or TLS 1.3.", "TLS 1.3 alone.", False),
        ("Which protocol?", "TLS 1.2.", "TLS 1.3 alone.", True),
        ("Who hosts it?", "AWS.", "Amazon Web Services hosts it.", False),
        ("How is it hosted?", "By Azure.", "By Amazon.", False),
        ("Do you hold ISO 27001?", "ISO 27001:2022, held since 2019.", "ISO 27001: all offices; 18 June 2028.", False),
        ("Do you hold ISO 27001?", "ISO 27001:2022, held since 2019.", "ISO 27001:2022, held since 2021.", True),
        ("Do you hold ISO 27001?", "Held since 2019.", "It is valid until June 2028.", False),
        ("Since when do you hold it?", "Since 2019.", "It was awarded in 2021.", True),
        ("Do you test it?", "Last in March 2024.", "The last test was in September 2025.", True),
        ("When is it closed?", "On Sundays.", "It is closed on Saturdays.", True),
        ("", "", "", False),
    ],
)
def test_two_answers_differ_where_they_have_nothing_of_a_kind_in_common(
    question: str, one: str, other: str, found: bool
) -> None:
    assert differs(question, Side(one), Side(other)) is found
    assert differs(question, Side(other), Side(one)) is found


def test_what_stands_there_in_the_same_words_has_the_same_verdict_whatever_a_model_reads() -> None:
    text = "Passwords are stored as salted hashes and never in plain text."
    assert not differs(
        "Are passwords stored in plain text?", Side("Only salted hashes are stored.", "no"), Side(text, "yes")
    )
    assert differs(
        "Are laptops encrypted?", Side("All laptops are encrypted.", "yes"), Side("Laptops are not encrypted.", "no")
    )
    assert bears_out("Are logs kept?", Side("", "yes"), Side("All logs are kept.", "yes"))
    assert not bears_out("Are logs kept?", Side("For a year."), Side("They are kept in Cork."))
