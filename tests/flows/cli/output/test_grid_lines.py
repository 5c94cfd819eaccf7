"""What a grid says on a terminal, from a made summary."""

from __future__ import annotations

from typing import Any

import pytest

from flows.cli.output.grid_lines import recommendation_lines


@pytest.mark.parametrize(
    ("error", "p_clustered", "said"),
    [
        (0.04, 0.125, ", n = 94, ± 0.040 and p = 0.125 clustered by document"),
        (0.04, 0.0004, ", n = 94, ± 0.040 and p < .001 clustered by document"),
        (None, None, ", n = 94"),
    ],
)
def test_the_error_by_whole_documents_stands_beside_that_by_questions(
    error: float | None, p_clustered: float | None, said: str
) -> None:
    held_out = {"difference": 0.1, "interval": [0.02, 0.18], "p": 0.01, "n": 94}
    held_out |= {"standard_error": error, "p_clustered": p_clustered}
    best: dict[str, Any] = {"held_out": held_out, "chosen_by_halves": [3, 7], "levels": {"rerank": "none"}}
    best |= {"beats": True, "configuration": 3}
    summary = {"best": best, "to_beat": {"plan": "bidfolio"}, "worth_of_triad": None, "triad": {}}
    first, second, _ = recommendation_lines(summary, None)
    assert first.endswith(f"differs from bidfolio by +0.100 [+0.020, +0.180], p = 0.010{said}")
    assert second == "recommended: configuration 3 (rerank none)"
