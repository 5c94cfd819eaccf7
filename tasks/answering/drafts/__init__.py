"""Drafts: what a generator is asked and gives back, whole or as it is written."""

__all__ = ["draft"]
"""The modules that other rooms may import."""
