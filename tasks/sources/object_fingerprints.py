"""Stamps and fingerprints of objects in a store, so that unchanged objects are not fetched to be hashed again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

LOGIC_VERSION = "1"
"""Part of the cache key of :class:`Seen`; change it whenever the record of the same object would change."""


class Seen(NamedTuple):
    """The fingerprint of an object at its ``stamp``: the SHA-256 of its bytes, and if they may hold documents."""

    stamp: str
    content_sha256: str
    is_container: bool


def stamp(entry: Mapping[str, Any]) -> str:
    """The change stamp of an object from its store's listing (ETag, size and time); "" where none is reliable.

    An ETag is a digest of the bytes, which are read on the condition that it still holds. The size and the time are
    added for a store whose ETags are poorer. A local file has none: a change within a tick of its clock leaves its time
    as it was.
    """
    tag, written = entry.get("ETag"), entry.get("LastModified")
    return f"{tag} {entry['size']} {written}" if tag and written else ""


def written_on(entry: Mapping[str, Any]) -> str:
    """The day when a file was last written, UTC, as YYYY-MM-DD; "" where its listing does not state it."""
    written = next((entry[name] for name in ("mtime", "LastModified", "last_modified") if entry.get(name)), None)
    if isinstance(written, int | float):
        written = datetime.fromtimestamp(written, UTC)
    return f"{written.astimezone(UTC):%Y-%m-%d}" if isinstance(written, datetime) else ""
