"""References that tasks pass to each other: short names of stored data, never the frames and vectors themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

DEFAULT_CORPUS = "default"
"""The corpus of a refresh or a question that names none."""


class FileCounts(NamedTuple):
    """Numbers of a corpus' files by their change since the last publication. Every file is in exactly one but
    ``deleted``.
    """

    added: int
    changed: int
    deleted: int
    unchanged: int
    quarantined: int


class Scan(NamedTuple):
    """The result of a scan: ``key`` names the list of its files in the cache.

    ``is_readable_now``: a scanned document was turned away without OCR, or a Word file has no pages without
    LibreOffice, and the program is installed by now. ``replaced_source`` is the folder that the corpus was refreshed
    from before, if another. ``idle_patterns`` are patterns that match no file's name. ``passed_over`` counts by suffix
    the files that are no documents. ``kept`` are archives and mails that were written to meanwhile, whose earlier
    documents stay.
    """

    key: str
    corpus: str
    source: str
    counts: FileCounts
    replaced_source: str | None = None
    is_readable_now: bool = False
    idle_patterns: tuple[str, ...] = ()
    passed_over: tuple[tuple[str, int], ...] = ()
    kept: tuple[str, ...] = ()


class Converted(NamedTuple):
    """The converted documents of a corpus, each in the cache; ``key`` names their list.

    ``pages`` counts all their pages.

    ``newly_quarantined`` are the reasons of files that were not known to fail; ``renamed`` counts added files with the
    bytes of a deleted file; ``kept`` are the names of files that were written to meanwhile, whose earlier documents
    stay.
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

    ``space`` tells if the space was fitted, kept or refitted, and ``drift`` how far the texts are from those that the
    space of the live version was fitted on: None where there is no such space, or one of another recipe.
    ``adapter_key`` names the adapter taken over from the live version, empty where it has none; ``lost_adapter``: its
    adapter is of another model.
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
    """An index version, by its names and counts; not necessarily live."""

    corpus: str
    index_key: str
    index_version: str
    documents: int
    chunks: int


class GoldFigures(NamedTuple):
    """The figures of a version on the gate's gold set of ``questions`` questions; None: undefined, or not measured.

    ``before`` are those of the version before, over the questions that both could be asked. ``seconds`` is the time
    that the measurement took.
    """

    questions: int
    now: dict[str, float | None]
    before: dict[str, float]
    seconds: float


class Checked(NamedTuple):
    """A version that passed the gate, with the gate's warnings, and its figures on the gold set, if there is one."""

    staged: Staged
    warnings: tuple[str, ...]
    gold: GoldFigures | None = None


class Scoped(NamedTuple):
    """The number of documents within a scope, and of those outside only because their day is unknown."""

    documents: int
    undated: int


class Questions(NamedTuple):
    """The questions of a run, in the lake under ``run_id``, the hash of the file that they were read from, and
    ``warnings`` of its reading.
    """

    run_id: str
    asked: int
    content_sha256: str = ""
    warnings: tuple[str, ...] = ()


class Retrieved(NamedTuple):
    """The hits of a run under a plan, in the lake, and the version that they were found in.

    ``times_ms`` are the times of some questions asked singly, none where they were not measured. ``unexpanded``
    questions were asked as they stand though the plan expands them. ``ms_a_question`` is the wall time of all together,
    shared. ``warnings`` name the parts of the version that were not used.
    """

    run_id: str
    plan: str
    version: Staged
    times_ms: tuple[float, ...]
    unexpanded: int = 0
    ms_a_question: float = 0.0
    warnings: tuple[str, ...] = ()


class Answered(NamedTuple):
    """The answers and citations of a run under a plan, in the lake.

    ``times_ms`` are the times of some questions drafted singly, none where they were not measured. ``warnings`` name
    the model servers that failed, the reason, and the remedy.
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
    """Training pairs of questions and chunks that answer them, in the cache under ``key``.

    The counts are of pairs from the gold set, from past questionnaires, and made of the documents' sentences.
    ``unborne`` counts the gold set's answerable questions without a chunk of their evidence in the version.
    """

    key: str
    version: Staged
    gold: int
    past: int
    made: int
    unborne: int


class Tuned(NamedTuple):
    """The result of fine-tuning a reranker.

    ``is_saved`` tells if it was saved. ``losses`` are on held-out pairs, that of the original model first.
    ``differences`` to that model are on questions outside both sets, by figure.
    """

    is_saved: bool
    losses: tuple[float, ...]
    differences: dict[str, dict[str, Any]]


class Judgement(NamedTuple):
    """The verdict on an adapter: it ``wins`` or not, by its ``differences`` to none on real questions, by figure.

    ``epochs`` is the number of epochs that it should be learnt for.
    """

    wins: bool
    epochs: int
    differences: dict[str, dict[str, Any]]


class Gridding(NamedTuple):
    """The measurement of a grid: its ``configurations``, in the table ``grid``, beside the plan to beat.

    ``kept`` counts those of the two together that earlier runs had measured; ``interrupted`` is the run that began the
    same and did not end. ``failed`` has, by configuration, the reason of each failed answer; the next run asks for
    these again.
    """

    run_id: str
    configurations: int
    kept: int
    interrupted: str | None
    failed: Mapping[int, Sequence[str]]

    def failures(self, names: Mapping[int, str]) -> dict[str, dict[str, Any]]:
        """The numbers of ``failed`` answers and the ``first_failures``, by those names of configurations."""
        named = {name: self.failed[number] for number, name in names.items() if number in self.failed}
        return {
            "failed": {name: len(why) for name, why in named.items()},
            "first_failures": {name: why[0] for name, why in named.items()},
        }
