from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tasks.tuning import adapter_training
from tasks.tuning.adapter_training import Examples, nearest_wrong, train, train_for
from tests.made.planted_worlds import World, plant


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return plant(tmp_path_factory.mktemp("planted"))


def share_first(examples: Examples, matrix: np.ndarray) -> float:
    """Of how many questions the nearest chunk is the right one."""
    nearest = (examples.questions @ matrix @ examples.chunks.T).argmax(axis=1)
    return float((nearest == examples.positives).mean())


def parted(examples: Examples) -> tuple[Examples, Examples, Examples]:
    return tuple(examples.some([n for n in range(len(examples)) if n % 10 in part]) for part in (range(7), {7}, {8, 9}))  # type: ignore[return-value]


def test_a_planted_rotation_is_undone_on_questions_that_were_not_learnt_from(world: World) -> None:
    learnt, stopping, unseen = parted(world.examples())
    trained = train(learnt, stopping)
    assert share_first(unseen, np.eye(unseen.questions.shape[1])) < 0.3
    assert share_first(unseen, trained.matrix) > 0.9
    assert trained.losses[trained.epochs] == min(trained.losses) < trained.losses[0] / 2


def test_the_same_examples_give_the_same_bits(world: World) -> None:
    learnt, stopping, _ = parted(world.examples())
    one, two = train(learnt, stopping), train(learnt, stopping)
    assert one.matrix.tobytes() == two.matrix.tobytes() and one.losses == two.losses
    assert train_for(learnt, one.epochs).tobytes() == one.matrix.tobytes()


def test_it_stops_where_what_is_not_learnt_from_gets_worse(world: World) -> None:
    learnt, stopping, _ = parted(world.examples())
    other_way = replace(stopping, questions=stopping.questions[::-1].copy())
    trained = train(learnt, other_way)
    assert len(trained.losses) == trained.epochs + adapter_training.PATIENCE_EPOCHS + 1 < adapter_training.MOST_EPOCHS
    assert train_for(learnt, trained.epochs).tobytes() == trained.matrix.tobytes(), (
        "that of the best epoch, not the last"
    )


def test_without_an_epoch_it_is_the_identity(world: World) -> None:
    assert (train_for(world.examples(), 0) == np.eye(16)).all()


def test_the_gradient_is_that_of_the_loss(world: World) -> None:
    batch = world.examples().some(range(12))
    matrix = np.eye(16) + 0.1 * np.random.default_rng(1).normal(size=(16, 16))

    def loss(at: np.ndarray) -> float:
        return adapter_training._loss(at, batch) + adapter_training.IDENTITY_WEIGHT * float(
            ((at - np.eye(16)) ** 2).sum()
        )

    found = adapter_training._gradient(matrix, batch)
    for row, column in ((0, 0), (3, 7), (15, 2)):
        step = np.zeros((16, 16))
        step[row, column] = 1e-6
        assert found[row, column] == pytest.approx((loss(matrix + step) - loss(matrix - step)) / 2e-6, rel=1e-4)


def test_wrong_chunks_are_the_nearest_that_are_not_right() -> None:
    chunks = np.array([[1, 0], [0.8, 0.6], [0, 1]], np.float32)
    questions = np.array([[1, 0], [0, 1]], np.float32)
    right = [frozenset({0}), frozenset({2})]
    assert nearest_wrong(questions, chunks, right, 8).tolist() == [[1, 2], [1, 0]]
    assert nearest_wrong(questions, chunks, [frozenset({0, 1, 2})] * 2, 8).shape == (2, 0)
