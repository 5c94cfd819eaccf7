"""Experiments: settings and configurations to try, and their figures."""

__all__ = ["figures", "settings", "trials"]
"""The modules that other rooms may import."""
