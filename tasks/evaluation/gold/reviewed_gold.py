"""Gold questions from reviews: what people made of drafts says which answers are right, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from tasks.library_names import is_approved
from tasks.records import GoldEvidence, GoldQuestion, content_id

_OF_PLACE = ("page_number", "sheet_name", "row_number")


def reviewed_questions(
    edits: Iterable[Mapping[str, Any]],
    citations: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
    held_out: Mapping[str, str],
) -> list[GoldQuestion]:
    """A gold question for each question that somebody decided on, by the last decision; no edits give none.

    ``edits`` are rows of the table of that name, ``citations`` those of a draft by run and question, ``held_out`` is
    the library's file by the run that wrote the edits: with it, a question would be answered by its own approval.

    An approved draft is right: its places answer the question. Of an edited one a place counts whose quote is left in
    the text; its verdict is the one that was sent. A rejected draft was not to be given: nothing answers the question.
    """
    last = {_asked(row): row for row in sorted(edits, key=lambda row: (row["edited_at"] is not None, row["edited_at"]))}
    return [
        _question(row, citations.get((row["answer_run_id"], row["question_id"]), ()), held_out.get(row["run_id"], ""))
        for row in last.values()
    ]


def _question(edit: Mapping[str, Any], cited: Sequence[Mapping[str, Any]], own_file: str) -> GoldQuestion:
    is_sent = edit["status"] != "rejected"
    final = " ".join((edit["final"] or "").split())
    bearing = [
        GoldEvidence(PurePosixPath(row["file_name"]).name, *(row[name] for name in _OF_PLACE))
        for row in cited
        if is_sent and not is_approved(row["file_name"])
        if edit["status"] == "approved" or (row["quote"] and " ".join(row["quote"].split()) in final)
    ]
    return GoldQuestion(
        content_id("reviewed", _asked(edit)),
        edit["question"],
        answerable=is_sent,
        answer=edit["final"] if is_sent else None,
        verdict=edit["final_verdict"] if is_sent else None,
        evidence=tuple(dict.fromkeys(bearing)),
        held_out=(own_file,) if own_file else (),
    )


def _asked(edit: Mapping[str, Any]) -> str:
    return " ".join(str(edit["question"]).split()).casefold()
