"""Output about judges of answers for people on a terminal: their figures and their reliability."""

from __future__ import annotations

from typing import Any

from flows.cli.output.tables import table_lines
from tasks.evaluation.judges.cases import told_scale


def judge_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for judges: agreement with labelled examples, refusals, and each plan's figures with standard errors.

    Empty where nobody judged.
    """
    judges: dict[str, dict[str, Any]] = summary["judges"]
    if not judges:
        return []
    return [*_agreement(judges), *_figures(summary["plans"]), *_notes(judges, summary["plans"])]


def _agreement(judges: dict[str, dict[str, Any]]) -> list[str]:
    rows = [
        [
            name,
            what,
            *(told[key] for key in ("n", "accuracy", "kappa", "rho", "p_holm")),
            "no" if told["refused"] else "yes",
        ]
        for name, judge in judges.items()
        for what, told in judge["agreement"].items()
    ]
    columns = ["judge", "criterion", "labelled", "same", "weighted kappa", "rank correlation", "p (Holm)", "may judge"]
    return ["", *table_lines(columns, rows)]


def _figures(plans: dict[str, dict[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for figures in plans.values() for name in figures["judged"]["figures"])
    rows = [
        [
            f"{name} ({told_scale(name)})",
            *(_figure(figures["judged"]["figures"].get(name)) for figures in plans.values()),
        ]
        for name in names
    ]
    return ["", *table_lines(["judged", *plans], rows)] if rows else []


def _figure(told: dict[str, Any] | None) -> str:
    if told is None or told["mean"] is None:
        return f"– ({told['unscored']} unscored)" if told else "–"
    error = f" ± {told['standard_error']:.3f}" if told["standard_error"] is not None else ""
    spread = (
        f", sd of {told['repeats']} repeats {told['sd_of_repeats']:.3f}" if told["sd_of_repeats"] is not None else ""
    )
    unscored = f", {told['unscored']} unscored" if told["unscored"] else ""
    return f"{told['mean']:.3f}{error} (n {told['n']}{unscored}{spread})"


def _notes(judges: dict[str, dict[str, Any]], plans: dict[str, dict[str, Any]]) -> list[str]:
    lines = [""]
    for name, judge in judges.items():
        refused = [f"{what}: {told['refused']}" for what, told in judge["agreement"].items() if told["refused"]]
        lines += [f"{name} does not judge {one}" for one in refused]
        if judge["deterministic"]:
            lines.append(f"{name} says the same each time: asked once")
            continue
        for plan, own in plans.items():
            for figure, told in own["judged"]["figures"].items():
                if figure.endswith(f"[{name}]"):
                    lines += [f"{plan}, {figure}: {n} × {why}" for why, n in told["why_unscored"].items()]
        counts = [judge, *(figures["judged"]["requests"].get(name, {}) for figures in plans.values())]
        asked, kept = (sum(one.get(key, 0) for one in counts) for key in ("asked", "kept"))
        lines.append(
            f"{name} is {judge['model']} at temperature {judge['temperature']:g}, {judge['repeats']} times a question: "
            f"asked {asked} times, {kept} replies were kept from before"
        )
    return lines
