"""How many yes/no questions are answered, how many of these wrongly, and how good the proposals are.

Run: .venv/bin/python -m tests.bench.verdicts HOME [SET …] [--show]

SET is one of :mod:`tests.bench.verdict_sets`; by default those that nothing is fitted on. Each is asked of its own
corpus, which is built below HOME where it is not there yet. Intervals are Wilson's at 95%. ECE is over ten bins of the
probability of what is proposed. ``--show`` prints what is answered wrongly: not for ``saltmarsh``, which nobody tunes
on.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from tasks.answering.pipeline import answer_questions
from tasks.records import Answer, GoldQuestion
from tests.bench.verdict_sets import MEASURED, VerdictSet, loaded_for, verdict_set

NEVER_SHOWN = "saltmarsh"
BINS = 10


class Asked(NamedTuple):
    """A yes/no question with its answer."""

    item: GoldQuestion
    answer: Answer

    @property
    def truth(self) -> str | None:
        """The true verdict; None where nothing answers the question."""
        return self.item.verdict if self.item.answerable else None


def asked_of(of: VerdictSet, home: str) -> list[Asked]:
    """The yes/no questions of the set, answered."""
    loaded, _ = loaded_for(of, home)
    wanted = [
        (item, question)
        for item, question in zip(of.items, of.questions, strict=True)
        if question.kind == "yes_no" and (item.verdict or not item.answerable)
    ]
    done = answer_questions([question for _, question in wanted], loaded)
    return [Asked(item, one.answer) for (item, _), (one, _) in zip(wanted, done.settled, strict=True)]


def rate(found: Sequence[bool]) -> str:
    """A share with its interval; "none" of nothing."""
    if not found:
        return "none"
    low, high = proportion_confint(sum(found), len(found), method="wilson")
    return f"{sum(found)} of {len(found)} = {sum(found) / len(found):.2f} [{low:.2f}, {high:.2f}]"


def calibration_error(probabilities: Sequence[float], are_right: Sequence[bool]) -> float | None:
    """The expected calibration error over BINS bins of equal width; None of nothing."""
    if not probabilities:
        return None
    p, y = np.array(probabilities), np.array(are_right, float)
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    return float(sum(abs(p[bins == b].mean() - y[bins == b].mean()) * (bins == b).mean() for b in set(bins.tolist())))


def report(name: str, asked: Sequence[Asked]) -> None:
    """Prints the figures of one set."""
    known = [one for one in asked if one.truth]
    silent = [one for one in asked if not one.truth]
    answered = [one for one in asked if one.answer.verdict]
    proposed = [one for one in asked if one.answer.proposed_verdict and not one.answer.verdict]
    statuses = Counter(one.answer.status for one in asked)
    print(f"\n{name}: {len(asked)} yes/no questions, {len(silent)} of them not answerable; {dict(statuses)}")
    print(f"  answered, of those with a true verdict: {rate([bool(one.answer.verdict) for one in known])}")
    print(f"  right of those answered: {rate([one.answer.verdict == one.truth for one in answered])}")
    wrong = [bool(one.answer.verdict) and one.answer.verdict != one.truth for one in asked]
    print(f"  wrongly answered, of all: {rate(wrong)}")
    print(f"  proposals to review, right: {rate([one.answer.proposed_verdict == one.truth for one in proposed])}")
    either = [one.answer.proposed_verdict == one.truth for one in known]
    print(f"  right verdict answered or proposed, of those with one: {rate(either)}")
    print(f"  not answerable, without any verdict: {rate([not one.answer.proposed_verdict for one in silent])}")
    print(f"  not answerable, not answered: {rate([not one.answer.verdict for one in silent])}")
    given = [one for one in asked if one.answer.verdict_probability is not None]
    error = calibration_error(
        [one.answer.verdict_probability or 0.0 for one in given],
        [one.answer.proposed_verdict == one.truth for one in given],
    )
    print(f"  calibration error of the probability: {'none' if error is None else f'{error:.3f}'} (n {len(given)})")
    surest = sorted(given, key=lambda one: -(one.answer.verdict_probability or 0.0))
    right = np.cumsum([one.answer.proposed_verdict == one.truth for one in surest])
    held = [count for count, hits in enumerate(right, 1) if hits >= 0.95 * count]
    share = max(held, default=0) / len(asked)
    print(f"  most of all that some threshold would answer with 95% right: {share:.2f} (chosen on this set)")


def main() -> None:
    """Prints the figures of each set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("sets", nargs="*", default=list(MEASURED))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for name in options.sets:
        asked = asked_of(verdict_set(name, options.home), options.home)
        report(name, asked)
        if options.show and name != NEVER_SHOWN:
            for one in asked:
                answer = one.answer
                if answer.proposed_verdict and answer.proposed_verdict != one.truth:
                    print(
                        f"    {answer.status}, {answer.proposed_verdict} for {one.truth}, "
                        f"{answer.verdict_probability:.2f}: {one.item.question} → {answer.text}"
                    )


if __name__ == "__main__":
    main()
