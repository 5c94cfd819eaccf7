"""Metrics: figures of rankings, verdicts, texts, latency and calibration."""

__all__ = ["calibration", "figure_names", "figures", "ranking", "rouge"]
"""The modules that other rooms may import."""
