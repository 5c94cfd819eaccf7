"""A report as one HTML file that needs no network, no script and no other file: facts, tables, pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from tasks.evaluation.pictures.picture import Picture, Undrawn

MAIN = {
    "page_recall_at_1": "R@1",
    "page_recall_at_5": "R@5",
    "page_mrr_at_10": "MRR@10",
    "ndcg_at_10": "nDCG@10",
    "citation_page_precision": "cites right",
    "decline_rate_answerable": "declines wrongly",
    "decline_rate_unanswerable": "… rightly",
}
SIGNIFICANT_P = 0.05
MOST_DIFFERENCES = 24


class Table(NamedTuple):
    """A table of a report; cells are shown as they are, and every row has as many as there are ``columns``."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


class Report(NamedTuple):
    """What a report says. ``facts`` are names with values; ``said`` the lines that matter most."""

    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    said: Sequence[str] = ()
    tables: Sequence[Table] = ()


def to_html(
    report: Report, pictures: Sequence[Picture], undrawn: Sequence[Undrawn], draw: Callable[[Picture], str]
) -> str:
    """The report with its pictures as ``draw`` gives them, ``<svg>`` elements; all other text is escaped."""
    source = files("tasks.evaluation").joinpath("report.html").read_text(encoding="utf-8")
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(source)
    drawn = [(picture, Markup(draw(picture))) for picture in pictures]
    return template.render(**report._asdict(), pictures=drawn, undrawn=undrawn)


def report_of_evaluation(summary: Mapping[str, Any], day: str) -> Report:
    """What the summary of an evaluation says, as ``evaluate --json`` prints it."""
    plans: Mapping[str, Mapping[str, Any]] = summary["plans"]
    figures = Table(
        "Figures",
        ["plan", "questions", *MAIN.values(), "ms"],
        [
            [name, str(own["n"]), *(_with_interval(own, key) for key in MAIN), _number(own["retrieval_ms_p50"])]
            for name, own in plans.items()
        ],
        "With 95% intervals. R@k: a right page is among the first k hits; cites right: of the drafts for answerable "
        "questions; ms: the median time to find.",
    )
    differences = _differences(summary["differences"])
    unscored = Table(
        "Not scored",
        ["plan", "figure", "questions"],
        [
            [name, metric, str(told["unscored"])]
            for name, own in plans.items()
            for metric, told in own.get("figures", {}).items()
            if told.get("unscored") and metric in MAIN
        ],
        "Questions that a figure would be over and that could not be scored; they count neither as right nor as wrong.",
    )
    deviations = [f"{name} ran with {text}." for name, own in plans.items() for text in own.get("deviations", [])]
    best = max(plans, key=lambda name: plans[name]["page_mrr_at_10"] or 0.0) if plans else ""
    said = (
        [f"Best by MRR@10: {best}, {' '.join(_with_interval(plans[best], 'page_mrr_at_10').split())}."]
        if len(plans) > 1
        else []
    )
    return Report(
        f"Evaluation of {', '.join(plans)}" if len(plans) < 4 else f"Evaluation of {len(plans)} plans",
        f"bidfolio evaluate, {day}, run {summary['run_id']}",
        [("gold set", str(summary["gold"])), ("corpus", str(summary["corpus"]))],
        [*said, *deviations],
        [table for table in (figures, differences, unscored) if table.rows],
    )


def report_of_grid(summary: Mapping[str, Any], day: str) -> Report:
    """What the summary of a grid says, as ``tune --grid --json`` prints it."""
    best, in_use, held_out = summary["best"], summary["to_beat"], summary["best"]["held_out"]
    low, high = held_out["interval"]
    on_others = (
        f"{_signed(held_out['difference'])} [{_signed(low)}, {_signed(high)}], p = {_p(held_out['p'])}, "
        f"n = {held_out['n']}"
    )
    verdict = (
        f"Recommended: {_levels(best['levels'])}. On questions that did not choose it, it has {on_others}."
        if best["beats"]
        else f"Stay with {in_use['plan']}: what half of the questions choose has {on_others} on the other half."
    )
    factors = Table(
        f"Which factors matter to {summary['objective']}",
        ["factor", "F", "degrees of freedom", "p", "p by Holm", "partial η²"],
        [
            [
                row["factor"],
                _number(row["f"]),
                f"{row['df']}, {row['df_error']}",
                _p(row["p"]),
                _p(row["p_holm"]),
                _number(row["partial_eta2"]),
            ]
            for row in summary["anova"]
        ],
        "Analysis of variance with the questions as blocks.",
    )
    shown = ("correctness", "rouge1_recall", "embedding_triad", "page_recall_at_5", "page_mrr_at_10")
    top = Table(
        "The best configurations",
        ["configuration", "levels", *shown],
        [
            [str(row["configuration"]), _levels(row["levels"]), *(_number(row[name]) for name in shown)]
            for row in summary["top"]
        ]
        + [[in_use["plan"], "in use", *(_number(in_use[name]) for name in shown)]],
    )
    facts = [
        ("questions", f"{summary['questions']}, {summary['unscored']} of them without a known answer"),
        ("configurations", str(summary["configurations"])),
        ("gold set", str(summary["gold"])),
        ("corpus", str(summary["corpus"])),
    ]
    deviations = [
        f"{row['configurations']} configurations ran with {row['deviation']}." for row in summary["deviations"]
    ]
    subtitle = f"bidfolio tune --grid, {day}, run {summary['run_id']}"
    return Report(f"Grid {summary['grid']}", subtitle, facts, [verdict, *deviations], [factors, top])


def report_of_experiment(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], day: str) -> Report:
    """What an experiment says: ``rows`` are those of the table ``experiments``."""
    table = Table(
        "Settings",
        ["setting", "figure", "value", "95% interval", "difference to the base", "p by Holm", "n", "unscored"],
        [
            [
                f"{row['setting']} (base)" if row["is_base"] else row["setting"],
                row["metric"],
                _number(row["value"]),
                _between(row["interval_low"], row["interval_high"]),
                _signed(row["difference"]),
                _p(row["p_holm"]),
                str(row["n"]),
                str(row["unscored"]),
            ]
            for row in rows
        ],
    )
    facts = [(name, str(summary[name])) for name in ("gold", "corpus") if summary.get(name)]
    title, subtitle = f"Experiment {summary['experiment']}", f"bidfolio evaluate, {day}, run {summary['run_id']}"
    return Report(title, subtitle, facts, [], [table] if rows else [])


def _differences(every: Sequence[Mapping[str, Any]]) -> Table:
    """The differences; of very many those that are more than chance."""
    rows = [_difference_row(one) for one in every]
    note = "p by a paired permutation test; Holm's correction is for the number of pairs."
    if len(rows) > MOST_DIFFERENCES:
        shown = [row for row, one in zip(rows, every, strict=True) if _is_real(one)]
        note += f" Of {len(rows)} differences the {len(shown)} that are more than chance are shown."
        rows = shown
    columns = ["plans", "figure", "difference", "95% interval", "p", "p by Holm", "more than chance", "n"]
    return Table("Differences of plans, question by question", columns, rows, note)


def _is_real(one: Mapping[str, Any]) -> bool:
    return one["p_holm"] is not None and one["p_holm"] < SIGNIFICANT_P


def _difference_row(one: Mapping[str, Any]) -> list[str]:
    low, high = one["interval"]
    return [
        " − ".join(one["plans"]),
        MAIN.get(one["metric"], one["metric"]),
        _signed(one["difference"]),
        _between(low, high),
        _p(one["p"]),
        _p(one["p_holm"]),
        "yes" if _is_real(one) else "no",
        str(one["n"]),
    ]


def _levels(levels: Mapping[str, str]) -> str:
    return ", ".join(f"{factor} {level}" for factor, level in levels.items())


def _with_interval(figures: Mapping[str, Any], key: str) -> str:
    value = figures[key]
    if value is None:
        return "–"
    low, high = figures.get(f"{key}_interval") or (None, None)
    return f"{value:.3f}\n{_between(low, high)}".strip()


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.2f},\N{NO-BREAK SPACE}{high:.2f}]"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _p(value: float | None) -> str:
    return "–" if value is None else "< .001" if value < 0.001 else f"{value:.3f}"
