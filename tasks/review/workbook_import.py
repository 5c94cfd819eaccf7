"""Decisions taken back from an evidence workbook that people edited in a spreadsheet program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tasks.errors import UsageError
from tasks.questionnaires.evidence.columns import (
    ANSWERS_SHEET,
    COLUMNS,
    EDITABLE,
    RUN_LABEL,
    SUMMARY_SHEET,
    is_edited,
)
from tasks.questionnaires.evidence.statuses import DECIDED, SENT, Status, shown, status_of, verdict_of
from tasks.questionnaires.reading.read_questionnaire import load_grids
from tasks.review.events import MAX_CHARACTERS, Change
from tasks.review.items import ReviewItem
from tasks.review.state import ReviewState

_TITLES = {column.title.casefold(): column.name for column in COLUMNS}
_TITLE_OF = {column.name: column.title for column in COLUMNS}
_ID = "question_id"
_HEADER_WITHIN = 30
"""Rows in which the header is looked for: a person may have put some lines above it."""
SHOWN_CHARACTERS = 60


class _Sheet(Protocol):
    """A sheet as cells of text; rows and columns are 1-based."""

    @property
    def texts(self) -> Mapping[int, Mapping[int, str]]:
        """The text of each cell that has one, by row and column."""
        ...


@dataclass(frozen=True, slots=True)
class Imported:
    """The changes that a workbook asks for, and ``problems``: a message for each row, or cell, that is not taken.

    ``unchanged`` rows ask for nothing that is not so already; ``missing`` questions of the run have no row.
    """

    changes: tuple[Change, ...]
    problems: tuple[str, ...]
    unchanged: int
    missing: int


class _Cells(NamedTuple):
    """A row of the workbook: its number, and the text of each column that it has."""

    number: int
    texts: Mapping[str, str]

    def get(self, name: str) -> str:
        return self.texts.get(name, "").strip()


def read_decisions(
    data: bytes, file_name: str, run_id: str, items: Sequence[ReviewItem], reviewer: str, *, overwrite: bool
) -> Imported:
    """The changes to the ``items`` of a run that the workbook asks for; no edited row asks for none.

    Rows are found by their question id, so that a person may sort, filter and delete them. What another person decided
    in the meantime is kept and named, unless ``overwrite``. Raises UsageError for a file that is no evidence workbook,
    lacks a column, or is that of another run.
    """
    sheets = {sheet.sheet_name: sheet for sheet in load_grids(data, file_name)}
    _require_run(sheets.get(SUMMARY_SHEET), run_id, file_name)
    rows = _rows(sheets.get(ANSWERS_SHEET) or sheets.get(None), file_name)
    known = {item.question_id: item for item in items}
    counts = Counter(row.get(_ID) for row in rows)
    changes: list[Change] = []
    problems: list[str] = []
    unchanged = 0
    for row in rows:
        question_id = row.get(_ID)
        item = known.get(question_id)
        if item is None:
            what = f"the question id {question_id!r} is none of this run" if question_id else "it has no question id"
            problems.append(f"row {row.number}: {what}: nothing of the row is taken")
        elif counts[question_id] > 1:
            problems.append(f"row {row.number} ({question_id}): the question stands in several rows: leave one")
        else:
            asked, told = _of_row(row, item, reviewer, overwrite=overwrite)
            changes += asked
            problems += [f"row {row.number} ({question_id}): {one}" for one in told]
            unchanged += not asked and not told
    return Imported(tuple(changes), tuple(problems), unchanged, len(known.keys() - counts.keys()))


def _of_row(row: _Cells, item: ReviewItem, reviewer: str, *, overwrite: bool) -> tuple[list[Change], list[str]]:
    """The changes that a row asks for, and the messages about what of it is not taken."""
    foreign = [name for name, text in _shown_of(item).items() if name in row.texts and _differs(row.get(name), text)]
    if foreign:
        named = " and ".join(f"“{_TITLE_OF[name]}”" for name in foreign)
        where = "“final answer”" if "proposed" in foreign else ", ".join(f"“{_TITLE_OF[name]}”" for name in EDITABLE)
        return [], [f"the column {named} was changed: write into {where}, and put it back; nothing of the row is taken"]
    if long := [name for name in ("final", "comment") if len(row.get(name)) > MAX_CHARACTERS]:
        told = f"“{_TITLE_OF[long[0]]}” has {len(row.get(long[0])):,} characters, and may have {MAX_CHARACTERS:,}"
        return [], [f"{told}: shorten it; nothing of the row is taken"]
    changes, problems = _decision(row, item, reviewer, overwrite=overwrite)
    owner, comment = row.get("owner"), row.get("comment")
    if "owner" in row.texts and owner != item.state.owner and owner:
        changes.append(Change(item.question_id, "assign", owner=owner))
    if comment and comment not in {remark.comment for remark in item.state.remarks}:
        changes.append(Change(item.question_id, "comment", comment=comment))
    return changes, problems


def _decision(row: _Cells, item: ReviewItem, reviewer: str, *, overwrite: bool) -> tuple[list[Change], list[str]]:
    told, text = row.get("status"), row.get("final")
    status = status_of(told)
    if status is None:
        named = f"the status {told[:SHOWN_CHARACTERS]!r} is none" if told else "the status is empty"
        return [], [f"{named}: choose approved, edited or rejected; the decision is not taken"]
    is_new_verdict = (verdict := verdict_of(row.get("verdict"))) != item.draft_verdict
    if row.get("verdict") and verdict is None:
        return [], [f"the verdict {row.get('verdict')[:SHOWN_CHARACTERS]!r} is none: choose one of the list"]
    if status not in DECIDED:
        return [], _undecided(status, item, is_changed=is_edited(text, item.text or "") or is_new_verdict)
    change = Change(item.question_id, "reject", after=item.state.version, draft_id=item.draft_id)
    if status != "rejected":
        if (is_new_verdict or status == "edited") and not text and item.text:
            why = "the verdict was changed" if is_new_verdict else "the status is “edited”"
            return [], [f"{why} and “final answer” is empty: write the answer that the customer gets"]
        final = text if is_edited(text, item.text or "") else item.text
        if not final and verdict is None:
            return [], ["there is nothing to approve: write into “final answer”, or set the status to “rejected”"]
        is_edit = is_new_verdict or final != item.text
        change = change.giving("edit" if is_edit else "approve", final, verdict)
    if _stands(item.state, change):
        return [], []
    if item.state.version and item.state.reviewer != reviewer and not overwrite:
        return [], [f"{_standing(item.state)}; the workbook says otherwise: give --overwrite to take it"]
    return [change], []


def _undecided(status: Status, item: ReviewItem, *, is_changed: bool) -> list[str]:
    """The messages about a row without a decision: a changed answer, or status, that was forgotten half way."""
    if is_changed:
        return [f"the answer was changed and the status is “{shown(status)}”: set it to “edited”; it is not taken"]
    if status != item.status:
        return [f"the status “{shown(status)}” is the run's own: choose approved, edited or rejected; it is not taken"]
    return []


def _stands(state: ReviewState, change: Change) -> bool:
    """Tell if the state gives the customer what the change would."""
    if change.action == "reject":
        return state.status == "rejected"
    same = (state.final_answer or "") == (change.final_answer or "") and state.final_verdict == change.final_verdict
    return state.status in SENT and same and state.draft_id == change.draft_id


def _standing(state: ReviewState) -> str:
    did = {"open": "opened it again", "rejected": "left it empty", "disputed": "and another decided differently"}
    text = state.final_answer or state.final_verdict or ""
    short = text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"
    what = did.get(state.status) or f"{state.status} “{short}”"
    return f"{state.reviewer} {what}" + (f" on {state.at:%Y-%m-%d %H:%M}" if state.at else "")


def _shown_of(item: ReviewItem) -> dict[str, str]:
    """The columns that only show the run's record, as far as they follow from the item."""
    first = item.evidence[0] if item.evidence else None
    return {
        "question": item.question,
        "proposed": item.text or "",
        "section": item.section,
        "sheet_name": item.sheet_name or "",
        "row_number": "" if item.row_number is None else str(item.row_number),
        "file_name": first.file_name if first else "",
        "page_number": str(first.page_number) if first and first.page_number is not None else "",
        "quote": first.quote if first else "",
    }


def _differs(cell: str, text: str) -> bool:
    return bool(cell) != bool(text.strip()) or is_edited(cell, text)


def _require_run(summary: _Sheet | None, run_id: str, file_name: str) -> None:
    """Raise UsageError where the summary names another run; without a summary the question ids decide."""
    for cells in summary.texts.values() if summary else ():
        label, value = cells.get(1, ""), cells.get(2, "").strip()
        if label.strip() == RUN_LABEL and value and value != run_id:
            raise UsageError(
                f"{file_name} is the evidence of the run {value}, and not of {run_id}: bidfolio review {value} "
                f"--import {file_name}"
            )


def _rows(sheet: _Sheet | None, file_name: str) -> list[_Cells]:
    """The rows below the header that hold anything. Raises UsageError where sheet, header or a column is missing."""
    if sheet is None:
        raise UsageError(f"{file_name} has no sheet {ANSWERS_SHEET!r}: give the evidence workbook of the run")
    for number in sorted(sheet.texts)[:_HEADER_WITHIN]:
        named = {
            column: _TITLES[title] for column, text in sheet.texts[number].items() if (title := _plain(text)) in _TITLES
        }
        if _ID in named.values():
            break
    else:
        raise UsageError(
            f"{file_name}: the sheet {ANSWERS_SHEET!r} has no column {_TITLE_OF[_ID]!r}, by which rows are known: "
            "take it back from the workbook as it was written"
        )
    lacking = [_TITLE_OF[name] for name in ("final", "verdict", "status") if name not in named.values()]
    if lacking:
        raise UsageError(f"{file_name}: the column {' and '.join(map(repr, lacking))} is missing: put it back")
    twice = [_TITLE_OF[name] for name, count in Counter(named.values()).items() if count > 1]
    if twice:
        raise UsageError(f"{file_name}: there are two columns {' and '.join(map(repr, twice))}: leave one of each")
    found = (
        _Cells(at, {name: sheet.texts[at].get(column, "") for column, name in named.items()})
        for at in sorted(sheet.texts)
        if at > number
    )
    return [row for row in found if any(text.strip() for text in row.texts.values())]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
