"""Decision: answered, to review or declined, with a confidence and a reason."""

__all__ = ["decline_advice"]
"""The modules that other rooms may import."""
