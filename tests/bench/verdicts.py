"""What yes and no are worth, beside always yes and beside never answering.

Run: .venv/bin/python -m tests.bench.verdicts NAME=HOME=CORPUS=GOLD.jsonl NAME=HOME=CORPUS=GOLD.jsonl …

In each HOME the corpus is published for the plan bidfolio. Asked are the yes/no questions of each gold set: those with
a verdict, those whose known answer begins with yes or no, and those that cannot be answered. ``bidfolio`` gives a
verdict only where nothing sends the answer to a person; ``drafts`` is what was read from the quotes before confidence
was asked. Balanced accuracy is over what was answered yes or no; its interval, and that of coverage, is clustered by
document, and those of counts are exact (Clopper and Pearson). All are 95%.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from configs.plans import Plan, load_plan
from configs.settings import load_settings
from tasks.answering.audit import Settled
from tasks.answering.task import load_for_asking
from tasks.evaluation.gold import as_question, read_gold
from tasks.evaluation.metrics.verdicts import Said, YesNo, confusion, verdict_figures
from tasks.evaluation.outcomes import cluster_of
from tasks.index.store import IndexStore
from tasks.records import GoldQuestion, Verdict
from tasks.retrieval.loading import live_version
from tasks.retrieval.scope import Scope
from tests.bench.conflicts import rate
from tests.bench.held_out import settled

_FIRST_WORD = re.compile(r"(?i)(yes|no)\b")


class Judged(NamedTuple):
    """A yes/no question: its true verdict, None where nothing answers it, and what each answerer said."""

    truth: Verdict | None
    cluster: str
    said: Mapping[str, Said]


ANSWERERS: Mapping[str, Callable[[Settled], Said]] = {
    "bidfolio": lambda one: _said(one.answer.verdict, one.answer.status == "declined"),
    "drafts": lambda one: _said(one.draft.verdict, one.draft.text is None),
    "always yes": lambda one: "yes",
    "never answers": lambda one: "no_context",
}


def _said(verdict: Verdict | None, is_declined: bool) -> Said:
    return "no_context" if is_declined else verdict or "no_verdict"


def truth_of(item: GoldQuestion) -> Verdict | None:
    """The verdict of the gold set, else the yes or no with which the known answer begins; None where there is neither,
    and where nothing answers the question.
    """
    if item.verdict or not item.answerable:
        return item.verdict
    found = _FIRST_WORD.match(item.answer or "")
    if not found:
        return None
    return "yes" if found.group().lower() == "yes" else "no"


def judged(home: str, corpus: str, gold: str, plan: Plan) -> list[Judged]:
    """The yes/no questions of a gold set, with what was said; those with neither a truth nor a lack of it left out."""
    items = read_gold(gold)
    questions = [as_question(item, at) for at, item in enumerate(items)]
    wanted = [
        (item, question)
        for item, question in zip(items, questions, strict=True)
        if question.kind == "yes_no" and (truth_of(item) or not item.answerable)
    ]
    settings = load_settings(home=home)
    version = live_version(IndexStore(settings.home), plan, corpus)
    loaded = load_for_asking(version, plan, settings, Scope())
    found = settled([question for _, question in wanted], loaded)
    return [
        Judged(truth_of(item), cluster_of(item), {name: says(one) for name, says in ANSWERERS.items()})
        for (item, _), one in zip(wanted, found, strict=True)
    ]


def report(name: str, questions: Sequence[Judged]) -> None:
    """Prints the table of one gold set."""
    known = [one for one in questions if one.truth is not None]
    unanswerable = [one for one in questions if one.truth is None]
    truths = ", ".join(f"{sum(one.truth == truth for one in known)} {truth}" for truth in ("yes", "no", "partial"))
    print(f"\n{name}: {truths}, {len(unanswerable)} unanswerable")
    for who in ANSWERERS:
        rows = [YesNo(one.truth, one.said[who], one.cluster) for one in known if one.truth is not None]
        figures = verdict_figures(rows)
        balanced, coverage = figures["verdict_balanced_accuracy"], figures["verdict_coverage"]
        print(f"  {who}")
        for title, figure in (("balanced accuracy", balanced), ("coverage", coverage)):
            low, high = figure.interval(0, 1)
            bounds = "" if low is None or high is None else f" ({low:.3f} to {high:.3f})"
            told = figure.reason if figure.value is None else f"{figure.value:.3f}{bounds}, n {figure.n}"
            print(f"    {title}: {told}")
        given = [one for one in rows if one.is_given]
        print(f"    right of those given: {rate([one.is_right for one in given])}")
        print(f"    of true no answered yes: {rate([one.said == 'yes' for one in rows if one.truth == 'no'])}")
        print(f"    of unanswerable answered yes: {rate([one.said[who] == 'yes' for one in unanswerable])}")
        print(f"    of true yes answered no: {rate([one.said == 'no' for one in rows if one.truth == 'yes'])}")
        print(f"    of unanswerable answered no: {rate([one.said[who] == 'no' for one in unanswerable])}")
        if who in ("bidfolio", "drafts"):
            print(f"    {'; '.join(f'{cell.truth} → {cell.said} {cell.n}' for cell in confusion(rows))}")


def main(given: Sequence[str]) -> None:
    """Prints the tables."""
    plan = load_plan("bidfolio")
    everything: list[Judged] = []
    for one in given:
        name, home, corpus, gold = one.split("=", 3)
        questions = judged(home, corpus, gold, plan)
        if not questions:
            print(f"\n{name}: no question with a known yes or no")
            continue
        report(name, questions)
        everything += [one._replace(cluster=f"{corpus} {one.cluster}") for one in questions]
    report("all", everything)


if __name__ == "__main__":
    main(sys.argv[1:])
