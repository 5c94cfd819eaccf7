"""The plans on several corpora of different kinds, and what each part of the plan bidfolio adds on them.

Run: .venv/bin/python -m tests.bench.corpora NAME=FOLDER=GOLD.jsonl NAME=FOLDER=GOLD.jsonl … [--only plans]

`tests/bench/gold` has questions about a state's request for proposals (Markdown and PDF; public domain) and about
proposals for cloud services (Word; MIT), whose evidence is quotes, as not every file has pages. There a hit is right
that holds a quote or a half of it; elsewhere, one on a page of the evidence. And it has questions about a company's
report, which is not at hand: `infra/docs/measurements.md` says where it is. Names with the same folder share a corpus.

The plan loses one part after the other; nothing is drafted for these. Last, what is best by MRR among all that was
measured is chosen without what it is judged on, once with a corpus left out and once with a fifth of each set's
questions.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tasks.index.store import IndexStore
from tasks.statistics.significance import paired_difference
from tests.bench.choices import measured as searched
from tests.bench.northwind import PLANS, bidfolio
from tests.bench.ranks import DEPTH, Asked, Ranks, figures, is_right, print_chosen, reciprocals

JOINED, BY_WORDS = {"by": "hybrid", "combine": "join", "alpha": 0.5}, {"by": "bm25"}
UNREAD: Mapping[str, Any] = {"confidence": None, "selection": None, "verdicts": None}
PARTS: Mapping[str, Mapping[str, Any]] = {
    "nothing_read_again": {"retrieval": {"reread": None}, "answering": UNREAD},
    "no_reranking": {"retrieval": {"rerank": None, "reread": None}, "answering": UNREAD},
    "no_late_interaction": {"retrieval": {"rerank": None}},
    "no_cosines_beside_it": {"retrieval": {"rerank": {"cosines": 0.0}}},
    "no_bm25": {"retrieval": {"lists": [JOINED]}},
    "no_dense_vectors": {"retrieval": {"lists": [{"by": "lexical"}, BY_WORDS]}},
    "no_lexical_vectors": {"retrieval": {"lists": [{"by": "dense"}, BY_WORDS]}},
    "ranks_for_scores": {
        "retrieval": {"fusion": "rrf", "lists": [JOINED | {"count": 100}, BY_WORDS | {"count": 100}]},
    },
    "all_hits_of_a_page": {"retrieval": {"one_hit_per_page": False}},
}
"""What the plan is without a part, as keys in the place of its own, on its own index."""
NO_TITLE = {"chunking": {"context": "none"}}


def texts_of(home: str, corpus: str) -> pl.DataFrame:
    """The ids and texts of the chunks of all versions of a corpus: the lake has those of published ones alone."""
    store = IndexStore(home)
    made = [one.manifest for one in store.versions() if one.manifest.corpus == corpus]
    rows = [store.rows(corpus, one.index_key, one.index_version).select(["chunk_id", "text"]) for one in made]
    return pl.concat([pl.DataFrame(pl.from_arrow(some)) for some in rows]).unique("chunk_id")


def first_ranks(home: str, run_id: str, plan: str, asked: Asked, texts: pl.DataFrame) -> list[int]:
    """The rank of the first right hit of each question; 0 where none of DEPTH is."""
    hits = (
        pl.read_parquet(f"{home}/lake/retrievals/**/*.parquet")
        .filter(pl.col("run_id") == run_id, pl.col("plan") == plan, pl.col("rank") <= DEPTH)
        .join(texts, on="chunk_id", how="left")
        .sort("rank")
    )
    if hits["text"].null_count():
        raise RuntimeError(f"{plan}: hits of chunks that no version has")
    of_question: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in hits.iter_rows(named=True):
        of_question[row["question_id"]].append(row)
    return [
        next((row["rank"] for row in of_question[line["id"]] if is_right(row, line["evidence"])), 0)
        for line in asked.lines()
    ]


def measured(home: str, sets: Sequence[Asked], plans: Sequence[str]) -> dict[str, list[list[int]]]:
    """The first ranks of each plan, of each set."""
    found: dict[str, list[list[int]]] = {Path(plan).stem: [] for plan in plans}
    for asked in sets:
        arguments = [part for plan in plans for part in ("--plan", plan)]
        done = bidfolio(home, "evaluate", asked.gold, "--corpus", asked.corpus, *arguments)
        texts = texts_of(home, asked.corpus)
        for name, ranks in found.items():
            ranks.append(first_ranks(home, str(done["run_id"]), name, asked, texts))
    return found


def print_table(found: Mapping[str, Sequence[Sequence[int]]], sets: Sequence[Asked]) -> None:
    """Recall@1/recall@5/MRR@10 of each plan, and what bidfolio has over it in MRR over all questions."""
    print(f"{'recall@1/recall@5/MRR@10':26}" + "".join(f"{asked.name:>20}" for asked in sets))
    ours = [value for ranks in found["bidfolio"] for value in reciprocals(ranks)]
    for name, of_sets in found.items():
        difference = paired_difference(ours, [value for ranks in of_sets for value in reciprocals(ranks)])
        over = "" if name == "bidfolio" else f"   bidfolio has {difference.mean:+.3f} MRR (p = {difference.p:.4f})"
        print(f"{name:26}" + "".join(f"{figures(ranks):>20}" for ranks in of_sets) + over)


def main(sets: Sequence[Asked], only: str | None) -> None:
    """Prints the figures; ``only`` those of "plans" or of "parts"."""
    with tempfile.TemporaryDirectory() as home:
        for asked in {asked.corpus: asked for asked in sets}.values():
            done = bidfolio(home, "refresh", asked.folder, "--corpus", asked.corpus)
            print(f"{asked.corpus}: {done['pages']} pages, {done['chunks']} chunks", flush=True)
        every: dict[str, Ranks] = {}
        if only in (None, "plans"):
            plans = measured(home, sets, PLANS)
            every |= plans
            print_table(plans, sets)
        if only in (None, "parts"):
            parts = searched(home, sets, {}, {"bidfolio": {}, **PARTS})
            parts |= searched(home, sets, NO_TITLE, {"no_title": {}})
            every |= parts
            print("\nwithout a part")
            print_table(parts, sets)
        print("\nany of the above")
        print_chosen({name: [ranks] for name, ranks in every.items()}, sets, shown=0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="NAME=FOLDER=GOLD.jsonl")
    parser.add_argument("--only", choices=("plans", "parts"))
    options = parser.parse_args()
    main([Asked(*given.split("=", 2)) for given in options.sets], options.only)
