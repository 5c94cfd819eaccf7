"""The judge on a server that says what a test has written for it: good marks, prose, garbage, marks off the scale."""

from __future__ import annotations

from typing import Any

import pytest

from configs.settings import OpenAISettings
from tasks.errors import GeneratorFailed, UsageError
from tasks.evaluation.judges.cases import CRITERIA, DECLINED, Case
from tasks.evaluation.judges.server import _INQUIRIES, ServerJudge, mark_request, read_mark
from tasks.llm.model_server import ModelServer
from tests.made.scripted_server import Kept, Odd, Reply, scripted_server, scripted_url

CASE = Case("How long?", ("Copies stay for 45 days.", "Lunch is at noon."), "45 days, in two regions.", "45 days")


def mark(score: object, **more: object) -> Reply:
    return 200, {"reason": "because", "score": score, **more}


def test_a_mark_of_the_asked_shape() -> None:
    assert read_mark('{"reason": "so", "score": 4}', "1-5").score == 4
    assert read_mark('{"reason": "so", "score": 0}', "0/1").score == 0


@pytest.mark.parametrize(
    ("raw", "marks", "told"),
    [
        ("I would give it a 4.", "1-5", "reply: Invalid JSON"),
        ('{"reason": "so", "score": "4"}', "1-5", "score: Input should be a valid integer"),
        ('{"reason": "so", "score": 4.5}', "1-5", "score"),
        ('{"score": 4}', "1-5", "reason: Field required"),
        ('{"reason": "so", "score": 6}', "1-5", "the score 6 is none of 1, 2, 3, 4, 5"),
        ('{"reason": "so", "score": 5}', "0/1", "the score 5 is none of 0, 1"),
        ('{"reason": "so", "score": null}', "0/1", "score"),
        ('{"reason": "so", "score": 4}', "1/3/5/7/10", "the score 4 is none of 1, 3, 5, 7, 10"),
    ],
)
def test_what_is_no_mark_is_told(raw: str, marks: Any, told: str) -> None:
    with pytest.raises(GeneratorFailed, match=told):
        read_mark(raw, marks)


def test_a_mark_with_something_around_it_is_taken() -> None:
    assert read_mark('```json\n{"reason": "so", "score": 4, "sure": true}\n```', "1-5").score == 4


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_has_a_prompt_and_shows_no_field_unfilled(criterion: str) -> None:
    inquiry = _INQUIRIES[criterion]
    requests = [mark_request(inquiry.prompt, inquiry.marks, shown) for shown in inquiry.shown(CASE)]
    assert requests
    for request in requests:
        assert "$" not in request.system + request.prompt
        assert "quoted material" in request.system and "one JSON object" in request.system
        assert ("1, 2, 3, 4 or 5" in request.system) == (inquiry.marks == "1-5")
    shown = "".join(request.prompt for request in requests)
    assert (CASE.question in shown) == (
        criterion
        in {
            "correctness",
            "points",
            "relevancy",
            "graded_context_relevance",
            "graded_answer_relevance",
            "answer_relevance",
            "refusal",
        }
    )


def test_prose_is_asked_for_once_more_with_what_was_wrong() -> None:
    with scripted_server((200, "A fine answer, well done."), mark(4)) as (server, requests):
        judge = ServerJudge(server)
        (found,) = judge.judge([CASE], "correctness")
    assert found.score == 4 and found.reason == "because" and found.shares == (0.75,)
    assert len(requests) == 2 and "is not of the shape" in requests[1]["messages"][1]["content"]
    assert judge.asked == 1 and judge.kept == 0


@pytest.mark.parametrize("bad", [(200, "Well …"), (200, "\x00\x01"), mark(9), mark("5"), (200, {"verdict": "good"})])
def test_what_stays_wrong_is_unscored_with_the_reason(bad: Reply) -> None:
    with scripted_server(bad) as (server, requests):
        (found,) = ServerJudge(server).judge([CASE], "correctness")
    assert (
        found.score is None and ("shape" in found.unscored or "none of 1, 2" in found.unscored) and len(requests) == 2
    )


def test_claims_are_asked_about_one_by_one() -> None:
    answer = "Copies stay for 45 days. They are held in two regions."
    with scripted_server(mark(1), mark(0), max_in_flight=1) as (server, requests):
        judge = ServerJudge(server)
        (found,) = judge.judge([CASE._replace(answer=answer)], "claim_faithfulness")
        (strict,) = judge.judge([CASE._replace(answer=answer)], "no_hallucination")
    assert found.score == 0.5 and found.shares == (1.0, 0.0)
    assert strict.score == 0.0 and len(requests) == 2 and judge.kept == 2  # the same requests, asked once
    (bare,) = ServerJudge(server).judge([CASE._replace(answer="Yes.")], "claim_faithfulness")
    assert bare.score is None and "claims nothing" in bare.unscored


def test_contexts_are_asked_about_one_by_one_and_one_missing_mark_leaves_none() -> None:
    with scripted_server(mark(2), mark(4), max_in_flight=1) as (server, _):
        (found,) = ServerJudge(server).judge([CASE], "graded_context_relevance")
    assert found.score == 4 and found.shares == (0.25, 0.75)
    with scripted_server(mark(2), (200, "no"), max_in_flight=1) as (server, _):
        (found,) = ServerJudge(server).judge([CASE], "graded_context_relevance")
    assert found.score is None


def test_each_repeat_is_asked_anew_and_kept_apart() -> None:
    kept = Kept()
    with scripted_server(mark(2), mark(4), mark(5), kept=kept) as (server, requests):
        judge = ServerJudge(server, temperature=0.7)
        scores = [judge.judge([CASE], "correctness", repeat)[0].score for repeat in (1, 2, 3)]
        again = [judge.judge([CASE], "correctness", repeat)[0].score for repeat in (1, 2, 3)]
    assert scores == again == [2, 4, 5]
    assert len(requests) == len(kept) == judge.asked == judge.kept == 3
    assert {request["temperature"] for request in requests} == {0.7}


def test_after_a_server_that_stopped_only_what_is_missing_is_asked() -> None:
    cases = [CASE._replace(answer=f"{days} days.") for days in (1, 2, 3, 4)]
    asked: list[str] = []
    last = 2

    def script(body: dict[str, Any]) -> Reply:
        asked.append(body["messages"][1]["content"])
        return mark(5) if len(asked) <= last else Odd(401)

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", max_in_flight=1), Kept())
        with pytest.raises(UsageError, match="key"):
            ServerJudge(server).judge(cases, "correctness")
        last, before = 99, asked[:2]
        asked.clear()
        judge = ServerJudge(server)
        assert [one.score for one in judge.judge(cases, "correctness")] == [5] * 4
    assert len(asked) == judge.asked == 2 and judge.kept == 2
    assert set(asked).isdisjoint(before)


def test_a_declined_case_is_not_asked_about() -> None:
    with scripted_server(mark(5)) as (server, requests):
        judge = ServerJudge(server)
        assert judge.judge([CASE._replace(answer=None)], "correctness")[0].unscored == DECLINED
        assert judge.judge([CASE._replace(answer=None)], "refusal")[0].score == 1.0
        assert judge.judge([], "correctness") == []
    assert requests == []
