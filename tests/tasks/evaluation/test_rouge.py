from __future__ import annotations

import pytest

from tasks.evaluation.rouge import rouge1_recall


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("the cat sat on the mat", "The cat, on the mat!", 5 / 6),
        ("the the the cat", "the cat", 2 / 4),
        ("AES-256 at rest", "encrypted with AES 256", 2 / 4),
        ("Größe", "die größe", 1.0),
        ("yes", "", 0.0),
        ("snake_case", "snake", 1 / 2),
        ("…", "anything", None),
    ],
)
def test_it_is_the_share_of_the_reference_s_words(reference: str, candidate: str, expected: float | None) -> None:
    """The first three and the fifth are what rouge-score 0.1.2 gives, too: rouge1, recall, no stemmer."""
    assert rouge1_recall(reference, candidate) == expected
