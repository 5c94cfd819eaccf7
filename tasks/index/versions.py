"""What a version of the index is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Literal

from configs.plans import Plan, Stemming
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
UNINDEXED = 0.1
"""How much of a version its indexes may not know of before they are made anew."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a version's indexes are made by: a plan's ``search``, as far as it does not only concern the question.

    ``language`` is that of the full text's stems and stop words; ``none`` takes the words as they are.
    """

    exact_below: int | None = None
    index: Literal["ivf_sq", "ivf_flat", "ivf_pq", "ivf_hnsw_sq"] = "ivf_sq"
    partitions: int | None = None
    m: int = 20
    ef_construction: int = 150
    language: Stemming = "english"

    def partitions_of(self, vectors: int) -> int:
        """Into how many parts so many vectors are cut, at least one and never more than there are."""
        return max(1, min(self.partitions or isqrt(vectors), vectors))


def recipe_of(plan: Plan) -> Recipe:
    """The recipe of the indexes of that plan; their language is that of its lexical space, or else of its BM25."""
    search, spaces = plan.search, (plan.embedding.lexical, plan.embedding.bm25)
    named = [one for space in spaces for one in (space.stemming, space.stop_words) if one != "none"]
    return Recipe(
        exact_below=search.exact_below,
        index=search.index,
        partitions=search.partitions,
        m=search.m,
        ef_construction=search.ef_construction,
        language=named[0] if named else "none",
    )


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a version is made of. ``state_key`` names the weights of BM25 and ``lexical_key`` the lexical space that
    its questions need, ``documents_key`` the documents, quarantined ones too, that the corpus had, ``recipe`` how its
    indexes are made, ``adapter_key`` what turns its questions' vectors, empty where nothing does.

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
    adapter_key: str = ""
    recipe: Recipe = Recipe()

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Manifest:
        """The manifest of :func:`dataclasses.asdict`.

        One from before there was a ``documents_key`` fits no documents, so that it is refreshed before it answers; one
        from before there was a ``recipe`` is searched exactly.
        """
        return cls(**{"documents_key": "", **raw, "recipe": Recipe(**raw.get("recipe", {}))})

    @property
    def is_exact(self) -> bool:
        """Whether the version has no index of its vectors, and each is compared with every question."""
        return self.recipe.exact_below is None or self.chunks < self.recipe.exact_below

    @property
    def index_version(self) -> str:
        """12 hex digits: the same content, space and adapter give the same version, on every machine."""
        made_of = (self.content_key, self.state_key, *filter(None, [self.lexical_key, self.adapter_key]))
        return content_id("version", self.corpus, self.index_key, *made_of)[:12]

    @property
    def space_key(self) -> str:
        """The key that the lexical space lies under."""
        return self.lexical_key or self.state_key

    @property
    def state_keys(self) -> frozenset[str]:
        """The keys of all that was fitted for the version."""
        return frozenset(filter(None, (self.state_key, self.space_key, self.adapter_key)))


def until_live(history: Sequence[str], live: str) -> list[str]:
    """The versions that were live one after the other, up to ``live``, which stands at the end and nowhere else.

    What came after it was gone back from: it is forgotten, so that going back twice leads two versions back.
    """
    return [*history[: history.index(live)], live] if live in history else [*history, live]


def wanted_versions(made: Sequence[str], were_live: Sequence[str], count: int) -> frozenset[str]:
    """The versions to keep beside the live one: the last that were made, and the last that were live."""
    return frozenset((*made[-count:], *were_live[-count:]))


def is_worn(written: int, rows: int, commits: int, unindexed: int = 0) -> bool:
    """Whether a table is due to be written anew: of the rows ever ``written`` to it, its versions need ``rows``, and
    the newest has ``unindexed`` ones.

    A commit, of which a refresh takes two or three, leaves files that weigh as much as a few rows.
    """
    return written + ROWS_A_COMMIT * commits > (1 + SPARE) * (rows + SMALL) or unindexed > UNINDEXED * (rows + SMALL)


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
