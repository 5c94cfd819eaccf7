"""How many right replies of a language model reach the customer, and how many planted faults do.

Run: .venv/bin/python -m tests.bench.generated_answers HOME CORPUS GOLD.jsonl=REPLIES.jsonl …

In HOME the corpus is published for the plan bidfolio. A perfect model gives the gold answer, and two paraphrases
written by hand, with the gold verdict, and cites the passages that hold the evidence. Only questions whose evidence was
handed over count; how many were not is told. Faults are those of ``reply_faults`` planted in each of the three, and one
written by hand for each question. Each reply goes the whole way: generator, checks, decision. A reply is accepted where
its answer is not declined and has the whole text; a fault is let through where the faulty sentence stands in an answer.
Intervals are Wilson's at 95%.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from statsmodels.stats.proportion import proportion_confint

from configs.plans import load_plan
from configs.settings import load_settings
from tasks.answering.claims import sentences_of
from tasks.answering.handed_over import on_one_page, text_of
from tasks.answering.injection import without_orders
from tasks.answering.openai_generator import OpenAIGenerator
from tasks.answering.pipeline import Loaded, answer_found, by_question, find_timed, handed_over
from tasks.answering.stems import stems_of
from tasks.answering.task import load_for_asking
from tasks.chunking.sentences import sentence_spans
from tasks.conversion.text import fold
from tasks.errors import BidfolioError, GeneratorFailed, ServiceAway
from tasks.evaluation.gold import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.records import Answer, GoldQuestion, Hit, Question
from tasks.replies import Outcome, Request
from tasks.retrieval.loading import live_version
from tasks.retrieval.scope import Scope
from tests.bench.reply_faults import FAULTS

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
MOST_SENTENCES = 4
"""The evidence of an answer is sought in so many sentences."""
MOSTLY = 0.75
"""A passage holds what a sentence of the evidence gives an answer where it has so much of its words."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what is handed over for it, and the numbers of the passages that hold the evidence."""

    item: GoldQuestion
    question: Question
    found: Sequence[Hit]
    hits: Sequence[Hit]
    cited: tuple[int, ...]
    texts: tuple[str, ...]
    by_hand: tuple[tuple[str, str], ...]

    @property
    def passages(self) -> str:
        """All that is cited."""
        return "\n".join(text_of(self.hits[number - 1]) for number in self.cited)


@dataclass(frozen=True, slots=True)
class Given:
    """A reply to a case: of a ``kind``, with the sentences that are ``wrong``; none where it is right."""

    case: Case
    kind: str
    text: str
    wrong: frozenset[str] = frozenset()


class Perfect:
    """A model server that says what is given for each question."""

    model = "perfect"

    def __init__(self, given: Iterable[Given]) -> None:
        self._given = {one.case.question.text: one for one in given}

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        return [Outcome(self._reply(request.prompt)) for request in requests]

    def ask(
        self, requests: Sequence[Request], *, instead: str, late: type[BidfolioError] = ServiceAway
    ) -> list[str | GeneratorFailed]:
        return [outcome.reply or "" for outcome in self.exchange(requests, instead=instead)]

    def stream(self, request: Request, on_raw: Callable[[str], None], *, instead: str) -> Outcome:
        return self.exchange([request], instead=instead)[0]

    def _reply(self, prompt: str) -> str:
        asked = prompt[prompt.rindex("\nQuestion: ") :]
        one = max((text for text in self._given if f"Question: {text}\n" in asked), key=len)
        case = self._given[one].case
        verdict = case.item.verdict if case.question.kind == "yes_no" else None
        return json.dumps({"verdict": verdict, "answer": self._given[one].text, "citations": list(case.cited)})


def main(home: str, corpus: str, given: Sequence[str]) -> None:
    """Prints the shares of each gold set."""
    plan, settings = load_plan("bidfolio"), load_settings(home=home)
    loaded = load_for_asking(live_version(IndexStore(settings.home), plan, corpus), plan, settings, Scope())
    for one in given:
        gold, replies = one.split("=", 1)
        cases, lacking = cases_of(gold, replies, loaded, home)
        print(f"\n{gold}: {len(cases)} answerable questions whose evidence was handed over; of {lacking} it was not")
        report(settled(right(cases), loaded), settled(faulty(cases), loaded))


def report(good: Sequence[tuple[Given, Answer]], bad: Sequence[tuple[Given, Answer]]) -> None:
    """Prints how many right replies are accepted and how many faults let through, by kind."""
    told: dict[str, list[bool]] = defaultdict(list)
    for one, answer in good:
        told[one.kind].append(is_accepted(one, answer))
        if not is_accepted(one, answer):
            print(
                f"  {one.case.item.question_id} {answer.decline_reason} {answer.detail} | {one.text}", file=sys.stderr
            )
    _print("accepted", told)
    told = defaultdict(list)
    for one, answer in bad:
        told[one.kind].append(is_let_through(one, answer))
        if is_let_through(one, answer):
            print(f"  {one.case.item.question_id} let through ({one.kind}): {one.text}", file=sys.stderr)
    _print("let through", told)


def _print(what: str, told: Mapping[str, Sequence[bool]]) -> None:
    for kind, found in [*told.items(), ("all", [one for some in told.values() for one in some])]:
        low, high = proportion_confint(sum(found), len(found), method="wilson")
        share = sum(found) / len(found)
        print(f"  {kind:32} {what} {sum(found):4} of {len(found):4}  {share:6.1%}  [{low:.1%}, {high:.1%}]")


def is_accepted(given: Given, answer: Answer) -> bool:
    """Whether the whole reply stands in an answer that is not declined."""
    return fold(answer.text or "") == fold(given.text)


def is_let_through(given: Given, answer: Answer) -> bool:
    """Whether a wrong sentence stands in an answer that is not declined."""
    return any(fold(sentence) in fold(answer.text or "") for sentence in given.wrong)


def right(cases: Iterable[Case]) -> list[Given]:
    """The right replies."""
    kinds = ("gold answer", "paraphrase 1", "paraphrase 2")
    return [Given(case, kind, text) for case in cases for kind, text in zip(kinds, case.texts, strict=True)]


def faulty(cases: Iterable[Case]) -> list[Given]:
    """The replies with one fault each: of each kind in each right reply that has what the kind is about."""
    found: list[Given] = []
    for case in cases:
        known = {fold(one.text) for text in case.texts for one in sentences_of(text)}
        for kind, plant in FAULTS.items():
            for text in case.texts:
                wrong = plant(text, case.passages, random.Random(f"{case.item.question_id} {kind} {text}"))
                if wrong is not None:
                    found.append(_given(case, kind, wrong, known))
        found += [_given(case, f"by hand: {kind}", wrong, known) for kind, wrong in case.by_hand]
    return [one for one in found if one.wrong]


def _given(case: Case, kind: str, text: str, known: set[str]) -> Given:
    said = fold(case.passages)
    wrong = (one.text for one in sentences_of(text) if fold(one.text) not in known and fold(one.text) not in said)
    return Given(case, kind, text, frozenset(wrong))


def settled(given: Sequence[Given], loaded: Loaded) -> list[tuple[Given, Answer]]:
    """What becomes of each reply. A question is asked once a round, as it is known by its text."""
    rounds: dict[int, list[Given]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for one in given:
        rounds[seen[one.case.question.text]].append(one)
        seen[one.case.question.text] += 1
    found: list[tuple[Given, Answer]] = []
    for some in rounds.values():
        answerer = replace(loaded.answerer, generator=OpenAIGenerator(Perfect(some)))
        hits = {one.case.question.question_id: one.case.found for one in some}
        questions = [one.case.question for one in some]
        answers = answer_found(questions, hits, replace(loaded, answerer=answerer))
        found += [(one, settled.answer) for one, (settled, _) in zip(some, answers, strict=True)]
    return found


def cases_of(gold: str, replies: str, loaded: Loaded, home: str) -> tuple[list[Case], int]:
    """The answerable questions whose evidence is handed over, and how many others there are."""
    items = [item for item in read_gold(gold) if item.answerable]
    questions = [as_question(item, at) for at, item in enumerate(items)]
    plan = loaded.answerer.plan
    ranked = find_timed(questions, loaded)[0].hits
    handed = handed_over(by_question(questions, ranked), loaded.index, loaded.sections, plan.retrieval)
    hits = [on_one_page(without_orders(handed[one.question_id], plan.retrieval.top_k)[0]) for one in questions]
    return joined(items, questions, ranked, hits, replies, pages_of(home))


def joined(
    items: Sequence[GoldQuestion],
    questions: Sequence[Question],
    ranked: Sequence[Sequence[Hit]],
    hits: Sequence[Sequence[Hit]],
    replies: str,
    pages: Sequence[Mapping[str, object]],
) -> tuple[list[Case], int]:
    """The same, from what was found."""
    told = {row["id"]: row for row in map(json.loads, Path(replies).read_text(encoding="utf-8").splitlines())}
    cases: list[Case] = []
    for item, question, found, some in zip(items, questions, ranked, hits, strict=True):
        cited = holding(item, some, pages)
        if cited:
            row = told[item.question_id]
            texts = (item.answer or "", *row["paraphrases"])
            by_hand = tuple((fault["kind"], fault["text"]) for fault in row["faults"])
            cases.append(Case(item, question, found, some, cited, texts, by_hand))
    return cases, len(items) - len(cases)


def pages_of(home: str) -> list[dict[str, object]]:
    """The pages and sheets of the lake."""
    columns = ("file_name", "page_number", "sheet_name", "text")
    return pl.read_parquet(f"{home}/lake/pages/**/*.parquet").select(columns).to_dicts()


def holding(item: GoldQuestion, hits: Sequence[Hit], pages: Sequence[Mapping[str, object]]) -> tuple[int, ...]:
    """The numbers of the passages that hold the evidence; none where a part of it is in no passage.

    On the pages that the gold set names, the sentences are sought that give the answer's words and figures, the best
    first; each must have a passage with a sentence, or two that are neighbours, that gives the same.
    """
    left = _tokens(item.answer or "")
    evidence = [
        _tokens(sentence) for page in pages if _is_evidence(item, page) for sentence in _sentences(page["text"])
    ]
    units = [(number, unit) for number, hit in enumerate(hits, 1) for unit in _units(text_of(hit))]
    cited: list[int] = []
    for _ in range(MOST_SENTENCES):
        gain = max((left & sentence for sentence in evidence), key=len, default=frozenset[str]())
        figures = {token for token in gain if token[0].isdigit()}
        if len(gain) < 2 and not figures:
            break
        holders = [n for n, unit in units if len(gain & unit) >= MOSTLY * len(gain) and figures <= unit]
        if not holders:
            return ()
        cited += holders
        left -= gain
    return tuple(dict.fromkeys(cited))


def _is_evidence(item: GoldQuestion, page: Mapping[str, object]) -> bool:
    name = str(page["file_name"]).rsplit("/", 1)[-1]
    return any(
        place.file_name == name
        and (place.sheet_name == page["sheet_name"] if place.row_number else place.page_number == page["page_number"])
        for place in item.evidence
    )


def _sentences(text: object) -> list[str]:
    return [str(text)[start:end] for start, end in sentence_spans(str(text))]


def _units(text: str) -> Iterator[frozenset[str]]:
    found = [_tokens(sentence) for sentence in _sentences(text)]
    yield from found
    yield from (one | other for one, other in itertools.pairwise(found))


def _tokens(text: str) -> frozenset[str]:
    return frozenset(stems_of(text)) | frozenset(_NUMBER.findall(text))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
