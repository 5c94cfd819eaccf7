"""Worker processes: each file is converted in a sandbox, here or on a cluster."""

__all__ = ["sandbox"]
"""The modules that other rooms may import."""
