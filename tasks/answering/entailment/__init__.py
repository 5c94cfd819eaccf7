"""Entailment: check that a written claim follows from the passages that it cites."""

__all__ = ["claims", "labels", "support"]
"""The modules that other rooms may import."""
