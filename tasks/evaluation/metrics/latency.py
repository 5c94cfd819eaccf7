"""Latency of single questions: mean, standard deviation and percentiles of times in ms.

Times are those of questions that were asked one at a time: a batch would give only a mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tasks.statistics.estimates import Figure
from tasks.statistics.significance import resampled

_STATISTICS: Mapping[str, Callable[..., Any]] = {
    "mean": np.mean,
    "sd": partial(np.std, ddof=1),
    "p50": partial(np.percentile, q=50),
    "p95": partial(np.percentile, q=95),
}
"""Mean and standard deviation as in Liang et al. 2024, and percentiles, which describe the slow tail better. These are
interpolated linearly (type 7 of Hyndman and Fan 1996).
"""


def latency_figures(stage: str, times_ms: Sequence[float]) -> dict[str, Figure]:
    """``STAGE_ms_mean``, ``_sd``, ``_p50``, ``_p95`` with their bootstrap intervals; undefined over too few times."""
    found, n = {}, len(times_ms)
    for name, statistic in _STATISTICS.items():
        if n > (name == "sd"):
            error, ends = resampled(times_ms, statistic)
            value = float(statistic(np.asarray(times_ms, dtype=np.float64)))
            found[f"{stage}_ms_{name}"] = Figure(value, n, 0, error, n, bootstrap=ends)
        else:
            reason = f"too few questions were timed: {n}"
            found[f"{stage}_ms_{name}"] = Figure(None, n, clusters=n, reason=reason)
    return found
