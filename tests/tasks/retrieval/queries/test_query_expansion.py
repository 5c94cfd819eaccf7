"""Other wordings from a scripted server: what a small model cannot be made to do on demand."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from configs.retrieval import Feedback, Wordings
from configs.settings import OpenAISettings
from tasks.errors import ServiceAway
from tasks.llm.model_server import ModelServer
from tasks.retrieval.queries.query_expansion import (
    MAX_CHARACTERS,
    Expansion,
    expand_prompt,
    wording_writer,
    write_wordings,
)
from tests.made.scripted_server import Kept, Reply, scripted_server, scripted_url

QUESTION = "How soon do you tell customers about a breach?"
GOOD = {"queries": ["breach notification period", "incident notice to customers"]}


def test_the_wordings_are_those_of_the_server() -> None:
    with scripted_server((200, GOOD)) as (server, requests):
        assert write_wordings([QUESTION], 2, server) == [Expansion(tuple(GOOD["queries"]))]
    (request,) = requests
    assert [message["content"] for message in request["messages"]] == [
        expand_prompt(),
        f"Question: {QUESTION}\nWrite 2 queries.",
    ]
    asked_for = request["response_format"]["json_schema"]
    assert asked_for["strict"] and asked_for["schema"]["properties"]["queries"]["maxItems"] == 2


@pytest.mark.parametrize(
    ("queries", "kept"),
    [
        (["a", "b", "c", "d"], ("a", "b")),
        (["a", " A ", "a\n", "b"], ("a", "b")),
        ([QUESTION.upper(), "  ", "", "a"], ("a",)),
        (["x" * (MAX_CHARACTERS + 1), " breach  "], ("breach",)),
    ],
    ids=["too many", "repeated", "the question itself, and blank ones", "too long"],
)
def test_what_is_no_other_wording_is_left_out(queries: list[str], kept: tuple[str, ...]) -> None:
    with scripted_server((200, {"queries": queries})) as (server, requests):
        (found,) = write_wordings([QUESTION], 2, server)
    assert [query.casefold() for query in found.queries] == list(kept) and len(requests) == 1


@pytest.mark.parametrize(
    "bad",
    ["breach, incident", {"queries": "breach"}, {"queries": []}, {"queries": [QUESTION]}, {"wordings": ["a"]}],
    ids=["prose", "no list", "empty list", "the question itself", "another key"],
)
def test_a_bad_reply_is_asked_for_once_more_and_then_given_up(bad: Any) -> None:
    with scripted_server((200, bad), (200, GOOD)) as (server, requests):
        assert write_wordings([QUESTION], 2, server) == [Expansion(tuple(GOOD["queries"]))]
        assert len(requests) == 2 and "refused" in requests[1]["messages"][1]["content"]
    with scripted_server((200, bad)) as (server, requests):
        (found,) = write_wordings([QUESTION], 2, server)
    assert not found.queries and found.reason and len(requests) == 2


def test_one_question_late_or_refused_leaves_the_others_expanded() -> None:
    def script(body: dict[str, Any]) -> Reply:
        prompt = body["messages"][1]["content"]
        if "slow" in prompt:
            time.sleep(0.6)
        return (400, {}) if "refused" in prompt else (200, GOOD)

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", timeout_s=0.3), Kept())
        slow, good, refused = write_wordings(["slow?", "good?", "refused?"], 2, server)
    assert good == Expansion(tuple(GOOD["queries"]))
    assert slow.reason and "gave no reply within 0.3 s" in slow.reason and "BIDFOLIO_OPENAI_TIMEOUT_S" in slow.reason
    assert refused.reason and "status 400" in refused.reason
    assert not slow.queries and not refused.queries


def test_no_more_requests_are_in_flight_than_the_settings_say() -> None:
    lock, state = threading.Lock(), {"now": 0, "most": 0}

    def script(body: dict[str, Any]) -> Reply:
        with lock:
            state["now"] += 1
            state["most"] = max(state["most"], state["now"])
        time.sleep(0.02)
        with lock:
            state["now"] -= 1
        return 200, GOOD

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", max_in_flight=3), Kept())
        found = write_wordings([f"question {number}?" for number in range(24)], 2, server)
    assert all(expansion.queries for expansion in found) and 1 < state["most"] <= 3


def test_a_good_reply_is_asked_for_once_and_another_count_anew() -> None:
    kept = Kept()
    with scripted_server((200, GOOD), kept=kept) as (server, requests):
        first = write_wordings([QUESTION], 2, server)
        assert write_wordings([QUESTION], 2, server) == first and len(requests) == 1
        assert write_wordings([QUESTION], 1, server) == [Expansion(tuple(GOOD["queries"][:1]))] and len(requests) == 2
    assert [json.loads(raw) for raw in kept.values()] == [GOOD, GOOD]


def test_a_server_that_is_away_is_transient() -> None:
    away = ModelServer(OpenAISettings(base_url="http://127.0.0.1:9/v1", model="m", timeout_s=2), Kept())
    with pytest.raises(ServiceAway, match=r"start it, or take a plan without retrieval\.expand"):
        write_wordings([QUESTION], 2, away)
    assert write_wordings(["", " \n"], 2, away) == [Expansion(reason="the question is empty")] * 2
    assert write_wordings([], 2, away) == []


@pytest.mark.parametrize("expand", [None, Feedback(by="feedback")])
def test_a_plan_that_asks_no_server_asks_none(expand: Feedback | None) -> None:
    with scripted_server((200, GOOD)) as (server, requests):
        with pytest.raises(ValueError, match="asks no model server"):
            wording_writer(expand, server)([QUESTION])
        assert wording_writer(Wordings(by="generator"), server)([QUESTION])[0].queries and len(requests) == 1
