"""Streaming: answers drafted while retrieval goes on, and text handed on as it is written."""
