"""The lexical space and BM25: word counts, TF-IDF, truncated SVD, drift."""

__all__ = ["abbreviations", "bm25", "hybrid_scores", "lexical_space"]
"""The modules that other rooms may import."""
