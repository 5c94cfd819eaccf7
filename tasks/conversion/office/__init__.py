"""Office files: the adapters to unstructured and LibreOffice, and charts."""

__all__ = ["unstructured_reader"]
"""The modules that other rooms may import."""
