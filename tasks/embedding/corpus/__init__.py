"""A corpus' texts in parts, and vectors kept for texts that come again."""

__all__ = ["corpus_cache", "corpus_parts", "shard_cache", "vector_cache"]
"""The modules that other rooms may import."""
