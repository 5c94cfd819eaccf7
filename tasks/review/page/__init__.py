"""The page of a review: a report that works from disk, and the desk at which people decide."""

__all__ = ["page_html", "view"]
"""The modules that other rooms may import."""
