"""Benchmarks: each prints its figures and the command that gave them, and judges nothing by time."""
