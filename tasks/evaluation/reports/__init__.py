"""Reports of what was measured, as one HTML file."""

__all__ = ["cells"]
"""The modules that other rooms may import."""
