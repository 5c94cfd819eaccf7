"""The lexical space and BM25: word counts, TF-IDF, truncated SVD, drift."""
