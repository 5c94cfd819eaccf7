"""Reading: columns, sections and questions of a questionnaire."""

__all__ = ["layout", "read_questionnaire"]
"""The modules that other rooms may import."""
