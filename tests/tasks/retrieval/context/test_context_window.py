"""What is handed over with a hit, of a version in memory and of one on disk."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from configs.plans import BM25, Lexical
from configs.retrieval import HandOver, RankedList, Rerank, Retrieval, Search
from tasks.index.rows import to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.records import Chunk, Hit
from tasks.retrieval.context.context_window import Numbered, hand_over
from tasks.retrieval.first_stage.exact_search import Index, SearchableIndex
from tasks.retrieval.first_stage.indexed_search import IndexedVersion
from tests.made.chunks import chunk_of
from tests.made.lexical_models import bm25_weights, lexical_space

KEY, PLAIN, LENGTH = "0123456789ab", 20, 4
"""The two plain documents have twenty chunks each, in parents of four."""


def made_chunks() -> list[Chunk]:
    """Two documents of prose, and a workbook: a line of text, two rows, of which the second is cut in two, a line."""
    found = [
        replace(
            chunk_of(f"Word{number}", file_name=name, ordinal=number, start=10 * number, page_number=1 + number // 7),
            parent=number // LENGTH,
        )
        for name in ("it's plain.pdf", "other.pdf")
        for number in range(PLAIN)
    ]
    for number, row in enumerate([None, 1, 2, 2, None]):
        sheet = None if row is None else "Sheet"
        cell = chunk_of(
            f"cell{number}",
            file_name="book.xlsx",
            ordinal=number,
            start=10 * number,
            page_number=None,
            row_number=row,
            sheet_name=sheet,
        )
        found.append(replace(cell, parent=(0, 1, 2, 2, 3)[number]))
    return found


CHUNKS = made_chunks()
MADE = {(chunk.file_name, chunk.ordinal): chunk for chunk in CHUNKS}


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Index]:
    texts = [chunk.searched_text for chunk in CHUNKS]
    lexical, bm25 = lexical_space(texts, Lexical(components=4), 8), bm25_weights(texts, 1.2, 0.75)
    dense = np.eye(len(CHUNKS), 8, dtype=np.float32)
    store = IndexStore(str(tmp_path_factory.mktemp("home")))
    made_of = ("model", 512, "fingerprint", "states", "content", "documents", 1, len(CHUNKS))
    manifest = Manifest("default", KEY, "bidfolio", *made_of)
    store.stage(manifest, with_vectors(to_table(CHUNKS), dense, lexical.project(texts)))
    reader = store.reader("default", KEY, manifest.index_version)
    return {
        "memory": SearchableIndex(CHUNKS, dense, lexical.project(texts), lexical, bm25, BM25()),
        "disk": IndexedVersion(reader, lexical, bm25, BM25(), Search()),
    }


@pytest.fixture(params=["memory", "disk"])
def index(request: pytest.FixtureRequest, versions: dict[str, Index]) -> Index:
    return versions[request.param]


def hits(*places: tuple[str, int]) -> list[Hit]:
    return [Hit("q", rank, MADE[place], 1 / rank, 0.5, 0.5, 0.5) for rank, place in enumerate(places, start=1)]


def plan(top_k: int = 3, **wish: Any) -> Retrieval:
    return Retrieval(lists=(RankedList(by="dense"),), top_k=top_k, hand_over={"": HandOver.model_validate(wish)})


def handed(found: Sequence[Hit]) -> list[list[tuple[str, int]]]:
    return [[(chunk.file_name, chunk.ordinal) for chunk in hit.chunks] for hit in found]


def span(name: str, first: int, last: int) -> list[tuple[str, int]]:
    return [(name, number) for number in range(first, last + 1)]


ONE, OTHER, BOOK = "it's plain.pdf", "other.pdf", "book.xlsx"


def test_neighbours_are_of_the_same_document_and_the_chunks_that_the_version_has(index: Index) -> None:
    found = {"a": hits((ONE, 5), (OTHER, 0), (ONE, 19)), "b": hits((OTHER, 12)), "c": []}
    given_back = hand_over(found, index, plan(before=2, after=1))
    assert handed(given_back["a"]) == [span(ONE, 3, 6), span(OTHER, 0, 1), span(ONE, 17, 19)]
    assert handed(given_back["b"]) == [span(OTHER, 10, 13)] and given_back["c"] == []
    assert all(chunk == MADE[chunk.file_name, chunk.ordinal] for hit in given_back["a"] for chunk in hit.chunks)
    assert [hit.chunk for hit in given_back["a"]] == [hit.chunk for hit in found["a"]], "the hit is what was found"


def test_a_parent_is_handed_over_whole_and_once(index: Index) -> None:
    found = {"q": hits((ONE, 6), (OTHER, 6), (ONE, 4), (ONE, 19))}
    assert handed(hand_over(found, index, plan(top_k=3, parent=True))["q"]) == [span(ONE, 4, 7), span(OTHER, 4, 7), []]


def test_windows_that_meet_go_with_the_better_hit(index: Index) -> None:
    found = {"q": hits((ONE, 5), (ONE, 16), (ONE, 7))}
    assert handed(hand_over(found, index, plan(before=2, after=2))["q"]) == [span(ONE, 3, 9), span(ONE, 14, 18), []]


@pytest.mark.parametrize("wish", [{"before": 4, "after": 4}, {"parent": True}])
def test_a_row_comes_alone_and_text_without_rows(index: Index, wish: dict[str, Any]) -> None:
    texts = [[0, 4], []] if "before" in wish else [[0], [4]]
    found = {"rows": hits((BOOK, 1), (BOOK, 2)), "text": hits((BOOK, 0), (BOOK, 4))}
    given_back = hand_over(found, index, plan(**wish))
    assert handed(given_back["rows"]) == [[(BOOK, 1)], span(BOOK, 2, 3)], "a row that was cut in two is one row"
    assert [[number for _, number in each] for each in handed(given_back["text"])] == texts


def test_what_a_reranker_gives_too_little_is_not_handed_over(index: Index) -> None:
    rerank = Rerank(by="cross_encoder", least=0.5)
    asked = plan(top_k=3, before=1).model_copy(update={"rerank": rerank})
    found = {"q": hits((ONE, 5), (OTHER, 3), (ONE, 9)), "none": [replace(hits((ONE, 1))[0], score=0.49)]}
    given_back = hand_over(found, index, asked)
    assert handed(given_back["q"]) == [span(ONE, 4, 5), span(OTHER, 2, 3)] and given_back["none"] == []


class Counting:
    """What was asked for, one list a read."""

    def __init__(self, chunks: Sequence[Chunk] = ()) -> None:
        self.reads: list[Collection[tuple[str, int]]] = []
        self._chunks = chunks or CHUNKS

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> list[Chunk]:
        self.reads.append(places)
        return [chunk for chunk in self._chunks if (chunk.file_name, getattr(chunk, column)) in places]


def test_all_questions_take_one_read_of_what_the_best_hits_need() -> None:
    found = {str(number): hits((ONE, number), (OTHER, number)) for number in range(5, 10)}
    counting = Counting()
    hand_over(found, counting, plan(top_k=1, before=1))
    assert [sorted(places) for places in counting.reads] == [span(ONE, 4, 9)]


def test_a_hit_whose_first_sentence_leans_or_whose_list_may_go_on_has_what_stands_beside_it_around_it() -> None:
    texts = ["Keys are kept.", "They are rotated.", "Mind this:\n• Tell us.", "• Send it.", "Doors are shut."]
    made = [chunk_of(text, ordinal=at, start=20 * at) for at, text in enumerate(texts)]
    counting = Counting(made)
    found = {str(at): [Hit(str(at), 1, chunk, 0.9, 0.9, 0.9, 0.9)] for at, chunk in enumerate(made)}
    around = [[chunk.text for chunk in hit.around] for (hit,) in hand_over(found, counting, plan()).values()]
    assert around == [[], [texts[0]], [texts[3]], [texts[2]], []]
    assert [sorted(places) for places in counting.reads] == [[("made.pdf", 0), ("made.pdf", 2), ("made.pdf", 3)]], (
        "one read for all"
    )


def test_a_plan_that_hands_over_nothing_more_reads_nothing_and_changes_nothing() -> None:
    counting, found = Counting(), {"q": hits((ONE, 5), (ONE, 6), (OTHER, 0))}
    assert hand_over(found, counting, plan(top_k=2)) == {"q": found["q"][:2]} and not counting.reads
    assert [hit.chunks for hit in found["q"]] == [(hit.chunk,) for hit in found["q"]]


@given(
    st.lists(st.sampled_from(sorted(MADE)), max_size=6, unique=True),
    st.integers(0, 4),
    st.integers(0, 4),
    st.booleans(),
)
def test_whatever_is_found(places: list[tuple[str, int]], before: int, after: int, parent: bool) -> None:
    """By the definition, chunk by chunk: what goes with any hit comes once, and in the order of its document."""
    wish = HandOver(parent=True) if parent else HandOver(before=before, after=after)
    found = hits(*places)
    given_back = hand_over(
        {"q": found}, Counting(), Retrieval(lists=(RankedList(by="dense"),), top_k=6, hand_over={"": wish})
    )["q"]

    def goes_with(chunk: Chunk, hit: Hit) -> bool:
        is_near = -before <= chunk.ordinal - hit.chunk.ordinal <= after
        is_same_row = (chunk.file_name, chunk.row_number) == (hit.chunk.file_name, hit.chunk.row_number)
        return is_same_row and (chunk.parent == hit.chunk.parent if parent else is_near)

    all_chunks = [chunk for hit in given_back for chunk in hit.chunks]
    wanted = {chunk.chunk_id for chunk in CHUNKS if any(goes_with(chunk, hit) for hit in found)}
    assert len(all_chunks) == len(wanted) and {chunk.chunk_id for chunk in all_chunks} == wanted
    for hit in given_back:
        assert all(one.ordinal < other.ordinal for one, other in pairwise(hit.chunks))
        assert {chunk.file_name for chunk in hit.chunks} <= {hit.chunk.file_name}


def test_places_that_are_not_there_give_nothing(index: Index) -> None:
    assert index.numbered("ordinal", {("gone.pdf", 1), (ONE, 99)}) == []
    assert index.numbered("parent", set()) == []
    assert [chunk.ordinal for chunk in index.numbered("ordinal", {(ONE, 3), (OTHER, 99), ("gone.pdf", 3)})] == [3]


def test_a_parent_with_neighbours_is_refused() -> None:
    with pytest.raises(ValidationError, match="leave out before and after"):
        HandOver(parent=True, after=1)
