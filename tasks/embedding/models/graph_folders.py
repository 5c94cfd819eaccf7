"""Cache folder for graphs made from a model's files: in the home, written completely or not at all."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def kept(home: str, key: str, write: Callable[[Path], None]) -> Iterator[Path]:
    """The folder of that key in the home; the first caller fills it with ``write``.

    For a home that is a URL it is in ``~/.cache/bidfolio`` of this machine. Where that cannot be written, it is a
    temporary folder, which is deleted after the block.
    """
    is_url = "://" in home
    folder = (Path("~/.cache/bidfolio").expanduser() if is_url else Path(home, "cache")) / "models" / key
    if not folder.is_dir():
        staged = folder.with_name(f"{uuid.uuid4().hex}.staged")
        try:
            staged.mkdir(parents=True)
        except OSError:
            if not is_url:
                raise
            with TemporaryDirectory() as passing_home, kept(passing_home, key, write) as passing:
                yield passing
            return
        try:
            write(staged)
            staged.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was faster, and made the same
                raise
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    yield folder
