"""Cache folder for graphs made from a model's files: in the home, written completely or not at all."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tasks.errors import UNWRITABLE
from tasks.progress import tell
from tasks.storage.urls import machine_cache

SEAL = "seal.json"
"""The file of a folder with the size and SHA-256 of each of its other files."""
_STAGED = ".staged"
"""The end of the name of a folder that is being filled, which is locked meanwhile."""


@contextmanager
def kept(home: str, key: str, write: Callable[[Path], None]) -> Iterator[Path]:
    """The folder of that key in the home; the first caller fills it with ``write``, and again where it was damaged.

    For a home that is a URL it is in ``~/.cache/bidfolio`` of this machine. Where the folder cannot be written, or a
    damaged one not be deleted, it is a temporary one, which is deleted after the block. Raises OSError, with its
    number, where the disk is full.
    """
    folder = machine_cache(home) / "models" / key
    why = damage_of(folder) if folder.is_dir() else ""
    if why:
        tell(f"{folder} is damaged ({why}): it is made anew")
        shutil.rmtree(folder, ignore_errors=True)
    if not (why and folder.is_dir() and damage_of(folder)):  # else it could not be deleted
        try:
            if not folder.is_dir():
                _make(folder, write)
            yield folder
            return
        except OSError as error:
            if error.errno not in UNWRITABLE or folder.is_dir():
                raise
    with TemporaryDirectory() as passing_home, kept(passing_home, key, write) as passing:
        yield passing


def damage_of(folder: Path) -> str:
    """The reason why a folder is not as it was made; "" where it is, or where an older bidfolio made it."""
    try:
        sealed: dict[str, tuple[int, str]] = json.loads((folder / SEAL).read_bytes())
        for name, (size, digest) in sealed.items():
            if (folder / name).stat().st_size != size or _digest(folder / name) != digest:
                return f"{name} in it is not what was written"
    except FileNotFoundError as error:
        is_older = str(error.filename).endswith(SEAL) and any(folder.iterdir())
        return "" if is_older else f"{Path(str(error.filename)).name} in it is gone"
    except ValueError:
        return f"{SEAL} in it is not what was written"
    return ""


def damaged_folders(models: Path) -> Iterator[tuple[Path, str]]:
    """The folders in ``models`` that are not as they were made, or that a killed process has left, each with the
    reason; none that is being filled. A folder ``models`` that is missing has none.
    """
    for folder in sorted(models.iterdir()) if models.is_dir() else ():
        if folder.suffix != _STAGED:
            why = damage_of(folder)
        else:
            why = "the process that made it was killed" if _is_abandoned(folder) else ""
        if why:
            yield folder, why


@contextmanager
def full_disk_told(folder: Path, size_bytes: int) -> Iterator[None]:
    """Turn the RuntimeError of a library that writes ``size_bytes`` to the folder into the system's for a full disk."""
    try:
        yield
    except RuntimeError as error:
        written = sum(path.stat().st_size for path in folder.iterdir())
        if shutil.disk_usage(folder).free + written > size_bytes:
            raise
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder)) from error


def _make(folder: Path, write: Callable[[Path], None]) -> None:
    staged = folder.with_name(f"{uuid.uuid4().hex}{_STAGED}")
    staged.mkdir(parents=True)
    lock = os.open(staged, os.O_RDONLY)  # for _is_abandoned; it ends with the process
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write(staged)
        sealed = {path.name: (path.stat().st_size, _digest(path)) for path in sorted(staged.iterdir())}
        (staged / SEAL).write_text(json.dumps(sealed), encoding="utf-8")
        staged.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process was faster, and made the same
            raise
    finally:
        os.close(lock)
        shutil.rmtree(staged, ignore_errors=True)


def _is_abandoned(staged: Path) -> bool:
    """Tell if no process fills the folder any more; an empty one may not be locked yet."""
    try:
        lock = os.open(staged, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return any(staged.iterdir())
    except OSError:  # locked, or on a file system without locks
        return False
    finally:
        os.close(lock)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
