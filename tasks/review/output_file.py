"""Output files: a path that may be written to, and a file that is there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from tasks.errors import UsageError
from tasks.records import content_id


def checked_target(path: str, option: str) -> Path:
    """The path to write to. Raises UsageError, which names the option, for a folder, or a file in none."""
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"{option} {target} is a folder: name a file in it")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}: make it, or name another {option}")
    for lock in (target.with_name(f"~${target.name}"), target.with_name(f".~lock.{target.name}#")):
        if lock.exists():
            raise UsageError(f"{target} is open in another program: close it there, or name another {option}")
    return target


def write_whole(target: Path, data: bytes, option: str) -> None:
    """Write the file in one step. Raises UsageError, which names the option, where that fails."""
    staged = target.with_name(f".{content_id('partial', target.name)}.partial")
    try:
        staged.write_bytes(data)
        staged.replace(target)
    except OSError as error:
        staged.unlink(missing_ok=True)
        raise UsageError(f"cannot write {target} ({error.strerror}): name another {option}") from error
