"""Embedding: texts to dense vectors, token vectors, the lexical space and BM25."""
