"""Names and figures in a text: what it calls things, its years and quarters, kinds of documents, marks of versions."""

__all__ = ["designators", "document_kinds", "figures_and_names", "name_terms", "periods", "version_marks"]
"""The modules that other rooms may import."""
