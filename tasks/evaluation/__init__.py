"""Evaluation: plans against gold sets, judges of answers, and reports."""
