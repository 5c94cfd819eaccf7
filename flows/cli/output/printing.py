"""Output of commands: lines for people, or one JSON object for scripts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any


def report(options: argparse.Namespace, summary: dict[str, Any], lines: Sequence[str], code: int = 0) -> int:
    """Print ``summary`` as one line of JSON with ``--json``, else the ``lines``; returns the exit ``code``."""
    if getattr(options, "json", False):
        print(json.dumps(summary, ensure_ascii=False, default=str))
    else:
        print("\n".join(lines))
    return code


def counted(count: int, noun: str) -> str:
    """A count with its noun: ``1 question``, ``2 questions``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def tell_warnings(warnings: Sequence[str]) -> None:
    """Print the warnings of checks to stderr."""
    for warning in warnings:
        print(f"bidfolio: warning: {warning}", file=sys.stderr)
