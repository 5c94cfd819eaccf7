"""Pictures of pages, with a quote marked on them."""

__all__ = ["page_lookup"]
"""The modules that other rooms may import."""
