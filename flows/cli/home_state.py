"""State of the home that a command works on: who made it, which of its runs were killed, and what is damaged."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from configs.settings import Settings
from tasks.errors import BidfolioError
from tasks.runtime.running import FOLDER, LocalMarks
from tasks.storage.home_format import PLACE, require_known


def look_at(settings: Settings) -> None:
    """Close the runs whose process is gone, where there are any. Nothing of Prefect is imported for none.

    Raises UsageError for a home of a newer bidfolio, which this one would misread.
    """
    with suppress(OSError):
        require_known(Path(settings.home, *PLACE).read_bytes(), settings.home)
    if any(not run.is_closed for run in LocalMarks(Path(settings.home, *FOLDER)).dead()):
        from tasks.runtime.artifacts import close_crashed

        close_crashed.fn(settings)


def tell_damage(error: Exception) -> bool:
    """Name the damaged files of the home, since a command has failed and they may be why; returns if there are any.

    Those that the error names are not named again.
    """
    home = os.environ.get("BIDFOLIO_HOME", "")
    if not home or "lancedb" not in sys.modules:  # the command has failed before it looked at the index
        return False
    from tasks.publishing.mending_task import SHOWN_FAULTS, find_damage

    try:
        found = find_damage.fn(home)
    except (BidfolioError, OSError):  # the home cannot be read: that is what the error says
        return False
    for damaged in found[:SHOWN_FAULTS]:
        if str(damaged) not in str(error):
            print(f"bidfolio: {damaged}", file=sys.stderr)
    if len(found) > SHOWN_FAULTS:
        print(f"bidfolio: and {len(found) - SHOWN_FAULTS} more files are damaged", file=sys.stderr)
    return bool(found)
