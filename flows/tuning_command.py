"""`bidfolio tune` on the command line: what it takes, and what it prints."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from configs.settings import Settings


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `tune`."""
    parser.add_argument("gold", metavar="GOLD.jsonl", nargs="?", help="further questions with known answers")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--adapter", action="store_true", help="learn to turn questions' vectors towards their answers")
    what.add_argument("--cross-encoder", action="store_true", help="fine-tune the reranker that is configured")
    what.add_argument("--grid", metavar="FILE", help="measure every configuration of a grid, by its name or its file")
    parser.add_argument(
        "--plan", default="bidfolio", help="the recipe that judges it, or that a grid has to beat (default: bidfolio)"
    )
    parser.add_argument("--corpus", help="the corpus to learn from (default: the only one)")
    parser.add_argument(
        "--out", metavar="DIR", help="where a reranker goes, an adapter's tuning.json, or what a grid says"
    )


def tune(options: argparse.Namespace, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    """What was learnt, as JSON and in words."""
    if options.grid:
        return _tune_grid(options, settings)
    from flows.early import check_server, check_tuning

    check_tuning(options.gold, options.plan, options.out, settings, cross_encoder=options.cross_encoder)
    check_server()
    from flows.tables import write_summary
    from flows.tune import tune_adapter, tune_cross_encoder

    if options.cross_encoder:
        summary = tune_cross_encoder(options.out, options.plan, options.gold, options.corpus)
        return summary, reranker_lines(summary)
    summary = tune_adapter(options.plan, options.gold, options.corpus)
    if options.out:
        write_summary(summary, options.out, "tuning.json")
    return summary, adapter_lines(summary)


def _tune_grid(options: argparse.Namespace, settings: Settings) -> tuple[dict[str, Any], list[str]]:
    from flows.early import check_grid, check_server

    check_grid(options.gold, options.grid, options.plan, options.out, settings)
    check_server()
    from flows.gold_lines import tell_gold_faults
    from flows.grid_lines import grid_lines
    from flows.tune_grid import tune_grid

    summary = tune_grid(options.gold, options.grid, options.plan, options.corpus, options.out)
    tell_gold_faults(summary)
    return summary, grid_lines(summary, options.out)


def adapter_lines(summary: dict[str, Any]) -> list[str]:
    """What was learnt from, each difference with its interval and p, and what became of it."""
    pairs = summary["pairs"]
    lines = [f"learnt from {pairs['gold']} gold questions, {pairs['past']} past ones and {pairs['made']} made ones"]
    lines += [f"{name}: {difference_in_words(figure)}" for name, figure in summary["differences"].items()]
    if summary["deviations"]:
        said = "it helps" if summary["wins"] else "no more than chance"
        lines += [f"judged with {deviation}" for deviation in summary["deviations"]]
        return [*lines, f"{said}: nothing is saved, since an adapter goes with the reranker that it was judged with"]
    if summary["adapter"] == "published":
        return [*lines, f"it helps: published version {summary['index_version']}; `bidfolio index rollback` goes back"]
    return [*lines, f"no more than chance: nothing is saved, and version {summary['index_version']} stays live"]


def reranker_lines(summary: dict[str, Any]) -> list[str]:
    """What was learnt from, the losses, the difference with its interval and p, and where the model is."""
    pairs = summary["pairs"]
    lines = [
        f"learnt from {pairs['gold']} gold questions, {pairs['past']} past ones and {pairs['made']} made ones",
        f"loss on what was not learnt from: {', '.join(f'{loss:.4f}' for loss in summary['losses'])}",
    ]
    lines += [f"{name}: {difference_in_words(figure)}" for name, figure in summary["differences"].items()]
    if summary["out"] is None:
        return [*lines, "it does not fall: nothing is saved"]
    return [*lines, f"saved: set BIDFOLIO_RERANK_CROSS_ENCODER={summary['out']}, or rerank.model in a plan"]


def difference_in_words(figure: dict[str, Any]) -> str:
    """A figure without what was learnt, and how it differs with it, with interval and p."""
    low, high = figure["interval"]
    return (
        f"{figure['without']:.3f} without, {figure['difference']:+.3f} with it "
        f"[{low:+.3f}, {high:+.3f}], p = {figure['p']:.3f}, n = {figure['n']}"
    )
