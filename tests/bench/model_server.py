"""Questions drafted by a real model server: many in flight beside one at a time, and what bidfolio itself takes.

Run: .venv/bin/python -m tests.bench.model_server HOME GOLD.jsonl [--questions 40] [--one-at-a-time 10]
         [--plan bidfolio]

HOME is one in which the documents of the gold set are published for the plan; BIDFOLIO_OPENAI_BASE_URL and
BIDFOLIO_OPENAI_MODEL name the server, such as that of infra/vllm. No reply is kept from one measurement to the next.
One at a time is measured on a few other questions, since it takes minutes; both are told as questions a minute.
The share of bidfolio itself is what of the wall time of searching, drafting, checking and judging was not spent waiting
for the server. What it does while the server is at work, such as to find the next questions, is no part of it.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from configs.plans import Plan, load_plan
from configs.settings import OpenAISettings, load_settings
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.answering.overlapped_drafting import answer_overlapped
from tasks.answering.task import load_for_asking
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.llm.completions import Outcome, Request
from tasks.llm.model_server import ModelServer
from tasks.records import Question
from tasks.retrieval.queries.scope import EVERYTHING
from tasks.retrieval.version_loading import live_version
from tests.made.scripted_server import Kept


class TimedServer(ModelServer):
    """A server that adds up how long it was waited for, by one thread or more."""

    waited_s = 0.0
    _waiting, _since, _lock = 0, 0.0, threading.Lock()

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        """As the server's own."""
        with self._lock:
            self._waiting += 1
            if self._waiting == 1:
                self._since = time.perf_counter()
        try:
            return super().exchange(requests, instead=instead)
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self.waited_s += time.perf_counter() - self._since


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
    if not settings.openai.is_configured:
        raise SystemExit("no model server is named: set BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL")
    known = load_for_asking(live_version(IndexStore(settings.home), plan, None), plan, settings, EVERYTHING)
    known.models.encode(["the model is loaded before anything is measured"])
    given = OpenAISettings(**{**settings.openai.model_dump(), "max_in_flight": in_flight})
    server = TimedServer(given, Kept())
    known = replace(known, answerer=replace(known.answerer, generator=OpenAIGenerator(server)))
    begin = time.perf_counter()
    done = answer_overlapped(questions, known)
    seconds = time.perf_counter() - begin
    statuses: dict[str, int] = {}
    for one, _ in done.settled:
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
