"""Recorded attempts give the drafts that they gave, whoever made them, and without any server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from configs.settings import OpenAISettings
from tasks.answering.audit.replay import KeptReplies, RecordedGenerator
from tasks.answering.drafts.draft import Asked, Draft, Generator
from tasks.answering.entailment.llm_judge import judgements_of
from tasks.answering.generators.chain import ChainGenerator
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.llm.model_server import ModelServer
from tests.made.generator_chains import AWAY, Chain, extractive
from tests.made.scripted_server import Kept, Odd, Reply, refusal, scripted_server, scripted_url
from tests.made.snapshots import GOOD, asked, hit


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def again(name: str, draft: Draft) -> Generator:
    return RecordedGenerator(name, {"q": draft.attempts}, extractive())


@pytest.mark.parametrize(
    "reply",
    [
        (200, GOOD),
        (200, {"verdict": None, "answer": None, "citations": []}),
        (200, GOOD | {"answer": "They are kept for 99 days."}),
        (200, "I think so!"),
        AWAY,
        Odd(500),
        Odd(401),
        Odd(body=b"{}", after_s=0.5),
    ],
    ids=["good", "none found", "unsupported", "prose", "away", "broken", "key", "slow"],
)
def test_a_chain_that_is_gone_drafts_the_same(stack: ExitStack, reply: Reply | str) -> None:
    chain = Chain(stack, "openai", "backup", "extractive", seconds=0.2, openai=reply, backup=AWAY)
    (draft,) = chain.generator.draft([asked()])
    asked_before = {name: len(requests) for name, requests in chain.requests.items()}
    assert again("chain", draft).draft([asked()]) == [draft]
    told: list[str] = []
    assert again("chain", draft).stream_draft(asked(), told.append) == draft
    assert "".join(told) == (draft.text or "")
    assert {name: len(requests) for name, requests in chain.requests.items()} == asked_before


def too_long() -> Asked:
    return asked("How often are snapshots taken?", "free_text", *(hit(f"Backup {n}. " * 40, rank=n) for n in (2, 3)))


@pytest.mark.parametrize(
    "replies",
    [
        [(200, GOOD)],
        [(200, "prose"), (200, GOOD)],
        [Odd(400, refusal("maximum context length")), (200, GOOD)],
        [Odd(400, refusal("no response_format")), Odd(400, refusal("no temperature")), (200, "prose"), (200, GOOD)],
    ],
    ids=["at once", "asked again", "passages left out", "parameters left out"],
)
def test_what_was_sent_is_known_again(replies: list[Reply]) -> None:
    with scripted_server(*replies) as (server, _):
        (draft,) = OpenAIGenerator(server).draft([too_long()])
    assert draft.text == GOOD["answer"]
    assert again("openai", draft).draft([too_long()]) == [draft]


def test_another_prompt_is_told_by_its_hash_and_the_reply_is_the_recorded_one() -> None:
    with scripted_server((200, GOOD)) as (server, _):
        (draft,) = OpenAIGenerator(server).draft([asked()])
    (now,) = again("openai", draft).draft([asked("How often is a snapshot taken?")])
    assert now.attempts[0].prompt_sha256 != draft.attempts[0].prompt_sha256
    assert replace(now, attempts=()) == replace(draft, attempts=())


def test_a_judge_that_is_gone_says_what_was_kept_and_nothing_else() -> None:
    kept = Kept()
    with scripted_url(lambda _: (200, {"supported": False})) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), kept)
        (first,) = judgements_of([("We encrypt.", "We do not.")], server)
    assert first is not None and first.label == "contradiction"
    pairs = [("We encrypt.", "We do not."), ("We encrypt.", "We do.")]
    kept_ones, others = (judgements_of(pairs, KeptReplies(kept, url, name, None)) for name in ("m", "another"))
    assert kept_ones[0] == first and [one and one.label for one in (kept_ones[1], *others)] == ["neutral"] * 3


def test_a_question_without_a_record_is_drafted_without_a_server() -> None:
    generator = RecordedGenerator("extractive", {}, extractive())
    assert generator.draft([asked()]) == extractive().draft([asked()]) and generator.draft([]) == []


@pytest.mark.parametrize("name", ["extractive", "openai", "chain"])
def test_questions_are_replayed_in_the_batches_of_the_run(name: str) -> None:
    server = ModelServer(OpenAISettings(base_url="http://127.0.0.1:1/v1", model="m"), Kept())
    openai = OpenAIGenerator(server)
    ran = {"extractive": extractive(), "openai": openai, "chain": ChainGenerator([openai, extractive()])}[name]
    assert RecordedGenerator(name, {}, extractive()).questions_a_batch == ran.questions_a_batch
