"""Program id: a hash of the source code, since workers of a cluster may have an older version installed."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

PACKAGES = ("configs", "tasks")
TOP = Path(__file__).parents[2]


@cache
def program_id(top: Path = TOP) -> str:
    """A hash, 16 hex digits, of the source below ``top`` that a worker may run."""
    digest = hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (top / package).rglob("*.py")):
        digest.update(path.relative_to(top).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
