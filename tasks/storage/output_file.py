"""Output files for people: a path that may be written to, and a file that is there whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

from tasks.errors import UsageError
from tasks.records import content_id

_URL = re.compile(r"[A-Za-z][\w+.-]+:/")
"""The beginning of a URL, also as a path has it; a drive has a single letter."""


def checked_target(path: str | Path, option: str) -> Path:
    """The path to write to.

    Raises UsageError, which names the option, for a URL, a folder, a file in a folder that is not there, a file that
    Excel or LibreOffice has open, and where this user may not write: before any work is done for it.
    """
    if _URL.match(str(path)):
        raise UsageError(f"{option} {path} is a URL, and files are written to a folder: name a path")
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"{target} is a folder: name a file in it, or another {option}")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}: make it, or name another {option}")
    for lock in (target.with_name(f"~${target.name}"), target.with_name(f".~lock.{target.name}#")):
        # What the other program saves would replace what is written.
        if lock.exists():
            raise UsageError(
                f"{target} is open in another program: close it there, or name another {option} (if it is not open, "
                f"{lock.name} beside it was left behind: delete that)"
            )
    try:
        _partial(target).touch()
        _partial(target).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {target} ({error.strerror}): name another {option}") from error
    return target


def write_whole(target: Path, data: bytes, option: str, kept: str = "") -> None:
    """Write the file in one step. Raises UsageError, which names the option and what is ``kept``, where that fails."""
    staged = _partial(target)
    try:
        staged.write_bytes(data)
        staged.replace(target)
    except OSError as error:
        staged.unlink(missing_ok=True)
        more = f"; {kept}" if kept else ""
        raise UsageError(
            f"cannot write {target} ({error.strerror}): close it where it is open, or name another {option}{more}"
        ) from error


def _partial(target: Path) -> Path:
    """The path of the temporary file, in the target's folder, so that it can replace the target in one step.

    Its name is a hash: to a name of the greatest length nothing could be added.
    """
    return target.with_name(f".{content_id('partial', target.name)}.partial")
