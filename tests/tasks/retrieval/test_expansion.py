"""What is asked beside a question, or in its place, and what it finds: in memory and on disk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from configs.retrieval import Feedback, Retrieval, Search, Wordings
from tasks.index.store import IndexStore
from tasks.retrieval.finding import Found, Models, find_hits
from tasks.retrieval.first_stage.exact_search import Index, SearchableIndex
from tasks.retrieval.first_stage.pseudo_relevance_feedback import feed_back, telling_words
from tasks.retrieval.queries.queries import fused_queries, queries_of
from tasks.retrieval.queries.query_expansion import Expansion
from tests.made.expansions import DIMENSIONS, PAGES, RANKED, SCALED, asked, index_of, models, nobody
from tests.made.lexical_models import bm25_weights, retrieval_of
from tests.made.staged_indexes import in_memory, made_chunks, on_disk, staged


def two_words_each(texts: Sequence[str]) -> list[Expansion]:
    """Wordings that depend on the question, and none of every seventh."""
    return [Expansion(reason="late") if len(text) % 7 == 0 else Expansion((f"{text} w3", "w40 w41")) for text in texts]


def found(text: str, index: Index, plan: Retrieval, write: Any = nobody) -> Found:
    return find_hits(asked(text), index, plan, models(write))


def pages(one: Found) -> list[int | None]:
    (hits,) = one.hits
    return [hit.chunk.page_number for hit in hits]


def test_feedback_finds_the_page_that_has_none_of_the_questions_words() -> None:
    index = index_of(PAGES)
    words = retrieval_of("bm25")
    assert pages(found("Is any automobile insured?", index, words)) == [1]
    fed = words.model_copy(update={"expand": Feedback(by="feedback", chunks=1, count=5)})
    one = found("Is any automobile insured?", index, fed)
    assert pages(one) == [1, 2]
    (expansion,) = one.expansions
    assert expansion.reason is None and {query.split("^")[0] for query in expansion.queries} >= {"leas", "vehicl"}
    assert sum(float(query.split("^")[1]) for query in expansion.queries) == pytest.approx(1, abs=0.01)
    assert [hit.bm25_share > 0 for hit in one.hits[0]] == [True, False], "what a hit says is of the question itself"


def test_feedback_moves_vectors_towards_what_was_found() -> None:
    """The question is nearest to the first page alone; the second is near to the first, and at right angles to it."""
    index = index_of(PAGES)
    axes = np.eye(DIMENSIONS, dtype=np.float32)
    question = axes[0]
    dense = np.stack([0.8 * axes[0] + 0.6 * axes[1], axes[1], 0.1 * axes[0] + math.sqrt(0.99) * axes[2], *axes[3:5]])
    turned = SearchableIndex(index.chunks, dense, index.lexical, index.lexical_state, index.bm25_state, index.bm25)
    by_vectors = retrieval_of("dense")
    fed = by_vectors.model_copy(update={"expand": Feedback(by="feedback", chunks=1, count=0, beta=0.75)})

    def best(plan: Retrieval) -> Any:
        how = Models(lambda texts: (np.stack([question for _ in texts]), []), nobody, nobody)
        (hits,), expansions = find_hits(asked("zebra"), turned, plan, how)
        return hits[:3], expansions

    assert [hit.chunk.page_number for hit in best(by_vectors)[0]] == [1, 3, 2]
    hits, expansions = best(fed)
    assert [hit.chunk.page_number for hit in hits] == [1, 2, 3] and expansions == [Expansion()]
    moved = axes[0] + 0.75 * dense[0]
    expected = float(moved @ dense[1] / np.linalg.norm(moved))
    assert hits[1].score == pytest.approx(expected, abs=1e-6) and hits[1].dense_similarity == 0


def test_a_chunk_counts_by_one_over_its_rank() -> None:
    """Of the three that are read the shares are 6, 3 and 2 elevenths: in the vectors of both kinds, and of the words.

    They stand in the version in another order than the question, the first axis, finds them in.
    """
    index = index_of(["lamp", "vault", "badge", "keys", "doors"])
    axes = np.eye(DIMENSIONS, dtype=np.float32)
    dense, lexical = axes[1:6].copy(), np.eye(5, index.lexical.shape[1], dtype=np.float32)
    for at, cosine in enumerate((0.6, 0.9, 0.8)):
        dense[at] = cosine * axes[0] + math.sqrt(1 - cosine**2) * dense[at]
    read = replace(index, dense=dense, lexical=lexical)
    own = queries_of(["zebra"], axes[:1], read)

    fed, (words,) = feed_back(own, read, retrieval_of("dense"), Feedback(by="feedback", chunks=3, beta=1.1))

    shares = np.array([2, 6, 3, 0, 0]) / 11
    moved = axes[0] + 1.1 * shares @ dense
    assert fed.dense[0] == pytest.approx(moved / np.linalg.norm(moved), abs=1e-6)
    assert not own.lexical.any() and fed.lexical[0] == pytest.approx(
        shares @ lexical / np.linalg.norm(shares), abs=1e-6
    )
    assert [word for word, _ in words] == ["vault", "badg", "lamp"]
    assert [share for _, share in words] == pytest.approx([6 / 11, 3 / 11, 2 / 11])


def test_the_words_are_those_of_a_relevance_model() -> None:
    texts = ["key key vault", "vault audit", "audit trail", "trail of the audit"]
    state = bm25_weights(texts, 1.2, 0.75)
    assert state.vocabulary.tolist() == ["audit", "key", "trail", "vault"]
    # 2/3 of the first text and 1/3 of the second: key 4/9, vault 2/9 + 1/6, audit 1/6; by idf audit is the least.
    expected = [("key", 8 / 15), ("vault", 7 / 15)]
    told = telling_words(texts[:2], [2 / 3, 1 / 3], state, 2)
    assert [word for word, _ in told] == [word for word, _ in expected]
    assert [share for _, share in told] == pytest.approx([share for _, share in expected])
    assert telling_words(["nothing known", ""], [0.5, 0.5], state, 5) == telling_words([], [], state, 5) == []


def test_wordings_find_what_the_question_does_not() -> None:
    index = index_of(PAGES)
    plan = Retrieval.model_validate({"lists": [{"by": "bm25"}], "expand": {"by": "generator", "count": 2}})

    def write(texts: Sequence[str]) -> list[Expansion]:
        return [Expansion(("leased vehicle return", "logbook years")) for _ in texts]

    one = found("What of automobiles?", index, plan, write)
    assert pages(one) == [1, 2] or pages(one) == [2, 1]
    assert one.expansions == write(["x"]) and (one.hits[0][0].known_words or 0) > 0
    alone = found("What of automobiles?", index, plan, lambda texts: [Expansion(reason="late") for _ in texts])
    unexpanded = found("What of automobiles?", index, retrieval_of("bm25"))
    assert alone.hits == unexpanded.hits and alone.expansions == [Expansion(reason="late")]


@pytest.mark.parametrize(
    ("fusion", "scores", "expected"),
    [
        ("scaled", [[0.3, 0.9, -np.inf]], [0.3, 0.9, -np.inf]),
        ("scaled", [[0.3, 0.9, -np.inf], [0.5, 0.1, -np.inf]], [1 / 62 + 1 / 61, 1 / 61 + 1 / 62, -np.inf]),
        ("scaled", [[3, 2, 1], [-np.inf, -np.inf, 7]], [1 / 61, 1 / 62, 1 / 63 + 1 / 61]),
        ("rrf", [[0.03, 0.01, -np.inf], [-np.inf, 0.02, -np.inf]], [0.03, 0.03, -np.inf]),
    ],
    ids=["one query", "two", "found by one alone", "shares of ranks"],
)
def test_rankings_of_several_queries(fusion: Any, scores: list[list[float]], expected: list[float]) -> None:
    plan = Retrieval.model_validate(RANKED if fusion == "rrf" else SCALED)
    np.testing.assert_allclose(fused_queries(np.array(scores, np.float32), plan), expected, rtol=1e-5)


EXPANDING = [
    pytest.param({**lists, "expand": expand}, id=f"{name}-{expand['by']}")
    for name, lists in (("scaled", SCALED), ("rrf", RANKED))
    for expand in ({"by": "feedback"}, {"by": "generator"})
]


def same(some: Sequence[Any], others: Sequence[Any]) -> None:
    """The same chunks with the same scores, but for the rounding of a product of other shape."""
    assert [hit.chunk.chunk_id for hit in some] == [hit.chunk.chunk_id for hit in others]
    assert [hit.score for hit in some] == pytest.approx([hit.score for hit in others], abs=1e-5)


@pytest.mark.parametrize("raw", EXPANDING)
def test_five_hundred_questions_give_what_one_at_a_time_gives(raw: dict[str, Any]) -> None:
    plan = Retrieval.model_validate(raw)
    index = in_memory(*made_chunks(300))
    questions = asked(*(f"w{number * 7 % 600} w{number % 600}" for number in range(500)))
    together = find_hits(questions, index, plan, models(two_words_each))
    for at in (0, 20, 21, 22, 63, 64, 65, 499):
        alone = find_hits([questions[at]], index, plan, models(two_words_each))
        same(together.hits[at], alone.hits[0])
        assert together.expansions[at] == alone.expansions[0]


@pytest.mark.parametrize("raw", EXPANDING)
def test_a_version_on_disk_gives_the_same_where_all_are_candidates(raw: dict[str, Any], tmp_path: Path) -> None:
    plan = Retrieval.model_validate(raw)
    exact = in_memory(*made_chunks(200))
    store = IndexStore(str(tmp_path))
    indexed = on_disk(store, exact, staged(store, exact, "all"), Search(exact_below=2, candidates=200))
    questions = asked(*(f"w{number * 7 % 600} w{number}" for number in range(40)), "zebra")
    one, other = (find_hits(questions, index, plan, models(two_words_each)) for index in (indexed, exact))
    for some, others in zip(one.hits, other.hits, strict=True):
        same(some, others)
    assert one.expansions == other.expansions


@pytest.mark.parametrize("expand", [Feedback(by="feedback"), Wordings(by="generator")], ids=["feedback", "generator"])
def test_empty_things_are_no_trouble(expand: Feedback | Wordings) -> None:
    plan = Retrieval.model_validate(SCALED).model_copy(update={"expand": expand})

    def none(texts: Sequence[str]) -> list[Expansion]:
        return [Expansion(reason="late") for _ in texts]

    assert find_hits([], index_of(PAGES), plan, models(none)) == Found([], [])
    empty = find_hits(asked("Why?", " "), index_of([]), plan, models(none))
    assert empty.hits == [[], []] and all(expansion.reason for expansion in empty.expansions)
    blank, told = find_hits(asked("", "automobile"), index_of(PAGES), plan, models(none))
    assert blank[0] == [] and blank[1] and len(told) == 2
