"""The `openai` generator against a scripted server: what a small model cannot be made to do on demand."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from configs.settings import OpenAISettings
from tasks.answering.drafting import Asked
from tasks.answering.openai_generator import OpenAIGenerator
from tasks.answering.prompts import reply_schema, system_prompt
from tasks.errors import ServiceAway, UsageError
from tasks.records import Chunk, Hit, PageSpan, Question

TEXT = "Database snapshots are taken every four hours and are kept for 35 days."
GOOD = {"verdict": None, "answer": "Snapshots are taken every four hours.", "citations": [1]}


def asked(question: str = "How often are snapshots taken?") -> Asked:
    chunk = Chunk("c", "d", "bcp.pdf", "0" * 64, "pdf", 0, 0, len(TEXT), TEXT, "", 14, (PageSpan(4, 0, len(TEXT)),))
    return Asked(Question("q", 0, question), [Hit("q", 1, chunk, 1.0, 0.5, 0.5, 0.5)])


class Kept(dict[str, str]):
    """Replies in memory."""

    def reply(self, key: str) -> str | None:
        return self.get(key)

    def put_reply(self, key: str, reply: str) -> None:
        self[key] = reply


@contextmanager
def scripted_server(
    *replies: tuple[int, Any], kept: Kept | None = None
) -> Iterator[tuple[OpenAIGenerator, list[dict[str, Any]]]]:
    """A server on loopback that gives the next reply (the last one for ever), and what it was asked."""
    keeping = Kept() if kept is None else kept
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, content = replies[min(len(requests), len(replies) - 1)]
            requests.append(json.loads(body))
            is_page = isinstance(content, str) and content.startswith("<html")
            text = content if isinstance(content, str) else json.dumps(content)
            message = {"role": "assistant", "content": text}
            done: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
            done |= {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
            if isinstance(content, dict):
                done |= content.get("raw", {})
            raw = content.encode() if is_page else json.dumps(done).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if is_page else "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing: the test's output is not for this."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/v1"
        yield OpenAIGenerator(OpenAISettings(base_url=url, model="m", timeout_s=5), keeping), requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_good_reply_is_cited_on_its_page() -> None:
    with scripted_server((200, GOOD)) as (generator, requests):
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
    with scripted_server((200, bad), (200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert draft.text == GOOD["answer"] and len(requests) == 2
    assert "refused" in requests[1]["messages"][1]["content"]


def test_two_bad_replies_fail_the_question_with_a_reason() -> None:
    with scripted_server((200, "no JSON")) as (generator, requests):
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
    with scripted_server((200, reply)) as (generator, _):
        (draft,) = generator.draft([asked()])
    assert (draft.text, draft.declined) == (None, reason)


@pytest.mark.parametrize("choices", [None, [], [{"index": 0, "finish_reason": "stop", "message": None}]])
def test_an_answer_of_another_shape_fails_the_question_alone(choices: object) -> None:
    with scripted_server((200, {"raw": {"choices": choices}})) as (generator, _):
        (draft,) = generator.draft([asked()])
    assert draft.declined == "generator_failed"


def test_a_page_instead_of_an_answer_is_a_server_that_is_away() -> None:
    with scripted_server((200, "<html>Sign in</html>")) as (generator, _), pytest.raises(ServiceAway, match="/v1"):
        generator.draft([asked()])


def test_a_yes_to_other_figures_is_not_passed_on() -> None:
    yes = GOOD | {"verdict": "yes"}
    for question, verdict in (("Are snapshots kept for 35 days?", "yes"), ("Are snapshots kept for 90 days?", None)):
        item = asked(question)
        with scripted_server((200, yes)) as (generator, _):
            (draft,) = generator.draft([Asked(replace(item.question, kind="yes_no"), item.hits)])
        assert draft.verdict == verdict


@pytest.mark.parametrize(("status", "named"), [(401, "BIDFOLIO_OPENAI_API_KEY"), (404, "BIDFOLIO_OPENAI_MODEL")])
def test_a_wrong_key_or_model_is_named(status: int, named: str) -> None:
    with scripted_server((status, {})) as (generator, _), pytest.raises(UsageError, match=named):
        generator.draft([asked()])


def test_a_server_that_is_away_is_transient() -> None:
    generator = OpenAIGenerator(OpenAISettings(base_url="http://127.0.0.1:9/v1", model="m", timeout_s=2), Kept())
    with pytest.raises(ServiceAway, match="--generator extractive"):
        generator.draft([asked(), asked()])


def test_what_is_good_is_asked_once_and_what_failed_again() -> None:
    first, second = asked(), asked("How long are snapshots kept?")
    with scripted_server((200, GOOD), (200, "no JSON"), (200, "no JSON"), (200, GOOD)) as (generator, requests):
        generator.draft([first])
        (failed,) = generator.draft([second])
        assert failed.declined == "generator_failed" and len(requests) == 3
        drafts = generator.draft([first, second])
    assert [draft.text for draft in drafts] == [GOOD["answer"]] * 2 and len(requests) == 4


def test_a_server_that_goes_away_costs_no_reply_that_was_there() -> None:
    kept = Kept()
    with scripted_server((200, GOOD), kept=kept) as (generator, requests):
        generator.draft([asked()])
    assert requests and kept
    with pytest.raises(ServiceAway):
        generator.draft([asked(), asked("How long are snapshots kept?")])
    (draft,) = generator.draft([asked()])
    assert draft.text == GOOD["answer"]


def test_a_limit_of_the_customer_is_told_and_set() -> None:
    item = asked()
    limited = Asked(replace(item.question, max_characters=80), item.hits)
    with scripted_server((200, GOOD)) as (generator, requests):
        generator.draft([limited])
    assert "at most 80 characters" in requests[0]["messages"][1]["content"]
    assert requests[0]["response_format"]["json_schema"]["schema"] == reply_schema(1, 80) != reply_schema(1)


def test_no_hits_are_not_asked_about() -> None:
    with scripted_server((200, GOOD)) as (generator, requests):
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
    with scripted_server((200, reply)) as (generator, requests):
        (draft,) = generator.draft([handed])
    told = requests[0]["messages"][1]["content"]
    assert f"[1] bcp.pdf, p. 4\n{TEXT}\n\n[2] bcp.pdf, p. 5\n{more}" in told
    assert requests[0]["response_format"]["json_schema"]["schema"] == reply_schema(2)
    assert [(citation.page_number, citation.quote) for citation in draft.citations] == [(5, more)]
