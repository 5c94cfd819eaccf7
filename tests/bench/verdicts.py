"""The headline of each set, and how many yes/no questions are answered, how many wrongly, how good the proposals are.

Run: .venv/bin/python -m tests.bench.verdicts HOME [SET …] [--generators extractive openai perfect] [--sample N]
         [--replies-known P] [--show]

SET is one of :mod:`tests.bench.verdict_sets`; by default those that nothing is fitted on. Each is asked of its own
corpus, which is built below HOME where it is not there yet. The figures are those of ``bidfolio evaluate``, over the
yes/no questions whose answer is known, with Wilson's 95% intervals. Of several generators they stand one below the
other, of the same questions: ``openai`` is the server of BIDFOLIO_OPENAI_BASE_URL, whose replies are kept in HOME, and
``perfect`` a model that gives the gold's verdict and words and cites the passages that hold the evidence, or finds
nothing where none of them was handed over. ``--sample`` takes N questions of each set, by the hash of their words.
``--show`` prints what is answered or proposed wrongly: not for ``saltmarsh``, which nobody tunes on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from statistics import median
from typing import Final, NamedTuple

from configs.plans import Plan, load_plan
from tasks.answering.drafts import draft as drafting
from tasks.answering.pipeline import answer_questions
from tasks.answering.quotes.context_passages import on_one_page, text_of
from tasks.evaluation.gold.outcomes import Outcome, outcome_of
from tasks.evaluation.metrics.figures import counted_figures, proposals
from tasks.evaluation.metrics.headline import headline
from tasks.records import GoldQuestion, Question
from tasks.statistics.estimates import Figure, mean, wilson
from tests.bench.fit_verdicts import is_quoted
from tests.bench.replying import Replying
from tests.bench.verdict_sets import MEASURED, VerdictSet, loaded_for, verdict_set

NEVER_SHOWN = "saltmarsh"
GENERATORS = ("extractive", "openai", "perfect")
SHARES: Final = {
    "verdict_coverage": "answered, of those with a true verdict",
    "verdict_given_precision": "right of those answered",
    "verdict_wrongly_given": "wrongly answered, of all",
    "verdict_proposal_precision": "proposals to review, right",
    "verdict_right_or_proposed": "right verdict answered or proposed, of those with one",
    "verdict_unanswerable_open": "not answerable, without any verdict",
    "verdict_unanswerable_not_given": "not answerable, not answered",
}


class Asked(NamedTuple):
    """A question with its answer as ``evaluate`` counts it, and the draft that it became of."""

    outcome: Outcome
    draft: drafting.Draft

    @property
    def item(self) -> GoldQuestion:
        """The question as the gold set has it."""
        return self.outcome.gold

    @property
    def truth(self) -> str | None:
        """The true verdict; None where nothing answers the question."""
        return self.item.verdict if self.item.answerable else None


def is_yes_no(item: GoldQuestion, question: Question) -> bool:
    """True for a yes/no question whose answer is known."""
    return question.kind == "yes_no" and (item.verdict is not None or not item.answerable)


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
    of: VerdictSet,
    home: str,
    plan: Plan | None = None,
    generator: str = "extractive",
    sample: int | None = None,
    is_wanted: Callable[[GoldQuestion, Question], bool] = is_yes_no,
) -> list[Asked]:
    """The wanted questions of the set, or a ``sample`` of so many, answered by the generator."""
    plan = plan or load_plan("bidfolio")
    named = "extractive" if generator == "perfect" else generator
    plan = plan.model_copy(update={"answering": plan.answering.model_copy(update={"generator": named})})
    loaded, _ = loaded_for(of, home, plan)
    if generator == "perfect":
        loaded = replace(loaded, answerer=replace(loaded.answerer, generator=perfect(of)))
    wanted = [pair for pair in zip(of.items, of.questions, strict=True) if is_wanted(*pair)]
    if sample is not None:
        wanted = sorted(wanted, key=lambda pair: sha256(pair[1].text.encode()).digest())[:sample]
    done = answer_questions([question for _, question in wanted], loaded)
    return [
        Asked(outcome_of(item, hits, one.answer), one.draft)
        for (item, _), hits, (one, _) in zip(wanted, done.hits, done.settled, strict=True)
    ]


def share(figure: Figure) -> str:
    """A share with Wilson's interval; "none" of nothing."""
    if figure.value is None:
        return "none"
    low, high = wilson(figure.successes, figure.n)
    return f"{figure.successes} of {figure.n} = {figure.value:.2f} [{low:.2f}, {high:.2f}]"


def report(name: str, asked: Sequence[Asked]) -> None:
    """Prints the figures of one set's answers."""
    found: Mapping[str, Figure] = counted_figures([one.outcome for one in asked])
    silent = sum(not one.item.answerable for one in asked)
    print(f"\n{name}: {len(asked)} yes/no questions, {silent} of them not answerable; {headline(found)}")
    for metric, words in SHARES.items():
        print(f"  {words}: {share(found[metric])}")
    error = found["verdict_calibration_error"]
    told = "none" if error.value is None else f"{error.value:.3f}"
    print(f"  calibration error of the probability: {told} (n {error.n})")
    most = found["verdict_coverage_where_95_right"].value or 0.0
    print(f"  most of all that some threshold would answer with 95% right: {most:.2f} (chosen on this set)")
    replied = [one.draft.replied == (one.truth or "not_settled") for one in asked if one.draft.replied]
    taken = [s for one in asked if (s := sum(attempt.seconds for attempt in one.draft.attempts)) > 0]
    if replied:
        print(f"  the model's own verdict, right: {share(mean(replied))}")
    if taken:
        print(f"  seconds a reply: median {median(taken):.1f}, most {max(taken):.1f} (n {len(taken)})")


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
        for generator in options.generators:
            asked = asked_of(verdict_set(name, options.home), options.home, plan, generator, options.sample)
            report(f"{name}, {generator}", asked)
            if options.show and name != NEVER_SHOWN:
                for one, proposed in zip(asked, proposals([one.outcome for one in asked]), strict=True):
                    if proposed.proposed and proposed.proposed != proposed.truth:
                        print(
                            f"    {one.outcome.status}, {proposed.proposed} for {proposed.truth}, "
                            f"{proposed.probability:.2f}: {one.item.question} → {one.outcome.text}"
                        )


def with_replies_known(plan: Plan, known: float | None) -> Plan:
    """The plan, whose model servers know the verdicts of their replies with that probability."""
    if known is None or plan.answering.verdicts is None:
        return plan
    verdicts = plan.answering.verdicts.model_copy(update={"replies_known": known})
    return plan.model_copy(update={"answering": plan.answering.model_copy(update={"verdicts": verdicts})})


if __name__ == "__main__":
    main()
