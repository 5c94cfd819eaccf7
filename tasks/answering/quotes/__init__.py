"""Quotes: which sentences of the hits may be quoted, with what context, in which section."""

__all__ = ["context_passages", "sections"]
"""The modules that other rooms may import."""
