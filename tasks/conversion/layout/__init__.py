"""Page layout: lines of a printed page to columns, paragraphs, tables and headers."""

__all__ = ["table_columns"]
"""The modules that other rooms may import."""
