"""Retrieval settings of a plan: lists, fusion, reranking, expansion, and the context handed over."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from configs.slices import Granularity, Slice, by_granularity


class HandOver(Slice):
    """The context handed over with a found chunk: chunks ``before`` and ``after`` it, or all chunks of its ``parent``.

    A row of a sheet always comes alone.
    """

    before: Annotated[int, Field(ge=0, le=50)] = 0
    after: Annotated[int, Field(ge=0, le=50)] = 0
    parent: bool = False

    @model_validator(mode="after")
    def _parent_or_neighbours(self) -> HandOver:
        if self.parent and (self.before or self.after):
            raise ValueError("parent: true hands over the whole parent: leave out before and after")
        return self


def _hand_over(given: Any) -> Any:
    """``given`` by granularity; an empty mapping stays empty, so that a plan read from its own JSON is the same."""
    return given if given == {} else by_granularity(given)


class RankedList(Slice):
    """A list of chunks, ranked ``by`` one of the index' signals,
    and limited to the granularity ``of`` if there are several.

    ``hybrid`` combines the dense and the lexical vectors: ``sum`` adds the two unit vectors, as RAILS does; ``join``
    gives the weighted sum of the two cosines, of which ``alpha`` is the dense one's share. The list ends after
    ``count`` chunks; None ranks all.
    """

    by: Literal["dense", "lexical", "hybrid", "bm25"]
    of: Granularity = ""
    combine: Literal["sum", "join"] = "sum"
    alpha: Annotated[float, Field(ge=0, le=1)] = 0.5
    count: Annotated[int, Field(ge=1)] | None = None
    weight: Annotated[float, Field(gt=0)] = 1.0


class Rerank(Slice):
    """The reranker: it reorders the ``depth`` best chunks of the first stage, which stay before the others.

    ``bi_encoder`` takes the dense cosine; ``late_interaction`` the best match of each question token among the chunk's
    (ColBERT); ``cross_encoder`` and ``sequence_to_sequence`` (monoT5) a model that reads both at once. Its weights are
    in the folder ``model``, or, where that is None, in that of the settings; without weights, ``substitute`` lets
    ``answer`` and ``ask`` use late interaction instead. It ``reads`` the chunk, or the whole context ``handed_over``
    with it. A hit to which such a model gives less than ``least`` (0 to 1) is not handed over, and a question without
    any other hit is declined. ``neighbours`` is the share of late interaction that counts the chunks before and after,
    where they are among the ``depth``, too. ``cosines`` is the share of the mean of the chunk's dense and lexical
    cosine in the score.
    """

    by: Literal["bi_encoder", "late_interaction", "cross_encoder", "sequence_to_sequence"]
    depth: Annotated[int, Field(ge=1)] = 100
    model: str | None = None
    substitute: bool = False
    reads: Literal["chunk", "handed_over"] = "chunk"
    least: Annotated[float, Field(ge=0, le=1)] | None = None
    neighbours: Annotated[float, Field(ge=0, lt=1)] = 0.0
    cosines: Annotated[float, Field(ge=0, lt=1)] = 0.0

    @model_validator(mode="after")
    def _has_the_model_that_it_needs(self) -> Rerank:
        if not self.reads_pairs and (self.model or self.substitute):
            raise ValueError(f"{self.by} needs no weights of its own: leave out model and substitute")
        if not self.reads_pairs and self.least is not None:
            raise ValueError(f"{self.by} gives cosines, which say no probability: leave out least")
        if self.neighbours and self.by != "late_interaction":
            raise ValueError(f"{self.by} looks at one chunk alone: leave out neighbours")
        if self.cosines and self.by != "late_interaction":
            raise ValueError(f"{self.by} is not mixed with the first stage: leave out cosines")
        if self.by == "bi_encoder" and self.reads != "chunk":
            raise ValueError("bi_encoder compares the vector that the chunk has: leave out reads")
        if self.neighbours and self.reads != "chunk":
            raise ValueError("reads: handed_over reads the neighbours already: leave out neighbours")
        return self

    @property
    def reads_pairs(self) -> bool:
        """Tell if a model reads question and chunk together."""
        return self.by in ("cross_encoder", "sequence_to_sequence")


class Reread(Slice):
    """A cross-encoder that reads the ``depth`` best hits once more: its logit is added to their score ``weight`` times.

    ``model`` is a folder, or one in an installed package (``package/folder``). While a ``rerank`` model that reads
    pairs replaces the scores, this logit only adjusts them; it is also recorded with each hit, for a plan's confidence.
    With ``unread_at_most`` the ``first`` best are read, and others only while one of them would become the best with a
    logit of that much; without it, all are.
    """

    model: Annotated[str, Field(min_length=1)]
    depth: Annotated[int, Field(ge=1, le=100)] = 6
    first: Annotated[int, Field(ge=1)] = 4
    unread_at_most: float | None = None
    weight: Annotated[float, Field(ge=0)] = 0.02


class Wordings(Slice):
    """Query expansion by a model server: ``count`` other wordings of a question, fused with its own ranking by rank.

    König 2025 counts the question itself: his factor 3 is a ``count`` of 2. Where no server is configured,
    ``substitute`` lets ``answer`` and ``ask`` take :class:`Feedback` in its place.
    """

    by: Literal["generator"]
    count: Annotated[int, Field(ge=1, le=10)] = 2
    substitute: bool = False


class Feedback(Slice):
    """Query expansion by the first ``chunks`` that a question finds (pseudo-relevance feedback).

    The question is searched again with their ``count`` most telling words, its own words having ``alpha`` of the
    weight, and with its vectors moved towards theirs by ``beta``.
    """

    by: Literal["feedback"]
    chunks: Annotated[int, Field(ge=1, le=50)] = 5
    count: Annotated[int, Field(ge=0, le=100)] = 10
    alpha: Annotated[float, Field(ge=0, le=1)] = 0.5
    beta: Annotated[float, Field(ge=0, le=10)] = 0.5


class Collapse(Slice):
    """Near-duplicate detection among a question's hits, by the share of common runs of three words in two texts.

    Past answers with a share from ``jaccard`` on are one hit, as are those of two versions of a document from ``twins``
    on. Pages of documents with different titles from ``twins`` on are twins: the question's words choose between them.
    Below one half, most of two texts differs.
    """

    jaccard: Annotated[float, Field(ge=0.5, le=1)] = 0.9
    twins: Annotated[float, Field(ge=0.5, le=1)] = 0.7


class Named(Slice):
    """Weight of documents that a question names by a name or a year: how much that adds to a chunk's score among the
    ``candidates``, whose lists have a peak of 1, and to the reranker's in the final ``ranking``.
    """

    candidates: Annotated[float, Field(ge=0)] = 0.3
    ranking: Annotated[float, Field(ge=0)] = 0.05


class Retrieval(Slice):
    """The search for a question's hits: lists, fusion, expansion, reranking, and context.

    The ``lists`` are combined by ``fusion``: ``scaled`` adds their scores by weight, each list shifted to mean 0 and
    scaled to a peak of 1 for each question; ``rrf`` adds weight / (``rrf_k`` + rank); ``turns`` takes the first of each
    list, then the second of each. ``expand`` adds queries; None asks the question as it stands. The best chunks are
    reordered by ``rerank``, and the best of these by ``reread``; None of either leaves them. ``one_hit_per_page`` keeps
    the best chunk of each page, so that the hits show as many places as there are hits. With ``collapse``, hits that
    say the same are one. With ``named``, documents that the question names weigh more. ``hand_over`` is one for all,
    or, where the plan has several granularities, one for each that is named. ``adapter``: where the version has one
    (``bidfolio tune --adapter``), ``auto`` uses it, in the lists and in reranking, and ``off`` does not.
    """

    lists: Annotated[tuple[RankedList, ...], Field(min_length=1)]
    fusion: Literal["scaled", "rrf", "turns"] = "scaled"
    rrf_k: Annotated[int, Field(ge=1)] = 60
    expand: Annotated[Wordings | Feedback, Field(discriminator="by")] | None = None
    rerank: Rerank | None = None
    reread: Reread | None = None
    one_hit_per_page: bool = False
    top_k: Annotated[int, Field(ge=1, le=200)] = 5
    collapse: Collapse | None = None
    named: Named | None = None
    hand_over: Annotated[dict[Granularity, HandOver], BeforeValidator(_hand_over)] = Field(default_factory=dict)
    adapter: Literal["auto", "off"] = "auto"

    @field_validator("adapter", mode="before")
    @classmethod
    def _off_is_no_boolean(cls, given: Any) -> Any:
        """Read false as ``off``: YAML reads a bare ``off`` as false."""
        return "off" if given is False else given

    @model_validator(mode="after")
    def _lists_end_where_ranks_count(self) -> Retrieval:
        if self.fusion != "scaled" and any(listed.count is None for listed in self.lists):
            raise ValueError(f"fusion: {self.fusion} goes by ranks, so each of the lists needs a count")
        if self.fusion == "turns" and any(listed.weight != 1 for listed in self.lists):
            raise ValueError("fusion: turns takes from each list alike: leave out weight")
        if self.fusion == "scaled" and any(listed.count is not None for listed in self.lists):
            raise ValueError("fusion: scaled adds the scores of all chunks, so none of the lists has a count")
        by_words = [listed.of for listed in self.lists if listed.by == "bm25"]
        if len(by_words) > len(set(by_words)):
            raise ValueError("bm25 is one list: name it once among the lists")
        return self

    @model_validator(mode="after")
    def _least_is_held_against_what_was_given(self) -> Retrieval:
        moves = "reread" if self.reread is not None else "named" if self.named is not None else None
        if moves and self.rerank is not None and self.rerank.least is not None:
            raise ValueError(f"{moves} moves the scores that rerank.least is held against: leave out one of them")
        return self

    def handed_over_with(self, granularity: str) -> HandOver:
        """The context that is handed over with a chunk of that granularity."""
        return self.hand_over.get(granularity, HandOver())


class Search(Slice):
    """Vector search: exact below ``exact_below`` chunks; above, LanceDB proposes candidates, and only those are scored.

    It proposes ``candidates`` of each kind for a question. The vectors are cut into ``partitions`` (None: the square
    root of their number), of which a question reads ``nprobes``; ``index`` is their format. ``refine`` times as many as
    needed are compared exactly. ``m`` and ``ef_construction`` are the graph's parameters of ``ivf_hnsw_sq``, and ``ef``
    its search depth.
    """

    exact_below: Annotated[int, Field(ge=1)] = 200_000
    index: Literal["ivf_sq", "ivf_flat", "ivf_pq", "ivf_hnsw_sq"] = "ivf_sq"
    partitions: Annotated[int, Field(ge=1)] | None = None
    m: Annotated[int, Field(ge=2)] = 20
    ef_construction: Annotated[int, Field(ge=1)] = 150
    nprobes: Annotated[int, Field(ge=1)] = 96
    ef: Annotated[int, Field(ge=1)] = 1000
    refine: Annotated[int, Field(ge=1)] = 1
    candidates: Annotated[int, Field(ge=10)] = 1000
