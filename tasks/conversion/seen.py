"""What is remembered of the objects of a store, so that those that are the same are not fetched to be hashed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

LOGIC_VERSION = "1"
"""Changes whenever :class:`Seen` would say something else of the same object: it is part of its cache key."""


class Seen(NamedTuple):
    """What an object's bytes were when its store gave it this ``stamp``, and whether they may hold documents."""

    stamp: str
    content_sha256: str
    is_container: bool


def stamp(entry: Mapping[str, Any]) -> str:
    """What a store's listing says of an object that changes with its bytes; "" where nothing can be relied on.

    An ETag is a digest of the bytes, which are read on the condition that it still holds. The size and the time are
    added for a store whose ETags are poorer. A local file has none: a change within a tick of its clock leaves its
    time as it was.
    """
    tag, written = entry.get("ETag"), entry.get("LastModified")
    return f"{tag} {entry['size']} {written}" if tag and written else ""


def written_on(entry: Mapping[str, Any]) -> str:
    """The day when a file was last written, UTC, as YYYY-MM-DD; "" where its listing does not say."""
    written = next((entry[name] for name in ("mtime", "LastModified", "last_modified") if entry.get(name)), None)
    if isinstance(written, int | float):
        written = datetime.fromtimestamp(written, UTC)
    return f"{written.astimezone(UTC):%Y-%m-%d}" if isinstance(written, datetime) else ""
