"""Audit: the log of how each answer came about, its trace and its replay."""
