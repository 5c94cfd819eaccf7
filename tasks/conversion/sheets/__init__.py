"""Workbooks and CSV files: visible cells as text, and rows as blocks of a document."""
