"""A file below the home, as whoever looks through it finds it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

ASIDE = "gone-"
"""How the name of a folder in ``staging/`` begins that is being removed."""


class Stored(NamedTuple):
    """A file: the parts of its path below the home, its size, and when it was written."""

    parts: tuple[str, ...]
    size_bytes: int
    written_at: datetime
