"""Stages for gold sets: check one against a corpus, generate one from a corpus, and import other layouts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from configs.settings import Settings
from tasks.errors import UsageError
from tasks.evaluation.gold.gold_corpus import read_gold_in
from tasks.evaluation.gold.gold_making import WriteQuestions, make_gold
from tasks.evaluation.gold.gold_set import gold_counts, gold_text
from tasks.evaluation.gold.question_writer import write_questions
from tasks.evaluation.gold.reviewed_gold import reviewed_questions
from tasks.evaluation.gold.rule_questions import Asked, questions_of
from tasks.evaluation.gold_readers.layouts import import_gold
from tasks.evaluation.out_folder import out_folder
from tasks.index.rows import chunks_of
from tasks.index.store import IndexStore
from tasks.library.library_file import file_name_for
from tasks.library_names import PREFIX
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.progress import track
from tasks.records import Chunk
from tasks.references import Staged
from tasks.runtime.acting import acting
from tasks.runtime.runs import start_run
from tasks.runtime.stage import stage
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake
from tasks.storage.output_file import checked_target, write_whole

CHUNKS_IN_VAIN = 128
"""Number of chunks in a row without a question after which a model server is not asked any more: each takes seconds."""


class CheckedGold(NamedTuple):
    """Result of a check: what the gold set has that the corpus lacks, line by line, and the documents it holds out."""

    gold_faults: tuple[str, ...]
    held_out: tuple[str, ...]


@stage("hold {path} against {corpus}")
def check_gold(path: str, corpus: str, settings: Settings) -> CheckedGold:
    """Check a gold set for files and pages that are not in the corpus, and for held-out documents.

    Raises UsageError for a line that cannot be read, and if the gold set has nothing to do with the corpus.
    """
    found = read_gold_in(Lake(settings.home), path, corpus, may_be_unlabelled=True)
    return CheckedGold(found.faults, found.held_out)


def import_set(
    path: str, layout: str | None, passages: str | None, out: str, documents: str | None, settings: Settings
) -> dict[str, Any]:
    """Import a gold set in another layout to ``out``, and its documents to the folder ``documents`` if given.

    Returns counts as JSON. Raises UsageError as :func:`~tasks.evaluation.gold_readers.layouts.import_gold`, and if a
    file cannot be written.
    """
    name, found = import_gold(path, layout, passages, FilledCopies(Lake(settings.home)).drafts())
    if documents and not found.documents:
        raise UsageError(
            f"{path} brings no passages for --corpus-out: leave it out, or name the file that has them with --passages"
        )
    if documents:
        with out_folder(documents, "--corpus-out") as folder:
            for file_name, text in found.documents.items():
                (folder / file_name).write_text(text, encoding="utf-8")
    _write(out, gold_text(found.questions))
    return {
        "layout": name,
        "out": out,
        **gold_counts(found.questions),
        "documents": len(found.documents),
        "corpus_out": documents,
        "left_out": dict(found.left_out.most_common()),
    }


def reviewed_set(corpus: str, out: str, settings: Settings) -> dict[str, Any]:
    """Write what people decided on drafts from the corpus as a gold set to ``out``; returns counts as JSON.

    Raises UsageError where nobody has finished a review yet, and if the file cannot be written.
    """
    lake = Lake(settings.home)
    runs = {run_id: _run_row(lake, run_id) for run_id in lake.values("edits", "run_id")}
    of_corpus = [run_id for run_id, run in runs.items() if run.get("corpus") == corpus]
    edits = [row for run_id in of_corpus for row in lake.read("edits", run_id=run_id).to_pylist()]
    if not edits:
        raise UsageError(
            f"nobody has decided on drafts from {corpus!r} yet: `bidfolio review RUN`, and then `bidfolio finish RUN`"
        )
    cited: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for run_id in {row["answer_run_id"] for row in edits}:
        for plan in lake.values("citations", "plan", run_id=run_id):
            for row in lake.read("citations", run_id=run_id, plan=plan).to_pylist():
                cited[run_id, row["question_id"]].append(row)
    held_out = {run_id: f"{PREFIX}{file_name_for(Path(run['source']).name)}" for run_id, run in runs.items() if run}
    found = reviewed_questions(edits, cited, held_out)
    _write(out, gold_text(found))
    return {"corpus": corpus, "out": out, **gold_counts(found)}


def _run_row(lake: Lake, run_id: str) -> dict[str, Any]:
    """The row of a run in the table ``runs``; {} where it was purged."""
    return next(iter(lake.read("runs", run_id=run_id).to_pylist()), {})


def make_set(
    version: Staged, generator: str, count: int, held_out: float, seed: int, out: str, settings: Settings
) -> dict[str, Any]:
    """Generate a gold set from the version's chunks and write it to ``out``; returns counts as JSON.

    Raises UsageError if no question at all could be made, and ServiceAway if the model server is away.
    """
    chunks = chunks_of(IndexStore(settings.home).rows(version.corpus, version.index_key, version.index_version))
    write: WriteQuestions = _by_rules
    patience = math.inf
    if generator == "openai":
        write = partial(write_questions, server=ModelServer(settings.openai, ReplyCache(Lake(settings.home))))
        patience = CHUNKS_IN_VAIN
    run = start_run("gold", "", out, version.corpus, asked_by=settings.user)
    with acting(run), track("Making questions", count) as advance:
        made = make_gold(chunks, write, count, held_out, seed, patience=patience, advance=advance)
    if not made.questions:
        reasons = "; ".join(f"{times} × {reason}" for reason, times in made.dropped.items())
        raise UsageError(
            f"no question could be made of the corpus {version.corpus!r}: {reasons or 'it has no prose'}"
            + (f"; {settings.openai.model} cannot do this: try --generator rules" if made.gave_up else "")
        )
    _write(out, gold_text(made.questions))
    return {
        "corpus": version.corpus,
        "index_version": version.index_version,
        "generator": generator,
        "out": out,
        **gold_counts(made.questions),
        "sampled_chunks": made.sampled,
        "dropped": made.dropped,
        "held_out": list(made.held_out),
        "gave_up": made.gave_up,
    }


def _by_rules(chunks: Sequence[Chunk]) -> list[list[Asked] | str]:
    return [questions_of(chunk.text) or "no question could be made" for chunk in chunks]


def _write(out: str, text: str) -> None:
    write_whole(checked_target(out, "--out"), text.encode(), "--out")
