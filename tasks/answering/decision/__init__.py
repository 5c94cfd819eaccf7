"""Decision: answered, to review or declined, with a confidence and a reason."""

__all__ = ["declines"]
"""The modules that other rooms may import."""
