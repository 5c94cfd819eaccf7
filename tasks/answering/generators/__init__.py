"""Generators: who drafts an answer (sentences of the corpus, a model server, or several in a row)."""

__all__ = ["extractive", "factory", "no_context"]
"""The modules that other rooms may import."""
