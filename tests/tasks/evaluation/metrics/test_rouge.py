from __future__ import annotations

import sys

import pytest
from absl import logging
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from tasks.evaluation.metrics.rouge import References, rouge1_recall

# absl, which rouge-score logs by, holds what sys.stderr is when it is imported, here pytest's own, and closes it once
# Prefect sets up its logging.
logging.get_absl_handler().python_handler.stream = sys.__stderr__

TEXTS = st.text(max_size=60) | st.text("aAbB 19-_.ßÉKİ\n", max_size=60)
REFERENCE = RougeScorer(["rouge1"])


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8))
def test_it_is_that_of_rouge_score(pairs: list[tuple[str, str]]) -> None:
    """Which gives 0, and not None, for a reference without a word."""
    found = References([reference for reference, _ in pairs]).recalls([candidate for _, candidate in pairs])
    for (reference, candidate), recall in zip(pairs, found, strict=True):
        wanted = REFERENCE.score(reference, candidate)["rouge1"].recall
        assert (recall or 0.0) == pytest.approx(wanted, abs=1e-9)
        assert recall == rouge1_recall(reference, candidate)
        assert recall is not None or wanted == 0


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("the cat sat on the mat", "The cat, on the mat!", 5 / 6),
        ("the the the cat", "the cat", 2 / 4),
        ("AES-256 at rest", "encrypted with AES 256", 2 / 4),
        ("yes", "", 0.0),
        ("snake_case", "snake", 1 / 2),
        ("Größe", "gre", 0.0),
        ("…", "anything", None),
        ("Ελληνικά", "Ελληνικά", None),
    ],
)
def test_it_is_the_share_of_the_reference_s_words(reference: str, candidate: str, expected: float | None) -> None:
    assert rouge1_recall(reference, candidate) == expected


def test_where_there_is_no_reference_there_is_no_recall() -> None:
    assert References([None, "a b", ""]).recalls(["a", "a", "a"]) == [None, 0.5, None]
    assert References([]).recalls([]) == []
    with pytest.raises(ValueError, match="zip"):
        References(["a"]).recalls([])
