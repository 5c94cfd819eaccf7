"""Messages with a remedy for operating-system errors: a full disk, a missing permission, Prefect's server gone."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from tasks.errors import ServiceAway, UsageError
from tasks.storage.store_errors import explained_words

_FULL = ("No space left on device", "database or disk is full")
"""The words of Lance's and SQLite's errors for a full disk, which have no error number."""
_REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM)


def last_words(error: Exception) -> tuple[str, int] | None:
    """The message for an error and the exit code; None for an unforeseen error."""
    # httpx' error, which only Prefect's client lets through: other clients handle it where it happens.
    if type(error).__name__ == "ConnectError":
        return "Prefect's server has gone away; run the same command again to go on", ServiceAway.exit_code
    if (told := explained_words(error, os.environ.get("BIDFOLIO_HOME", "the home"))) is not None:
        return f"{told}; nothing done is lost", told.exit_code
    if any(words in str(error) for words in _FULL):
        said = f"the disk is full ({error}): make room, as `bidfolio gc` does, and run the same command again"
        return f"{said}; nothing done is lost", UsageError.exit_code
    if isinstance(error, OSError) and error.errno in _REFUSED:
        what = f"{error.filename or 'a file'} cannot be opened or written ({error.strerror})"
        return f"{what}: give this user the right to, or choose another --home", UsageError.exit_code
    if isinstance(error, FileExistsError | NotADirectoryError) and (file := _in_the_way(Path(str(error.filename)))):
        said = f"{file} is a file where a folder belongs: move it away, and run the same command again"
        return f"{said}; nothing done is lost", UsageError.exit_code
    return None


def _in_the_way(path: Path) -> Path | None:
    """The file of the home that stands in the place of a folder of the path; None where none does."""
    home = Path(os.environ.get("BIDFOLIO_HOME", "")).absolute()
    return next(
        (one for one in (path, *path.parents) if os.path.isfile(one) and one.absolute().is_relative_to(home)), None
    )
