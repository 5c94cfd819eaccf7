"""The cells of a report's tables: figures, differences and p as they are written. None is a dash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SIGNIFICANT_P = 0.05


def number(value: float | None) -> str:
    """A figure to three decimals, a large one to one."""
    return "–" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def signed(value: float | None) -> str:
    """A difference with its sign."""
    return "–" if value is None else f"{value:+.3f}"


def between(low: float | None, high: float | None) -> str:
    """An interval, as exact as the figures that it is of, which does not break; "" where there is none."""
    if low is None or high is None:
        return ""
    decimals = 3 if max(abs(low), abs(high)) < 10 else 1
    return f"[{low:.{decimals}f},\N{NO-BREAK SPACE}{high:.{decimals}f}]"


def p_value(value: float | None) -> str:
    """A p, none of it below .001."""
    return "–" if value is None else "<\N{NO-BREAK SPACE}.001" if value < 0.001 else f"{value:.3f}"


def is_real(one: Mapping[str, Any]) -> bool:
    """Whether a difference is more than chance, by Holm's correction."""
    return one["p_holm"] is not None and one["p_holm"] < SIGNIFICANT_P
