"""Office files: the adapters to unstructured and LibreOffice, and charts."""

__all__ = ["libreoffice", "unstructured_reader"]
"""The modules that other rooms may import."""
