"""Judges of answers: their criteria, three kinds of judges, and how far each agrees with people."""

__all__ = ["cases", "labels", "lexical", "server"]
"""The modules that other rooms may import."""
