"""The evidence workbook beside a filled questionnaire: one row per question, with its answer and the page behind it."""

__all__ = ["columns", "statuses"]
"""The modules that other rooms may import."""
