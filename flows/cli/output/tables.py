"""Tables of results for people on a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any

from flows.cli.output.printing import counted
from tasks.errors import UsageError
from tasks.evaluation.metrics.figure_names import FIGURES, MOST_DIFFERENCES, RANKS, SAID, TIMES
from tasks.evaluation.reports.cells import is_real

WIDTH = 100
ANSWERS = {
    "citation_page_precision": "cited",
    "decline_rate_answerable": "declined",
    "decline_rate_unanswerable": "… rightly",
    "rouge1_recall": "ROUGE-1",
}
"""The figures about answers, for each plan."""


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """The rows under their columns, aligned; no rows give the header only."""
    cells = [[str(column) for column in columns], *([cell(value) for value in row] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(columns))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def cell(value: Any) -> str:
    """A value of a table: numbers with three decimals, and a dash for None."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def kept_lines(summary: Mapping[str, Any], noun: str) -> list[str]:
    """The line about what earlier runs had measured already, in ``noun``; none where they had nothing."""
    if summary.get("interrupted"):
        return [f"run {summary['interrupted']} was interrupted: {summary['kept']} {noun}s were there already"]
    kept = summary.get("kept")
    return [f"{counted(kept, noun)} {'was' if kept == 1 else 'were'} measured by earlier runs"] if kept else []


def evaluation_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for an evaluation: headlines, the plans side by side, each plan's figures, and the differences.

    A plan's figures have their number of questions and intervals, and its yes/no answers a confusion table. A
    difference has its interval and p.
    """
    plans: dict[str, dict[str, Any]] = summary["plans"]
    lines = [line for name, own in plans.items() for line in _wrapped(f"{name}: {own['headline']}")]
    lines += ["", *(_side_by_side(plans) if len(plans) > 1 else [])]
    for name, figures in plans.items():
        lines += [*_plan_lines(name, figures), ""]
    for difference in _shown(summary["differences"], lines):
        name = RANKS.get(difference["metric"], difference["metric"])
        first, second = difference["plans"]
        low, high = difference["interval"]
        lines += _wrapped(
            f"{first} − {second}, {name}: {cell(difference['difference'])} "
            f"[{cell(low)}, {cell(high)}], {p_said(difference['p'])} "
            f"({p_value(difference['p_holm'])} by Holm), n = {difference['n']}, "
            f"clustered ± {cell(difference['standard_error'])}, {p_said(difference['p_clustered'])}"
        )
    return lines if summary["differences"] else lines[:-1]


def _side_by_side(plans: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Tables of plans side by side: ranks of right pages and times, both intervals below the figures; and answers."""
    ranks = []
    for name, own in plans.items():
        figures = [_short(own[key], 3) for key in RANKS] + [_milliseconds(own[key]) for key in TIMES]
        by_t, drawn = (
            [_ends(own[f"{key}_{kind}"], partial(_short, places=2)) for key in RANKS]
            for kind in ("interval", "bootstrap")
        )
        times = [_ends(own[f"{key}_bootstrap"], _milliseconds) for key in TIMES]
        ranks += [
            [name, own["figures"]["page_mrr_at_10"]["n"], *figures],
            ["  by t", "", *by_t, *("" for _ in TIMES)],
            ["  by bootstrap", "", *drawn, *times],
        ]
    timed = max(own["n_timed"] for own in plans.values())
    answers = [[name, own["n"], *(own[key] for key in ANSWERS)] for name, own in plans.items()]
    return [
        *table_lines(["plan", "n", *RANKS.values(), *TIMES.values()], ranks),
        *_wrapped(
            "below each figure its 95% intervals: of ranks by Student's t and by bootstrap, both over whole documents "
            "or questionnaires, of which few make the second too narrow; of ms to find by bootstrap over "
            f"{timed} questions that were asked one at a time"
        ),
        "",
        *table_lines(["plan", "n", *ANSWERS.values()], answers),
        "",
    ]


def _shown(differences: Sequence[dict[str, Any]], lines: list[str]) -> Sequence[dict[str, Any]]:
    """The differences to show; of very many those beyond chance, which is then announced first."""
    if len(differences) <= MOST_DIFFERENCES:
        return differences
    shown = [one for one in differences if is_real(one)]
    lines += _wrapped(
        f"{len(shown)} of {len(differences)} differences are more than chance by Holm's correction; all are in --json"
    )
    return shown


def _plan_lines(name: str, figures: dict[str, Any]) -> list[str]:
    lines = _wrapped(f"{name}: {_questions_in_words(figures)}")
    lines += [f"{name} ran with {deviation}" for deviation in figures.get("deviations", [])]
    if figures["unexpanded"]:
        lines.append(f"{name} asked {figures['unexpanded']} of {counted(figures['n'], 'question')} as they stand")
    over = figures["figures"]
    rows = [
        [label, *_with_ends(key, figures), over[key]["n"], over[key]["unscored"]]
        for key, label in FIGURES.items()
        if figures[key] is not None
    ]
    lines += table_lines(["", "value", "±", "95% by t", "bootstrap", "n", "unscored"], rows)
    lines += _confusion_lines(figures["confusion"])
    lines += _free_text_lines(figures["free_text"])
    lines += _wrapped(_right_in_words(figures))
    reasons: dict[str, list[str]] = {}
    for key in FIGURES:
        if key in figures["undefined"]:
            reasons.setdefault(figures["undefined"][key], []).append(key)
    for reason, keys in reasons.items():
        lines += _wrapped(f"undefined, since {reason}: {', '.join(keys)}")
    return lines


def _questions_in_words(figures: dict[str, Any]) -> str:
    unanswerable = figures["n"] - figures["n_answerable"]
    said = f"{counted(figures['n'], 'question')}, {unanswerable} of them without an answer in the documents"
    clusters = figures["figures"]["page_recall_at_1"]["clusters"]
    if clusters == 1:
        return f"{said}; the others are about one document, so that of them no error can be told"
    if clusters:
        return f"{said}; the others are about {clusters} documents or questionnaires, by which errors are clustered"
    return said


def _confusion_lines(by_truth: dict[str, dict[str, int]]) -> list[str]:
    """The confusion table of yes/no answers by the truth; empty where the gold set has no such questions."""
    if not by_truth:
        return []
    said = [key for key in SAID if key in ("yes", "no", "no_context") or any(key in row for row in by_truth.values())]
    rows = [
        [f"truly {SAID[truth]}", *(row.get(key, 0) for key in said), sum(row.values())]
        for truth, row in by_truth.items()
    ]
    wrong = by_truth.get("no", {}).get("yes", 0)
    truly_no = sum(by_truth.get("no", {}).values())
    return [
        "what was said to the yes/no questions:",
        *table_lines(["", *(SAID[key] for key in said), "questions"], rows),
        f"{wrong} of {truly_no} that are truly no were answered yes",
    ]


def _free_text_lines(counts: dict[str, int]) -> list[str]:
    if not any(counts.values()):
        return []
    return [
        f"in free text {counts['correct']} cite a right page, {counts['incorrect']} another or none, "
        f"{counts['no_context']} found nothing, {counts['unscored']} unscored"
    ]


def _right_in_words(figures: dict[str, Any]) -> str:
    """The thresholds with which most drafts are right, and the share of questions drafted then. A threshold that keeps
    the higher promise is not given again with the lower one.
    """
    said, before = [], None
    for percent in (95, 90):
        threshold, coverage = (figures[f"{what}_where_{percent}_right"] for what in ("threshold", "coverage"))
        if threshold is None:
            said.append(f"no threshold gives drafts of which {percent}% cite a right page")
        elif threshold != before:
            said.append(
                f"{percent}% of the drafts cite a right page with answering.decline_below at {threshold:.3f}, "
                f"which leaves {coverage:.0%} of the questions"
            )
        before = threshold
    threshold, coverage = (figures[f"verdict_{what}_where_95_right"] for what in ("threshold", "coverage"))
    if threshold is not None:
        asked = figures["figures"]["verdict_coverage_where_95_right"]["n"]
        said.append(
            f"95% of the verdicts are right with answering.verdicts.answered_from at {threshold:.3f}, which answers "
            f"{round(coverage * asked)} of {counted(asked, 'yes/no question')}; both are chosen on this very set"
        )
    return "; ".join(said)


def page_finder_lines(summary: dict[str, Any]) -> list[str]:
    """The finders with their accuracy, by chunk size."""
    rows = [
        [tokens, finder, figures["n"], figures["accuracy"], figures["accuracy_reflowed"]]
        for tokens, by_finder in summary["page_finder"].items()
        for finder, figures in by_finder.items()
    ]
    return table_lines(["chunk tokens", "finder", "n", "accuracy", "accuracy, text worn"], rows)


def p_value(value: float | None) -> str:
    """A p-value with three decimals; below .001 as "< .001"."""
    if value is None:
        return "–"
    return "< .001" if value < 0.001 else f"{value:.3f}"


def p_said(value: float | None) -> str:
    """A p-value with "p =" or "p <"."""
    return f"p {p_value(value)}" if value is not None and value < 0.001 else f"p = {p_value(value)}"


def write_summary(summary: dict[str, Any], folder: str, name: str = "evaluation.json") -> None:
    """Write the file ``name`` into ``folder``, which is created. Raises UsageError where that is not permitted."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder, name).write_text(json.dumps(summary, indent=2, default=str), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write to --out {folder}: {error.strerror}") from error


def _wrapped(words: str) -> list[str]:
    return wrap(words, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _with_ends(key: str, figures: Mapping[str, Any]) -> list[str]:
    """The figure, its standard error and both its intervals; a time, in ms, has no interval by t."""
    is_time = "_ms_" in key
    said = _milliseconds if is_time else cell
    error = said(figures["figures"][key]["standard_error"])
    by_t = "–" if is_time else _ends(figures[f"{key}_interval"], said)
    return [said(figures[key]), error, by_t, _ends(figures[f"{key}_bootstrap"], said)]


def _ends(ends: Sequence[float | None], said: Callable[[float | None], str]) -> str:
    return "–" if None in ends else "–".join(map(said, ends))


def _short(value: float | None, places: int) -> str:
    """A share without its leading 0."""
    return "–" if value is None else f"{value:.{places}f}".removeprefix("0")


def _milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"
