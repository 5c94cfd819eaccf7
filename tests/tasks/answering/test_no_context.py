from __future__ import annotations

from tasks.answering.generators.no_context import answers_without_context
from tasks.records import Question
from tests.made.scripted_server import scripted_server

QUESTIONS = [Question(str(number), number, text) for number, text in enumerate(("One?", "Two?", "Three?"))]


def test_a_scripted_server_is_sent_questions_alone() -> None:
    replies = [(200, {"answer": " It is. "}), (200, {"answer": None}), (200, {"reply": "x"})]
    with scripted_server(*replies, max_in_flight=1) as (server, requests):
        found = answers_without_context(QUESTIONS, server)
    asked = [body["messages"][1]["content"] for body in requests[:3]]
    assert asked == ["Question: One?", "Question: Two?", "Question: Three?"]
    assert [answer.status for answer in found] == ["answered", "declined", "failed"]
    assert [answer.text for answer in found] == ["It is.", None, None]
    assert found[2].decline_reason == "generator_failed" and "not of the asked shape" in found[2].detail
    assert not any(answer.citations for answer in found)
    with scripted_server((200, {"answer": None})) as (server, requests):
        assert answers_without_context([], server) == [] and not requests
