"""What a command prints: words for a person, or one JSON object for a script."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any


def print_summary(options: argparse.Namespace, summary: dict[str, Any], lines: Sequence[str]) -> None:
    """Prints ``summary`` as one line of JSON where ``--json`` was given, else the ``lines``."""
    if getattr(options, "json", False):
        print(json.dumps(summary, ensure_ascii=False, default=str))
    else:
        print("\n".join(lines))


def counted(count: int, noun: str) -> str:
    """``1 question``, ``2 questions``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def tell_warnings(warnings: Sequence[str]) -> None:
    """Tells a person what checks found strange and let pass."""
    for warning in warnings:
        print(f"bidfolio: warning: {warning}", file=sys.stderr)
