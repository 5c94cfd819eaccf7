"""Latency of single questions: mean, standard deviation and percentiles of times in ms.

Times are those of questions that were asked one at a time: a batch would give only a mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tasks.statistics.estimates import Figure
from tasks.statistics.significance import Resampled, resampled

_STATISTICS: Mapping[str, Callable[..., Any]] = {
    "mean": np.mean,
    "sd": partial(np.std, ddof=1),
    "p50": partial(np.percentile, q=50),
    "p95": partial(np.percentile, q=95),
}
"""Mean and standard deviation as in Liang et al. 2024, and percentiles, which describe the slow tail better. These are
interpolated linearly (type 7 of Hyndman and Fan 1996).
"""


def latency_figures(stage: str, times_ms: Sequence[float]) -> dict[str, tuple[Figure, Resampled]]:
    """Compute ``STAGE_ms_mean``, ``_sd``, ``_p50`` and ``_p95``, each with its 95% bootstrap interval and error.

    Without times each is undefined, and so is the deviation of a single time.
    """
    found = {}
    for name, statistic in _STATISTICS.items():
        enough = len(times_ms) > (name == "sd")
        spread = resampled(times_ms, statistic) if enough else Resampled(None, None, None)
        value = float(statistic(np.asarray(times_ms, dtype=np.float64))) if enough else None
        reason = None if enough else f"too few questions were timed: {len(times_ms)}"
        ends = (spread.low, spread.high)
        figure = Figure(value, len(times_ms), 0, spread.standard_error, len(times_ms), reason=reason, bootstrap=ends)
        found[f"{stage}_ms_{name}"] = figure, spread
    return found
