"""Context: the text around a hit that is handed on with it."""

__all__ = ["context_window"]
"""The modules that other rooms may import."""
