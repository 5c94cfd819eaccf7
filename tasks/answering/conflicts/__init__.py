"""Conflicts: places that contradict each other, past answers, documents that no longer hold."""
