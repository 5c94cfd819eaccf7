from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.errors import UsageError
from tasks.index.store import IndexStore
from tasks.records import Hit
from tasks.retrieval.queries.query_adapter import Adapter, judge_of
from tasks.retrieval.version_loading import idle_adapter
from tasks.storage.lake import Lake
from tasks.tuning.adapter_judgement import divided, judge, parts_of, require_enough
from tasks.tuning.adapter_training import train_for
from tasks.tuning.task import with_adapter
from tasks.tuning.training_pairs import Pair
from tests.made.planted_worlds import World, plant


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return plant(tmp_path_factory.mktemp("planted"))


def test_an_adapter_that_undoes_a_rotation_wins(world: World) -> None:
    judged = judge(world.pairs, world.chunks, world.examples(), world.find())
    assert judged.wins
    mrr = judged.differences["page_mrr_at_10"]
    assert mrr["n"] == len(world.pairs) and mrr["p"] < 0.001
    assert mrr["without"] < 0.4 < 0.9 < mrr["without"] + mrr["difference"]
    assert judged.epochs > 0


def test_one_of_shuffled_pairs_does_not(world: World) -> None:
    order = np.random.default_rng(0).permutation(len(world.pairs)).tolist()
    pairs = [replace(world.pairs[at], question=f"question {number}") for number, at in enumerate(order)]
    shuffled = replace(world, pairs=pairs)
    judged = judge(pairs, world.chunks, shuffled.examples(), shuffled.find())
    assert not judged.wins


@pytest.mark.parametrize(
    ("ranks", "wins"),
    [
        ([*[1] * 9, 5], True),
        ([*[1] * 9, 6], False),
        ([1, *[4] * 39], False),
        ([5], False),
    ],
    ids=["both figures are up or as they were", "recall@5 falls", "one question is chance", "MRR falls"],
)
def test_an_adapter_wins_where_mrr_rises_and_recall_does_not_fall(world: World, ranks: list[int], wins: bool) -> None:
    """Without it the page of each question is the fourth, and with it what the ranks say, which are taken in turn."""
    some = replace(world, pairs=world.pairs[:40], questions=world.questions[:40])

    def find(numbers: Sequence[int], matrix: NDArray[np.float32] | None) -> list[list[Hit]]:
        found = []
        for number in numbers:
            rank = 4 if matrix is None else ranks[number % len(ranks)]
            order = list(range(100, 110))
            order[rank - 1] = number
            chunks = [world.chunks[at] for at in order]
            found.append([Hit(str(number), at, chunk, 0.5, 0.5, 0.5, 0.5) for at, chunk in enumerate(chunks, start=1)])
        return found

    judged = judge(some.pairs, some.chunks, some.examples(), find)

    after = [ranks[number % len(ranks)] for number in range(40)]
    mrr, recall = (judged.differences[name] for name in ("page_mrr_at_10", "page_recall_at_5"))
    assert (mrr["without"], recall["without"]) == (0.25, 1)
    assert mrr["difference"] == pytest.approx(np.mean([1 / rank for rank in after]) - 0.25)
    assert recall["difference"] == pytest.approx(np.mean([rank <= 5 for rank in after]) - 1)
    assert judged.wins is wins


def test_an_adapter_is_of_its_version_and_of_its_model(world: World, tmp_path: Path) -> None:
    own = plant(tmp_path)
    turned = with_adapter(own.version, train_for(own.examples(), 20), own.plan, own.settings)
    assert turned.index_version != own.version.index_version
    some = list(range(40))
    right = [own.pairs[number].positive for number in some]
    share = {
        name: sum(hits[0].chunk == own.chunks[at] for hits, at in zip(own.hits(some, index), right, strict=True)) / 40
        for name, index in (("with", own.index(turned)), ("without", own.index()))
    }
    assert share["without"] < 0.3 < 0.9 < share["with"]
    off = own.plan.model_copy(update={"retrieval": own.plan.retrieval.model_copy(update={"adapter": "off"})})
    assert replace(own, plan=off).index(turned).adapter is None

    for matrix, model in ((np.eye(8, dtype=np.float32), "fingerprint"), (np.eye(16, dtype=np.float32), "another")):
        wrong = with_adapter(own.version, matrix, own.plan, own.settings)
        store = IndexStore(own.settings.home)
        manifest = store.manifest(wrong.corpus, wrong.index_key, wrong.index_version)
        raw = Adapter(matrix, model, judge_of(world.plan.retrieval)).to_bytes()
        CorpusCache(Lake(own.settings.home)).put_state(manifest.adapter_key, "adapter", raw)
        with pytest.raises(UsageError, match=rf"adapter of index version {wrong.index_version} is .* index rollback"):
            own.index(wrong)


def test_one_that_was_judged_by_what_an_older_bidfolio_made_of_it_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = plant(tmp_path)
    turned = with_adapter(own.version, np.eye(16, dtype=np.float32), own.plan, own.settings)
    store, cache = IndexStore(own.settings.home), CorpusCache(Lake(own.settings.home))
    assert (
        idle_adapter(store, cache, turned, own.plan) is None
        and idle_adapter(store, cache, own.version, own.plan) is None
    )
    monkeypatch.setattr("tasks.retrieval.queries.query_adapter.ADAPTED_SHARE", 0.25)
    assert own.index(turned).adapter is None
    assert "or by an older bidfolio, and is not used" in str(idle_adapter(store, cache, turned, own.plan))


def test_an_adapter_that_is_gone_is_said(tmp_path: Path) -> None:
    own = plant(tmp_path)
    turned = with_adapter(own.version, np.eye(16, dtype=np.float32), own.plan, own.settings)
    for path in tmp_path.rglob("*.adapter.npz"):
        path.unlink()
    with pytest.raises(UsageError, match=r"adapter of index version .* is gone: learn another with .*--adapter"):
        own.index(turned)


def test_too_few_questions_are_told_with_their_number(world: World) -> None:
    made = [replace(pair, source="made") for pair in world.pairs[20:]]
    with pytest.raises(UsageError, match=r"there are 20 questions .* about 10 documents, and it takes 30 about 3"):
        require_enough([*world.pairs[:20], *made], world.chunks)
    of_two = [pair for pair in world.pairs if pair.positive % 10 < 2]
    with pytest.raises(UsageError, match="about 2 documents"):
        require_enough(of_two, world.chunks)


def test_no_document_is_in_two_parts() -> None:
    documents = [*["a"] * 9, *["b"] * 5, *["c"] * 3, "d", "e", "f"]
    parts = parts_of(documents)
    assert len(set(zip(documents, parts, strict=True))) == 6, "each document once"
    assert sorted(parts.count(part) for part in range(5)) == [1, 2, 3, 5, 9]
    assert parts_of([]) == []


def test_nothing_is_learnt_from_a_question_nearly_equal_to_one_that_judges_or_stops() -> None:
    """Each question of the third part has these cosines with the one that judges and the one that stops."""
    cosines = [(1.0, 0.0), (0.95, 0.0), (0.0, 0.95), (0.85, 0.0), (0.0, 0.85), (0.6, 0.75), (0.0, 0.0), (-0.95, 0.0)]
    rest = np.diag(np.sqrt(1 - np.square(cosines).sum(axis=1)))
    questions = np.concatenate([np.eye(2, 2 + len(cosines)), np.concatenate([cosines, rest], axis=1)], dtype=np.float32)
    pairs = [Pair(f"question {number}", "gold", number, (number,)) for number in range(len(questions))]
    parts = [0, 1, *[2] * len(cosines)]

    judged, stopping, learnt = divided(pairs, parts, 0, questions)

    assert (judged, stopping) == ([0], [1])
    assert [cosines[number - 2] for number in learnt] == cosines[3:]
