"""The error tree.

- BidfolioError           names the thing and the remedy; ``exit_code`` is what the command line returns
  - UsageError       (2)  a wrong argument, plan, key, file or folder: the user can mend it
    - Damaged             a file of the home that is not what was written
    - ReadOnly            the home, or a folder of it, cannot be written
    - SeveralCorpora      there are several corpora, and none is named
  - GateRefused      (3)  a quality gate refused to publish, or to fill
  - Transient        (4)  a needed service is away: retried, and worth running again
    - ServiceAway
    - IndexLocked         another run holds the index
    - SourceChanged       a document was written to while it was being read
    - CacheGone           a file of the cache is gone or damaged, and is made anew by the next try
  - Terminal         (1)  this item cannot be done: recorded as a row, never retried
    - ConversionError     a file that gives no text: it is quarantined
    - GeneratorFailed     no valid draft for a question
      - ReplyTooLong      there is a draft, which is longer than was asked for
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import ClassVar

UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
"""The numbers of the system's errors where a place cannot be written, now or ever, by this user."""


class BidfolioError(Exception):
    """The root of bidfolio's own errors. Its message is written for users."""

    exit_code: ClassVar[int] = 1


class UsageError(BidfolioError):
    """Wrong usage or configuration."""

    exit_code = 2


class Damaged(UsageError):
    """A file of the home that is not what was written: a disk, or a hand, has changed it, or it is gone.

    ``remedy`` is what to do about it.
    """

    def __init__(
        self, path: str, why: object, remedy: str = "run `bidfolio refresh SOURCE`, which makes it anew"
    ) -> None:
        told = str(why).splitlines()[0] if str(why) else "it cannot be read"
        super().__init__(f"{path} is damaged ({told}): {remedy}")


class ReadOnly(UsageError):
    """A place in the home that this user, or anybody, cannot write to."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"no permission to write {path}: choose another --home, or give this user the right to write there"
        )


class SeveralCorpora(UsageError):
    """A question without a corpus where there are several; the way to name one depends on the interface."""

    def __init__(self, corpora: Iterable[str]) -> None:
        self.corpora = tuple(corpora)
        self.told = f"there are several corpora ({', '.join(self.corpora)})"
        super().__init__(f"{self.told}: say which with --corpus")


class GateRefused(BidfolioError):
    """A quality gate refused; the live version stays live."""

    exit_code = 3


class Transient(BidfolioError):
    """A failure that may not happen again on another try."""

    exit_code = 4


class ServiceAway(Transient):
    """A configured server (model, Dask scheduler, object store, Prefect) does not answer."""


class IndexLocked(Transient):
    """Another run is writing this index, or deleting unneeded files."""


class SourceChanged(Transient):
    """A document has changed since the scan."""


class CacheGone(Transient):
    """A file of the cache that an earlier stage left is gone, or was damaged and removed."""


class Terminal(BidfolioError):
    """A failure that another try does not change; the item becomes a row with its reason."""


class ConversionError(Terminal):
    """A file that cannot be turned into text; the message is its quarantine reason."""


class GeneratorFailed(Terminal):
    """A generator gave no valid draft."""


class ReplyTooLong(GeneratorFailed):
    """A reply of the requested form that is too long; it is used where asking again gives no shorter one."""
