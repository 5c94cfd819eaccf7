"""Ranking: fusion of lists, rerankers, late interaction and near-duplicates."""
