"""Filling: answers to cells, and nothing else in the file changed."""

__all__ = ["cell_answers", "company_facts", "fill_questionnaire"]
"""The modules that other rooms may import."""
