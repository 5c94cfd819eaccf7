"""Verdicts: yes, no or partly to a yes/no question, with a probability."""

__all__ = ["reading"]
"""The modules that other rooms may import."""
