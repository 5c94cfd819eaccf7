"""Formatting of table cells in reports: figures, differences, intervals and p. None is a dash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.statistics.significance import SIGNIFICANT_P


def number(value: float | None) -> str:
    """Format a figure with three decimals, one from 10 on."""
    return "–" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def signed(value: float | None) -> str:
    """Format a difference with its sign."""
    return "–" if value is None else f"{value:+.3f}"


def between(low: float | None, high: float | None) -> str:
    """Format an interval, as exact as its figures and without a line break; "" if there is none."""
    if low is None or high is None:
        return ""
    decimals = 3 if max(abs(low), abs(high)) < 10 else 1
    return f"[{low:.{decimals}f},\N{NO-BREAK SPACE}{high:.{decimals}f}]"


def p_value(value: float | None) -> str:
    """Format a p value, as "< .001" below that."""
    return "–" if value is None else "<\N{NO-BREAK SPACE}.001" if value < 0.001 else f"{value:.3f}"


def is_real(one: Mapping[str, Any]) -> bool:
    """Tell if a difference is more than chance, by Holm's correction."""
    return one["p_holm"] is not None and one["p_holm"] < SIGNIFICANT_P
