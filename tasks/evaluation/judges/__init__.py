"""Judges of answers: their criteria, three kinds of judges, and how far each agrees with people."""
