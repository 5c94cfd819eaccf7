"""How many open questions are drafted from the place that answers them, and how many that nothing answers are declined.

Run: .venv/bin/python -m tests.bench.open_questions HOME [SET …] [--show]

SET is one of :mod:`tests.bench.verdict_sets`. The headline and the figures of ``bidfolio evaluate`` come first: a right
page is one that the gold set names. Gold sets name no quotes, but these sets do: a draft has the fact where one of its
quotes holds a quote of the evidence, lies in one, or has most of its words. Intervals are Wilson's at 95%. ``--show``
prints what is missed, but not for ``saltmarsh``, which nobody tunes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tasks.answering.pipeline import answer_questions
from tasks.evaluation.gold.outcomes import outcome_of
from tasks.evaluation.metrics.figures import counted_figures
from tasks.evaluation.metrics.headline import headline
from tasks.statistics.estimates import mean
from tests.bench.fit_verdicts import is_quoted
from tests.bench.verdict_sets import VerdictSet, loaded_for, verdict_set
from tests.bench.verdicts import NEVER_SHOWN, share

SETS = ("meridian", "fenwick", "public-company", "saas-templates", "plain-open", "client-b", "saltmarsh")


def report(of: VerdictSet, home: str, *, shows: bool) -> None:
    """Prints the figures of one set."""
    loaded, _ = loaded_for(of, home)
    wanted = [
        (item, question)
        for item, question in zip(of.items, of.questions, strict=True)
        if question.kind == "free_text" and not item.verdict
    ]
    done = answer_questions([question for _, question in wanted], loaded)
    has_fact: list[bool] = []
    right_of_answered: list[bool] = []
    for (item, _), (one, _) in zip(wanted, done.settled, strict=True):
        answer = one.answer
        if not item.answerable:
            continue
        quotes = of.quotes[item.question_id]
        has_fact.append(any(is_quoted(citation.quote, quotes) for citation in answer.citations))
        if answer.status == "answered":
            right_of_answered.append(has_fact[-1])
        if shows and not has_fact[-1]:
            print(f"    {answer.status}: {item.question} → {answer.text} | {quotes[0]}")
    found = counted_figures(
        [
            outcome_of(item, hits, one.answer)
            for (item, _), hits, (one, _) in zip(wanted, done.hits, done.settled, strict=True)
        ]
    )
    print(f"{of.name}: {headline(found)}")
    print(
        f"  has the fact {share(mean(has_fact))}; of those answered outright {share(mean(right_of_answered))}; "
        f"cites a right page {share(found['free_text_accuracy'])}; "
        f"declined of what nothing answers {share(found['decline_rate_unanswerable'])}"
    )


def main(home: str, names: Sequence[str], *, shows: bool) -> None:
    """Prints the figures of each set."""
    for name in names:
        report(verdict_set(name, home), home, shows=shows and name != NEVER_SHOWN)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    main(options.home, options.sets, shows=options.show)
