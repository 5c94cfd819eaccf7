"""Experiments: settings and configurations to try, and their figures."""
