"""Damage to files of a home: what a disk, a broken copy or a hand does to them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

DAMAGES = ("truncate", "empty", "swap", "delete")
_NAMES = (
    (r"[0-9]{8}T[0-9]{6,}-[0-9a-f]{6,}", "RUN"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
    (r"[0-9a-zA-Z]*[0-9][0-9a-zA-Z]{11,}", "ID"),
    (r"\b[0-9]{19,20}\b", "N"),
    (r"-[0-9]+(?=[.-])", "-N"),
    (r"\b[0-9]+(?=-ID)", "N"),
)


def kind_of(name: str) -> str:
    """The path of a file below its home, with what tells it from others of its kind replaced."""
    for pattern, word in _NAMES:
        name = re.sub(pattern, word, name)
    return name


def damage(path: Path, how: str, homes: Sequence[Path], kind: str) -> bool:
    """Damage a file in place, which may be a link to one of another home: that stays as it is.

    A swapped file gets the content of another file of its ``kind`` in one of the homes. Returns False where there is
    none, or where nothing is in the file that could be lost. A file of the cache is named after what it was made of, so
    that one of the same name is no other.
    """
    raw = path.read_bytes()
    if how == "delete":
        path.unlink()
        return True
    new = {"truncate": raw[: len(raw) * 2 // 3], "empty": b""}.get(how)
    if how == "swap":
        others = (
            one.read_bytes()
            for home in homes
            for one in sorted(home.rglob("*"))
            if one.is_file()
            and one != path
            and kind_of(name := str(one.relative_to(home))) == kind
            and not (name.startswith("cache/") and str(path).endswith(f"/{name}"))
        )
        new = next((other for other in others if other != raw), None)
    if new is None or new == raw:
        return False
    beside = path.with_name(f"{path.name}.new")
    beside.write_bytes(new)
    shutil.copymode(path, beside)
    os.replace(beside, path)
    return True
