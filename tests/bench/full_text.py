"""BM25: building, 500 questions at once and one by one, beside LanceDB's full-text index and bm25s on the same texts.

Run: .venv/bin/python -m tests.bench.full_text FOLDER GOLD.jsonl [GOLD.jsonl …] [--chunks 100000]

FOLDER holds PDFs, of whose words the chunks are made as `tests/bench/lexical.py` makes them; the questions are those of
the gold sets. LanceDB takes one question a search, so that its batch is one after the other. Agreement is the share of
the hundred best chunks that are among the hundred best by bm25s: it is given the same words as bidfolio, and LanceDB
makes words of its own. The questions alone are timed, not the texts of what is found; bidfolio finds the best as a
refresh's version on disk does.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bm25s
import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS
from lancedb.query import MatchQuery

from configs.plans import BM25
from tasks.embedding.lexical.bm25 import BM25State, fit_bm25
from tasks.embedding.lexical.word_counts import count_words
from tasks.evaluation.gold.gold_set import read_gold
from tasks.retrieval.first_stage.exact_search import QUESTIONS_A_BATCH
from tasks.retrieval.ranking.fusion import best_above
from tasks.text.search_terms import terms
from tests.bench.lexical import sampled

BATCH, BEST = 500, 100

Asked = Callable[[Sequence[str]], list[list[int]]]


def ours(texts: Sequence[str]) -> Asked:
    """bidfolio's weights, a sparse product for all questions."""
    plan = BM25()
    counts = count_words(texts, lambda text: terms(text, plan.stop_words, plan.stemming))
    state = BM25State.from_bytes(fit_bm25(lambda: [counts], plan).to_bytes())

    def ask(questions: Sequence[str]) -> list[list[int]]:
        found: list[list[int]] = []
        for begin in range(0, len(questions), QUESTIONS_A_BATCH):
            scores = state.score_all(state.words_of(questions[begin : begin + QUESTIONS_A_BATCH]).known)
            found += [best_above(row, BEST, 0.0) for row in scores]
        return found

    return ask


def by_lancedb(texts: Sequence[str], folder: str) -> Asked:
    """LanceDB's full text with the index that a refresh makes."""
    rows = pa.table({"text": list(texts), "at": np.arange(len(texts))})
    table = lancedb.connect(folder).create_table("chunks", rows)
    table.create_index("text", config=FTS(language="English", stem=True, remove_stop_words=True))

    def ask(questions: Sequence[str]) -> list[list[int]]:
        return [
            table.search(MatchQuery(question, "text"), query_type="fts")
            .select(["at", "_score"])
            .limit(BEST)
            .to_arrow()["at"]
            .to_pylist()
            for question in questions
        ]

    return ask


def by_bm25s(texts: Sequence[str]) -> Asked:
    """bm25s, by the same words as bidfolio; the time for making words is in it."""
    retriever: Any = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    retriever.index([terms(text) for text in texts], show_progress=False)

    def ask(questions: Sequence[str]) -> list[list[int]]:
        words = [list(dict.fromkeys(terms(question))) for question in questions]
        found, scores = retriever.retrieve(words, k=BEST, show_progress=False, n_threads=2)
        return [row[own > 0].tolist() for row, own in zip(found, scores, strict=True)]

    return ask


def main(folder: Path, golds: Sequence[str], chunks: int) -> None:
    """Prints the figures."""
    texts = sampled(folder, chunks)
    known = [item.question for gold in golds for item in read_gold(gold)]
    questions = [known[at % len(known)] for at in range(BATCH)]
    print(f"{chunks} chunks, {len(known)} questions")
    with tempfile.TemporaryDirectory() as scratch:
        makers: dict[str, Callable[[], Asked]] = {
            "bidfolio": lambda: ours(texts),
            "LanceDB": lambda: by_lancedb(texts, scratch),
            "bm25s": lambda: by_bm25s(texts),
        }
        tools: dict[str, Asked] = {}
        for name, make in makers.items():
            begin = time.perf_counter()
            tools[name] = make()
            print(f"{name:10} built in {time.perf_counter() - begin:.1f} s", flush=True)
        expected = tools["bm25s"](questions)
        for name, ask in tools.items():
            batches, singles = [], []
            for _ in range(3):
                begin = time.perf_counter()
                found = ask(questions)
                batches.append(time.perf_counter() - begin)
            for question in questions[:BEST]:
                begin = time.perf_counter()
                ask([question])
                singles.append((time.perf_counter() - begin) * 1000)
            shares = [len({*a} & {*b}) / len(b) for a, b in zip(found, expected, strict=True) if b]
            p50, p95 = np.percentile(singles, [50, 95])
            print(
                f"{name:10} {BATCH} questions {np.median(batches):6.2f} s, one p50 {p50:6.1f} ms, p95 {p95:6.1f} ms, "
                f"of the best {BEST} by bm25s {np.mean(shares):.3f}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("golds", nargs="+")
    parser.add_argument("--chunks", type=int, default=100_000)
    given = parser.parse_args()
    main(given.folder, given.golds, given.chunks)
