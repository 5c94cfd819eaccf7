"""What tells a file of the library from the company's own documents: its name."""

from __future__ import annotations

PREFIX = "library:"


def is_approved(file_name: str) -> bool:
    """Whether the document of that name holds approved answers."""
    return file_name.startswith(PREFIX)
