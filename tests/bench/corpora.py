"""The plans on several corpora of different kinds, and what is chosen for all of them judged where it was not chosen.

Run: .venv/bin/python -m tests.bench.corpora NAME=FOLDER=GOLD.jsonl NAME=FOLDER=GOLD.jsonl … [--only plans]

`tests/bench/gold` has questions about a state's request for proposals (Markdown and PDF; public domain) and about
proposals for cloud services (Word; MIT), whose evidence is quotes, as not every file has pages. There a hit is right
that holds a quote or a half of it; elsewhere, one on a page of the evidence. Names with the same folder share a corpus.

Then the plan bidfolio loses one part after the other, to show what each adds. Last, what is best by MRR is chosen
without what it is judged on, once with a corpus left out and once with a fifth of each set's questions: each of
CHOICES, and then any of all that was measured.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from configs.plans import PLANS_DIR, plan_names
from tasks.evaluation.significance import paired_difference
from tasks.index.store import IndexStore
from tests.bench.northwind import bidfolio

DEPTH = 10
FOLDS, SEED = 5, 0
JOINED, BY_WORDS = {"by": "hybrid", "combine": "join", "alpha": 0.5}, {"by": "bm25"}
PARTS: Mapping[str, Mapping[str, Any]] = {
    "nothing_read_again": {"retrieval": {"reread": None}, "answering": {"confidence": None}},
    "no_reranking": {"retrieval": {"rerank": None, "reread": None}, "answering": {"confidence": None}},
    "no_late_interaction": {"retrieval": {"rerank": None}},
    "no_bm25": {"retrieval": {"lists": [JOINED]}},
    "no_dense_vectors": {"retrieval": {"lists": [{"by": "lexical"}, BY_WORDS]}},
    "no_lexical_vectors": {"retrieval": {"lists": [{"by": "dense"}, BY_WORDS]}},
    "ranks_for_scores": {
        "retrieval": {"fusion": "rrf", "lists": [JOINED | {"count": 100}, BY_WORDS | {"count": 100}]},
    },
    "all_hits_of_a_page": {"retrieval": {"one_hit_per_page": False}},
    "no_title": {"chunking": {"context": "none"}},
}
"""What the plan is without a part, as keys in the place of its own."""
READ = "how many are read again, and what that weighs"
CHEAPER_FIRST = frozenset({READ})
"""The choices whose alternatives come with the cheaper ones first."""
CHOICES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "the share of neighbours": {
        f"neighbours_{share}": {"retrieval": {"rerank": {"neighbours": share}}} for share in (0.0, 0.1, 0.2, 0.3, 0.5)
    },
    READ: {
        f"read_{depth}_weighing_{weight}": {"retrieval": {"reread": {"depth": depth, "weight": weight}}}
        for depth in (3, 6, 10, 20)
        for weight in (0.01, 0.02, 0.05)
    },
    "the tokens of a chunk, a fifth of them shared": {
        f"chunks_of_{tokens}": {"chunking": {"max_tokens": tokens, "overlap_tokens": tokens // 5}}
        for tokens in (80, 120, 160, 240, 320)
    },
    "the tokens that chunks share, which moves where each begins": {
        f"sharing_{tokens}": {"chunking": {"overlap_tokens": tokens}} for tokens in (28, 30, 32, 60, 78)
    },
}
"""What was chosen for the plan among alternatives, which are named here with the keys that they take."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A gold set and the folder that it asks about."""

    name: str
    folder: str
    gold: str

    @property
    def corpus(self) -> str:
        """Its corpus' name."""
        return re.sub(r"\W+", "-", self.folder).strip("-").lower()[-40:].strip("-")

    def lines(self) -> list[dict[str, Any]]:
        """The questions that can be answered."""
        found = [json.loads(line) for line in Path(self.gold).read_text(encoding="utf-8").splitlines() if line.strip()]
        return [line for line in found if line["answerable"]]


def folded(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"[\W_]+", "", text).lower()


def is_right(hit: Mapping[str, Any], evidence: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the hit holds a half of a quote, or is on a page of evidence without quotes."""
    text = folded(hit["text"])
    for one in evidence:
        if one["file"] != hit["file_name"]:
            continue
        if quote := folded(one.get("quote", "")):
            half = len(quote) // 2
            if quote[:half] in text or quote[half:] in text:
                return True
        elif (one.get("page"), one.get("sheet"), one.get("row")) == (
            hit["page_number"],
            hit["sheet_name"],
            hit["row_number"],
        ):
            return True
    return False


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


def reciprocals(ranks: Sequence[int]) -> list[float]:
    """1 / rank, and 0 where nothing is right."""
    return [1 / rank if rank else 0.0 for rank in ranks]


def figures(ranks: Sequence[int]) -> str:
    """Recall@1, recall@5 and MRR@10."""
    found = np.array(ranks)
    return f"{(found == 1).mean():.3f}/{((found > 0) & (found <= 5)).mean():.3f}/{np.mean(reciprocals(ranks)):.3f}"


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


def print_ranks(found: Mapping[str, Sequence[Sequence[int]]]) -> None:
    """Recall@1/recall@5/MRR@10 of each plan on each set, and MRR over all questions."""
    for name, of_sets in found.items():
        overall = np.mean([value for ranks in of_sets for value in reciprocals(ranks)])
        print(f"{name:26}" + "".join(f"{figures(ranks):>20}" for ranks in of_sets) + f"   MRR {overall:.3f}")


def best_of(found: Mapping[str, Sequence[Sequence[int]]], is_cheapest: bool) -> str:
    """The plan of the best mean of the sets' MRR; where ``is_cheapest``, the first that is within one standard error of
    that one, by the differences question by question (Breiman et al. 1984), as the cheaper ones come first.
    """
    scores = {name: [np.array(reciprocals(ranks)) for ranks in of_sets] for name, of_sets in found.items()}
    best = max(scores, key=lambda name: np.mean([one.mean() for one in scores[name]]))
    if not is_cheapest:
        return best

    def is_near(name: str) -> bool:
        less = [one - other for one, other in zip(scores[best], scores[name], strict=True)]
        error = np.sqrt(sum(one.var(ddof=1) / len(one) for one in less)) / len(less)
        return bool(np.mean([one.mean() for one in less]) <= error)

    return next(name for name in scores if is_near(name))


def print_chosen(found: Mapping[str, Sequence[Sequence[int]]], sets: Sequence[Asked], is_cheapest: bool) -> None:
    """What the plan scores that is chosen without what it is judged on: of each corpus, by the sets of the others; and
    of each set, a fifth of its questions by the other four of every set, all fifths together.
    """
    print(f"  chosen {'as the cheapest within a standard error' if is_cheapest else 'by MRR'}, a corpus left out:")
    for corpus in dict.fromkeys(asked.corpus for asked in sets):
        inside = [at for at, asked in enumerate(sets) if asked.corpus == corpus]
        others = [at for at in range(len(sets)) if at not in inside]
        chosen = best_of({name: [of_sets[at] for at in others] for name, of_sets in found.items()}, is_cheapest)
        for at in inside:
            print(f"  {sets[at].name:20} by the others {chosen}: {figures(found[chosen][at])}")
    draw = np.random.default_rng(SEED)
    folds = [draw.permutation(len(asked.lines())) % FOLDS for asked in sets]
    judged: list[list[int]] = [[] for _ in sets]
    how_often: Counter[str] = Counter()
    for fold in range(FOLDS):
        rest = {
            name: [np.array(ranks)[of != fold].tolist() for ranks, of in zip(of_sets, folds, strict=True)]
            for name, of_sets in found.items()
        }
        chosen = best_of(rest, is_cheapest)
        how_often[chosen] += 1
        for own, ranks, of in zip(judged, found[chosen], folds, strict=True):
            own.extend(np.array(ranks)[of == fold].tolist())
    told = ", ".join(f"{name} {times} times" for name, times in how_often.items())
    print(f"  a fifth of the questions left out, {told}:")
    print(f"  {'':24}" + "".join(f"{figures(ranks):>20}" for ranks in judged))


def written(home: str, variants: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The files of plans that are bidfolio with other keys; a mapping within a part changes the keys that it names."""
    files = []
    for name, parts in variants.items():
        recipe = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
        for part, keys in parts.items():
            for key, value in keys.items():
                is_of_keys = isinstance(value, Mapping) and isinstance(recipe[part].get(key), Mapping)
                recipe[part][key] = recipe[part][key] | value if is_of_keys else value
        files.append(str(Path(home) / f"{name}.yaml"))
        Path(files[-1]).write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return files


def main(sets: Sequence[Asked], only: str | None) -> None:
    """Prints the figures; ``only`` those of "plans", of "parts" or of "choices"."""
    with tempfile.TemporaryDirectory() as home:
        for asked in {asked.corpus: asked for asked in sets}.values():
            done = bidfolio(home, "refresh", asked.folder, "--corpus", asked.corpus)
            print(f"{asked.corpus}: {done['pages']} pages, {done['chunks']} chunks", flush=True)
        every: dict[str, list[list[int]]] = {}
        if only in (None, "plans"):
            every |= measured(home, sets, plan_names())
            print_table(every, sets)
        if only in (None, "parts"):
            parts = measured(home, sets, ["bidfolio", *written(home, PARTS)])
            every |= parts
            print("\nwithout a part")
            print_table(parts, sets)
        for said, variants in CHOICES.items() if only in (None, "choices") else ():
            several = measured(home, sets, written(home, variants))
            every |= several
            print(f"\n{said}")
            print_ranks(several)
            for is_cheapest in (False, True)[: 1 + (said in CHEAPER_FIRST)]:
                print_chosen(several, sets, is_cheapest)
            sys.stdout.flush()
        print("\nany of the above")
        print_chosen(every, sets, is_cheapest=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="NAME=FOLDER=GOLD.jsonl")
    parser.add_argument("--only", choices=("plans", "parts", "choices"))
    options = parser.parse_args()
    main([Asked(*given.split("=", 2)) for given in options.sets], options.only)
