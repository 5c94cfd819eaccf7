"""How far the verdicts of a served language model are to be believed: what it knows and what it guesses.

Run: .venv/bin/python -m tests.bench.fit_replies HOME [SET …] [--sample N] [--out configs/verdicts/bidfolio.json]

The server of BIDFOLIO_OPENAI_BASE_URL answers the yes/no questions of the sets, by default those that verdicts are
fitted on, without any weight (:mod:`tests.bench.verdicts`). Its guesses are as frequent as its replies, one more of
each. What it knows is the probability that makes the true outcomes likeliest, given what the passages say; half as much
is taken, as the passages were read by weights that know these questions, and both err on the same ones.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from math import log
from pathlib import Path

from configs.plans import load_plan
from configs.weights import Replies, load_verdict_weights
from tasks.answering.verdicts.replied import OUTCOMES, weighed
from tests.bench.verdict_sets import FITTED, verdict_set
from tests.bench.verdicts import Asked, asked_of, with_replies_known

STEPS = 100
SHARE_TAKEN = 0.5


def fitted(asked: Sequence[Asked]) -> Replies:
    """The weight of a model's replies, by answers in which they had none; of no answers, nothing known."""
    said = Counter(one.draft.replied for one in asked if one.draft.replied in OUTCOMES)
    total = sum(said.values()) + len(OUTCOMES)
    guess: dict[str, float] = {outcome: round((said[outcome] + 1) / total, 3) for outcome in OUTCOMES}
    tried = [Replies(known=step / STEPS, guess=guess) for step in range(STEPS)]
    return max(tried, key=lambda replies: sum(likelihood(one, replies) for one in asked))


def likelihood(one: Asked, replies: Replies) -> float:
    """The log-probability of the true outcome after the reply; 0 where nothing was weighed."""
    if one.draft.proposal is None or not one.draft.proposal.chances:
        return 0.0
    chances = weighed(one.draft.proposal, one.draft.replied, replies).chances
    at = next((at for at, outcome in enumerate(OUTCOMES) if outcome == one.truth), OUTCOMES.index("not_settled"))
    return log(max(1e-6, chances[at]))


def main() -> None:
    """Prints what a model says by what is true, and what it knows and guesses; writes that where asked to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("sets", nargs="*", default=list(FITTED))
    parser.add_argument("--sample", type=int)
    parser.add_argument("--out")
    options = parser.parse_args()
    plan = with_replies_known(load_plan("bidfolio"), 0.0)
    asked = [
        one
        for name in options.sets
        for one in asked_of(verdict_set(name, options.home), options.home, plan, "openai", options.sample)
    ]
    table = Counter((one.truth or "not_settled", one.draft.replied) for one in asked)
    for truth in OUTCOMES:
        row = {replied: count for (true, replied), count in sorted(table.items(), key=str) if true == truth}
        print(f"{truth}: {', '.join(f'{count} {replied}' for replied, count in row.items()) or 'none'}")
    replies = fitted(asked)
    taken = replies.model_copy(update={"known": round(SHARE_TAKEN * replies.known, 2)})
    print(f"{len(asked)} questions; known {replies.known:.2f}, of which is taken {taken.known}; guesses {taken.guess}")
    if options.out:
        weights = load_verdict_weights(Path(options.out).stem).model_copy(update={"replies": taken})
        Path(options.out).write_text(json.dumps(weights.model_dump(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
