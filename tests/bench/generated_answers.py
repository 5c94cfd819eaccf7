"""How many right replies of a language model reach the customer, and how many planted faults do.

Run: .venv/bin/python -m tests.bench.generated_answers HOME CORPUS GOLD.jsonl=REPLIES.jsonl … [--right-alone]

In HOME the corpus is published for the plan bidfolio. A perfect model gives the gold answer, and two paraphrases
written by hand, with the gold verdict, which is believed (KNOWN), and cites the passages that hold the evidence. Only
questions whose evidence was handed over count; how many were not is told. Faults are those of ``reply_faults`` planted
in each of the three, and one written by hand for each question; ``--right-alone`` leaves them out. Each reply goes the
whole way: generator, checks, decision. A reply is accepted where its answer is not declined and has the whole text, or
gives the right verdict outright, with quotes in the place of words that are in doubt. A fault is let through where the
faulty sentence stands in an answer and nobody is told to look at it; how many stand with such a mark is told, too, and
how many right replies have one. Intervals are Wilson's at 95%.
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
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from statsmodels.stats.proportion import proportion_confint

from configs.plans import Plan, load_plan
from configs.settings import Settings, load_settings
from tasks.answering.answerer import EncodeTokens, Matrix
from tasks.answering.audit.log import Settled
from tasks.answering.drafts.draft import Asked
from tasks.answering.entailment.claims import sentences_of
from tasks.answering.pipeline import answer_found
from tasks.answering.quotes.context_passages import on_one_page, text_of
from tasks.answering.task import load_for_asking, make_opinions
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.dense import encode_with_tokens
from tasks.embedding.models.shards import Encoder
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.records import Chunk, GoldQuestion, Hit, Question
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.queries.query_expansion import wording_writer
from tasks.retrieval.queries.scope import Scope
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.version_loading import live_version, load_index
from tasks.safety.injection import without_orders
from tasks.storage.lake import Lake
from tasks.text.characters import fold
from tasks.text.sentences import sentence_spans
from tasks.text.word_stems import stems_of
from tests.bench.answer_checks import is_evidence
from tests.bench.reply_faults import FAULTS
from tests.bench.replying import Remembering, Replying
from tests.bench.verdicts import with_replies_known

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
KNOWN = 0.99
"""A perfect model is asked, and is believed as one that knows nearly every verdict."""
MARK_CHARACTERS = 80
"""So much of a sentence is in the remark about it."""
MOST_SENTENCES = 4
"""The evidence of an answer is sought in so many sentences."""
MOSTLY = 0.75
"""A passage holds what a sentence of the evidence gives an answer where it has so much of its words."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what is handed over for it, and the numbers of the passages that hold the evidence."""

    item: GoldQuestion
    question: Question
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


def perfect(given: Iterable[Given]) -> Replying:
    """A model that says what is given for each question."""
    by_question = {one.case.question.question_id: one for one in given}

    def reply_of(asked: Asked) -> str:
        one = by_question[asked.question.question_id]
        verdict = one.case.item.verdict if one.case.question.kind == "yes_no" else None
        return json.dumps({"verdict": verdict, "answer": one.text, "citations": list(one.case.cited)})

    return Replying(reply_of)


def main(home: str, corpus: str, given: Sequence[str], *, has_faults: bool) -> None:
    """Prints the shares of each gold set."""
    plan, settings = with_replies_known(load_plan("bidfolio"), KNOWN), load_settings(home=home)
    for one in given:
        gold, replies = one.split("=", 1)
        cases, lacking = cases_of(gold, replies, corpus, plan, settings)
        print(f"\n{gold}: {len(cases)} answerable questions whose evidence was handed over; of {lacking} it was not")
        planted = faulty(cases) if has_faults else []
        report(settled(right(cases), corpus, plan, settings), settled(planted, corpus, plan, settings))


def report(good: Sequence[tuple[Given, Settled]], bad: Sequence[tuple[Given, Settled]]) -> None:
    """Prints how many right replies are accepted and how many faults let through, by kind."""
    accepted = _by_kind(good, is_accepted)
    for one, became in good:
        if not is_accepted(one, became):
            told = f"{became.answer.decline_reason} {became.answer.detail} | {one.text}"
            print(f"  {one.case.item.question_id} {told}", file=sys.stderr)
    _print("accepted", accepted)
    kept = [(one, became) for one, became in good if is_accepted(one, became)]
    _print("without a mark", {"of these": [not is_marked(one, became) for one, became in kept]})
    _print("in its own words", {"of these": [is_whole(one, became) for one, became in kept]})
    decided = [(one, became.answer) for one, became in good if one.case.item.verdict]
    _print("given a verdict", {"yes/no questions": [answer.verdict is not None for _, answer in decided]})
    wrong = [answer.verdict not in (None, one.case.item.verdict) for one, answer in decided]
    _print("given a wrong one", {"yes/no questions": wrong})
    if not bad:
        return
    for one, became in bad:
        if is_let_through(one, became):
            print(f"  {one.case.item.question_id} let through ({one.kind}): {one.text}", file=sys.stderr)
    _print("let through", _by_kind(bad, is_let_through))
    _print("standing with a mark", {"faults": [stands(one, became) and is_marked(one, became) for one, became in bad]})
    answered = [stands(one, became) and became.answer.status == "answered" for one, became in bad]
    _print("answered, unseen by a person", {"faults": answered})


def _by_kind(given: Sequence[tuple[Given, Settled]], holds: Callable[[Given, Settled], bool]) -> dict[str, list[bool]]:
    told: dict[str, list[bool]] = defaultdict(list)
    for one, became in given:
        told[one.kind].append(holds(one, became))
    return told


def _print(what: str, told: Mapping[str, Sequence[bool]]) -> None:
    everything = {"all": [one for some in told.values() for one in some]} if len(told) > 1 else {}
    for kind, found in {**told, **everything}.items():
        if not found:
            continue
        low, high = proportion_confint(sum(found), len(found), method="wilson")
        share = sum(found) / len(found)
        print(f"  {kind:32} {what} {sum(found):4} of {len(found):4}  {share:6.1%}  [{low:.1%}, {high:.1%}]")


def is_whole(given: Given, became: Settled) -> bool:
    """Tell if the whole reply stands in an answer that is not declined."""
    return fold(became.answer.text or "") == fold(given.text)


def is_accepted(given: Given, became: Settled) -> bool:
    """Tell if the reply stands, or its right verdict is given with quotes in its place."""
    truth = given.case.item.verdict
    return is_whole(given, became) or (truth is not None and became.answer.verdict == truth)


def stands(given: Given, became: Settled) -> bool:
    """Whether a wrong sentence stands in an answer that is not declined."""
    return any(fold(sentence) in fold(became.answer.text or "") for sentence in given.wrong)


def is_marked(given: Given, became: Settled) -> bool:
    """Whether a person is told to look at a sentence: at each wrong one that stands, where some are wrong."""
    told = next((check.detail for check in became.draft.checks if check.name == "entailment"), "")
    standing = [sentence for sentence in given.wrong if fold(sentence) in fold(became.answer.text or "")]
    return all(sentence[:MARK_CHARACTERS] in told for sentence in standing) if given.wrong else bool(told)


def is_let_through(given: Given, became: Settled) -> bool:
    """Whether a wrong sentence stands in an answer, and nobody is told to look at it."""
    return stands(given, became) and not is_marked(given, became)


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


def settled(given: Sequence[Given], corpus: str, plan: Plan, settings: Settings) -> list[tuple[Given, Settled]]:
    """What becomes of each reply. A question is asked once a round, as it is known by its text."""
    rounds: dict[int, list[Given]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for one in given:
        rounds[seen[one.case.question.text]].append(one)
        seen[one.case.question.text] += 1
    loaded = load_for_asking(live_version(IndexStore(settings.home), plan, corpus), plan, settings, Scope())
    encode = remembering(Encoder(plan.embedding, settings.threads, settings.home))
    opinions, quoting = make_opinions(plan, settings)._replace(tokens=encode), Remembering(loaded.answerer.quoting)
    found: list[tuple[Given, Settled]] = []
    for some in rounds.values():
        answerer = replace(loaded.answerer, generator=perfect(some), quoting=quoting, encode=encode, opinions=opinions)
        hits = {one.case.question.question_id: one.case.hits for one in some}
        answers = answer_found([one.case.question for one in some], hits, replace(loaded, answerer=answerer))
        found += [(one, became) for one, (became, _) in zip(some, answers, strict=True)]
    return found


def remembering(encoder: Encoder) -> EncodeTokens:
    """What gives the vectors of texts, of which it keeps each: the same passages are asked for again and again."""
    kept: dict[str, tuple[Matrix, Matrix]] = {}

    def encode(texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        new = [text for text in dict.fromkeys(texts) if text not in kept]
        if new:
            kept.update(zip(new, zip(*encode_with_tokens(new, encoder), strict=True), strict=True))
        if not texts:
            return encode_with_tokens(texts, encoder)
        return np.stack([kept[text][0] for text in texts]), [kept[text][1] for text in texts]

    return encode


def cases_of(gold: str, replies: str, corpus: str, plan: Plan, settings: Settings) -> tuple[list[Case], int]:
    """The answerable questions whose evidence is handed over, and how many others there are."""
    items, questions, hits, _ = found_for(gold, corpus, plan, settings)
    cases = joined(items, questions, hits, replies, pages_of(settings.home))
    return cases, len(items) - len(cases)


def all_cases(gold: str, replies: str, corpus: str, plan: Plan, settings: Settings) -> list[Case]:
    """The answerable questions, with the chunks that hold the evidence put in where they were not handed over."""
    items, questions, hits, chunks = found_for(gold, corpus, plan, settings)
    pages = pages_of(settings.home)
    hits = [
        some if holding(item, some, pages) else _with_evidence(item, some, chunks)
        for item, some in zip(items, hits, strict=True)
    ]
    return joined(items, questions, hits, replies, pages)


Found = tuple[list[GoldQuestion], list[Question], list[list[Hit]], Sequence[Chunk]]


def found_for(gold: str, corpus: str, plan: Plan, settings: Settings) -> Found:
    """The answerable questions with what is handed over for each, and all chunks of the corpus."""
    items = [item for item in read_gold(gold) if item.answerable]
    questions = [as_question(item, at) for at, item in enumerate(items)]
    store, cache = IndexStore(settings.home), CorpusCache(Lake(settings.home))
    index = load_index(store, cache, live_version(store, plan, corpus), plan)
    encoder = Encoder(plan.embedding, settings.threads, settings.home)
    models = Models(
        partial(encode_with_tokens, encoder=encoder),
        pair_scorer(plan.retrieval.rerank, settings.machine),
        wording_writer(plan.retrieval.expand, ModelServer(settings.openai, ReplyCache(Lake(settings.home)))),
        pair_reader(plan.retrieval.reread, settings.machine),
        settings.threads,
    )
    hits = [
        on_one_page(without_orders(some, plan.retrieval.top_k)[0])
        for some in find_hits(questions, index, plan.retrieval, models).hits
    ]
    rows = pl.read_parquet(f"{settings.home}/lake/chunks/**/*.parquet").select("file_name", "chunk_id").rows()
    return items, questions, hits, index.named(*(frozenset(column) for column in zip(*rows, strict=True)))


def _with_evidence(item: GoldQuestion, hits: Sequence[Hit], chunks: Sequence[Chunk]) -> list[Hit]:
    """The hits with the chunks that give most of the answer in the place of the last."""
    left, wanted = _tokens(item.answer or ""), list[Chunk]()
    mine = [chunk for chunk in chunks if is_evidence(item, chunk)]
    for _ in range(MOST_SENTENCES):
        gains = [
            (max((left & unit for unit in _units(chunk.text)), key=len, default=frozenset()), chunk) for chunk in mine
        ]
        gain, chunk = max(gains, key=lambda pair: len(pair[0]), default=(frozenset(), None))
        if chunk is None or (len(gain) < 2 and not any(token[0].isdigit() for token in gain)):
            break
        left -= gain
        wanted += [chunk] if chunk not in wanted else []
    ids = {chunk.chunk_id for chunk in wanted}
    kept = [hit for hit in hits if ids.isdisjoint(chunk.chunk_id for chunk in hit.chunks)]
    return [
        *kept[: max(1, len(hits) - len(wanted))],
        *(replace(hits[0], chunk=one, handed_over=None) for one in wanted),
    ]


def joined(
    items: Sequence[GoldQuestion],
    questions: Sequence[Question],
    hits: Sequence[Sequence[Hit]],
    replies: str,
    pages: Sequence[Mapping[str, object]],
) -> list[Case]:
    """Those of the questions for which ``hits`` hold the evidence, with their replies."""
    told = {row["id"]: row for row in map(json.loads, Path(replies).read_text(encoding="utf-8").splitlines())}
    cases: list[Case] = []
    for item, question, some in zip(items, questions, hits, strict=True):
        cited = holding(item, some, pages)
        if cited:
            row = told[item.question_id]
            texts = (item.answer or "", *row["paraphrases"])
            by_hand = tuple((fault["kind"], fault["text"]) for fault in row["faults"])
            cases.append(Case(item, question, some, cited, texts, by_hand))
    return cases


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
    wanted = [one for one in sys.argv[3:] if one != "--right-alone"]
    main(sys.argv[1], sys.argv[2], wanted, has_faults=len(wanted) == len(sys.argv[3:]))
