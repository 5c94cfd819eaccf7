"""Reads customers' questionnaires and writes the answers back into the same files."""
