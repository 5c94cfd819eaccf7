"""Ranking: fusion of lists, rerankers, late interaction and near-duplicates."""

__all__ = ["cross_encoder", "near_duplicates", "pair_models", "reranking", "told_documents"]
"""The modules that other rooms may import."""
