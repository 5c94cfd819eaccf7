"""Degradation of graded answers: how far retrieval is from a perfect one, by grades of 1, 3, 5, 7 or 10.

After Finardi et al. 2024, section 3: a judge grades an answer against the known one, and the *relative maximum* is the
mean grade of the answers that the same generator drafts from the very chunk that each question was made from.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from tasks.statistics.estimates import Figure, clustered

GRADES = {
    1: "has nothing to do with the known answer",
    3: "has a little to do with it, but says something else",
    5: "says some of it, with mistakes",
    7: "says it, with something small left out",
    10: "says all of it, and rightly",
}


def degradation(score: float | None, relative_maximum: float | None) -> float | None:
    """The degradation 1 − score / relative maximum, Eq. 1 of Finardi et al.; None if either is unknown.

    It is negative if the score is higher; their tables print it in percent with the opposite sign. Raises ValueError
    for a maximum that is not above 0.
    """
    if relative_maximum is not None and relative_maximum <= 0:
        raise ValueError(f"a relative maximum of {relative_maximum} is below every grade")
    return None if score is None or relative_maximum is None else 1 - score / relative_maximum


def paired_degradation(
    grades: Sequence[float | None], best: Sequence[float | None], clusters: Sequence[Hashable] | None = None
) -> Figure:
    """The degradation over the questions that are graded both ways, the others being unscored, with its error.

    The grades may be of any scale that begins at 0 or above. The error is that of a ratio of two means over the same
    questions, by the delta method. Raises ValueError for lists of different lengths.
    """
    labels = range(len(grades)) if clusters is None else clusters
    both = [
        (grade, top, label)
        for grade, top, label in zip(grades, best, labels, strict=True)
        if grade is not None and top is not None
    ]
    unscored = len(grades) - len(both)
    if not both:
        return Figure(None, 0, unscored, reason="no answer was graded both ways")
    if not any(top for _, top, _ in both):
        return Figure(None, 0, unscored, reason="the relative maximum is 0")
    scored, maximum = (np.array([pair[at] for pair in both], dtype=np.float64) for at in (0, 1))
    share = scored.mean() / maximum.mean()
    influences = -(scored - share * maximum) / maximum.mean() / len(both)
    return clustered(1 - float(share), influences, [label for *_, label in both], unscored)
