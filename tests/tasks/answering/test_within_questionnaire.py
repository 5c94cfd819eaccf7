"""One questionnaire: the same question gets one answer, and answers that contradict each other go to a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NoReturn

import numpy as np
import pytest

from tasks.answering.audit.log import Settled, Times
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.within_questionnaire import consistent
from tasks.records import Answer, AnswerStatus, Question, Verdict
from tests.made.embedding_models import words_as_vectors

TIMES = Times(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC), 0.0, 0.0)


def _encode(texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
    return words_as_vectors(texts), []


def _settled(
    number: int, question: str, text: str | None, verdict: Verdict | None = None, most: int | None = None
) -> tuple[Settled, Times]:
    asked = Question(f"q{number}", number, question, row_number=number, max_characters=most)
    status: AnswerStatus = "answered" if text else "declined"
    answer = Answer(asked.question_id, status, text=text, verdict=verdict, confidence=0.9)
    return Settled(Asked(asked, []), Draft(text, None, (), 0.9), answer), TIMES


def test_a_repeated_question_gets_the_answer_that_it_got_first() -> None:
    first, second, third, fourth = consistent(
        [
            _settled(2, "1. Where do you host?", "In Cork."),
            _settled(3, "4.2 where do you  host ?", None),
            _settled(4, "Where do you host?", "In Dublin.", most=3),
            _settled(5, "Where do you test?", "In Kiel."),
        ],
        _encode,
        str,
    )
    assert (second[0].answer.question_id, second[0].answer.text, second[0].answer.status) == (
        "q3",
        "In Cork.",
        "answered",
    )
    assert [one[0].answer.text for one in (first, third, fourth)] == ["In Cork.", "In Dublin.", "In Kiel."]


def test_the_same_in_other_words_and_another_answer_go_to_a_person_with_both_texts() -> None:
    one, other, apart = consistent(
        [
            _settled(2, "Are backups encrypted?", "Backups are encrypted.", "yes"),
            _settled(3, "Do you encrypt backups?", "Nothing is done there.", "no"),
            _settled(4, "Do you test backups?", "They are not tested.", "no"),
        ],
        _encode,
        str,
    )
    assert (one[0].answer.status, one[0].answer.verdict) == ("needs_review", None)
    assert one[0].answer.detail == (
        "the same is asked by “Do you encrypt backups?” (row 3) and answered otherwise: here “Backups are encrypted.”, "
        "there “Nothing is done there.”: decide which is right"
    )
    assert "there “Backups are encrypted.”" in other[0].answer.detail
    assert (apart[0].answer.status, apart[0].answer.detail) == ("answered", "")


def _unwanted(texts: Sequence[str]) -> NoReturn:
    pytest.fail(f"{texts} are encoded, and there is nothing to compare them with")


def test_what_agrees_is_left_alone_and_nothing_is_encoded_without_pairs() -> None:
    agreed = [
        _settled(2, "How long are logs kept?", "For twelve months."),
        _settled(3, "For how long do you keep logs?", "Logs are kept for a year."),
    ]
    assert consistent(agreed, _encode, str) == agreed
    assert consistent([], _unwanted, str) == [] and consistent(agreed[:1], _unwanted, str) == agreed[:1]


def test_abbreviations_are_read_in_full_before_questions_are_compared() -> None:
    one, other = consistent(
        [
            _settled(2, "Is multi-factor authentication enforced for administrators?", "Nobody enforces it.", "no"),
            _settled(3, "Is MFA enforced for admins?", "It is enforced.", "yes"),
        ],
        _encode,
        lambda question: question.replace("MFA", "multi-factor authentication (MFA)"),
    )
    assert one[0].answer.is_withheld and other[0].answer.is_withheld
    assert "“Is MFA enforced for admins?” (row 3)" in one[0].answer.detail
