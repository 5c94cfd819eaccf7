from __future__ import annotations

import pytest

from tasks.errors import GeneratorFailed, ServiceAway
from tasks.evaluation.gold.question_writer import read_question, write_questions
from tests.made.chunks import chunk_of
from tests.made.scripted_server import scripted_server

TEXT = "Security logs are kept\nfor 24 months, then deleted."
GOOD = {"question": "After what time is a log record thrown away?", "answer": "for 24 months"}


def test_a_reply_is_found_in_the_chunk_whatever_its_blanks() -> None:
    found = read_question('{"question": "How long are  logs kept?", "answer": "kept for 24 months"}', TEXT)
    assert (found.question, TEXT[found.start : found.end]) == ("How long are logs kept?", "kept\nfor 24 months")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("Here you are!", "not of the asked shape"),
        ('{"query": "How long?", "answer": "24 months"}', "question: Field required"),
        ('{"question": "The logs", "answer": "24 months"}', "question mark"),
        ('{"question": "How long?", "answer": " "}', "`answer` is empty"),
        ('{"question": "How long?", "answer": "25 months"}', "letter by letter"),
        ('{"question": "Are they kept for 24 months?", "answer": "for 24 months"}', "has the answer in it"),
    ],
)
def test_a_reply_that_is_no_question_with_its_span_is_refused(raw: str, reason: str) -> None:
    with pytest.raises(GeneratorFailed, match=reason):
        read_question(raw, TEXT)


def test_a_server_is_told_once_what_was_wrong_and_then_given_up() -> None:
    made_up = {"question": "How long?", "answer": "for ever"}
    with scripted_server((200, made_up), (200, GOOD)) as (server, requests):
        ((one,),) = (given for given in write_questions([chunk_of(TEXT)], server) if not isinstance(given, str))
        assert TEXT[one.start : one.end] == "for 24 months" and len(requests) == 2
        assert "letter by letter" in requests[1]["messages"][1]["content"]
    with scripted_server((200, made_up)) as (server, _):
        assert write_questions([chunk_of(TEXT)], server) == ["`answer` is not in the excerpt letter by letter"]


def test_a_server_that_is_away_is_named() -> None:
    with scripted_server((200, GOOD)) as (server, _):
        pass
    with pytest.raises(ServiceAway, match="--generator rules"):
        write_questions([chunk_of(TEXT)], server)
