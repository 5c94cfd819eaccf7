"""How long an answer may be, as the text of a question says it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from time import monotonic

import pytest

from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questions.answer_limits import asked_alone, without_limit
from tasks.questions.rows import question_rows, questions_of
from tasks.records import Question
from tasks.schemas import to_table


@pytest.mark.parametrize(
    ("text", "asked", "limit"),
    [
        ("In no more than 100 characters, do you have ISO 27001?", "Do you have ISO 27001?", 100),
        ("Do you have ISO 27001? (limit: 500 characters)", "Do you have ISO 27001?", 500),
        ("Do you have ISO 27001? Max. 50 words.", "Do you have ISO 27001?", 250),
        ("Do you have ISO 27001, max. 50 words?", "Do you have ISO 27001?", 250),
        ("Is data encrypted? Answer in at most 10 words.", "Is data encrypted?", 50),
        ("Is data encrypted? Please limit your answer to 50 words.", "Is data encrypted?", 250),
        ("Describe your backups in no more than 100 characters.", "Describe your backups.", 100),
        ("Describe your backups (max. 50 words).", "Describe your backups.", 250),
        ("Describe, in 100 words or fewer, how you patch.", "Describe how you patch.", 500),
        ("Using no more than 250 characters, explain it.", "Explain it.", 250),
        ("Answer in at most 10 words: who is your DPO?", "Who is your DPO?", 50),
        ("What is your RTO? It must be short. [100-150 words]", "What is your RTO? It must be short.", 750),
        ("What is your RTO?\nYour response must not exceed 1,000 characters incl. spaces.", "What is your RTO?", 1000),
        ("How do you train staff? Word limit: 150 words", "How do you train staff?", 750),
        ("Are passwords hashed? Keep your answer under 30 words.", "Are passwords hashed?", 150),
        ("Provide a description (no more than 2 000 characters) of it.", "Provide a description of it.", 2000),
        ("Do you allow passwords of at most 64 characters?", None, None),
        ("Do you restrict passwords (max. 64 characters)?", None, None),
        ("Are passphrases at least 12 characters long?", None, None),
        ("Is there a limit of 500 characters for comments?", None, None),
        ("Can users write comments in up to 500 characters?", None, None),
        ("What is the longest file name? Is it less than 255 characters?", None, None),
        ("Are at most 10 people told?", None, None),
        ("max. 50 words", None, None),
    ],
)
def test_a_limit_is_read_and_not_asked_about(text: str, asked: str | None, limit: int | None) -> None:
    assert without_limit(text) == (asked or text, limit)


@pytest.mark.parametrize(
    "text",
    [
        "max " + " " * 9000,
        "max" + "." * 9000,
        "answer " + "must " * 3000,
        "in " + "1 " * 3000,
        "(" * 9000,
        ", \n" * 3000,
    ],
)
def test_a_strange_text_takes_no_time(text: str) -> None:
    began = monotonic()
    assert without_limit(text) == (text, None) and monotonic() - began < 2


def test_the_questionnaire_keeps_what_is_written(make_sheet: Callable[..., bytes]) -> None:
    written = "Do you encrypt backups? (max. 100 characters)"
    rows = [["Question", "Answer (max. 500 characters)"], [written, None], ["How do you patch servers?", None]]
    first, second = read_questionnaire(make_sheet(rows), "q.xlsx").questions
    assert (first.text, first.written, first.max_characters) == ("Do you encrypt backups?", written, 100)
    assert (first.kind, second.written, second.max_characters) == ("yes_no", None, 500)
    identity = {"run_id": "r", "run_date": date(2026, 1, 1)}
    kept = to_table("questions", question_rows(identity, [first, second]))
    assert kept["question"].to_pylist() == [written, second.text]
    assert questions_of(kept) == [first, second]


def test_what_was_recorded_without_a_limit_was_searched_as_it_is() -> None:
    written = "Do you encrypt backups? (max. 100 characters)"
    kept = to_table(
        "questions", question_rows({"run_id": "r", "run_date": date(2026, 1, 1)}, [Question("q", 0, written)])
    )
    assert questions_of(kept)[0].text == written


def test_a_question_that_is_asked_alone() -> None:
    written = "In at most 10 words, do you encrypt backups?"
    asked = asked_alone(written)
    assert asked == Question("ask", 0, "Do you encrypt backups?", "yes_no", max_characters=50, written=written)
    assert asked_alone("Who is it?") == Question("ask", 0, "Who is it?")
