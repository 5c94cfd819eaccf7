"""What the plan bidfolio finds where its lexical space was fitted on other texts than it searches.

Run: .venv/bin/python -m tests.bench.drift NORTHWIND_FOLDER

The space is fitted without a tenth of the chunks, drawn by chance, and without each file in turn; chunks, dense vectors
and BM25 are of all. Beside each stand the difference from the space fitted on all, and its p by a paired permutation
test. The lexical space alone is searched, too, where more depends on it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from configs.plans import load_plan
from configs.retrieval import RankedList, Retrieval
from tasks.chunking.chunker import chunk_document
from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.embedding.lexical.lexical_drift import fitted_on
from tasks.embedding.models.dense import embed_texts, encode_questions
from tasks.embedding.models.model_files import ModelTokenizer, longest_passage_tokens
from tasks.embedding.models.shards import Encoder, text_id
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.evaluation.gold.outcomes import RANKS, Outcome, place
from tasks.evaluation.metrics.ranking import reciprocal_rank
from tasks.records import Chunk
from tasks.retrieval.first_stage.exact_search import SearchableIndex, search
from tasks.statistics.significance import paired_difference
from tests.bench.conversion import source_of
from tests.made.lexical_models import bm25_weights, lexical_space

PLAN = load_plan("bidfolio")
DRAWS = 5
LEFT_OUT = 0.1


def main(folder: Path) -> None:
    """Prints the figures."""
    tokenizer, longest = ModelTokenizer(PLAN.embedding.model), longest_passage_tokens(PLAN.embedding)
    documents = [
        convert(source_of(path), path.read_bytes(), unstructured_reader) for path in sorted(folder.glob("*.pdf"))
    ]
    chunks = [chunk for one in documents for chunk in chunk_document(one, PLAN.chunking[""], tokenizer, longest)]
    texts = [chunk.searched_text for chunk in chunks]
    gold = [item for item in read_gold(str(folder / "gold-dev.jsonl")) if item.answerable]
    questions = [as_question(item, ordinal) for ordinal, item in enumerate(gold)]
    with tempfile.TemporaryDirectory() as home:
        encoder = Encoder(PLAN.embedding, 2, home)
        dense = np.concatenate([embed_texts(texts[at : at + 128], encoder).dense for at in range(0, len(texts), 128)])
        asked = encode_questions([question.text for question in questions], encoder)
    bm25 = bm25_weights(texts, PLAN.embedding.bm25.k1, PLAN.embedding.bm25.b)

    def outcomes(kept: Sequence[str], retrieval: Retrieval) -> list[Outcome]:
        space = lexical_space(list(kept), PLAN.embedding.lexical, dense.shape[1])
        index = SearchableIndex(chunks, dense, space.project(texts), space, bm25, PLAN.embedding.bm25)
        found = search(questions, asked, index, retrieval)
        places = [[place(hit.chunk.file_name, hit.chunk.page_number) for hit in hits] for hits in found]
        return [Outcome(item, hits, "answered") for item, hits in zip(gold, places, strict=True)]

    first = PLAN.retrieval.model_copy(update={"rerank": None})
    alone = first.model_copy(update={"lists": (RankedList(by="lexical"),)})
    print(f"{len(chunks)} chunks, {len(gold)} questions")
    for name, retrieval in (("plan bidfolio, before it reranks", first), ("its lexical space alone", alone)):
        whole = outcomes(texts, retrieval)
        print(f"{name}: fitted on all: recall@5 {mean(at_5(whole)):.3f}, MRR {mean(ranks(whole)):.3f}")
        for left_out, kept in fits(chunks):
            found = outcomes(kept, retrieval)
            drift = drift_of(kept, texts)
            told = []
            for metric, values in (("recall@5", at_5), ("MRR", ranks)):
                difference = paired_difference(values(found), values(whole))
                told.append(f"{metric} {mean(values(found)):.3f} ({difference.mean:+.3f}, p = {difference.p:.2f})")
            print(f"  without {left_out}: drift {drift:.3f}: {', '.join(told)}", flush=True)


def fits(chunks: Sequence[Chunk]) -> Iterator[tuple[str, list[str]]]:
    """What is left out, and the texts that a space is fitted on then."""
    for draw in range(DRAWS):
        is_kept = np.random.default_rng(draw).random(len(chunks)) >= LEFT_OUT
        yield f"a tenth, draw {draw}", [one.searched_text for one, kept in zip(chunks, is_kept, strict=True) if kept]
    for name in sorted({chunk.file_name for chunk in chunks}):
        yield name, [chunk.searched_text for chunk in chunks if chunk.file_name != name]


def drift_of(kept: Sequence[str], texts: Sequence[str]) -> float:
    """How far ``texts`` are from those that a space was fitted on."""
    before, now = (fitted_on(map(text_id, some), PLAN.embedding.lexical, 1) for some in (kept, texts))
    return before.drift_to(now)


def at_5(outcomes: Sequence[Outcome]) -> list[float]:
    """Whether a gold page is among the first five, by question."""
    return [float(one.first_rank is not None and one.first_rank <= 5) for one in outcomes]


def ranks(outcomes: Sequence[Outcome]) -> list[float]:
    """The reciprocal ranks."""
    return [reciprocal_rank(one.pages, one.gold_pages, RANKS) or 0.0 for one in outcomes]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
