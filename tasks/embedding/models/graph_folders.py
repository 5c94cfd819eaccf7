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
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tasks.errors import UNWRITABLE
from tasks.progress import tell
from tasks.storage.urls import machine_cache

SEAL = "seal.json"
"""The file of a folder with the size and SHA-256 of each of its other files; it is locked while they are written."""
_STAGED = ".staged"
"""The end of the name of a folder that is being filled."""


@contextmanager
def kept(home: str, key: str, write: Callable[[Path], None]) -> Iterator[Path]:
    """The folder of that key in the home; the first caller fills it with ``write``, and again where it was damaged.

    For a home that is a URL, or that this user cannot write, it is in ``~/.cache/bidfolio`` of this machine. Where that
    cannot be written either, or a damaged folder not be deleted, it is a temporary one, which is deleted after the
    block. Raises OSError, with its number, where the disk is full.
    """
    for cache in _caches(home):
        if (kept_there := _kept_in(cache, key, write)) is not None:
            yield kept_there
            return
    with TemporaryDirectory() as passing:
        folder = Path(passing, key)
        _make(folder, write)
        yield folder


def is_passing(folder: Path, home: str) -> bool:
    """Tell if a folder that :func:`kept` fills is a temporary one."""
    return not any(folder.is_relative_to(cache) for cache in _caches(home))


def _caches(home: str) -> Iterator[Path]:
    """The caches of the home and of this user, who may have none."""
    yield machine_cache(home)
    try:
        of_user = machine_cache("://")
    except RuntimeError:  # neither HOME nor an entry in passwd
        return
    yield of_user


def _kept_in(cache: Path, key: str, write: Callable[[Path], None]) -> Path | None:
    """The whole folder of that key; None where it can neither be read nor be made."""
    folder = cache / "models" / key
    try:
        if folder.is_dir() and (why := damage_of(folder)):
            tell(f"{folder} is damaged ({why}): it is made anew")
            shutil.rmtree(folder, ignore_errors=True)
            if folder.is_dir() and damage_of(folder):  # it could not be deleted
                return None
        if not folder.is_dir():
            _make(folder, write)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        return None
    return folder


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
    try:
        with (staged / SEAL).open("w", encoding="utf-8") as seal:
            with suppress(OSError):  # a file system may have no locks
                fcntl.flock(seal, fcntl.LOCK_EX)  # for _is_abandoned; it ends with the process
            print(file=seal, flush=True)
            write(staged)
            made = sorted(path for path in staged.iterdir() if path.name != SEAL)
            json.dump({path.name: (path.stat().st_size, _digest(path)) for path in made}, seal)
            seal.flush()
            os.replace(staged, folder)
    except OSError:
        if not folder.is_dir():  # else another process was faster, and made the same
            raise
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _is_abandoned(staged: Path) -> bool:
    """Tell if no process fills the folder any more; one whose seal is missing or empty may not be locked yet."""
    there = {path.name for path in staged.glob("*")}
    try:
        with (staged / SEAL).open("r+b") as seal:
            fcntl.flock(seal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return bool(seal.read(1))
    except FileNotFoundError:  # an earlier bidfolio sealed it at last
        return bool(there) and SEAL not in there
    except OSError:  # locked, or on a file system without locks
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
