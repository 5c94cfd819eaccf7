"""`bidfolio evaluate` on the command line: its options and its output."""

from __future__ import annotations

import argparse
from typing import Any


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `evaluate`."""
    parser.add_argument("gold", metavar="GOLD.jsonl", nargs="?")
    parser.add_argument(
        "--page-finder", action="store_true", help="measure the page finders on the corpus itself, without a gold set"
    )
    parser.add_argument(
        "--experiment", metavar="NAME", help="measure the settings of an experiment, by its name or its file"
    )
    parser.add_argument("--plan", action="append", dest="plans", metavar="PLAN", help="may be given several times")
    parser.add_argument("--corpus", help="the corpus to measure on (default: the only one)")
    parser.add_argument(
        "--judge",
        action="append",
        dest="judges",
        choices=("lexical", "embedding", "server"),
        help="judge the answers by words, by vectors or by the model server; may be given several times",
    )
    parser.add_argument(
        "--criterion", action="append", dest="criteria", metavar="NAME", help="judge by this alone; may be given again"
    )
    parser.add_argument(
        "--labels", metavar="FILE", help="answers that you have judged (JSONL), to measure the judges by"
    )
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="how often the model server judges the same (default: 1)"
    )
    parser.add_argument(
        "--out", metavar="DIR", help="also write evaluation.json, and report.html with its pictures, into this folder"
    )


def evaluate(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the evaluation; returns the measurements as JSON and as lines for people."""
    if options.experiment:
        return _experiment(options)
    from configs.settings import load_settings
    from flows.cli.preflight import check_evaluation, check_judges, server_ready

    settings = load_settings()
    check_evaluation(options.gold, options.plans or ["bidfolio"], settings, page_finder=options.page_finder)
    check_judges(options.judges or [], options.criteria or [], options.labels or "", options.repeats, settings)
    with server_ready():
        from flows.cli.output.gold_lines import tell_gold_faults
        from flows.cli.output.judge_lines import judge_lines
        from flows.cli.output.tables import evaluation_lines, page_finder_lines, write_summary
        from flows.evaluate import evaluate_page_finders, evaluate_plans

    if options.page_finder:
        summary = evaluate_page_finders((options.plans or ["bidfolio"])[0], options.corpus)
        lines = page_finder_lines(summary)
    else:
        summary = evaluate_plans(
            options.gold,
            options.plans,
            options.corpus,
            options.out,
            options.judges or (),
            options.criteria or (),
            options.labels,
            options.repeats,
        )
        tell_gold_faults(summary)
        lines = evaluation_lines(summary) + judge_lines(summary)
    if options.out:
        write_summary(summary, options.out)
    return summary, lines


def _experiment(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    from configs.settings import load_settings
    from flows.cli.preflight import check_experiment, server_ready
    from tasks.errors import UsageError

    if options.page_finder:
        raise UsageError("--page-finder and --experiment: say one of them; the experiment is named page_finder")
    if options.judges or options.criteria or options.labels or options.repeats != 1:
        raise UsageError("an experiment measures what its file names: leave the options of judges out")
    finds_pages = check_experiment(options.gold, options.experiment, options.plans, options.out, load_settings())
    with server_ready():
        from flows.cli.output.experiment_lines import experiment_lines
        from flows.cli.output.gold_lines import tell_gold_faults
        from flows.experiment import experiment_on_gold, experiment_on_page_finders

    if finds_pages:
        summary = experiment_on_page_finders(options.experiment, options.corpus, options.out)
    else:
        summary = experiment_on_gold(options.gold, options.experiment, options.corpus, options.out)
        tell_gold_faults(summary)
    return summary, experiment_lines(summary)
