"""Format of a home: its number is raised when an older bidfolio would misread what a newer one writes."""

from __future__ import annotations

from tasks.errors import UsageError

FORMAT = 1
PLACE = ("index", "format")


def require_known(raw: bytes | None, home: str) -> None:
    """Check the stored number of a home; None for a home that has none yet. Raises UsageError for a newer one."""
    if raw is not None and raw.strip().isdigit() and int(raw) > FORMAT:
        raise UsageError(
            f"the home {home} was made by a newer bidfolio (format {int(raw)}, and this one reads up to {FORMAT}): "
            "run that one, or choose another --home; nothing in it was changed"
        )
