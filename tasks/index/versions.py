"""Records of an index version: its manifest, the recipe of its indexes, and the rules of which versions to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Literal

from configs.plans import Plan, Stemming
from tasks.records import content_id
from tasks.references import Staged

LIVE = "live"
ROWS_A_COMMIT = 4
"""The size of one commit's files, in rows of 384 dimensions: some 6 KB."""
SMALL = 10
"""The size of the files of a table without rows, in rows."""
SPARE = 0.1
"""The share of a table that may be unused before it is renewed."""
UNINDEXED = 0.1
"""The share of a version's rows that may be missing from its indexes before they are made anew."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters that a version's indexes are made with:
    those of a plan's ``search`` that do not only concern questions.

    ``language`` is that of the full text's stems and stop words; ``none`` takes the words as they are.
    """

    exact_below: int | None = None
    index: Literal["ivf_sq", "ivf_flat", "ivf_pq", "ivf_hnsw_sq"] = "ivf_sq"
    partitions: int | None = None
    m: int = 20
    ef_construction: int = 150
    language: Stemming = "english"

    def partitions_of(self, vectors: int) -> int:
        """The number of partitions for so many vectors, at least one and never more than there are vectors."""
        return max(1, min(self.partitions or isqrt(vectors), vectors))


def recipe_of(plan: Plan) -> Recipe:
    """The recipe of the indexes of that plan; their language is that of its lexical space, or else of its BM25."""
    search, spaces = plan.search, (plan.embedding.lexical, plan.embedding.bm25)
    # Its full text knows one language at a time.
    unknown = ("none", "detected")
    named = [one for space in spaces for one in (space.stemming, space.stop_words) if one not in unknown]
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
    """The sources of a version.

    ``state_key`` names the weights of BM25, ``lexical_key`` the lexical space that its questions need; old versions
    have no ``lexical_key``, and their space lies under ``state_key``, too. ``documents_key`` names the documents that
    the corpus had, quarantined ones too. ``recipe`` is how its indexes are made. ``adapter_key`` names the adapter of
    question vectors, empty where there is none.
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
        """The manifest from its dict (:func:`dataclasses.asdict`).

        A manifest without a ``documents_key``, from an older bidfolio, fits no documents, so that it is refreshed
        before it answers; without a ``recipe``, it is searched exactly.
        """
        return cls(**{"documents_key": "", **raw, "recipe": Recipe(**raw.get("recipe", {}))})

    @property
    def is_exact(self) -> bool:
        """Tell if the version has no vector index, so that each vector is compared with every question."""
        return self.recipe.exact_below is None or self.chunks < self.recipe.exact_below

    @property
    def index_version(self) -> str:
        """The id of the version, 12 hex digits: the same content,
        space and adapter give the same id on every machine.
        """
        made_of = (self.content_key, self.state_key, *filter(None, [self.lexical_key, self.adapter_key]))
        return content_id("version", self.corpus, self.index_key, *made_of)[:12]

    @property
    def reference(self) -> Staged:
        """The version by its names and counts."""
        return Staged(self.corpus, self.index_key, self.index_version, self.documents, self.chunks)

    @property
    def space_key(self) -> str:
        """The key of the lexical space's state."""
        return self.lexical_key or self.state_key

    @property
    def state_keys(self) -> frozenset[str]:
        """The keys of all fitted states of the version."""
        return frozenset(filter(None, (self.state_key, self.space_key, self.adapter_key)))


def until_live(history: Sequence[str], live: str) -> list[str]:
    """The history of live versions up to ``live``, which stands at the end and nowhere else.

    Versions after it were rolled back: they are dropped, so that two rollbacks lead two versions back.
    """
    return [*history[: history.index(live)], live] if live in history else [*history, live]


def wanted_versions(made: Sequence[str], were_live: Sequence[str], count: int) -> frozenset[str]:
    """The versions to keep beside the live one: the last ``count`` that were made, and the last that were live."""
    return frozenset((*made[-count:], *were_live[-count:]))


def is_worn(written: int, rows: int, commits: int, unindexed: int = 0) -> bool:
    """Tell if a table is due for renewal.

    Of the rows ever ``written`` to it, its versions need ``rows``, and the newest has ``unindexed`` ones. A commit, of
    which a refresh takes two or three, leaves files that weigh as much as a few rows.
    """
    return written + ROWS_A_COMMIT * commits > (1 + SPARE) * (rows + SMALL) or unindexed > UNINDEXED * (rows + SMALL)


@dataclass(frozen=True, slots=True)
class Version:
    """A stored version with its Lance number and its tags."""

    manifest: Manifest
    number: int
    tags: tuple[str, ...]

    @property
    def is_live(self) -> bool:
        """Tell if this is the version that readers get."""
        return LIVE in self.tags
