"""Page finders: the page of a file on which a text stands, and how often each is right."""

__all__ = ["accuracy", "finder", "page_cache", "storage", "verbatim"]
"""The modules that other rooms may import."""
