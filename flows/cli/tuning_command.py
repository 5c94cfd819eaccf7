"""`bidfolio tune` on the command line: its options and its output."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from flows.cli.output.printing import counted
from tasks.errors import UsageError

if TYPE_CHECKING:
    from configs.settings import Settings

SHARE = 0.95
SHARES = {
    "declined_answerable": "answerable ones declined",
    "declined_unanswerable": "others declined",
    "drafted": "drafted",
    "right_of_drafted": "of these right",
    "outright": "answered outright",
    "right_of_outright": "of these right",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tune`."""
    parser.add_argument("gold", metavar="GOLD.jsonl", nargs="?", help="further questions with known answers")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--adapter", action="store_true", help="learn to turn questions' vectors towards their answers")
    what.add_argument("--cross-encoder", action="store_true", help="fine-tune the reranker that is configured")
    what.add_argument("--confidence", action="store_true", help="choose when to decline and when to ask a person")
    what.add_argument("--grid", metavar="FILE", help="measure every configuration of a grid, by its name or its file")
    parser.add_argument(
        "--plan", default="bidfolio", help="the recipe that judges it, or that a grid has to beat (default: bidfolio)"
    )
    parser.add_argument("--corpus", help="the corpus to learn from (default: the only one)")
    parser.add_argument(
        "--out", metavar="DIR", help="where a reranker goes, an adapter's tuning.json, what a grid says, or a plan"
    )
    parser.add_argument(
        "--keep",
        metavar="SHARE",
        type=float,
        help=f"with --confidence: of the answerable questions' drafts, the share to keep (default: {SHARE})",
    )
    parser.add_argument(
        "--drafts-right",
        metavar="SHARE",
        type=float,
        help="with --confidence: the share of all drafts that is to be right, in the place of --keep",
    )
    parser.add_argument(
        "--right",
        metavar="SHARE",
        type=float,
        help=f"with --confidence: the share of what is answered outright that is to be right (default: {SHARE})",
    )


def tune(options: argparse.Namespace, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    """Run the tuning; returns its summary as JSON and as lines for people."""
    if options.confidence:
        return _tune_confidence(options, settings)
    if not {options.keep, options.right, options.drafts_right} <= {None}:
        raise UsageError(
            "--keep, --right and --drafts-right are shares that thresholds are chosen by: they go with --confidence"
        )
    if options.grid:
        return _tune_grid(options, settings)
    from flows.cli.preflight import check_tuning, server_ready

    check_tuning(options.gold, options.plan, options.out, settings, cross_encoder=options.cross_encoder)
    with server_ready():
        from flows.cli.output.tables import write_summary
        from flows.tune import tune_adapter, tune_cross_encoder

    if options.cross_encoder:
        summary = tune_cross_encoder(options.out, options.plan, options.gold, options.corpus)
        return summary, reranker_lines(summary)
    summary = tune_adapter(options.plan, options.gold, options.corpus)
    if options.out:
        write_summary(summary, options.out, "tuning.json")
    return summary, adapter_lines(summary)


def _tune_grid(options: argparse.Namespace, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    from flows.cli.preflight import check_grid, server_ready

    check_grid(options.gold, options.grid, options.plan, options.out, settings)
    with server_ready():
        from flows.cli.output.gold_lines import tell_gold_faults
        from flows.cli.output.grid_lines import grid_lines
        from flows.tune_grid import tune_grid

    summary = tune_grid(options.gold, options.grid, options.plan, options.corpus, options.out)
    tell_gold_faults(summary)
    return summary, grid_lines(summary, options.out)


def _tune_confidence(options: argparse.Namespace, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    from flows.cli.preflight import check_confidence, server_ready

    keep, right = (SHARE if given is None else given for given in (options.keep, options.right))
    if options.keep is not None and options.drafts_right is not None:
        raise UsageError("--keep and --drafts-right both say how much is declined: give one of them")
    shares = {"--keep": keep, "--right": right}
    if options.drafts_right is not None:
        shares["--drafts-right"] = options.drafts_right
    check_confidence(options.gold, options.plan, options.out, shares, settings)
    with server_ready():
        from flows.cli.output.gold_lines import tell_gold_faults
        from flows.tune_confidence import tune_confidence

    summary = tune_confidence(
        options.gold, options.plan, options.corpus, options.out, keep, right, options.drafts_right or 0.0
    )
    tell_gold_faults(summary)
    return summary, confidence_lines(summary)


def confidence_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for a tuned confidence: its quality, the effect of each fit, both pairs of thresholds,
    and the plan's path.
    """
    from flows.cli.output.tables import table_lines

    asked, fit = summary["questions"], summary["calibration"]
    lines = [
        f"{counted(asked['all'], 'question')}, {asked['answerable']} can be answered; {asked['drafts']} have a draft"
    ]
    if "gain" in fit:
        low, high = fit["gain"]["interval"]
        said = "taken" if fit["taken"] else "no more than chance: the plan's own weights stay"
        lines.append(
            f"the confidence as a probability: log loss {fit['loss']:.3f}, less by {fit['gain']['mean']:+.3f} "
            f"[{low:+.3f}, {high:+.3f}] with a slope and an intercept of its own, on questions that they have not "
            f"seen (p = {fit['gain']['p']:.3f}, n = {fit['gain']['n']}): {said}"
        )
    else:
        lines.append(f"the confidence as a probability stays as it is: {fit['reason']}")
    if (off := summary["calibration_error"]) is not None:
        lines.append(f"as the plan has it, it is off the share that can be answered by {off:.3f} (ECE)")
    points = [
        [f"{point['threshold']:.2f}", str(point["n"]), f"{point['coverage']:.3f}", f"{1 - point['error']:.3f}"]
        for point in summary["curve"]
    ]
    if points:
        lines.append("if all drafts below a confidence of the plan as it is were declined, and a person read the rest:")
        lines += table_lines(["confidence", "drafts", "of all questions", "of these right"], points)
    rows = [
        [said, *(f"{summary[side][name]:.3f}" for name in ("decline_below", "review_below"))]
        + [share_in_words(summary[side][name]) for name in SHARES]
        for side, said in (("as_it_is", "as the plan has it"), ("chosen", "by these questions"))
    ]
    lines += table_lines(["", "decline_below", "review_below", *SHARES.values()], rows)
    lines.append("the second row's shares are of questions that did not choose its thresholds, a tenth at a time")
    if summary["chosen"]["decline_below"] == 1:
        return [
            *lines,
            f"no threshold makes {100 * summary['drafts_right']:g}% of the drafts right: nothing is written",
        ]
    if summary["chosen"]["review_below"] == 1:
        lines.append(f"no threshold makes {summary['right']:.0%} of the outright answers right: a person is to see all")
    if summary["deviations"]:
        lines += [f"judged with {deviation}" for deviation in summary["deviations"]]
        return [*lines, "nothing is written: a confidence goes with the reranker that it was judged with"]
    if summary["out"] is None:
        return [*lines, "name a folder with --out for a plan that has them"]
    return [*lines, f"written: use it with --plan {summary['out']}"]


def share_in_words(share: dict[str, Any]) -> str:
    """A share with its interval, where there is one."""
    low, high = share["interval"]
    if share["value"] is None:
        return "–"
    return f"{share['value']:.3f}" + (f" ({low:.3f} to {high:.3f})" if low is not None else "")


def adapter_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for an adapter: its training questions, each difference with its interval and p, and the outcome."""
    lines = [_learnt_from(summary["pairs"]), *_differences(summary)]
    said = "it helps" if summary["wins"] else "it does not help by more than chance"
    if summary["deviations"]:
        lines += [f"judged with {deviation}" for deviation in summary["deviations"]]
        return [*lines, f"{said}: nothing is saved, since an adapter goes with the reranker that it was judged with"]
    if summary["adapter"] == "published":
        if summary["replaced_anothers"]:
            lines.append("it takes the place of one that was judged with another retrieval, or by an older bidfolio")
        return [*lines, f"{said}: published version {summary['index_version']}; `bidfolio index rollback` goes back"]
    return [*lines, f"{said}: nothing is saved, and version {summary['index_version']} stays live"]


def reranker_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for a reranker: its training questions, losses, differences with interval and p, and its path."""
    losses = ", ".join(f"{loss:.4f}" for loss in summary["losses"])
    lines = [_learnt_from(summary["pairs"]), f"loss on what was not learnt from: {losses}", *_differences(summary)]
    if summary["out"] is None:
        return [*lines, "it does not fall: nothing is saved"]
    from tasks.statistics.significance import SIGNIFICANT_P

    ps = [figure["p"] for figure in summary["differences"].values()]
    sure = all(p is not None and p < SIGNIFICANT_P for p in ps)
    if sure and any(figure["difference"] < 0 for figure in summary["differences"].values()):
        return [*lines, f"it is in {summary['out']}, and ranks worse than the one that it was made of: keep that one"]
    doubt = "" if sure else "; that it ranks better may be chance: `bidfolio evaluate` on other questions says more"
    return [*lines, f"saved: set BIDFOLIO_RERANK_CROSS_ENCODER={summary['out']}, or rerank.model in a plan{doubt}"]


def _learnt_from(pairs: dict[str, int]) -> str:
    said = f"learnt from {pairs['gold']} gold questions, {pairs['past']} past ones and {pairs['made']} made ones"
    if not pairs["unborne"]:
        return said
    answerable = pairs["gold"] + pairs["unborne"]
    return f"{said}; {pairs['unborne']} of the gold set's {answerable} name files, pages or rows without a chunk"


def _differences(summary: dict[str, Any]) -> list[str]:
    """The line of each figure without the learnt model, and its difference with it, with interval and p."""
    from flows.cli.output.tables import p_said

    return [
        f"{name}: {one['without']:.3f} without, {one['difference']:+.3f} with it "
        f"[{one['interval'][0]:+.3f}, {one['interval'][1]:+.3f}], {p_said(one['p'])}, n = {one['n']}"
        for name, one in summary["differences"].items()
    ]
