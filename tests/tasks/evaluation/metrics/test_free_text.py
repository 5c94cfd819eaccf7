from __future__ import annotations

import pytest

from tasks.evaluation.metrics.free_text import NO_FREE_TEXT, Counts, Told, free_text_counts, free_text_figures


@pytest.mark.parametrize(
    ("counts", "accuracy", "no_context"),
    [((349, 20, 2), 94.07, 0.54), ((353, 18, 0), 95.15, 0.0)],
    ids=["dense", "hybrid"],
)
def test_the_tables_of_liang_et_al(counts: tuple[int, int, int], accuracy: float, no_context: float) -> None:
    """Client B, tables 2 and 4. They print .53 for 2 of 371, which is .539."""
    kinds: tuple[Told, ...] = ("correct", "incorrect", "no_context")
    outcomes = [kind for kind, n in zip(kinds, counts, strict=True) for _ in range(n)]
    found = free_text_figures(outcomes, range(371))
    assert round(100 * (found["free_text_accuracy"].value or 0), 2) == accuracy
    assert round(100 * (found["free_text_no_context_rate"].value or 0), 2) == no_context
    assert free_text_counts(outcomes) == Counts(*counts, 0)


def test_what_nobody_judged_is_unscored() -> None:
    found = free_text_figures(["correct", None, "no_context"], "abc")
    assert found["free_text_accuracy"][:3] == (0.5, 2, 1)
    assert free_text_counts(["correct", None, "no_context"]) == Counts(1, 0, 1, 1)
    assert free_text_figures([], [])["free_text_accuracy"].reason == NO_FREE_TEXT
