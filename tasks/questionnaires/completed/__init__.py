"""Completed questionnaires: the answers that people gave, who approved them, and which are drafts of bidfolio's own."""

__all__ = ["completed_rows"]
"""The modules that other rooms may import."""
