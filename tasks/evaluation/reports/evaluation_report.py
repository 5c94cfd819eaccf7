"""Report of an evaluation: facts, headline, and tables of figures and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.evaluation.judges.cases import told_scale
from tasks.evaluation.metrics.figure_names import FIGURES, MOST_DIFFERENCES, RANKS, SAID, TIMES
from tasks.evaluation.reports.cells import between, is_real, number, p_value, signed
from tasks.evaluation.reports.report import Report, Table, table

ANSWERS = {
    "citation_page_precision": "cites right",
    "decline_rate_answerable": "declines wrongly",
    "decline_rate_unanswerable": "… rightly",
}
BOTH_INTERVALS = (
    "Below each figure its 95% interval by Student's t, and below that the one by bootstrap, both over whole documents "
    "or questionnaires: of few of them the second is too narrow."
)


def report_of_evaluation(summary: Mapping[str, Any], day: str) -> Report:
    """Build the report from the summary of an evaluation, as ``evaluate --json`` prints it."""
    plans: Mapping[str, Mapping[str, Any]] = summary["plans"]
    ranks = Table(
        "Where right pages rank",
        ["plan", "n", *RANKS.values(), *TIMES.values()],
        [
            [name, _over(own), *(_with_interval(own, key) for key in RANKS), *(_of_times(own, key) for key in TIMES)]
            for name, own in plans.items()
        ],
        f"{BOTH_INTERVALS} R@k: a right page is among the first k hits. Times are those of single questions.",
    )
    answers = Table(
        "What is answered",
        ["plan", "questions", *ANSWERS.values()],
        [[name, str(own["n"]), *(_with_interval(own, key) for key in ANSWERS)] for name, own in plans.items()],
        f"{BOTH_INTERVALS} Cites right: of the drafts for answerable questions.",
    )
    every = Table(
        "All figures",
        ["figure", *plans],
        [
            [label, *(_with_error(own, key) for own in plans.values())]
            for key, label in FIGURES.items()
            if any(own.get(key) is not None for own in plans.values())
        ],
        "With standard errors, clustered by document or questionnaire, and how many questions could not be scored.",
    )
    differences = _differences(summary["differences"])
    unscored = Table(
        "Not scored",
        ["plan", "figure", "questions"],
        [
            [name, metric, str(told["unscored"])]
            for name, own in plans.items()
            for metric, told in own.get("figures", {}).items()
            if told.get("unscored") and metric in RANKS | ANSWERS
        ],
        "Questions that a figure would be over and that could not be scored; they count neither as right nor as wrong.",
    )
    deviations = [f"{name} ran with {text}." for name, own in plans.items() for text in own.get("deviations", [])]
    facts = [("gold set", str(summary["gold"])), ("corpus", str(summary["corpus"]))]
    if summary.get("held_out"):
        facts.append(("measured without", ", ".join(summary["held_out"])))
    if summary.get("gold_faults"):
        facts.append(("left out of the gold set", f"{len(summary['gold_faults'])} places or answers, as not there"))
    tables = [ranks, answers, every, *_confusions(plans), *_judged(summary), differences, unscored]
    return Report(
        f"Evaluation of {', '.join(plans)}" if len(plans) < 4 else f"Evaluation of {len(plans)} plans",
        f"bidfolio evaluate, {day}, run {summary['run_id']}",
        facts,
        [
            *(f"{name}: {own['headline']}." for name, own in plans.items() if own["headline"]),
            *_best(plans, summary["differences"]),
            *deviations,
        ],
        [one for one in tables if one.rows],
    )


def _best(plans: Mapping[str, Mapping[str, Any]], differences: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the plan with the best MRR@10, and if it is ahead of the others by more than chance."""
    known = [name for name, own in plans.items() if own["page_mrr_at_10"] is not None]
    if len(known) < 2:
        return []
    best = max(known, key=lambda name: plans[name]["page_mrr_at_10"])
    beside = [one for one in differences if one["metric"] == "page_mrr_at_10" and best in one["plans"]]
    alike = [name for one in beside if not is_real(one) for name in one["plans"] if name != best]
    said = f"no more than chance ahead of {', '.join(alike)}" if alike else "ahead of all others by more than chance"
    intervals = zip(_intervals(plans[best], "page_mrr_at_10"), ("t", "bootstrap"), strict=True)
    ends = " and ".join(f"{interval} by {how}" for interval, how in intervals if interval)
    return [f"Best by MRR@10: {best}, {plans[best]['page_mrr_at_10']:.3f} {ends}".rstrip() + f"; {said}."]


def _confusions(plans: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """The confusion tables of yes/no questions, one for each plan."""
    tables = []
    for name, own in plans.items():
        by_truth = own.get("confusion") or {}
        said = [key for key in SAID if any(key in row for row in by_truth.values())]
        rows = [[f"truly {SAID[truth]}", *(str(row.get(key, 0)) for key in said)] for truth, row in by_truth.items()]
        tables.append(Table(f"What {name} said to yes/no questions", ["", *(SAID[key] for key in said)], rows))
    return tables


def _judged(summary: Mapping[str, Any]) -> list[Table]:
    """The tables of the judges' figures, and of their agreement with people."""
    judges = summary.get("judges") or {}
    figures = {plan: own["judged"]["figures"] for plan, own in summary["plans"].items() if "judged" in own}
    names = dict.fromkeys(name for own in figures.values() for name in own)
    judged = [
        [f"{name} ({told_scale(name)})", *(_judged_cell(own.get(name)) for own in figures.values())] for name in names
    ]
    agreement = table(
        "How far the judges agree with people",
        {
            "criterion": lambda row: row["criterion"],
            "labelled": lambda row: str(row["n"]),
            "same": lambda row: number(row["accuracy"]),
            "weighted kappa": lambda row: number(row["kappa"]),
            "rank correlation": lambda row: number(row["rho"]),
            "p by Holm": lambda row: p_value(row["p_holm"]),
            "may judge": lambda row: "no" if row["refused"] else "yes",
        },
        [
            {"criterion": f"{what}[{judge}]", **told}
            for judge, known in judges.items()
            for what, told in known["agreement"].items()
        ],
    )
    note = "Means over the answers that there are; a decline has none."
    return [Table("Judged", ["criterion", *figures], judged, note), agreement]


def _judged_cell(told: Mapping[str, Any] | None) -> str:
    if told is None or told["mean"] is None:
        return "–"
    error = "" if told["standard_error"] is None else f" ± {told['standard_error']:.3f}"
    return f"{told['mean']:.3f}{error}\nn {told['n']}, unscored {told['unscored']}"


def _differences(every: Sequence[Mapping[str, Any]]) -> Table:
    """The table of differences between plans; of very many only those that are more than chance."""
    shown = every if len(every) <= MOST_DIFFERENCES else list(filter(is_real, every))
    note = (
        "p by a paired permutation test over questions; Holm's correction is for the number of pairs. Clustered p, not "
        "corrected, is by whole documents or questionnaires, whose questions are right or wrong together."
    )
    if len(every) > MOST_DIFFERENCES:
        note += f" Of {len(every)} differences the {len(shown)} that are more than chance are shown."
    return table(
        "Differences of plans, question by question",
        {
            "plans": lambda one: " − ".join(one["plans"]),
            "figure": lambda one: RANKS.get(one["metric"]) or FIGURES.get(one["metric"], one["metric"]),
            "difference": lambda one: signed(one["difference"]),
            "95% interval": lambda one: between(*one["interval"]),
            "p": lambda one: p_value(one["p"]),
            "p by Holm": lambda one: p_value(one["p_holm"]),
            "more than chance": lambda one: "yes" if is_real(one) else "no",
            "clustered p": lambda one: p_value(one["p_clustered"]),
            "n": lambda one: str(one["n"]),
        },
        shown,
        note,
    )


def _with_interval(figures: Mapping[str, Any], key: str) -> str:
    value = figures[key]
    if value is None:
        return "–"
    return "\n".join(filter(None, [f"{value:.3f}", *_intervals(figures, key)]))


def _intervals(figures: Mapping[str, Any], key: str) -> list[str]:
    """Both intervals of a figure, by t and by bootstrap; "" for an interval that it does not have."""
    ends = (figures.get(f"{key}_{kind}") or (None, None) for kind in ("interval", "bootstrap"))
    return [between(low, high) for low, high in ends]


def _over(figures: Mapping[str, Any]) -> str:
    """Format the number of questions that the ranks are over, and of those timed."""
    timed = figures.get("n_timed")
    return str(figures["figures"]["page_mrr_at_10"]["n"]) + (f"\ntimed {timed}" if timed else "")


def _of_times(figures: Mapping[str, Any], key: str) -> str:
    value = figures.get(key)
    if value is None:
        return "–"
    low, high = figures.get(f"{key}_interval") or (None, None)
    ends = "" if low is None or high is None else f"[{low:.1f},\N{NO-BREAK SPACE}{high:.1f}]"
    return f"{value:.1f}\n{ends}".strip()


def _with_error(figures: Mapping[str, Any], key: str) -> str:
    value, told = figures.get(key), figures["figures"].get(key, {})
    if value is None:
        return "–"
    places = 3 if abs(value) < 10 else 1  # as many as the figure has
    error = "" if told.get("standard_error") is None else f" ±\N{NO-BREAK SPACE}{told['standard_error']:.{places}f}"
    return f"{number(value)}{error}" + (f"\nunscored {told['unscored']}" if told.get("unscored") else "")
