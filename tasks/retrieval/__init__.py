"""Retrieval: questions to hits, and the table ``retrievals``."""
