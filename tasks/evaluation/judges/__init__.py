"""Judges of answers: what they judge by, three kinds of them, and how far each agrees with people."""
