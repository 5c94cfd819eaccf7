"""Documents: assembled from blocks, written as JSON and rows, with places in print."""

__all__ = ["serialization"]
"""The modules that other rooms may import."""
