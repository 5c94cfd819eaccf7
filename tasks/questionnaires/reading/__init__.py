"""Reading: columns, sections and questions of a questionnaire."""

__all__ = ["completed", "layout", "read_questionnaire"]
"""The modules that other rooms may import."""
