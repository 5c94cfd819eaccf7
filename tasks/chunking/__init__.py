"""Chunking: documents cut into chunks, each a slice of the document's text."""
