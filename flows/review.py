"""`bidfolio review` and `bidfolio finish`: people decide on drafts, and the customer's file is written from that."""

from __future__ import annotations

import getpass
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from configs.settings import Settings
from tasks.errors import BidfolioError
from tasks.library.task import add_edits, add_entries
from tasks.pages.shared_pictures_task import Pictures, Quote, pictures_of_quotes
from tasks.questionnaires.output_names import report_path
from tasks.questionnaires.task import open_file
from tasks.review.items import Evidence, ReviewItem
from tasks.review.learning import edits_of, entries_of
from tasks.review.task import (
    Review,
    last_reviews,
    load_review,
    read_workbook,
    save_changes,
    write_final,
    write_report,
)
from tasks.review.view import places_of
from tasks.runtime.artifacts import failure_recorded, open_run, record_run

MAX_LISTED = 30


def report_review(wanted: str, path: str, settings: Settings, *, overwrite: bool = False) -> dict[str, Any]:
    """Write the report of a run to ``path``, "" for beside its filled copy; returns counts and the ``report``.

    Raises UsageError as :func:`load_review` and :func:`write_report`.
    """
    review = load_review.fn(wanted, settings)
    target = path or str(report_path(Path(review.out or review.source)))
    quotes = {(item.question_id, at): quote_of(one) for item in review.items for at, one in enumerate(places_of(item))}
    pictures = pictures_of_quotes.fn(list(quotes.values()), review.corpus, settings)
    shown = dict(zip(quotes, pictures.shown, strict=True))

    def picture(item: ReviewItem, at: int) -> Mapping[str, Any]:
        one = shown[item.question_id, at]
        size = pictures.pictures.get(one.key)
        found = {"picture": one.key, "boxes": rounded(one.boxes), "why": one.why, "approved": one.approved}
        return found | ({"width": size.width_px, "height": size.height_px} if size else {})

    pngs = {key: painted.png for key, painted in pictures.pictures.items()}
    write_report.fn(review, target, about(review), picture, pngs, overwrite=overwrite)
    return counts(review) | {"report": target, "pages": len(pngs), "unshown": _unshown(pictures)}


def import_decisions(
    wanted: str, path: str, reviewer: str, settings: Settings, *, overwrite: bool = False
) -> dict[str, Any]:
    """Take back the decisions of an edited evidence workbook; returns counts, and a message for all that is not taken.

    Raises UsageError as :func:`load_review` and :func:`read_workbook`, ReviewConflict where somebody decides meanwhile.
    """
    review = load_review.fn(wanted, settings)
    who = reviewer or settings.user or login()
    found = read_workbook.fn(path, review, who, settings, overwrite=overwrite)
    if found.changes:
        save_changes.fn(review.run_id, review.earlier, found.changes, who, settings)
    taken = Counter(change.action for change in found.changes)
    return counts(load_review.fn(review.run_id, settings)) | {
        "taken": dict(taken),
        "unchanged": found.unchanged,
        "missing": found.missing,
        "problems": list(found.problems),
    }


def finish(
    wanted: str,
    out: str,
    settings: Settings,
    *,
    partial: bool = False,
    with_answered: bool = False,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Write the customer's file from what was approved; returns counts, its path ``out``, and how many answers are
    entries of the library now, which the next refresh makes documents of.

    Raises UsageError as :func:`load_review` and :func:`write_final`.
    """
    review = load_review.fn(wanted, settings)
    done = write_final.fn(
        review,
        lambda: open_file.fn(review.source, settings, review.read_as),
        out,
        settings,
        partial=partial,
        with_answered=with_answered,
        overwrite=overwrite,
    )
    run = open_run.fn("library", "", review.source, review.corpus, settings)
    with failure_recorded(run, settings):
        learnt = add_entries.fn(entries_of(review.items), review.source, run, settings)
        add_edits.fn(edits_of(review.items, review.run_id), run, settings)
    record_run(run, settings, status="done")
    return counts(review) | {
        "out": done.out,
        "response": done.response,
        "learnt": learnt.answers,
        "written": done.written,
        "left_empty": done.open,
        "warnings": list(done.warnings),
    }


def login() -> str:
    """The login of this process; "" where the user has no name, as in some containers."""
    with suppress(KeyError, OSError):
        return getpass.getuser()
    return ""


def list_runs(settings: Settings) -> list[dict[str, Any]]:
    """The last runs that may be reviewed, the latest first, each with its ``run_id``, the name of its ``file``, the day
    ``answered``, and the numbers of ``questions`` and of those that are ``open``.
    """
    return [
        {
            "run_id": one.run_id,
            "file": Path(one.source).name,
            "answered": _day(one),
            "questions": len(one.items),
            "open": len(one.open_items),
        }
        for one in last_reviews.fn(MAX_LISTED, settings)
    ]


def report_beside(run_id: str, summary: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Write the report of a run that is done; returns its ``report``, or the ``warnings`` of the run and why not."""
    try:
        return {"report": report_review(run_id, "", settings)["report"]}
    except BidfolioError as error:
        return {"warnings": [*summary["warnings"], f"there is no report: {error}"]}


def quote_of(evidence: Evidence) -> Quote:
    """The quote to show of a place."""
    return Quote(
        evidence.file_name,
        evidence.quote,
        evidence.document_id,
        evidence.page_number,
        evidence.start,
        evidence.end,
        evidence.sheet_name,
        evidence.row_number,
    )


def rounded(boxes: Any) -> list[list[float]]:
    """Boxes as lists of shares with four decimals, for JSON."""
    return [[round(edge, 4) for edge in box] for box in boxes]


def about(review: Review) -> str:
    """The line below the name of the questionnaire: what was answered, when, and from which index."""
    parts = [f"{len(review.items)} questions, answered {_day(review)}", review.corpus and f"from {review.corpus}"]
    version = review.index_version and f"index {review.index_version}"
    return " · ".join(filter(None, (*parts, version, f"run {review.run_id}")))


def _day(review: Review) -> str:
    return f"{review.answered_on.day} {review.answered_on:%B %Y}"


def counts(review: Review) -> dict[str, Any]:
    """The run and how many of its answers are in which state."""
    states = Counter(item.state.status for item in review.items)
    return {
        "run_id": review.run_id,
        "questions": len(review.items),
        "open": len(review.open_items),
        **{name: states[name] for name in ("approved", "edited", "rejected", "disputed")},
    }


def _unshown(pictures: Pictures) -> int:
    return sum(bool(one.why) for one in pictures.shown)
