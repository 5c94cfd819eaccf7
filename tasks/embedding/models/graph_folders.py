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

    A home that is a URL keeps none: there each process makes its own in a temporary folder, which is deleted after the
    block.
    """
    if "://" in home:
        with TemporaryDirectory() as passing_home, kept(passing_home, key, write) as folder:
            yield folder
        return
    folder = Path(home, "cache", "models", key)
    if not folder.is_dir():
        staged = folder.with_name(f"{uuid.uuid4().hex}.staged")
        staged.mkdir(parents=True)
        try:
            write(staged)
            staged.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was faster, and made the same
                raise
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    yield folder
