"""What tasks hand to each other: small names of what is stored, never the frames and vectors themselves."""

from __future__ import annotations

from typing import Literal, NamedTuple


class FileCounts(NamedTuple):
    """How a corpus stands against what was published before. Every file is in exactly one but ``deleted``."""

    added: int
    changed: int
    deleted: int
    unchanged: int
    quarantined: int


class Scan(NamedTuple):
    """A corpus as it was found: ``key`` names the list of its files in the cache.

    ``is_readable_now``: a scan in it was turned away for want of OCR, or a Word file has no pages for want of
    LibreOffice, and there is one by now.
    ``replaced_source`` is the folder that the corpus was refreshed from before, where it was another.
    ``idle_patterns`` are those of which no file's name is one. ``passed_over`` files have no suffix of a document.
    ``kept`` are archives and mails that were written to meanwhile, and of which the documents of before stay.
    """

    key: str
    corpus: str
    source: str
    content_key: str
    counts: FileCounts
    replaced_source: str | None = None
    is_readable_now: bool = False
    idle_patterns: tuple[str, ...] = ()
    passed_over: int = 0
    kept: tuple[str, ...] = ()


class Converted(NamedTuple):
    """A corpus' documents, each in the cache; ``key`` names their list. ``pages`` are those of all of them.

    ``newly_quarantined`` are the reasons of those that were not known to fail; ``renamed`` of those added have the
    bytes of one of those deleted; ``kept`` are the names of the files that were written to meanwhile, and of which the
    documents of before stay.
    """

    key: str
    corpus: str
    pages: int
    counts: FileCounts
    newly_quarantined: tuple[str, ...]
    renamed: int = 0
    kept: tuple[str, ...] = ()


class Chunked(NamedTuple):
    """The chunks of a corpus under a plan, in the cache by document; ``key`` names their list."""

    key: str
    corpus: str
    chunks: int


class Embedded(NamedTuple):
    """Vectors and fitted states for those chunks: BM25's under ``state_key``, the lexical space under ``lexical_key``.

    ``space`` says what became of the space, and ``drift`` how far the texts are from those that the space of the live
    version was fitted on: None where there is no such space, or one of another recipe.
    """

    chunked: Chunked
    state_key: str
    lexical_key: str
    model_fingerprint: str
    embedded: int
    reused: int
    space: Literal["fitted", "kept", "refitted"]
    drift: float | None


class Staged(NamedTuple):
    """An index version that is there and not live."""

    corpus: str
    index_key: str
    index_version: str
    documents: int
    chunks: int


class Checked(NamedTuple):
    """A version that passed the gate, and the warnings that it passed with, in words."""

    staged: Staged
    warnings: tuple[str, ...]


class Scoped(NamedTuple):
    """How many documents a scope lets in, and how many it leaves out only because nobody knows their day."""

    documents: int
    undated: int


class Questions(NamedTuple):
    """The questions of a run, in the lake under ``run_id``, and the hash of the file that they were read from."""

    run_id: str
    asked: int
    content_sha256: str = ""


class Retrieved(NamedTuple):
    """The hits of a run under a plan, in the lake, and the version that they were found in.

    ``milliseconds_p50`` is the median time of one question asked alone, None where it was not measured.
    """

    run_id: str
    plan: str
    version: Staged
    milliseconds_p50: float | None


class Answered(NamedTuple):
    """The answers and citations of a run under a plan, in the lake."""

    run_id: str
    plan: str
    answered: int
    declined: int
    needs_review: int
    failed: int
