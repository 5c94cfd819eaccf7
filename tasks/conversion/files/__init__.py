"""One file: its container, its date, its reader, and when another try would help."""

__all__ = ["convert", "converted_cache", "file_dates", "member_cache", "version"]
"""The modules that other rooms may import."""
