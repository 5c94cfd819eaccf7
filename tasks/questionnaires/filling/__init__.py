"""Filling: answers to cells, and nothing else in the file changed."""
