"""The stages of a tuning, over a planted world in a real LanceDB: what stands for the model gives its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.index.store import IndexStore
from tasks.references import Pairs
from tasks.storage.lake import Lake
from tasks.tuning import task
from tasks.tuning.training_pairs import PairCache
from tests.made.planted_worlds import plant


def test_an_adapter_that_wins_is_learnt_from_all_pairs_and_staged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = plant(tmp_path)
    vector_of = {pair.question: vector for pair, vector in zip(world.pairs, world.questions, strict=True)}

    def encoded(texts: Sequence[str], encoder: object) -> NDArray[np.float32]:
        return np.stack([vector_of[text] for text in texts])

    monkeypatch.setattr(task, "encode_questions", encoded)
    monkeypatch.setattr(task, "encode_with_tokens", lambda texts, encoder: (encoded(texts, encoder), []))
    PairCache(Lake(world.settings.home)).put_pairs("key", world.pairs)
    pairs = Pairs("key", world.version, gold=len(world.pairs), past=0, made=0, unborne=0)

    judged = task.judge_adapter.fn(pairs, world.plan, world.settings)
    assert judged.wins and judged.epochs > 0
    figure = judged.differences["page_mrr_at_10"]
    assert figure["n"] == len(world.pairs) and figure["interval"][0] > 0.3

    staged = task.stage_adapter.fn(pairs, judged, world.plan, world.settings)
    adapter = world.index(staged).adapter
    assert adapter is not None and adapter.model_fingerprint == "fingerprint"
    assert task.stage_adapter.fn(pairs, judged, world.plan, world.settings) == staged, (
        "the same pairs, the same version"
    )
    before, after = IndexStore(world.settings.home).versions()
    assert before.is_live and not after.is_live
    assert after.manifest.content_key == before.manifest.content_key
    assert after.manifest.state_keys > before.manifest.state_keys
