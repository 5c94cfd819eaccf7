"""Record of a stored file below the home, as a listing finds it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

ASIDE = "gone-"
"""The prefix of folders in ``staging/`` that are being removed."""


class Stored(NamedTuple):
    """A stored file: the parts of its path below the home, its size, and when it was written."""

    parts: tuple[str, ...]
    size_bytes: int
    written_at: datetime
