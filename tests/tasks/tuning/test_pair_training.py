"""A tiny BERT of random weights learns a planted rule: a text answers where it says "encrypted"."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from configs.retrieval import Rerank
from tasks.errors import UsageError
from tasks.retrieval.ranking.pair_models import score_pairs
from tasks.tuning.pair_training import PATIENCE_EPOCHS, Labelled, fine_tune
from tests.made.rerankers import machine, save_cross_encoder

WORDS = "all is are kept for we the backups data thirty days".split()


def labelled(seed: int, count: int) -> Labelled:
    """Pairs of which every other one is right; all other words are drawn."""
    random = np.random.default_rng(seed)
    drawn = [random.choice(WORDS, 6).tolist() for _ in range(count)]
    answers = [number % 2 == 1 for number in range(count)]
    texts = [
        " ".join(["encrypted", *words[3:]] if right else words[3:]) for words, right in zip(drawn, answers, strict=True)
    ]
    return Labelled([" ".join(words[:3]) for words in drawn], texts, answers)


def above(folder: str, pairs: Labelled) -> float:
    """How often a text that answers scores more than one that does not."""
    rerank = Rerank(by="cross_encoder", model=folder)
    scores = score_pairs(list(zip(pairs.questions, pairs.texts, strict=True)), rerank, machine(1))
    answers = np.array(pairs.answers)
    return float((scores[answers][:, None] > scores[~answers]).mean())


def test_a_planted_rule_is_learnt(tmp_path: Path) -> None:
    came = save_cross_encoder(tmp_path / "came")
    unseen = labelled(9, 200)
    out = str(tmp_path / "tuned")
    tuned = fine_tune(came, labelled(1, 256), labelled(2, 64), out, 1, learning_rate=3e-3, most_epochs=12)
    assert tuned.losses[tuned.epochs] == min(tuned.losses) < tuned.losses[0]
    assert above(came, unseen) < 0.6
    assert above(out, unseen) > 0.9


def test_the_same_pairs_give_the_same_model(tmp_path: Path) -> None:
    came = save_cross_encoder(tmp_path / "came")
    for name in ("one", "two"):
        fine_tune(came, labelled(1, 64), labelled(2, 32), str(tmp_path / name), 1, 2e-3, 2)
    one, two = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two"))
    assert one == two


def test_what_lowers_no_loss_is_not_saved(tmp_path: Path) -> None:
    came = save_cross_encoder(tmp_path / "came")
    tuned = fine_tune(came, labelled(1, 32), labelled(2, 32), str(tmp_path / "out"), 1, learning_rate=10.0)
    assert tuned.epochs == 0 and len(tuned.losses) == 1 + PATIENCE_EPOCHS
    assert not (tmp_path / "out").exists()


def test_other_models_are_refused(tmp_path: Path) -> None:
    pairs = labelled(1, 4)
    with pytest.raises(UsageError, match="is not there"):
        fine_tune(str(tmp_path / "none"), pairs, pairs, str(tmp_path / "out"), 1)
    with pytest.raises(UsageError, match="has 3 outputs"):
        fine_tune(save_cross_encoder(tmp_path / "three", outputs=3), pairs, pairs, str(tmp_path / "out"), 1)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no cross-encoder that can be loaded"):
        fine_tune(str(tmp_path / "empty"), pairs, pairs, str(tmp_path / "out"), 1)
