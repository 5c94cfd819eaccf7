"""Entailment: check that a written claim follows from the passages that it cites."""
