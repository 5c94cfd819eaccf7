"""Documents: assembled from blocks, written as JSON and rows, with places in print."""

__all__ = ["assembly", "corpus_names", "serialization"]
"""The modules that other rooms may import."""
