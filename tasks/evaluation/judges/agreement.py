"""Agreement of judges with people on labelled examples; a judge that does no better than chance is not admitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test, rankdata
from sklearn.metrics import cohen_kappa_score

from tasks.evaluation.judges.cases import CRITERIA, MARKS, Judge, Scale
from tasks.evaluation.judges.labels import Labelled, parted
from tasks.statistics.significance import holm

RESAMPLES = 9_999
SEED = 0
LEAST_P = 0.01
"""Significance level for admission: the share of random judges that are admitted by any criterion."""
LEAST_EXAMPLES = 10
"""Least number of examples; with fewer, agreement can hardly be distinguished from chance."""


class Agreement(NamedTuple):
    """Agreement of ``n`` judgements with people's labels.

    ``accuracy`` is the share that is equal, ``kappa`` Cohen's with quadratic weights (Cohen 1968): 0 is chance, 1 is
    perfect. Shares are no grades: they have only ``rho``, Spearman's rank correlation. ``p`` is the probability that
    randomly permuted judgements agree as well or better; each is None if it is not defined. ``why_unscored`` is the
    commonest reason of the ``unscored``. ``p_holm`` is p by Holm's correction for the number of the judge's criteria,
    and ``refused`` the reason why it may not judge, "" if it may.
    """

    n: int
    unscored: int
    accuracy: float | None
    kappa: float | None
    rho: float | None
    p: float | None
    why_unscored: str | None = None
    p_holm: float | None = None
    refused: str = ""

    def told(self) -> dict[str, Any]:
        """Convert to JSON as ``evaluate --json`` shows it."""
        return {**self._asdict(), "refused": self.refused or None}


def agreement(scores: Sequence[float], labels: Sequence[float], scale: Scale, unscored: int = 0) -> Agreement:
    """Measure how a judge's scores agree with people's labels of the same cases, in the same order.

    If either is constant, agreement cannot be distinguished from chance: kappa is 0, or rho None, and p is 1; without
    scores all are None. Raises ValueError for unequal lengths.
    """
    judged, said = np.asarray(scores, np.float64), np.asarray(labels, np.float64)
    if judged.shape != said.shape:
        raise ValueError(f"{len(scores)} scores and {len(labels)} labels")
    if not len(judged):
        return Agreement(0, unscored, None, None, None, None)
    is_flat = len(np.unique(judged)) == 1 or len(np.unique(said)) == 1
    if scale == "share":
        ranks, other = rankdata(judged), rankdata(said)
        rho = None if is_flat else float(np.corrcoef(ranks, other)[0, 1])
        return Agreement(len(judged), unscored, None, None, rho, 1.0 if is_flat else _p(ranks, other))
    # Marks are compared by position: from 1 to 3 is one step, as from 7 to 10 is.
    places = [np.searchsorted(MARKS[scale], values) for values in (judged, said)]
    steps = list(range(len(MARKS[scale])))
    kappa = 0.0 if is_flat else float(cohen_kappa_score(*places, labels=steps, weights="quadratic"))
    accuracy = float((judged == said).mean())
    p = 1.0 if is_flat else _p(places[0].astype(np.float64), places[1].astype(np.float64))
    return Agreement(len(judged), unscored, accuracy, kappa, None, p)


def admissions(judge: Judge, examples: Sequence[Labelled], criteria: Sequence[str]) -> dict[str, Agreement]:
    """Decide for each of the ``criteria`` that the judge has if it may judge by it.

    A judge that learns is measured by the examples that :func:`parted` keeps from it. It is refused if it agrees no
    better than chance (p by Holm's correction not below LEAST_P), or has fewer than LEAST_EXAMPLES scored examples.
    """
    shown = parted(examples)[1] if judge.learns else examples
    found = {name: _measured(judge, shown, name) for name in criteria if name in judge.criteria}
    corrected = holm([one.p for one in found.values()])
    return {
        name: one._replace(p_holm=p, refused=_refusal(one, p))
        for (name, one), p in zip(found.items(), corrected, strict=True)
    }


def with_own_labels(shipped: Sequence[Labelled], own: Sequence[Labelled]) -> list[Labelled]:
    """Choose the examples that judges are measured by, for each criterion the user's own or the shipped ones.

    A user's own are taken if at least LEAST_EXAMPLES of them have a label for the criterion.
    """
    counts = Counter(name for one in own for name in one.labels)
    theirs = {name for name, count in counts.items() if count >= LEAST_EXAMPLES}
    kept = [
        one._replace(labels={name: label for name, label in one.labels.items() if (name in theirs) == is_own})
        for examples, is_own in ((shipped, False), (own, True))
        for one in examples
    ]
    return [one for one in kept if one.labels]


def _measured(judge: Judge, examples: Sequence[Labelled], criterion: str) -> Agreement:
    labelled = [one for one in examples if criterion in one.labels]
    judged = judge.judge([one.case for one in labelled], criterion)
    scored = [(at, says.score) for at, says in enumerate(judged) if says.score is not None]
    labels = [labelled[at].labels[criterion] for at, _ in scored]
    why = Counter(says.unscored for says in judged if says.score is None).most_common(1)
    found = agreement([score for _, score in scored], labels, CRITERIA[criterion].scale, len(judged) - len(scored))
    return found._replace(why_unscored=why[0][0] if why else None)


def _refusal(one: Agreement, p: float | None) -> str:
    if one.n < LEAST_EXAMPLES:
        why = f" (most others: {one.why_unscored})" if one.why_unscored else ""
        scored = f"only {one.n} of {one.n + one.unscored} labelled examples were scored"
        return f"{scored}, and it takes {LEAST_EXAMPLES}{why}"
    if p is None or p >= LEAST_P:
        return f"it agrees with {one.n} labelled examples no better than chance (p = {p:.3f} by Holm)"
    return ""


def _p(judged: NDArray[np.float64], said: NDArray[np.float64]) -> float:
    """The one-sided p of agreement by a permutation test.

    Permuted judgements keep the agreement expected by chance, so the sum of products orders them as weighted kappa
    does, and the sum of products of ranks as Spearman's rho.
    """
    test = permutation_test(
        (judged,),
        lambda dealt, axis: (dealt * said).sum(axis=axis),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=RESAMPLES,
        alternative="greater",
        rng=np.random.default_rng(SEED),
    )
    return float(test.pvalue)
