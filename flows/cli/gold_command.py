"""`bidfolio gold` on the command line: its options and its output."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.cli.options import Add, adder
from flows.cli.output.printing import counted, report

if TYPE_CHECKING:
    from configs.settings import Settings

LAYOUTS = tuple("rag-mini-wikipedia rag-mini-bioasq squad bioasq financebench llamaindex questionnaire".split())
"""The layouts of ``tasks.evaluation.gold_readers.layouts``, which is too slow to import for `--help`."""


def add_commands(add: Add, common: argparse.ArgumentParser) -> None:
    """Add `gold` with its actions and their options."""
    gold = add("gold", _make, "get questions with known answers: make them, import them, or take reviews")
    action = adder(gold.add_subparsers(title="actions", metavar="ACTION", required=True), common)

    make = action("make", _make, "make questions of the corpus' own chunks, each with an answer that stands only there")
    make.add_argument("--corpus", help="the corpus to ask about (default: the only one)")
    make.add_argument("--plan", default="bidfolio", help="the recipe whose chunks are drawn (default: bidfolio)")
    make.add_argument("--count", type=int, default=100, metavar="N", help="at most so many questions (default: 100)")
    make.add_argument(
        "--held-out",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="so large a share of the documents is held out when plans are measured, and of the questions is about "
        "these, which nobody can answer then (default: 0)",
    )
    make.add_argument(
        "--generator",
        choices=["openai", "rules"],
        help="who writes them (default: the model server where one is configured, else rules)",
    )
    make.add_argument("--seed", type=int, default=0, metavar="N", help="another one draws other chunks (default: 0)")
    make.add_argument("--out", metavar="FILE", default="gold.jsonl", help="the gold set (default: gold.jsonl)")

    read = action("import", _import, "read a question set in another layout, or a completed questionnaire")
    read.add_argument("file", metavar="FILE")
    read.add_argument("--layout", choices=LAYOUTS, metavar="NAME", help=f"{', '.join(LAYOUTS)} (default: as it looks)")
    read.add_argument("--passages", metavar="FILE", help="where the passages are (default: what lies beside FILE)")
    read.add_argument("--out", metavar="FILE", help="the gold set (default: FILE's name with .gold.jsonl, here)")
    read.add_argument("--corpus-out", metavar="DIR", help="write the passages into this folder, a document each")
    words = "take what people decided on drafts: approved is right, rejected is wrong"
    seen = action("reviews", _reviews, words)
    seen.add_argument("--corpus", help="the corpus that they were drafted from (default: the only one)")
    seen.add_argument("--out", metavar="FILE", default="reviews.jsonl", help="the gold set (default: reviews.jsonl)")
    for one in (make, read, seen):
        one.add_argument("--overwrite", action="store_true", help="replace what is there")


def made_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people about a gold set that was made: its counts, its sources, and the dropped questions."""
    by = "the model server" if summary["generator"] == "openai" else "rules"
    lines = [
        f"{counted(summary['questions'], 'question')}, {summary['unanswerable']} of them unanswerable, made by {by} of "
        f"{counted(summary['sampled_chunks'], 'chunk')} → {summary['out']}",
        *(f"dropped: {times} × {reason}" for reason, times in summary["dropped"].items()),
    ]
    if summary["gave_up"]:
        lines.append("stopped early: too many chunks in a row gave no question; a larger model gives more, or rules do")
    if summary["held_out"]:
        lines.append(f"held out: {', '.join(summary['held_out'])}; evaluate and tune --grid leave them out")
    return [*lines, f"read some of them first; then: bidfolio evaluate {summary['out']} --corpus {summary['corpus']}"]


def imported_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people about an imported gold set: the questions that were read and left out."""
    lines = [
        f"{counted(summary['questions'], 'question')} in the layout {summary['layout']}, "
        f"{summary['unanswerable']} of them unanswerable, {summary['with_verdict']} with a verdict → {summary['out']}",
        *(f"left out: {times} {reason}" for reason, times in summary["left_out"].items()),
    ]
    if summary["without_page"]:
        lines.append(f"{summary['without_page']} name no place that answers them: figures of pages leave them out")
    if summary["corpus_out"]:
        lines.append(
            f"{counted(summary['documents'], 'document')} → {summary['corpus_out']}: bidfolio refresh it, then evaluate"
        )
    elif summary["documents"]:
        lines.append(f"it brings {counted(summary['documents'], 'document')}: --corpus-out DIR writes them")
    return lines


def reviewed_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people about a gold set from reviews: what was decided, and what learns from it."""
    lines = [
        f"{counted(summary['questions'], 'question')} that people decided on, {summary['unanswerable']} of them by "
        f"rejecting the draft → {summary['out']}"
    ]
    if summary["without_page"]:
        lines.append(f"{summary['without_page']} name no place that answers them: their text keeps no quote")
    return [*lines, f"then: bidfolio tune {summary['out']} --confidence --corpus {summary['corpus']} --out DIR"]


def _reviews(options: argparse.Namespace, settings: Settings) -> int:
    from flows.gold import review_gold_set

    summary = review_gold_set(options.corpus, options.out, settings, overwrite=options.overwrite)
    return report(options, summary, reviewed_lines(summary))


def _make(options: argparse.Namespace, settings: Settings) -> int:
    from flows.gold import make_gold_set

    summary = make_gold_set(
        options.plan,
        options.corpus,
        options.generator,
        options.count,
        options.held_out,
        options.seed,
        options.out,
        settings,
        overwrite=options.overwrite,
    )
    return report(options, summary, made_lines(summary))


def _import(options: argparse.Namespace, settings: Settings) -> int:
    from flows.gold import import_gold_set

    out = options.out or f"{Path(options.file).stem}.gold.jsonl"
    summary = import_gold_set(
        options.file, options.layout, options.passages, out, options.corpus_out, settings, overwrite=options.overwrite
    )
    return report(options, summary, imported_lines(summary))
