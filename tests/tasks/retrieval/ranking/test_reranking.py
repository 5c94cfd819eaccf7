"""The best chunks ranked anew by late interaction: in memory, and where rows stay on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given as given_cases
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from configs.retrieval import Rerank, Reread, Retrieval
from tasks.errors import UsageError
from tasks.index.rows import TokenSource, to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest, Recipe
from tasks.records import Hit, Question
from tasks.retrieval.first_stage.exact_search import SearchableIndex, search
from tasks.retrieval.ranking.fusion import best_first
from tasks.retrieval.ranking.late_interaction import best_matches, with_neighbours
from tasks.retrieval.ranking.reranking import READ_AT_ONCE, by_late_interaction, by_pairs, reread, with_cosines
from tasks.retrieval.ranking.scores import Scored
from tests.made.lexical_models import retrieval_of
from tests.made.staged_indexes import KEY, Matrix, in_memory, made_chunks, on_disk, reader_of, staged, unit

COUNT, ASKED, DIMENSIONS, DEPTH = 300, 6, 8, 30


def reranking(depth: int, **other: Any) -> Retrieval:
    return FIRST.model_copy(update={"rerank": Rerank(by="late_interaction", depth=depth), **other})


FIRST = retrieval_of("hybrid", combine="join", bm25_weight=1.0, rest={"top_k": DEPTH + 10})
RERANKED = reranking(DEPTH)


def token_column(count: int) -> pa.ChunkedArray:
    draw = np.random.default_rng(2)
    raw = [draw.integers(-127, 128, (draw.integers(1, 9), DIMENSIONS)).astype(np.int8).tobytes() for _ in range(count)]
    return pa.chunked_array([pa.array(raw, pa.large_binary())])


def given(column: pa.ChunkedArray) -> TokenSource:
    """Those of ``column`` by their positions, a few at a time and not in order."""

    def tokens(rows: Sequence[int]) -> Iterator[tuple[Sequence[int], pa.Array]]:
        for begin in range(0, len(rows), 7):
            some = rows[begin : begin + 7][::-1]
            yield some, column.take(pa.array(some)).combine_chunks()

    return tokens


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> IndexStore:
    return IndexStore(str(tmp_path_factory.mktemp("rerank")))


@pytest.fixture(scope="module")
def version(store: IndexStore) -> tuple[SearchableIndex, Manifest]:
    index = in_memory(*made_chunks(COUNT))
    made_of = ("model", 512, "fingerprint", "states", "first", "documents", 1, COUNT)
    one = Manifest("default", KEY, "bidfolio", *made_of, recipe=Recipe(exact_below=2))
    store.stage(one, with_vectors(to_table(index.chunks), index.dense, index.lexical), given(token_column(COUNT)))
    return replace(index, tokens=reader_of(store, one).tokens), one


@pytest.fixture(scope="module")
def asked() -> tuple[list[Question], Matrix, list[Matrix]]:
    chunks, dense = made_chunks(ASKED, seed=1)
    questions = [Question(f"q{number}", number, " ".join(c.text.split()[:4])) for number, c in enumerate(chunks)]
    draw = np.random.default_rng(4)
    tokens = [unit(draw.standard_normal((4, DIMENSIONS)).astype(np.float32)) for _ in questions]
    return questions, dense, tokens


def similarities(index: SearchableIndex, found: Matrix) -> dict[str, float]:
    """What each chunk of the version scores, by its id."""
    scores = best_matches(found, token_column(COUNT).combine_chunks()).mean(axis=0)
    return {chunk.chunk_id: float(score) for chunk, score in zip(index.chunks, scores, strict=True)}


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.chunk.chunk_id for hit in hits]


def test_the_best_are_ranked_anew_and_the_others_stand_behind_them(
    version: tuple[SearchableIndex, Manifest], asked: tuple[list[Question], Matrix, list[Matrix]]
) -> None:
    index, _ = version
    questions, dense, tokens = asked
    before = search(questions, dense, index, FIRST)
    after = search(questions, dense, index, RERANKED, by_late_interaction(tokens, index.tokens))
    for found, one, other in zip(tokens, before, after, strict=True):
        scores = similarities(index, found)
        wanted = sorted(ids(one[:DEPTH]), key=lambda each: -scores[each])
        assert wanted != ids(one[:DEPTH]), "the first stage ranks otherwise"
        assert ids(other) == wanted + ids(one[DEPTH:])
        assert [hit.score for hit in other[:DEPTH]] == pytest.approx([scores[each] for each in wanted], abs=1e-5)
        ranked_by = [hit.score for hit in other]
        assert ranked_by == sorted(ranked_by, reverse=True) and ranked_by[DEPTH] <= -1
        mean = float(np.mean([scores[each] for each in wanted]))
        assert [hit.lead for hit in other[:DEPTH]] == pytest.approx([scores[each] - mean for each in wanted], abs=1e-5)
        assert {hit.lead for hit in one} == {None} and (one[0].known_words or 0) > 0
        told = {hit.chunk.chunk_id: hit for hit in one}
        assert all(hit.bm25_share == told[hit.chunk.chunk_id].bm25_share for hit in other)


def test_neighbours_among_the_best_count_for_their_share(
    version: tuple[SearchableIndex, Manifest], asked: tuple[list[Question], Matrix, list[Matrix]]
) -> None:
    """Of the seven files' chunks in turn, every seventh is the next in its file."""
    index = replace(version[0], chunks=[replace(one, ordinal=at // 7) for at, one in enumerate(version[0].chunks)])
    questions, dense, tokens = asked
    plan = reranking(COUNT)
    places = [(chunk.document_id, chunk.ordinal) for chunk in index.chunks]
    rescore = by_late_interaction(tokens, index.tokens, neighbours=0.3)
    hits = search(questions, dense, index, plan, rescore)
    for found, some in zip(tokens, hits, strict=True):
        wanted = with_neighbours(best_matches(found, token_column(COUNT).combine_chunks()), places, 0.3)
        score = {chunk.chunk_id: value for chunk, value in zip(index.chunks, wanted, strict=True)}
        assert [hit.score for hit in some] == pytest.approx([score[each] for each in ids(some)], abs=1e-5)
    alone = search(questions, dense, index, plan, by_late_interaction(tokens, index.tokens))
    assert [ids(some) for some in hits] != [ids(some) for some in alone], "it changes an order"


def test_the_cosines_of_whole_texts_count_for_their_share(
    version: tuple[SearchableIndex, Manifest], asked: tuple[list[Question], Matrix, list[Matrix]]
) -> None:
    index, _ = version
    questions, dense, tokens = asked
    plan = reranking(COUNT)
    alone = search(questions, dense, index, plan, by_late_interaction(tokens, index.tokens))
    mixed = search(questions, dense, index, plan, by_late_interaction(tokens, index.tokens, cosines=0.4))
    for found, some in zip(tokens, mixed, strict=True):
        scores = similarities(index, found)
        wanted = [
            0.6 * scores[hit.chunk.chunk_id] + 0.2 * (hit.dense_similarity + hit.lexical_similarity) for hit in some
        ]
        assert [hit.score for hit in some] == pytest.approx(wanted, abs=1e-5)
    assert [ids(some) for some in alone] != [ids(some) for some in mixed], "it changes an order"


def test_one_hit_a_page_shows_the_chunk_that_late_interaction_prefers(
    version: tuple[SearchableIndex, Manifest], asked: tuple[list[Question], Matrix, list[Matrix]]
) -> None:
    index, _ = version
    plan = reranking(COUNT, one_hit_per_page=True)
    for found, hits in zip(
        asked[2], search(*asked[:2], index, plan, by_late_interaction(asked[2], index.tokens)), strict=True
    ):
        scores = similarities(index, found)
        pages = [(hit.chunk.document_id, hit.chunk.page_number) for hit in hits]
        assert len(set(pages)) == len(pages)
        for hit in hits:
            page = [one for one in index.chunks if one.page_number == hit.chunk.page_number]
            of_page = [scores[one.chunk_id] for one in page if one.document_id == hit.chunk.document_id]
            assert hit.score == pytest.approx(max(of_page), abs=1e-5)


def test_rows_on_disk_are_ranked_as_those_in_memory(
    store: IndexStore,
    version: tuple[SearchableIndex, Manifest],
    asked: tuple[list[Question], Matrix, list[Matrix]],
) -> None:
    index, one = version
    questions, dense, tokens = asked
    indexed = on_disk(store, index, one)
    plan = reranking(12, top_k=10)
    same = 0
    for found, wanted in zip(
        *(search(questions, dense, each, plan, by_late_interaction(tokens, each.tokens)) for each in (indexed, index)),
        strict=True,
    ):
        known = {hit.chunk.chunk_id: hit.score for hit in wanted}
        both = [hit for hit in found if hit.chunk.chunk_id in known]
        assert [hit.score for hit in both] == pytest.approx([known[hit.chunk.chunk_id] for hit in both], abs=1e-5)
        same += len(both)
    assert same >= 0.9 * 10 * ASKED


def test_a_question_without_a_token_stays_as_it_is_ranked(
    version: tuple[SearchableIndex, Manifest], asked: tuple[list[Question], Matrix, list[Matrix]]
) -> None:
    index, _ = version
    none = np.zeros((0, DIMENSIONS), np.float32)
    questions, dense, tokens = asked
    before = search(questions[:2], dense[:2], index, FIRST)
    after = search(questions[:2], dense[:2], index, RERANKED, by_late_interaction([none, tokens[1]], index.tokens))
    assert after[0] == before[0] and ids(after[1]) != ids(before[1])
    (alone,) = search(questions[:1], dense[:1], index, RERANKED, by_late_interaction([none], index.tokens))
    assert ids(alone) == ids(before[0])


def test_token_vectors_come_by_position_from_a_version_of_which_rows_were_dropped(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    index = in_memory(*made_chunks(40))
    column = token_column(40)
    base = Manifest("default", KEY, "bidfolio", "model", 512, "fingerprint", "states", "a", "documents", 1, 40)
    store.stage(base, with_vectors(to_table(index.chunks), index.dense, index.lexical), given(column))
    at = np.random.default_rng(6).permutation(40)[:25]
    chunks = to_table([index.chunks[each] for each in at])
    fewer = replace(base, content_key="b", chunks=25)
    store.stage(fewer, with_vectors(chunks, index.dense[at], index.lexical[at]), given(column.take(pa.array(at))))
    store.publish("default", KEY, fewer.index_version)
    opened = reader_of(store, fewer)
    for kept in ({base.index_version, fewer.index_version}, {fewer.index_version}):
        store.keep("default", KEY, kept)  # the second writes the table anew
        wanted = np.array([24, 3, 3, 0])
        assert opened.tokens(wanted).to_pylist() == column.take(pa.array(at[wanted])).to_pylist()
    assert opened.tokens(wanted[:0]).to_pylist() == []
    assert "tokens" not in store.rows("default", KEY, fewer.index_version).column_names


def test_a_version_without_token_vectors_says_to_refresh(tmp_path: Path) -> None:
    store = IndexStore(str(tmp_path))
    index = in_memory(*made_chunks(40))
    one = staged(store, index, "before")
    with pytest.raises(UsageError, match="keeps no vectors of tokens, by which the plan reranks: refresh with it"):
        reader_of(store, one).tokens(np.array([0]))


READ, COLUMNS = 4, 9
SCORES = arrays(np.float32, (1, COLUMNS), elements=st.floats(-1, 1, width=16))
SAID = arrays(np.float32, (1, COLUMNS), elements=st.floats(-12, 12, width=16))


def reader(depth: int, weight: float, **other: Any) -> Reread:
    return Reread(model="a folder", depth=depth, weight=weight, **other)


def read_by(said: Matrix) -> Any:
    """What says of each chunk, by its column, what ``said`` (questions, chunks) has of it."""
    return lambda numbers, scored, columns: [
        said[number, list(some)] for number, some in zip(numbers, columns, strict=True)
    ]


def rows_of(scores: Matrix) -> Scored:
    nothing = np.zeros_like(scores)
    positions = np.arange(scores.shape[1])
    return Scored(made_chunks(scores.shape[1])[0], positions, nothing, nothing, nothing, scores, is_whole=True)


@given_cases(scores=SCORES, said=SAID, weight=st.sampled_from([0.0, 0.02, 1.0, 50.0]))
def test_those_that_are_read_again_stay_before_the_others_which_keep_their_order(
    scores: Matrix, said: Matrix, weight: float
) -> None:
    found, relevances = reread([0], rows_of(scores), read_by(said), reader(READ, weight))
    order = list(best_first(scores[0], COLUMNS))
    read, others = order[:READ], order[READ:]
    assert set(np.flatnonzero(~np.isnan(relevances[0]))) == set(read)
    assert relevances[0, read].tolist() == said[0, read].tolist()
    assert found[0, read].min() >= found[0, others].max() - 1e-5
    kept = found[0, others]
    assert (np.diff(kept) <= 1e-5).all()
    weighed = scores[0, read] + np.float32(weight) * said[0, read]
    assert np.allclose(np.diff(found[0, read]), np.diff(weighed), atol=1e-3 + 1e-5 * weight)


def test_the_best_that_is_read_again_takes_the_score_of_the_best_before() -> None:
    """So that a score means the same to a plan's confidence, whatever the cross-encoder's logits are."""
    scores = np.array([[0.9, 0.8, 0.7, 0.1, -np.inf], [0.1, 0.2, 0.5, 0.4, 0.3]], np.float32)
    said = np.array([[-3, 5, 0, 9, 9], [9, 0, 1, 4, -1]], np.float32)
    found, _ = reread([0, 1], rows_of(scores), read_by(said), reader(3, 0.1))
    # 0.6, 1.3 and 0.7 are moved by -0.4, and 0.6, 0.8 and 0.2 by -0.3; the others by as much as the least has lost.
    assert found == pytest.approx(
        np.array([[0.2, 0.9, 0.3, -0.4, -np.inf], [-0.3, -0.2, 0.3, 0.5, -0.1]], np.float32), abs=1e-6
    )


@pytest.mark.parametrize("weight", [0.02, 1.0, 50.0])
def test_reading_again_leaves_the_first_hits_score_and_each_hits_lead(
    version: tuple[SearchableIndex, Manifest], asked: tuple[list[Question], Matrix, list[Matrix]], weight: float
) -> None:
    index, _ = version
    questions, dense, tokens = asked
    rescore = by_late_interaction(tokens, index.tokens)
    said = np.random.default_rng(8).normal(-8, 4, (ASKED, COUNT)).astype(np.float32)
    plan = reranking(DEPTH, reread=reader(READ, weight))
    before = search(questions, dense, index, RERANKED, rescore)
    after = search(questions, dense, index, plan, rescore, read=read_by(said))
    assert [ids(hits)[0] for hits in after] != [ids(hits)[0] for hits in before], "another is the first"
    assert [hits[0].score for hits in after] == pytest.approx([hits[0].score for hits in before], abs=1e-3)
    for one, other in zip(before, after, strict=True):
        leads = {hit.chunk.chunk_id: hit.lead for hit in one}
        assert {hit.chunk.chunk_id: hit.lead for hit in other} == leads
        assert [hit.relevance is not None for hit in other] == [at < READ for at in range(len(other))]


@given_cases(scores=SCORES, said=SAID, most=st.sampled_from([-12.0, -2.0, 0.0, 12.0]))
def test_reading_ends_where_no_chunk_that_is_left_would_be_the_best(scores: Matrix, said: Matrix, most: float) -> None:
    plan = reader(COLUMNS, 0.05, first=2, unread_at_most=most)
    found, relevances = reread([0], rows_of(scores), read_by(said), plan)
    order = list(best_first(scores[0], COLUMNS))
    read = [at for at in order if not np.isnan(relevances[0, at])]
    assert read == order[: len(read)] and len(read) >= 2, "the first ones, without a gap"
    weighed = scores[0].astype(float) + 0.05 * said[0]
    if left := order[len(read) :]:
        assert weighed[read].max() > scores[0, left[0]] + 0.05 * most - 1e-6
    for end in range(2, len(read) - READ_AT_ONCE + 1, READ_AT_ONCE):
        assert weighed[order[:end]].max() <= scores[0, order[end]] + 0.05 * most + 1e-6, "it was still open"
    if (said <= most).all():
        every, _ = reread([0], rows_of(scores), read_by(said), reader(COLUMNS, 0.05))
        assert scores[0, found[0].argmax()] == scores[0, every[0].argmax()], "the best is that of reading all"


def test_questions_that_are_read_further_do_not_wait_for_others() -> None:
    asked: list[list[list[int]]] = []

    def read(numbers: Sequence[int], scored: Scored, columns: Sequence[Sequence[int]]) -> list[Matrix]:
        asked.append([list(some) for some in columns])
        return [np.full(len(some), 9.0 if number == 0 else -9.0, np.float32) for number, some in enumerate(columns)]

    scores = np.tile(np.linspace(1, 0.9, 7, dtype=np.float32), (2, 1))
    reread([0, 1], rows_of(scores), read, reader(6, 0.05, first=3, unread_at_most=0))
    assert asked == [[[0, 1, 2], [0, 1, 2]], [[], [3, 4]], [[], [5]]]


def test_what_no_list_proposes_is_not_read() -> None:
    scores = np.array([[0.5, -np.inf, 0.4]], np.float32)
    found, relevances = reread([0], rows_of(scores), read_by(np.array([[-3, 9, 5]], np.float32)), reader(READ, 0.1))
    assert np.isnan(relevances[0, 1]) and found[0, 1] == -np.inf
    assert found[0, 2] > found[0, 0]


def test_of_a_question_of_which_nothing_is_said_no_score_changes() -> None:
    scores = np.array([[0.5, 0.4]], np.float32)
    found, relevances = reread([0], rows_of(scores), lambda *_: [np.zeros(0, np.float32)], reader(READ, 0.1))
    assert found.tolist() == scores.tolist() and np.isnan(relevances).all()


def test_a_blank_question_is_read_with_nothing() -> None:
    asked: list[tuple[str, str]] = []

    def score(pairs: Sequence[tuple[str, str]]) -> Matrix:
        asked.extend(pairs)
        return np.arange(len(pairs), dtype=np.float32)

    scores = np.array([[0.5, 0.4], [0.3, 0.2], [0.1, 0.2]], np.float32)
    read = by_pairs([" ", "how often", ""], score)
    found, relevances = reread([0, 1, 2], rows_of(scores), read, reader(READ, 0.1))
    assert [question for question, _ in asked] == ["how often"] * 2
    assert found[[0, 2]].tolist() == scores[[0, 2]].tolist()
    assert np.isnan(relevances[[0, 2]]).all() and relevances[1].tolist() == [0, 1]


def test_the_cosines_of_turned_questions_are_a_share_of_what_is_said() -> None:
    said = np.array([[0.8, 0.6, 0.4], [0.1, 0.2, 0.3]], np.float32)
    cosines = np.array([[0.0, 1.0, 0.5], [0.9, 0.9, 0.9]], np.float32)
    columns = [[0, 1], [2]]
    found = with_cosines(read_by(said), 0.25)([0, 1], replace(rows_of(said), dense=cosines), columns)
    assert found[0] == pytest.approx([0.75 * 0.8, 0.75 * 0.6 + 0.25]) and found[1] == pytest.approx([0.225 + 0.225])
    silent = with_cosines(lambda *_: [np.zeros(0, np.float32)], 0.25)([0], rows_of(said), [[0, 1]])
    assert not len(silent[0])


def test_which_chunks_a_model_gives_too_little_is_not_changed_by_turned_questions() -> None:
    said = np.array([[0.09, 0.1, 0.9, 0.5, 0.02, 0.75]], np.float32)
    cosines = np.array([[1.0, -1.0, 0.0, 0.6, 0.3, -1.0]], np.float32)
    scored = replace(rows_of(said), dense=cosines)
    for least in (0.7, 0.5, 0.1):
        (found,) = with_cosines(read_by(said), least=least)([0], scored, [range(6)])
        assert [score >= least for score in found.tolist()] == (said[0] >= least).tolist()
        assert found[said[0] < least] == pytest.approx(said[0][said[0] < least])
    assert list(np.argsort(-found)[:2]) == [3, 2]
