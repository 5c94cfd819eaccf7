"""Audit: the log of how each answer came about, its trace and its replay."""

__all__ = ["log", "model_fingerprints", "trace"]
"""The modules that other rooms may import."""
