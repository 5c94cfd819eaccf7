"""The error tree.

- BidfolioError           names the thing and the remedy; ``exit_code`` is what the command line returns
  - UsageError       (2)  a wrong argument, plan, key, file or folder: the user can mend it
    - Damaged             a file of the home that cannot be read
    - SeveralCorpora      and none of them is named
  - GateRefused      (3)  a quality gate refused to publish, or to fill
  - Transient        (4)  a needed service is away: retried, and worth running again
    - ServiceAway
    - IndexLocked         another run holds the index
    - SourceChanged       a document was written to while it was being read
  - Terminal         (1)  this item cannot be done: recorded as a row, never retried
    - ConversionError     a file that gives no text: it is quarantined
    - GeneratorFailed     no valid draft for a question
      - ReplyTooLong      and there is one, which is longer than was asked for
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


class BidfolioError(Exception):
    """The root of what bidfolio raises on purpose. Its message is one that a user reads."""

    exit_code: ClassVar[int] = 1


class UsageError(BidfolioError):
    """Wrong usage or configuration."""

    exit_code = 2


class Damaged(UsageError):
    """Files of the home are there and cannot be read: a disk, or a hand, has changed them."""

    def __init__(self, path: str, why: object, files: str = "this file") -> None:
        told = str(why).splitlines()[0] if str(why) else "it cannot be read"
        super().__init__(
            f"{path} is damaged ({told}): delete {files} and run `bidfolio refresh SOURCE`, which makes anew what is "
            "missing"
        )


class SeveralCorpora(UsageError):
    """A question may be meant for any of these; how one is named depends on the door by which it came."""

    def __init__(self, corpora: Iterable[str]) -> None:
        self.corpora = tuple(corpora)
        self.told = f"there are several corpora ({', '.join(self.corpora)})"
        super().__init__(f"{self.told}: say which with --corpus")


class GateRefused(BidfolioError):
    """A quality gate refused; what was live stays live."""

    exit_code = 3


class Transient(BidfolioError):
    """It may work when tried again."""

    exit_code = 4


class ServiceAway(Transient):
    """A configured server (model, Dask scheduler, object store, Prefect) does not answer."""


class IndexLocked(Transient):
    """Another run is writing this index, or removes what no index needs."""


class SourceChanged(Transient):
    """A document is no longer what the scan found."""


class Terminal(BidfolioError):
    """Trying again changes nothing; the item becomes a row with its reason."""


class ConversionError(Terminal):
    """A file that cannot be turned into text; the message is its quarantine reason."""


class GeneratorFailed(Terminal):
    """A generator gave no valid draft."""


class ReplyTooLong(GeneratorFailed):
    """A reply is as it was asked for, and longer; it is taken where asking again gives none that is shorter."""
