"""Output folder of a report or a tuned plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import UsageError


@contextmanager
def out_folder(out: str, option: str = "--out") -> Iterator[Path]:
    """Make the folder ``out``, if it is missing, to write into. Raises UsageError if it or a file cannot be written."""
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
        yield Path(out)
    except OSError as error:
        raise UsageError(f"cannot write to {option} {out}: {error.strerror}") from error
