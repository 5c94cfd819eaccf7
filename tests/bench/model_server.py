"""Questions drafted by a real model server: many in flight beside one at a time, and what bidfolio itself takes.

Run: .venv/bin/python -m tests.bench.model_server HOME GOLD.jsonl [--questions 40] [--one-at-a-time 10]
         [--plan bidfolio]

HOME is one in which the documents of the gold set are published for the plan; BIDFOLIO_OPENAI_BASE_URL and
BIDFOLIO_OPENAI_MODEL name the server, such as that of infra/vllm. No reply is kept from one measurement to the next.
One at a time is measured on a few other questions, since it takes minutes; both are told as questions a minute.
The share of bidfolio itself is what of the wall time of searching, drafting, checking and judging was not spent waiting
for the server.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from configs.plans import Plan, load_plan
from configs.settings import OpenAISettings, load_settings
from tasks.answering.openai_generator import OpenAIGenerator
from tasks.answering.task import make_answerer
from tasks.cache import StageCache
from tasks.embedding.dense import encode_with_tokens
from tasks.embedding.shards import Encoder
from tasks.evaluation.gold import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.lake import Lake
from tasks.model_server import ModelServer
from tasks.records import Question
from tasks.replies import Outcome, Request
from tasks.retrieval.cross_encoder import pair_reader
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.hand_over import hand_over
from tasks.retrieval.loading import live_version, load_index
from tasks.retrieval.pair_models import pair_scorer
from tasks.retrieval.wordings import no_wordings
from tests.scripted_server import Kept


class TimedServer(ModelServer):
    """A server that adds up how long it was waited for."""

    waited_s = 0.0

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        """As the server's own."""
        begin = time.perf_counter()
        try:
            return super().exchange(requests, instead=instead)
        finally:
            self.waited_s += time.perf_counter() - begin


class Cost(NamedTuple):
    """What some questions took, and what of it was waiting."""

    questions: int
    seconds: float
    waited_s: float
    statuses: dict[str, int]

    @property
    def a_minute(self) -> float:
        """Questions a minute."""
        return 60 * self.questions / self.seconds


def measured(home: str, plan: Plan, questions: Sequence[Question], in_flight: int) -> Cost:
    """All that `answer` does with the questions but for files and tables."""
    settings = load_settings(home=home)
    store = IndexStore(settings.home)
    index = load_index(store, StageCache(Lake(settings.home)), live_version(store, plan, None), plan)
    encode = partial(encode_with_tokens, encoder=Encoder(plan.embedding, settings.threads, settings.home))
    read_pairs = pair_reader(plan.retrieval.reread, settings.threads)
    models = Models(encode, pair_scorer(plan.retrieval.rerank, settings.threads), no_wordings, read_pairs)
    encode(["the model is loaded before anything is measured"])
    given = OpenAISettings(**{**settings.openai.model_dump(), "max_in_flight": in_flight})
    server = TimedServer(given, Kept())
    answerer = replace(make_answerer(plan, settings), generator=OpenAIGenerator(server))
    begin = time.perf_counter()
    found, _ = find_hits(questions, index, plan.retrieval, models)
    by_question = {question.question_id: hits for question, hits in zip(questions, found, strict=True)}
    settled = answerer.settle(questions, hand_over(by_question, index, plan.retrieval))
    seconds = time.perf_counter() - begin
    statuses: dict[str, int] = {}
    for one in settled:
        statuses[one.answer.status] = statuses.get(one.answer.status, 0) + 1
    return Cost(len(questions), seconds, server.waited_s, statuses)


def tell(name: str, cost: Cost) -> None:
    """Prints one measurement."""
    own = 1 - cost.waited_s / cost.seconds
    print(
        f"{name}: {cost.questions} questions in {cost.seconds:.1f} s, {cost.a_minute:.1f} a minute; "
        f"bidfolio's own share {own:.1%} ({cost.seconds - cost.waited_s:.1f} s); {cost.statuses}",
        flush=True,
    )


def main(home: str, gold: str, count: int, alone: int, plan_name: str) -> None:
    """Prints the figures."""
    plan = load_plan(plan_name)
    questions = [as_question(item, ordinal) for ordinal, item in enumerate(read_gold(gold))]
    # The server compiles what it needs for a schema at its first request, and keeps what it computed of a prompt: no
    # question is asked twice.
    measured(home, plan, questions[-2:], 2)
    together = measured(home, plan, questions[:count], count)
    tell(f"{count} in flight", together)
    one_by_one = measured(home, plan, questions[count : count + alone], 1)
    tell("one at a time", one_by_one)
    print(f"{together.a_minute / one_by_one.a_minute:.1f} times as many a minute (target 4; own share at most 10%)")
    server = one_by_one.waited_s / one_by_one.questions / (together.waited_s / together.questions)
    print(f"the server alone, without what bidfolio takes: {server:.1f} times as many")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("gold")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--one-at-a-time", type=int, default=10)
    parser.add_argument("--plan", default="bidfolio")
    options = parser.parse_args()
    main(options.home, options.gold, options.questions, options.one_at_a_time, options.plan)
