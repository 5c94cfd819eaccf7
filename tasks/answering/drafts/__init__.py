"""Drafts: what a generator is asked and gives back, whole or as it is written."""
