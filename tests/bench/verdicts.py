"""How many yes/no questions are answered, how many of these wrongly, and how good the proposals are.

Run: .venv/bin/python -m tests.bench.verdicts HOME [SET …] [--generators extractive openai perfect] [--sample N]
         [--replies-known P] [--show]

SET is one of :mod:`tests.bench.verdict_sets`; by default those that nothing is fitted on. Each is asked of its own
corpus, which is built below HOME where it is not there yet. Of several generators the figures stand side by side, of
the same questions: ``openai`` is the server of BIDFOLIO_OPENAI_BASE_URL, whose replies are kept in HOME, and
``perfect`` a model that gives the gold's verdict and words and cites the passages that hold the evidence, or finds
nothing where none of them was handed over. ``--sample`` takes N questions of each set, by the hash of their words.
Intervals are Wilson's at 95%. ECE is over ten bins of the probability of what is proposed. ``--show`` prints what is
answered wrongly: not for ``saltmarsh``, which nobody tunes on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from statistics import median
from typing import NamedTuple

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from configs.plans import Plan, load_plan
from tasks.answering import drafting
from tasks.answering.pipeline import answer_questions
from tasks.answering.quotes.context_passages import on_one_page, text_of
from tasks.records import Answer, GoldQuestion
from tests.bench.fit_verdicts import is_quoted
from tests.bench.replying import Replying
from tests.bench.verdict_sets import MEASURED, VerdictSet, loaded_for, verdict_set

NEVER_SHOWN = "saltmarsh"
BINS = 10
GENERATORS = ("extractive", "openai", "perfect")


class Asked(NamedTuple):
    """A yes/no question with its answer, and the draft that it became of."""

    item: GoldQuestion
    answer: Answer
    draft: drafting.Draft

    @property
    def truth(self) -> str | None:
        """The true verdict; None where nothing answers the question."""
        return self.item.verdict if self.item.answerable else None


def perfect(of: VerdictSet) -> Replying:
    """A model that knows the gold set and cites the passages that hold the evidence."""
    items = {question.question_id: item for item, question in zip(of.items, of.questions, strict=True)}

    def reply_of(asked: drafting.Asked) -> str:
        item = items[asked.question.question_id]
        quotes = of.quotes.get(item.question_id, ())
        cited = [at for at, hit in enumerate(on_one_page(asked.hits), 1) if is_quoted(text_of(hit), quotes)]
        if not (item.answerable and cited):
            return json.dumps({"citations": [], "verdict": "not_found", "answer": None})
        return json.dumps({"citations": cited, "verdict": item.verdict, "answer": item.answer})

    return Replying(reply_of)


def asked_of(
    of: VerdictSet, home: str, plan: Plan | None = None, generator: str = "extractive", sample: int | None = None
) -> list[Asked]:
    """The yes/no questions of the set, or a ``sample`` of so many, answered by the generator."""
    plan = plan or load_plan("bidfolio")
    named = "extractive" if generator == "perfect" else generator
    plan = plan.model_copy(update={"answering": plan.answering.model_copy(update={"generator": named})})
    loaded, _ = loaded_for(of, home, plan)
    if generator == "perfect":
        loaded = replace(loaded, answerer=replace(loaded.answerer, generator=perfect(of)))
    wanted = [
        (item, question)
        for item, question in zip(of.items, of.questions, strict=True)
        if question.kind == "yes_no" and (item.verdict or not item.answerable)
    ]
    if sample is not None:
        wanted = sorted(wanted, key=lambda pair: sha256(pair[1].text.encode()).digest())[:sample]
    done = answer_questions([question for _, question in wanted], loaded)
    return [Asked(item, one.answer, one.draft) for (item, _), (one, _) in zip(wanted, done.settled, strict=True)]


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


def figures(asked: Sequence[Asked]) -> dict[str, str]:
    """The figures of the answers to one set's questions, by what they say."""
    known = [one for one in asked if one.truth]
    silent = [one for one in asked if not one.truth]
    answered = [one for one in asked if one.answer.verdict]
    proposed = [one for one in asked if one.answer.proposed_verdict and not one.answer.verdict]
    wrong = [bool(one.answer.verdict) and one.answer.verdict != one.truth for one in asked]
    either = [one.answer.proposed_verdict == one.truth for one in known]
    given = [one for one in asked if one.answer.verdict_probability is not None]
    error = calibration_error(
        [one.answer.verdict_probability or 0.0 for one in given],
        [one.answer.proposed_verdict == one.truth for one in given],
    )
    surest = sorted(given, key=lambda one: -(one.answer.verdict_probability or 0.0))
    right = np.cumsum([one.answer.proposed_verdict == one.truth for one in surest])
    held = [count for count, hits in enumerate(right, 1) if hits >= 0.95 * count]
    return {
        "became": ", ".join(
            f"{count} {status}" for status, count in Counter(one.answer.status for one in asked).items()
        ),
        "answered, of those with a true verdict": rate([bool(one.answer.verdict) for one in known]),
        "right of those answered": rate([one.answer.verdict == one.truth for one in answered]),
        "wrongly answered, of all": rate(wrong),
        "proposals to review, right": rate([one.answer.proposed_verdict == one.truth for one in proposed]),
        "right verdict answered or proposed, of those with one": rate(either),
        "not answerable, without any verdict": rate([not one.answer.proposed_verdict for one in silent]),
        "not answerable, not answered": rate([not one.answer.verdict for one in silent]),
        "calibration error of the probability": "none" if error is None else f"{error:.3f} (n {len(given)})",
        "most of all that some threshold would answer with 95% right": f"{max(held, default=0) / len(asked):.2f}",
        "the model's own verdict": _own_verdicts(asked),
        "seconds a reply, those kept from before left out": _seconds(asked),
    }


def _own_verdicts(asked: Sequence[Asked]) -> str:
    """How many of the verdicts that a language model gave are right, a "not found" being right of what nothing
    answers.
    """
    return rate([one.draft.replied == (one.truth or "not_settled") for one in asked if one.draft.replied])


def _seconds(asked: Sequence[Asked]) -> str:
    taken = [s for one in asked if (s := sum(attempt.seconds for attempt in one.draft.attempts)) > 0]
    return f"median {median(taken):.1f}, most {max(taken):.1f} (n {len(taken)})" if taken else "none"


def report(name: str, of: Mapping[str, Sequence[Asked]]) -> None:
    """Prints the figures of one set side by side, by who drafted."""
    first = next(iter(of.values()))
    print(f"\n{name}: {len(first)} yes/no questions, {sum(not one.truth for one in first)} of them not answerable")
    columns = {generator: figures(asked) for generator, asked in of.items()}
    if len(columns) > 1:
        print(f"  {'':60}{''.join(f'{generator:48}' for generator in columns)}".rstrip())
    for label in next(iter(columns.values())):
        print(f"  {label:60}{''.join(f'{found[label]:48}' for found in columns.values())}".rstrip())


def main() -> None:
    """Prints the figures of each set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("sets", nargs="*", default=list(MEASURED))
    parser.add_argument("--generators", nargs="+", choices=GENERATORS, default=["extractive"])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--replies-known", type=float)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    plan = with_replies_known(load_plan("bidfolio"), options.replies_known)
    for name in options.sets:
        of = verdict_set(name, options.home)
        asked = {by: asked_of(of, options.home, plan, by, options.sample) for by in options.generators}
        report(name, asked)
        if options.show and name != NEVER_SHOWN:
            for by, one in ((by, one) for by, some in asked.items() for one in some):
                answer = one.answer
                if answer.proposed_verdict and answer.proposed_verdict != one.truth:
                    print(
                        f"    {by}: {answer.status}, {answer.proposed_verdict} for {one.truth}, "
                        f"{answer.verdict_probability:.2f}: {one.item.question} → {answer.text}"
                    )


def with_replies_known(plan: Plan, known: float | None) -> Plan:
    """The plan, whose model servers know the verdicts of their replies with that probability."""
    if known is None or plan.answering.verdicts is None:
        return plan
    verdicts = plan.answering.verdicts.model_copy(update={"replies_known": known})
    return plan.model_copy(update={"answering": plan.answering.model_copy(update={"verdicts": verdicts})})


if __name__ == "__main__":
    main()
