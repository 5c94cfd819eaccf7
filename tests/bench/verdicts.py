"""The headline of each set, and how many yes/no questions are answered, how many wrongly, how good the proposals are.

Run: .venv/bin/python -m tests.bench.verdicts HOME [SET …] [--show]

SET is one of :mod:`tests.bench.verdict_sets`; by default those that nothing is fitted on. Each is asked of its own
corpus, which is built below HOME where it is not there yet. The figures are those of ``bidfolio evaluate``, over the
yes/no questions whose answer is known, with Wilson's 95% intervals. ``--show`` prints what is answered or proposed
wrongly: not for ``saltmarsh``, which nobody tunes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tasks.answering.pipeline import answer_questions
from tasks.evaluation.aggregate import Figure, wilson
from tasks.evaluation.headline import headline
from tasks.evaluation.metrics.figures import counted_figures, proposals
from tasks.evaluation.outcomes import Outcome, outcome_of
from tasks.records import GoldQuestion, Question
from tests.bench.verdict_sets import MEASURED, VerdictSet, loaded_for, verdict_set

NEVER_SHOWN = "saltmarsh"
SHARES: Final = {
    "verdict_coverage": "answered, of those with a true verdict",
    "verdict_given_precision": "right of those answered",
    "verdict_wrongly_given": "wrongly answered, of all",
    "verdict_proposal_precision": "proposals to review, right",
    "verdict_right_or_proposed": "right verdict answered or proposed, of those with one",
    "verdict_unanswerable_open": "not answerable, without any verdict",
    "verdict_unanswerable_not_given": "not answerable, not answered",
}


def outcomes_of(of: VerdictSet, home: str, is_wanted: Callable[[GoldQuestion, Question], bool]) -> list[Outcome]:
    """The wanted questions of the set, answered, in order."""
    loaded, _ = loaded_for(of, home)
    wanted = [pair for pair in zip(of.items, of.questions, strict=True) if is_wanted(*pair)]
    done = answer_questions([question for _, question in wanted], loaded)
    return [
        outcome_of(item, hits, one.answer)
        for (item, _), hits, (one, _) in zip(wanted, done.hits, done.settled, strict=True)
    ]


def is_yes_no(item: GoldQuestion, question: Question) -> bool:
    """True for a yes/no question whose answer is known."""
    return question.kind == "yes_no" and (item.verdict is not None or not item.answerable)


def share(figure: Figure) -> str:
    """A share with Wilson's interval; "none" of nothing."""
    if figure.value is None:
        return "none"
    low, high = wilson(figure.successes, figure.n)
    return f"{figure.successes} of {figure.n} = {figure.value:.2f} [{low:.2f}, {high:.2f}]"


def report(name: str, outcomes: Sequence[Outcome]) -> None:
    """Prints the figures of one set."""
    found: Mapping[str, Figure] = counted_figures(outcomes)
    silent = sum(not one.gold.answerable for one in outcomes)
    print(f"\n{name}: {len(outcomes)} yes/no questions, {silent} of them not answerable; {headline(found)}")
    for metric, words in SHARES.items():
        print(f"  {words}: {share(found[metric])}")
    error = found["verdict_calibration_error"]
    told = "none" if error.value is None else f"{error.value:.3f}"
    print(f"  calibration error of the probability: {told} (n {error.n})")
    most = found["verdict_coverage_where_95_right"].value or 0.0
    print(f"  most of all that some threshold would answer with 95% right: {most:.2f} (chosen on this set)")


def main() -> None:
    """Prints the figures of each set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("sets", nargs="*", default=list(MEASURED))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for name in options.sets:
        outcomes = outcomes_of(verdict_set(name, options.home), options.home, is_yes_no)
        report(name, outcomes)
        if options.show and name != NEVER_SHOWN:
            for one, proposed in zip(outcomes, proposals(outcomes), strict=True):
                if proposed.proposed and not proposed.is_right:
                    print(
                        f"    {one.status}, {proposed.proposed} for {proposed.truth}, "
                        f"{proposed.probability:.2f}: {one.gold.question} → {one.text}"
                    )


if __name__ == "__main__":
    main()
