"""Queries: what is searched for, expansion, adapter and scope."""

__all__ = ["compound_spelling", "query_adapter", "query_expansion", "scope"]
"""The modules that other rooms may import."""
