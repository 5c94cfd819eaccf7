"""What a version of the index is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.records import content_id

LIVE = "live"
DEFAULT_CORPUS = "default"
"""What a refresh that names no corpus publishes, and what a question that names none is put to."""
ROWS_A_COMMIT = 4
"""What the files of one commit weigh, in rows of 384 dimensions: some 6 KB."""
SMALL = 10
"""What the files of a table weigh that has no rows, in rows."""
SPARE = 0.1
"""How much of a table may be of no use before it is written anew."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a version is made of. ``state_key`` names the weights of BM25 and ``lexical_key`` the lexical space that
    its questions need, ``documents_key`` the documents, quarantined ones too, that the corpus had.

    Without a ``lexical_key``, as versions were made once, the space lies under ``state_key``, too.
    """

    corpus: str
    index_key: str
    plan: str
    model: str
    max_length: int
    model_fingerprint: str
    state_key: str
    content_key: str
    documents_key: str
    documents: int
    chunks: int
    lexical_key: str = ""

    @property
    def index_version(self) -> str:
        """12 hex digits: the same content and space give the same version, on every machine."""
        made_of = (self.content_key, self.state_key, *filter(None, [self.lexical_key]))
        return content_id("version", self.corpus, self.index_key, *made_of)[:12]

    @property
    def space_key(self) -> str:
        """The key that the lexical space lies under."""
        return self.lexical_key or self.state_key

    @property
    def state_keys(self) -> frozenset[str]:
        """The keys of all that was fitted for the version."""
        return frozenset((self.state_key, self.space_key))


def until_live(history: Sequence[str], live: str) -> list[str]:
    """The versions that were live one after the other, up to ``live``, which stands at the end and nowhere else.

    What came after it was gone back from: it is forgotten, so that going back twice leads two versions back.
    """
    return [*history[: history.index(live)], live] if live in history else [*history, live]


def is_worn(written: int, rows: int, commits: int) -> bool:
    """Whether a table is due to be written anew: of the rows ever ``written`` to it, its versions need ``rows``.

    A commit, of which a refresh takes two, leaves files that weigh as much as a few rows.
    """
    return written + ROWS_A_COMMIT * commits > (1 + SPARE) * (rows + SMALL)


@dataclass(frozen=True, slots=True)
class Version:
    """A version that is there, and the tags on it."""

    manifest: Manifest
    number: int
    tags: tuple[str, ...]

    @property
    def is_live(self) -> bool:
        """Whether readers get this one."""
        return LIVE in self.tags
