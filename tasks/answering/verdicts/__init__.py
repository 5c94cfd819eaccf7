"""Verdicts: yes, no or partly to a yes/no question, with a probability."""
