"""Gold sets: questions with known answers, read, made, and held against a corpus."""

__all__ = ["gold_corpus", "gold_set", "outcomes", "statement_questions"]
"""The modules that other rooms may import."""
