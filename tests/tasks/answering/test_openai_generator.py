"""The `openai` generator against a scripted server: what a small model cannot be made to do on demand."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from configs.settings import OpenAISettings
from tasks.answering.drafting import Asked
from tasks.answering.grounding import Opinions, check_drafts
from tasks.answering.openai_generator import OpenAIGenerator
from tasks.answering.prompts import reply_schema, system_prompt
from tasks.errors import ServiceAway, UsageError
from tasks.model_server import ModelServer
from tasks.records import Chunk, Hit, PageSpan, Question
from tests.scripted_server import Kept, Reply, scripted_server

TEXT = "Database snapshots are taken every four hours and are kept for 35 days."
GOOD = {"verdict": None, "answer": "Snapshots are taken every four hours.", "citations": [1]}


def asked(question: str = "How often are snapshots taken?") -> Asked:
    chunk = Chunk("c", "d", "bcp.pdf", "0" * 64, "pdf", 0, 0, len(TEXT), TEXT, "", 14, (PageSpan(4, 0, len(TEXT)),))
    return Asked(Question("q", 0, question), [Hit("q", 1, chunk, 1.0, 0.5, 0.5, 0.5)])


@contextmanager
def scripted_generator(
    *replies: Reply, kept: Kept | None = None
) -> Iterator[tuple[OpenAIGenerator, list[dict[str, Any]]]]:
    """The generator before a server that gives the next reply (the last one for ever), and what it was asked."""
    with scripted_server(*replies, kept=kept) as (server, requests):
        yield OpenAIGenerator(server), requests


def test_a_good_reply_is_cited_on_its_page() -> None:
    with scripted_generator((200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert (draft.text, draft.citations[0].page_number, draft.citations[0].quote) == (GOOD["answer"], 4, TEXT)
    (request,) = requests
    assert request["messages"][0] == {"role": "system", "content": system_prompt()}
    assert "[1] bcp.pdf, p. 4" in request["messages"][1]["content"]
    assert request["response_format"]["json_schema"]["schema"] == reply_schema(1)


@pytest.mark.parametrize(
    "bad",
    [
        "I think so!",
        {"answer": "x"},
        GOOD | {"citations": [7]},
        GOOD | {"extra": 1},
        '{"verdict": null, "answer": "cut',
    ],
    ids=["prose", "keys missing", "a passage that is not there", "unknown key", "truncated"],
)
def test_a_bad_reply_is_asked_for_once_more(bad: Any) -> None:
    with scripted_generator((200, bad), (200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert draft.text == GOOD["answer"] and len(requests) == 2
    assert "refused" in requests[1]["messages"][1]["content"]


def test_two_bad_replies_fail_the_question_with_a_reason() -> None:
    with scripted_generator((200, "no JSON")) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert draft.declined == "generator_failed" and "shape" in draft.detail and len(requests) == 2


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (GOOD | {"answer": None, "citations": []}, "no_evidence"),
        (GOOD | {"answer": "Snapshots are kept for 90 days."}, "unsupported"),
        (GOOD | {"citations": []}, "unsupported"),
    ],
    ids=["it found nothing", "a figure of its own", "nothing cited"],
)
def test_what_the_passages_do_not_say_is_declined(reply: dict[str, Any], reason: str) -> None:
    with scripted_generator((200, reply)) as (generator, _):
        (draft,) = check_drafts([asked()], generator.draft([asked()]), Opinions())
    assert (draft.text, draft.declined) == (None, reason)


@pytest.mark.parametrize("choices", [None, [], [{"index": 0, "finish_reason": "stop", "message": None}]])
def test_an_answer_of_another_shape_fails_the_question_alone(choices: object) -> None:
    with scripted_generator((200, {"raw": {"choices": choices}})) as (generator, _):
        (draft,) = generator.draft([asked()])
    assert draft.declined == "generator_failed"


def test_a_page_instead_of_an_answer_is_a_server_that_is_away() -> None:
    with scripted_generator((200, "<html>Sign in</html>")) as (generator, _), pytest.raises(ServiceAway, match="/v1"):
        generator.draft([asked()])


def test_a_yes_to_other_figures_is_not_passed_on() -> None:
    yes = GOOD | {"verdict": "yes"}
    for question, verdict in (("Are snapshots kept for 35 days?", "yes"), ("Are snapshots kept for 90 days?", None)):
        item = asked(question)
        with scripted_generator((200, yes)) as (generator, _):
            item = Asked(replace(item.question, kind="yes_no"), item.hits)
            (draft,) = check_drafts([item], generator.draft([item]), Opinions())
        assert draft.verdict == verdict


@pytest.mark.parametrize(("status", "named"), [(401, "BIDFOLIO_OPENAI_API_KEY"), (404, "BIDFOLIO_OPENAI_MODEL")])
def test_a_wrong_key_or_model_is_named(status: int, named: str) -> None:
    with scripted_generator((status, {})) as (generator, _), pytest.raises(UsageError, match=named):
        generator.draft([asked()])


def test_a_server_that_is_away_is_transient() -> None:
    away = OpenAISettings(base_url="http://127.0.0.1:9/v1", model="m", timeout_s=2)
    generator = OpenAIGenerator(ModelServer(away, Kept()))
    with pytest.raises(ServiceAway, match="--generator extractive"):
        generator.draft([asked(), asked()])


def test_what_is_good_is_asked_once_and_what_failed_again() -> None:
    first, second = asked(), asked("How long are snapshots kept?")
    with scripted_generator((200, GOOD), (200, "no JSON"), (200, "no JSON"), (200, GOOD)) as (generator, requests):
        generator.draft([first])
        (failed,) = generator.draft([second])
        assert failed.declined == "generator_failed" and len(requests) == 3
        drafts = generator.draft([first, second])
    assert [draft.text for draft in drafts] == [GOOD["answer"]] * 2 and len(requests) == 4


def test_a_server_that_goes_away_costs_no_reply_that_was_there() -> None:
    kept = Kept()
    with scripted_generator((200, GOOD), kept=kept) as (generator, requests):
        generator.draft([asked()])
    assert requests and kept
    with pytest.raises(ServiceAway):
        generator.draft([asked(), asked("How long are snapshots kept?")])
    (draft,) = generator.draft([asked()])
    assert draft.text == GOOD["answer"]


def test_a_limit_of_the_customer_is_told_and_set() -> None:
    item = asked()
    limited = Asked(replace(item.question, max_characters=80), item.hits)
    with scripted_generator((200, GOOD)) as (generator, requests):
        generator.draft([limited])
    assert "at most 80 characters" in requests[0]["messages"][1]["content"]
    assert requests[0]["response_format"]["json_schema"]["schema"] == reply_schema(1, 80) != reply_schema(1)


def test_no_hits_are_not_asked_about() -> None:
    with scripted_generator((200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([Asked(Question("q", 0, "Anything?"), [])])
    assert draft.declined == "no_evidence" and not requests


def test_a_neighbour_is_a_passage_that_can_be_cited_with_its_own_page() -> None:
    item = asked()
    found = item.hits[0].chunk
    more = "Restores are rehearsed each quarter by the operations team."
    start = len(TEXT) + 1
    spans = (PageSpan(5, start, start + len(more)),)
    beside = replace(found, chunk_id="n", ordinal=1, start=start, end=start + len(more), text=more, page_spans=spans)
    handed = Asked(item.question, [replace(item.hits[0], handed_over=(found, beside))])
    reply = {"verdict": None, "answer": "Restores are rehearsed each quarter.", "citations": [2]}
    with scripted_generator((200, reply)) as (generator, requests):
        (draft,) = generator.draft([handed])
    told = requests[0]["messages"][1]["content"]
    assert f"[1] bcp.pdf, p. 4\n{TEXT}\n\n[2] bcp.pdf, p. 5\n{more}" in told
    assert requests[0]["response_format"]["json_schema"]["schema"] == reply_schema(2)
    assert [(citation.page_number, citation.quote) for citation in draft.citations] == [(5, more)]
