"""Output about gold sets for people on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

SHOWN_FAULTS = 10


def tell_gold_faults(summary: Mapping[str, Any]) -> None:
    """Print warnings, on stderr, about evidence of a gold set that the corpus lacks, and the held-out documents."""
    faults = summary["gold_faults"]
    for fault in faults[:SHOWN_FAULTS]:
        print(f"bidfolio: warning: {summary['gold']}, {fault}", file=sys.stderr)
    if len(faults) > SHOWN_FAULTS:
        print(f"bidfolio: warning: and {len(faults) - SHOWN_FAULTS} more: --json has all of them", file=sys.stderr)
    if faults:
        print(
            f"bidfolio: warning: places or answers of the gold set that are left out: {len(faults)}; a question that "
            "has no place left counts in no figure of pages",
            file=sys.stderr,
        )
    if summary["held_out"]:
        print(
            f"bidfolio: measured without {', '.join(summary['held_out'])}, as the gold set holds out", file=sys.stderr
        )
