"""Office files: the adapters to unstructured and LibreOffice, and charts."""
