"""Metrics: figures of rankings, verdicts, texts, latency and calibration."""
