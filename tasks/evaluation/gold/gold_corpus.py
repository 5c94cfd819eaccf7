"""Check of a gold set against the corpus: which of its files and pages exist there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from tasks.errors import UsageError
from tasks.evaluation.gold.gold_set import GoldLine, read_gold_lines
from tasks.records import GoldEvidence, GoldQuestion


class Tables(Protocol):
    """Protocol of the lake's tables, which ``tasks.storage.lake`` implements."""

    def read(self, table: str, **partition: str) -> pa.Table:
        """Read the rows of a partition."""
        ...


class GoldInCorpus(NamedTuple):
    """A gold set checked against a corpus: its questions, with only those places that the corpus has.

    A question whose places are all missing has none, and no figure of pages counts it. ``faults`` describe each missing
    place and each empty answer, with its line. ``held_out`` are the names of the documents that are left out when
    measuring.
    """

    questions: tuple[GoldQuestion, ...]
    faults: tuple[str, ...]
    held_out: tuple[str, ...]


def read_gold_in(tables: Tables, path: str, corpus: str, *, may_be_unlabelled: bool = False) -> GoldInCorpus:
    """Read the gold set of a file and check it against the corpus in the lake.

    Raises UsageError as :func:`~tasks.evaluation.gold.gold_set.read_gold_lines`, and as :func:`in_corpus`.
    """
    lines = read_gold_lines(path, may_be_unlabelled=may_be_unlabelled)
    pages = tables.read("pages", corpus=corpus).select(["file_name", "page_number"])
    documents = tables.read("documents", corpus=corpus).select(["file_name", "status"])
    return in_corpus(lines, corpus, page_counts(documents.to_pylist(), pages.to_pylist()))


def page_counts(documents: Iterable[Mapping[str, Any]], pages: Iterable[Mapping[str, Any]]) -> dict[str, int | None]:
    """The last page of each document by name: 0 for formats without pages, None if unknown, as it was quarantined.

    From rows of the tables ``documents`` and ``pages``.
    """
    last: dict[str, int | None] = {row["file_name"]: 0 if row["status"] == "indexed" else None for row in documents}
    for row in pages:
        if (before := last.get(row["file_name"])) is not None:
            last[row["file_name"]] = max(before, row["page_number"] or 0)
    return last


def in_corpus(lines: Sequence[GoldLine], corpus: str, last_pages: Mapping[str, int | None]) -> GoldInCorpus:
    """Check the lines against the documents' last pages, as :func:`page_counts` gives them.

    A quarantined document counts as part of the corpus: evidence that is not found in it is a miss. Raises UsageError
    if the corpus has none of the files that the gold set names, or only those that it holds out.
    """
    wanted = {_bare(name) for line in lines for name in line.question.held_out}
    held_out = tuple(sorted(name for name in last_pages if _bare(name) in wanted))
    if held_out and len(held_out) == len(last_pages):
        raise UsageError(f"the gold set holds out every document of the corpus {corpus!r}: none is left to be asked")
    # Gold sets name files by their bare names; if several files share one, a page of any of them counts.
    known: dict[str, list[int | None]] = {}
    for name, last in last_pages.items():
        if name not in held_out:
            known.setdefault(_bare(name), []).append(last)
    faults: list[str] = []
    questions: list[GoldQuestion] = []
    for line in lines:
        wrong = [(one, fault) for one in line.question.evidence if (fault := _fault(one, known, wanted))]
        faults += [f"line {line.number}: {fault}" for _, fault in wrong]
        if line.has_empty_answer:
            faults.append(f"line {line.number}: the answer is empty: it counts as not known")
        gone = {one for one, _ in wrong}
        kept = tuple(one for one in line.question.evidence if one not in gone)
        questions.append(replace(line.question, evidence=kept))
    named = {one.file_name for line in lines for one in line.question.evidence}
    if named and named.isdisjoint(known):
        some = ", ".join(sorted(named)[:3])
        raise UsageError(
            f"the corpus {corpus!r} has none of the {len(named)} files that the gold set names ({some}, …): name "
            "another with --corpus, or refresh the documents that the questions are about"
        )
    return GoldInCorpus(tuple(questions), tuple(faults), held_out)


def _fault(evidence: GoldEvidence, known: Mapping[str, Sequence[int | None]], held_out: Iterable[str]) -> str:
    """Describe what is wrong with the place; "" if the corpus has it."""
    name, page = evidence.file_name, evidence.page_number
    if name not in known:
        return f"{name} is held out by the gold set itself" if name in held_out else f"the corpus has no file {name}"
    lasts = [last for last in known[name] if last is not None]
    if len(lasts) < len(known[name]):
        return ""
    if page is None and all(lasts):
        return f"it names no page of {name}, which has {max(lasts)}"
    if page is not None and page > max(lasts):
        return f"{name} has no page {page}: it has {max(lasts) or 'no pages'}"
    return ""


def _bare(name: str) -> str:
    return PurePosixPath(name).name
