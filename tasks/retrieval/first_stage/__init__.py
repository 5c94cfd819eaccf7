"""First stage: chunks scored by vectors and words, in memory or by an index."""

__all__ = ["cached_search", "exact_search"]
"""The modules that other rooms may import."""
