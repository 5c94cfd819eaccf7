from __future__ import annotations

import numpy as np
import pytest

from tasks.tuning.trial_measurement import Triad, embedding_triad

QUESTION = np.array([1, 0], np.float32)
CONTEXTS = np.array([[0.6, 0.8], [0.8, -0.6]], np.float32)


def test_the_nearest_context_counts() -> None:
    found = embedding_triad(QUESTION, CONTEXTS, np.array([0, 1], np.float32))
    assert found == pytest.approx((0.8, 0.8, 0.0)) and found.mean == pytest.approx(1.6 / 3)


def test_what_points_the_other_way_is_no_less_than_nothing() -> None:
    assert embedding_triad(QUESTION, CONTEXTS * np.array([[-1], [0]], np.float32), -QUESTION) == pytest.approx(
        (0.0, 0.6, 0.0)
    )


def test_without_an_answer_and_without_contexts() -> None:
    found = embedding_triad(QUESTION, CONTEXTS, None)
    assert found.context_relevance == pytest.approx(0.8) and found[1:] == (None, None) and found.mean is None
    assert embedding_triad(QUESTION, np.zeros((0, 2), np.float32), QUESTION) == Triad(0.0, 0.0, 1.0)
