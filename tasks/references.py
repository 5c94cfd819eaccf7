"""What tasks hand to each other: small names of what is stored, never the frames and vectors themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple


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
    ``idle_patterns`` are those of which no file's name is one. ``passed_over`` counts by
    suffix the files that are no documents.
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
    passed_over: tuple[tuple[str, int], ...] = ()
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
    version was fitted on: None where there is no such space, or one of another recipe. ``adapter_key`` names the
    adapter that the live version hands on, empty where it has none; ``lost_adapter``: it has one, of another model.
    """

    chunked: Chunked
    state_key: str
    lexical_key: str
    model_fingerprint: str
    embedded: int
    reused: int
    space: Literal["fitted", "kept", "refitted"]
    drift: float | None
    adapter_key: str = ""
    lost_adapter: bool = False


class Staged(NamedTuple):
    """An index version that is there and not live."""

    corpus: str
    index_key: str
    index_version: str
    documents: int
    chunks: int


class GoldFigures(NamedTuple):
    """What a version scores on the gate's gold set of so many ``questions``, by figure; None: undefined, or not
    measured. ``before`` are those of the version before, over the questions that both could be asked. ``seconds`` is
    what asking cost.
    """

    questions: int
    now: dict[str, float | None]
    before: dict[str, float]
    seconds: float


class Checked(NamedTuple):
    """A version that passed the gate, the warnings that it passed with, in words, and what it scores on the gate's gold
    set, where there is one.
    """

    staged: Staged
    warnings: tuple[str, ...]
    gold: GoldFigures | None = None


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

    ``times_ms`` are those of some questions asked alone, none where they were not measured. ``unexpanded`` questions
    were asked as they stand though the plan expands them. ``ms_a_question`` is the wall time of all together, shared.
    ``warnings`` say what of the version was not used.
    """

    run_id: str
    plan: str
    version: Staged
    times_ms: tuple[float, ...]
    unexpanded: int = 0
    ms_a_question: float = 0.0
    warnings: tuple[str, ...] = ()


class Answered(NamedTuple):
    """The answers and citations of a run under a plan, in the lake. ``times_ms`` are those of some questions that were
    drafted alone, none where they were not measured. ``warnings`` say which model servers failed, why, and what to do.
    """

    run_id: str
    plan: str
    answered: int
    declined: int
    needs_review: int
    failed: int
    times_ms: tuple[float, ...] = ()
    warnings: tuple[str, ...] = ()


class Pairs(NamedTuple):
    """Questions with the chunks of a version that answer them, in the cache under ``key``, and how many are of the gold
    set, of past questionnaires, and made of the documents' sentences; ``unborne`` are the gold set's answerable
    ones of whose evidence the version has no chunk.
    """

    key: str
    version: Staged
    gold: int
    past: int
    made: int
    unborne: int


class Tuned(NamedTuple):
    """A reranker that was fine-tuned: whether it ``is_saved``, its ``losses`` on what was not learnt from, that of the
    model as it came first, and its ``differences`` to that model on questions of neither, by figure.
    """

    is_saved: bool
    losses: tuple[float, ...]
    differences: dict[str, dict[str, Any]]


class Judgement(NamedTuple):
    """Whether an adapter ``wins``, by its ``differences`` to none on real questions, by figure; and for how many
    ``epochs`` it is to be learnt.
    """

    wins: bool
    epochs: int
    differences: dict[str, dict[str, Any]]


class Gridding(NamedTuple):
    """A grid's ``configurations`` measured by a run, in the table ``grid``, beside the plan to beat.

    ``kept`` of the two together had been measured by earlier runs; ``interrupted`` is the run that began the same and
    did not end. ``failed`` has, by configuration, why each answer failed that did, which the next run asks for again.
    """

    run_id: str
    configurations: int
    kept: int
    interrupted: str | None
    failed: Mapping[int, Sequence[str]]

    def failures(self, names: Mapping[int, str]) -> dict[str, dict[str, Any]]:
        """How many answers ``failed``, and the ``first_failures``, by those names of configurations."""
        named = {name: self.failed[number] for number, name in names.items() if number in self.failed}
        return {
            "failed": {name: len(why) for name, why in named.items()},
            "first_failures": {name: why[0] for name, why in named.items()},
        }
