"""A corpus' texts in parts, and vectors kept for texts that come again."""
