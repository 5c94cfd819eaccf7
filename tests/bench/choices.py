"""What the numbers of the plan bidfolio were chosen among, on several corpora, wherever their chunks begin.

Run: .venv/bin/python -m tests.bench.choices NAME=FOLDER=GOLD.jsonl NAME=FOLDER=GOLD.jsonl … [--home DIR]

How many tokens chunks share moves where every one after the first begins, and some .02 of MRR with it. A number that is
chosen on one such index may fit that alone. So each alternative is measured on all of INDEXES, and chosen by the mean
over them, without what judges it: with a corpus, and with a fifth of each set's questions, left out. The plan's own
index is the first. What is right, `tests/bench/corpora.py` says. A `--home` is kept, and what is in it is not made
again.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from configs.plans import load_plan
from configs.settings import load_settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.dense import encode_with_tokens, prepare
from tasks.embedding.models.shards import Encoder
from tasks.index.store import IndexStore
from tasks.records import Hit, Question
from tasks.retrieval.finding import Models, find_hits, reads_nothing
from tasks.retrieval.first_stage.cached_search import RememberingIndex
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.told_documents import told_of_documents
from tasks.retrieval.version_loading import live_version, load_index
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache
from tests.bench.northwind import bidfolio
from tests.bench.ranks import (
    DEPTH,
    Asked,
    Ranks,
    is_right,
    mean_figures,
    mean_reciprocals,
    print_chosen,
    written,
)

INDEXES: Mapping[str, Mapping[str, Any]] = {
    f"{tokens}_{shared}": {"chunking": {"max_tokens": tokens, "overlap_tokens": shared}}
    for tokens, shared in ((160, 30), (160, 28), (160, 32), (160, 60), (160, 78), (200, 98))
}
"""The plan's own chunks, and others that begin elsewhere."""
LENGTHS: Mapping[str, Mapping[str, Any]] = {
    f"chunks_of_{tokens}": {"chunking": {"max_tokens": tokens, "overlap_tokens": tokens // 5}}
    for tokens in (80, 120, 160, 240, 320)
}
"""Chunks of which a fifth is shared, each an index of its own."""
CUTS: Mapping[str, Mapping[str, Any]] = {
    "without_heads": {"chunking": {"context": "title", "table_tokens": None}},
    "heads_alone": {"chunking": {"table_tokens": None}},
    **{f"tables_of_{tokens}": {"chunking": {"table_tokens": tokens}} for tokens in (64, 96, 128)},
    "within_sections": {"chunking": {"respect_sections": True}},
}
"""Other ways to cut tables and sections, each an index of its own."""
PLAN = "the_plan"
READ = "how many are read again, and what that weighs"
CHOICES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "the share of neighbours": {
        f"neighbours_{share}": {"retrieval": {"rerank": {"neighbours": share}}} for share in (0.0, 0.1, 0.2, 0.3, 0.5)
    },
    "the share of the cosines of whole texts": {
        f"cosines_{share}": {"retrieval": {"rerank": {"cosines": share}}} for share in (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
    },
    READ: {
        f"read_{depth}_weighing_{weight}": {"retrieval": {"reread": {"depth": depth, "weight": weight}}}
        for depth in (3, 6, 10)
        for weight in (0.01, 0.02, 0.03, 0.05)
    },
}
"""What was chosen for the plan, with the keys that each alternative takes; the cheaper ones come first."""
Alternatives = Mapping[str, Mapping[str, Any]]


def measured(
    home: str, sets: Sequence[Asked], index: Mapping[str, Any], alternatives: Alternatives
) -> dict[str, Ranks]:
    """The first ranks of each alternative on one index, which is the plan's but for the keys ``index``. The first has
    the model that all read their hits with, if any does; nothing is drafted.
    """
    files = written(home, {name: {**index, **keys} for name, keys in alternatives.items()})
    plans = [load_plan(file) for file in files]
    if len({plan.index_key for plan in plans}) > 1:
        raise ValueError("alternatives on one index differ in what they search, not in what is searched")
    for asked in {asked.corpus: asked for asked in sets}.values():
        bidfolio(home, "refresh", asked.folder, "--corpus", asked.corpus, "--plan", files[0])
    plan, settings, lake = plans[0], load_settings(home=home), Lake(home)
    encoder = Encoder(plan.embedding, settings.threads, home)
    prepare(encoder)
    reader = pair_reader(plan.retrieval.reread, settings.machine, output_cache(home))
    models = Models(once(partial(encode_with_tokens, encoder=encoder)), reads_nothing, nothing_written, reader)
    found: dict[str, list[list[int]]] = {name: [] for name in alternatives}
    for asked in sets:
        store = IndexStore(home)
        version = live_version(store, plan, asked.corpus)
        searched = RememberingIndex(load_index(store, CorpusCache(lake), version, plan))
        told = told_of_documents(lake.read("documents", corpus=asked.corpus).to_pylist())
        lines = asked.lines()
        questions = [Question(line["id"], at, line["question"]) for at, line in enumerate(lines)]
        for one, ranks in zip(plans, found.values(), strict=True):
            hits, _ = find_hits(questions, searched, one.retrieval, models, told)
            ranks.append([first_right(some, line["evidence"]) for some, line in zip(hits, lines, strict=True)])
    return dict(found)


def first_right(hits: Sequence[Hit], evidence: Sequence[Mapping[str, Any]]) -> int:
    """The rank of the first hit that is right; 0 where none of DEPTH is."""
    chunks = [(hit.rank, hit.chunk) for hit in hits if hit.rank <= DEPTH]
    told = ("text", "file_name", "page_number", "sheet_name", "row_number")
    return next((rank for rank, one in chunks if is_right({key: getattr(one, key) for key in told}, evidence)), 0)


def once(encode: Callable[[Sequence[str]], Any]) -> Callable[[Sequence[str]], Any]:
    """``encode``, asked once for the same texts."""
    kept = cache(lambda texts: encode(list(texts)))
    return lambda texts: kept(tuple(texts))


def nothing_written(texts: Sequence[str]) -> list[Any]:
    """Raises ValueError: no alternative asks for other wordings."""
    raise ValueError(f"no model server is given that could word {len(texts)} questions otherwise")


def print_means(found: Mapping[str, Sequence[Ranks]]) -> None:
    """Recall@1/recall@5/MRR@10 on each set, the MRR of the worst set, and MRR and recall@5 over all questions; means
    over the indexes.
    """
    for name, several in found.items():
        means = mean_reciprocals(several)
        within = np.mean([0 < rank <= 5 for ranks in several for of_set in ranks for rank in of_set])
        of_sets = (mean_figures(of_set) for of_set in zip(*several, strict=True))
        print(
            f"{name:26}" + "".join(f"{told:>20}" for told in of_sets) + f"   MRR {np.concatenate(means).mean():.4f}, "
            f"recall@5 {within:.4f}",
            flush=True,
        )


def main(sets: Sequence[Asked], home: str) -> None:
    """Prints the figures."""
    every = {name: keys for alternatives in CHOICES.values() for name, keys in alternatives.items()}
    found: dict[str, list[Ranks]] = {name: [] for name in (PLAN, *every)}
    for index, keys in INDEXES.items():
        for name, ranks in measured(home, sets, keys, {PLAN: {}, **every}).items():
            found[name].append(ranks)
        print_means({index: found[PLAN][-1:]})
    print_means({PLAN: found[PLAN]})
    for said, alternatives in CHOICES.items():
        several = {name: found[name] for name in alternatives}
        print(f"\n{said}")
        print_means(several)
        for is_cheapest in (False, True)[: 1 + (said == READ)]:
            print_chosen(several, sets, 0, is_cheapest)
    for said, indexes in (("the tokens of a chunk, a fifth of them shared", LENGTHS), ("tables and sections", CUTS)):
        print(f"\n{said}")
        several = {name: [measured(home, sets, keys, {PLAN: {}})[PLAN]] for name, keys in indexes.items()}
        print_means(several)
        print_chosen(several, sets, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="NAME=FOLDER=GOLD.jsonl")
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        kept = options.home or Path(scratch)
        kept.mkdir(parents=True, exist_ok=True)
        main([Asked(*given.split("=", 2)) for given in options.sets], str(kept))
