"""Whether bidfolio declines what it can no longer answer: people's questions, asked without the documents that hold
their answers, and the same questions asked with all documents there.

Run: .venv/bin/python -m tests.bench.held_out OUT NAME=HOME=CORPUS=GOLD.jsonl NAME=HOME=CORPUS=GOLD.jsonl …

In each HOME the corpus is published for the plan bidfolio; versions without documents are staged there, so HOME had
better be a copy. Held out are all documents with evidence of the question, those that have the sentence which answers
it in nearly the same words (:func:`documents_to_hold_out`), and twins: documents about another thing of the same kind
in much the same words, two plans of one insurer. Where there are any, the question is also asked with the twins there.
One whose corpus would be empty is left out, and counted. OUT gets ``asked.parquet``, a row for each asking, and under
each corpus' name ``lake/citations``, all quotes.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer

from configs.plans import Plan, load_plan
from configs.settings import Settings, load_settings
from tasks.answering.audit.log import Settled
from tasks.answering.decision.answerability import signals
from tasks.answering.pipeline import Loaded, answer_questions
from tasks.answering.task import load_for_asking
from tasks.chunking.task import chunk_documents
from tasks.conversion.task import documents_of_lake
from tasks.embedding.task import embed_chunks
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.evaluation.gold.outcomes import cluster_of
from tasks.index.store import IndexStore
from tasks.publishing.task import find_version, stage_index
from tasks.records import GoldQuestion, Question
from tasks.references import Staged
from tasks.retrieval.queries.scope import Scope
from tasks.retrieval.version_loading import live_version
from tasks.text.search_terms import terms
from tasks.text.sentences import sentence_spans
from tests.bench.declining import Asking, report
from tests.bench.ranks import folded

SHINGLE_WORDS, TWIN_SHARE = 3, 0.6
TWIN_COSINE = 0.65
"""Of two documents' weighed words: .80 of Northwind's two plans, and of no other two of the four corpora above .47."""
LEAST_WORDS = 6


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A gold set by its ``name``, the home and the corpus that it is asked of, and the file."""

    name: str
    home: str
    corpus: str
    gold: str

    def quotes(self) -> dict[str, list[Mapping[str, Any]]]:
        """The evidence of each question as its line has it, with quotes where it has them."""
        lines = [json.loads(line) for line in Path(self.gold).read_text(encoding="utf-8").splitlines() if line.strip()]
        return {line["id"]: line["evidence"] for line in lines}


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@cache
def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Each three words that follow each other; a text of fewer has none."""
    words = _words(text)
    return frozenset(zip(*(words[at:] for at in range(SHINGLE_WORDS)), strict=False))


def answering_sentence(item: GoldQuestion, evidence: Mapping[str, Any], texts: Sequence[str]) -> str:
    """The quote of the evidence; without one, the sentence of ``texts``, those of its page, with most of the answer's
    and the question's words, weighed against its own. "" where there is none of LEAST_WORDS.
    """
    if evidence.get("quote"):
        return str(evidence["quote"])
    wanted = set(terms(f"{item.answer or ''} {item.question}"))
    sentences = [text[start:end] for text in texts for start, end in sentence_spans(text)]
    long = [one for one in sentences if len(_words(one)) >= LEAST_WORDS]
    return max(long, key=lambda one: len(wanted & set(terms(one))) / (len(set(terms(one))) + 5), default="")


def documents_to_hold_out(
    item: GoldQuestion, evidence: Sequence[Mapping[str, Any]], chunks: Mapping[str, Sequence[Mapping[str, Any]]]
) -> frozenset[str]:
    """The names of the documents of the evidence, and of those of which a chunk has TWIN_SHARE of the shingles of a
    sentence that answers. ``chunks`` are the rows of the table by their document's name.
    """
    named = {name for name in chunks for one in evidence if PurePosixPath(name).name == one["file"]}
    found = set(named)
    for one in evidence:
        at = [row for name in named if PurePosixPath(name).name == one["file"] for row in chunks[name]]
        row, page = one.get("row"), one.get("page")
        here = [
            chunk["text"]
            for chunk in at
            if (chunk["row_number"] == row if row else page is None or chunk["page_number"] == page)
        ]
        said = shingles(answering_sentence(item, one, here))
        for name, others in chunks.items():
            if said and any(len(said & shingles(other["text"])) >= TWIN_SHARE * len(said) for other in others):
                found.add(name)
    return frozenset(found)


def twins_of(texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Of each document by its name those that are its twins, itself among them."""
    weighed = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit_transform(texts.values())
    alike = (weighed @ weighed.T).toarray() >= TWIN_COSINE
    names = list(texts)
    return {
        name: frozenset(other for other, is_twin in zip(names, row, strict=True) if is_twin or other == name)
        for name, row in zip(names, alike, strict=True)
    }


def version_without(corpus: str, held_out: frozenset[str], plan: Plan, settings: Settings) -> Staged:
    """The corpus' version without the documents, as `evaluate` has it; nothing is embedded again."""
    if not held_out:
        return live_version(IndexStore(settings.home), plan, corpus)
    converted = documents_of_lake.fn(corpus, settings, sorted(held_out))
    if found := find_version.fn(converted, plan, settings):
        return found
    embedded = embed_chunks.fn(chunk_documents.fn(converted, plan, settings), plan, settings)
    return stage_index.fn(converted, embedded, plan, settings)


def settled(questions: Sequence[Question], loaded: Loaded) -> list[Settled]:
    """The questions with their drafts and answers, as `answer` gives them."""
    return [one for one, _ in answer_questions(questions, loaded).settled]


def askings(one: GoldSet, plan: Plan) -> Iterator[Asking]:
    """Each question of the set with all documents there, and each answerable one without those that answer it."""
    settings = load_settings(home=one.home)
    items, quotes = read_gold(one.gold), one.quotes()
    rows = pl.read_parquet(f"{one.home}/lake/chunks/**/*.parquet", hive_partitioning=True)
    rows = rows.filter(pl.col("corpus") == one.corpus, pl.col("index_key") == plan.index_key)
    chunks: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows.select("file_name", "page_number", "row_number", "text").iter_rows(named=True):
        chunks[row["file_name"]].append(row)
    twins = twins_of({name: " ".join(row["text"] for row in rows) for name, rows in chunks.items()})
    groups: dict[frozenset[str], list[tuple[int, bool]]] = defaultdict(list)
    groups[frozenset()] = [(at, False) for at in range(len(items))]
    for at, item in enumerate(items):
        if item.answerable:
            answering = documents_to_hold_out(item, quotes[item.question_id], chunks)
            whole = frozenset[str]().union(*(twins[name] for name in answering))
            groups[whole].append((at, False))
            if answering != whole:
                groups[answering].append((at, True))
    without_any = groups.pop(frozenset(chunks), [])
    print(
        f"{one.name}: {len(items)} questions, {len(chunks)} documents, {len(groups) - 1} sets of them held out; "
        f"{len(without_any)} questions that every document answers are left out",
        flush=True,
    )
    for held_out, members in groups.items():
        version = version_without(one.corpus, held_out, plan, settings)
        loaded = load_for_asking(version, plan, settings, Scope())
        questions = {at: as_question(items[at], at) for at, _ in members}
        found = dict(zip(questions, settled(list(questions.values()), loaded), strict=True))
        for at, a_twin_stays in members:
            told = asking(one, items[at], quotes[items[at].question_id], held_out, found[at])
            yield replace(told, a_twin_stays=a_twin_stays)


def asking(
    one: GoldSet, item: GoldQuestion, evidence: Sequence[Mapping[str, Any]], held_out: frozenset[str], found: Settled
) -> Asking:
    """The row of one asking."""
    hits, draft, answer = found.asked.hits, found.draft, found.answer
    return Asking(
        gold_set=one.name,
        corpus=one.corpus,
        question_id=item.question_id,
        question=item.question,
        cluster=f"{one.corpus} {cluster_of(item)}",
        held_out=tuple(sorted(held_out)),
        is_answerable=item.answerable and not held_out,
        signals=(draft.support, *signals(hits[0])) if hits else (0.0, 0.0, 0.0),
        confidence=(answer.confidence or 0.0) if draft.citations else 0.0,
        status=answer.status,
        cites_right_page=is_right(answer.citations[0], evidence) if answer.citations and not held_out else None,
        known_answer=item.answer or "",
        verdict=answer.verdict,
        true_verdict=item.verdict,
        asks_yes_no=found.asked.question.kind == "yes_no",
        quotes=tuple((one.file_name, one.page_number, one.quote) for one in answer.citations),
    )


def is_right(citation: Any, evidence: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the citation is on a page, or in a row, of the evidence; where that has a quote, whether it shares its
    text with the quote.
    """
    for one in evidence:
        if PurePosixPath(citation.file_name).name != one["file"]:
            continue
        if quote := folded(one.get("quote", "")):
            said = folded(citation.quote)
            if said in quote or quote in said:
                return True
        elif citation.page_number == one.get("page") and one.get("row") in (None, citation.row_number):
            return True
    return False


def main(out: str, sets: Sequence[GoldSet]) -> None:
    """Asks, keeps what was said, and prints the figures."""
    plan = load_plan("bidfolio")
    found: list[Asking] = []
    for one in sets:
        found += askings(one, plan)
    keep(found, Path(out))
    report(found, plan.answering.decline_below)


def keep(found: Sequence[Asking], out: Path) -> None:
    """Writes the askings, and the quotes of each corpus as a lake has citations."""
    out.mkdir(parents=True, exist_ok=True)
    rows = [asdict(one) | {"quotes": [quote for _, _, quote in one.quotes]} for one in found]
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(out / "asked.parquet")
    for corpus in {one.corpus for one in found}:
        folder = out / corpus / "lake" / "citations"
        folder.mkdir(parents=True, exist_ok=True)
        quotes = [quote for one in found if one.corpus == corpus for quote in one.quotes]
        schema = {"file_name": pl.String, "page_number": pl.Int64, "quote": pl.String}
        pl.DataFrame(quotes, schema=schema, orient="row").write_parquet(folder / "quotes.parquet")


if __name__ == "__main__":
    main(sys.argv[1], [GoldSet(*given.split("=", 3)) for given in sys.argv[2:]])
