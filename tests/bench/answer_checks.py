"""What the checks after generation let through, and what they drop that is right.

Run: .venv/bin/python -m tests.bench.answer_checks NAME=HOME=CORPUS=GOLD.jsonl NAME=HOME=CORPUS=GOLD.jsonl …

In each HOME the corpus is published for the plan bidfolio. For each answerable question a scripted server gives a reply
that is made by rule from a sentence on a page of the evidence, and then the same reply with each fault planted, as far
as the sentence has what the fault is about. The replies go through the whole generator and the checks; thresholds of
confidence, which would hide some, are left out. Chance is seeded by the question.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from configs.plans import Plan, load_plan
from configs.settings import OpenAISettings, Settings, load_settings
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.answering.quotes.passages import cells_told, sentences_of_hit
from tasks.answering.task import make_opinions
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
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.version_loading import live_version, load_index
from tasks.storage.lake import Lake
from tasks.text.characters import fold
from tasks.text.dependent_sentences import CELLS
from tasks.text.search_terms import terms
from tests.bench.answer_faults import FAULTS, WAYS, Made, Source, faulty, plain, sources_of
from tests.made.scripted_server import Kept, Reply, scripted_url


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its hits, and the sentence that answers it."""

    asked: Asked
    source: Source


def main(given: Sequence[str]) -> None:
    """Prints the figures of each gold set."""
    for one in given:
        name, home, corpus, gold = one.split("=", 3)
        plan, settings = load_plan("bidfolio"), load_settings(home=home)
        cases = cases_of(gold, corpus, plan, settings)
        report(name, cases, plan, settings)


def report(name: str, cases: Sequence[Case], plan: Plan, settings: Settings) -> None:
    """Prints how many correct replies lose a sentence, by how they were made, and how many faults stay, by kind."""
    print(f"\n{name}: {len(cases)} questions")
    good: dict[str, list[bool]] = defaultdict(list)
    for way in WAYS:
        made = [Made(reply_of(case, way), (case.source.number,)) for case in cases]
        for case, reply, draft in zip(cases, made, drafted(cases, made, plan, settings), strict=True):
            is_whole = fold(draft.text or "") == fold(reply.text)
            good[way].append(is_whole)
            if not is_whole:
                print(f"  dropped ({way}): {case.asked.question.question_id} {draft.detail[:300]}", file=sys.stderr)
    for way, kept in good.items():
        print(f"  {way:32} dropped {kept.count(False):3} of {len(kept)}")
    everything = [one for kept in good.values() for one in kept]
    print(
        f"  {'all supported':32} dropped {everything.count(False):3} of {len(everything)}, {share(everything, False)}"
    )
    stayed: dict[str, list[bool]] = {}
    for kind in FAULTS:
        some = [(case, wrong) for case in cases if (wrong := planted(case, kind))]
        drafts = drafted([case for case, _ in some], [wrong for _, wrong in some], plan, settings)
        stayed[kind] = []
        for (case, wrong), draft in zip(some, drafts, strict=True):
            # Where another passage says the same letter by letter, it is no wrong one; nor is a passage wrongly cited
            # where the citation was moved to what has all words of the sentence itself.
            is_said = any(fold(wrong.text) in fold(citation.quote) for citation in draft.citations)
            if kind == "wrong passage cited":
                words = set(terms(case.source.sentence))
                is_said = is_said or any(words <= set(terms(citation.quote)) for citation in draft.citations)
            is_there = fold(wrong.fault or "") in fold(draft.text or "") and not is_said
            stayed[kind].append(is_there)
            if is_there:
                print(f"  let through ({kind}): {case.asked.question.question_id} {wrong.text}", file=sys.stderr)
                print(f"      cites {[(c.locator, c.quote) for c in draft.citations]}", file=sys.stderr)
        print(f"  {kind:32} let through {stayed[kind].count(True):3} of {len(some)}, {share(stayed[kind], True)}")
    exact = [one for kind in ("another number", "another name", "another unit") for one in stayed[kind]]
    print(f"  {'numbers, names and units':32} let through {exact.count(True):3} of {len(exact)}, {share(exact, True)}")


def share(found: Sequence[bool], of: bool) -> str:
    """The share of ``of`` as a percentage."""
    return f"{found.count(of) / len(found):.1%}" if found else "none"


def reply_of(case: Case, way: str) -> str:
    """The correct reply in that way."""
    chance = random.Random(f"{case.asked.question.question_id} {way}")
    return WAYS[way](plain(case.source.sentence), chance)


def planted(case: Case, kind: str) -> Made | None:
    """The correct reply in a way drawn by chance, with the fault."""
    chance = random.Random(f"{case.asked.question.question_id} {kind}")
    return faulty(kind, reply_of(case, chance.choice(list(WAYS))), case.source, chance)


def drafted(cases: Sequence[Case], made: Sequence[Made], plan: Plan, settings: Settings) -> list[Draft]:
    """What becomes of the replies: through the server, the generator and the checks."""
    replies = {case.asked.question.text: reply for case, reply in zip(cases, made, strict=True)}

    def script(body: dict[str, Any]) -> Reply:
        prompt = "\n".join(message["content"] for message in body["messages"])
        question = max(replies, key=lambda text: (prompt.rfind(text), len(text)))
        reply = replies[question]
        return 200, {"answer": reply.text, "citations": list(reply.cited), "verdict": None}

    asked = [case.asked for case in cases]
    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="scripted"), Kept())
        return check_drafts(asked, OpenAIGenerator(server).draft(asked), make_opinions(plan, settings))


@dataclass(frozen=True, slots=True)
class Found:
    """An answerable question of a gold set, asked as free text, with what is handed over for it."""

    item: GoldQuestion
    question: Question
    hits: list[Hit]


def cases_of(gold: str, corpus: str, plan: Plan, settings: Settings) -> list[Case]:
    """The answerable questions, each asked as free text, whose evidence has a sentence that can be an answer."""
    found, chunks = found_for(gold, corpus, plan, settings)
    return [Case(Asked(one.question, one.hits), source) for one in found if (source := _source(one, chunks))]


def found_for(gold: str, corpus: str, plan: Plan, settings: Settings) -> tuple[list[Found], Sequence[Chunk]]:
    """The answerable questions with their hits, among which is one of the evidence, and all chunks of the corpus."""
    items = [item for item in read_gold(gold) if item.answerable]
    questions = [replace(as_question(item, at), kind="free_text") for at, item in enumerate(items)]
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
    found = find_hits(questions, index, plan.retrieval, models).hits
    rows = pl.read_parquet(f"{settings.home}/lake/chunks/**/*.parquet").select("file_name", "chunk_id").rows()
    chunks = index.named(frozenset(name for name, _ in rows), frozenset(chunk_id for _, chunk_id in rows))
    handed = [
        Found(item, question, _with_evidence(item, list(hits[: plan.retrieval.top_k]), chunks))
        for item, question, hits in zip(items, questions, found, strict=True)
    ]
    return handed, chunks


def is_evidence(item: GoldQuestion, chunk: Chunk) -> bool:
    """Whether the chunk is of a page or row that the gold set names for the question."""
    return any(
        chunk.file_name.rsplit("/", 1)[-1] == place.file_name
        and (chunk.row_number == place.row_number if place.row_number else chunk.page_number == place.page_number)
        for place in item.evidence
    )


def _with_evidence(item: GoldQuestion, hits: list[Hit], chunks: Sequence[Chunk]) -> list[Hit]:
    """The hits; where none is evidence, the chunk of the evidence nearest to the answer takes the last place."""
    if hits and not any(is_evidence(item, hit.chunk) for hit in hits):
        wanted = set(terms(item.answer or ""))
        near = max(
            (chunk for chunk in chunks if is_evidence(item, chunk)),
            key=lambda chunk: len(wanted & set(terms(chunk.text))),
            default=None,
        )
        if near:
            hits[-1] = replace(hits[-1], chunk=near, handed_over=None)
    return hits


def _read(hit: Hit) -> str:
    return " ".join([hit.chunk.text, *(passage.text for passage in sentences_of_hit(hit))])


def _source(found: Found, chunks: Sequence[Chunk]) -> Source | None:
    item, hits = found.item, found.hits
    chance = random.Random(item.question_id)
    wanted = set(terms(f"{item.answer} {item.question}"))
    best: tuple[float, str, int] | None = None
    for number, hit in enumerate(hits, 1):
        if not is_evidence(item, hit.chunk):
            continue
        # Of a table, the row alone: the titles of its columns, which an answer has, too, are no part of the quote.
        quotes = [
            cells_told(passage.quote) if CELLS.search(passage.quote) else " ".join(passage.text.split())
            for passage in sentences_of_hit(hit)
        ]
        for sentence in sources_of(quotes):
            near = len(wanted & set(terms(sentence))) / (len(set(terms(sentence))) + 5)
            if best is None or near > best[0]:
                best = near, sentence, number
    if best is None:
        return None
    _, sentence, number = best
    others = tuple(n for n, hit in enumerate(hits, 1) if fold(sentence) not in fold(_read(hit)))
    away = [chunk for chunk in chunks if chunk.file_name != hits[number - 1].chunk.file_name]
    elsewhere = None
    while elsewhere is None and away:
        drawn = chance.choice(away)
        lines = sources_of([line for line in drawn.text.splitlines() if " | " not in line and line.endswith(".")])
        elsewhere = chance.choice(lines) if lines else None
    return Source(sentence, number, len(hits), others, elsewhere)


if __name__ == "__main__":
    main(sys.argv[1:])
