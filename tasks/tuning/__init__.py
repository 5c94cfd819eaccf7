"""Tuning: adapters, rerankers, confidences and grids, learnt and judged by questions."""
