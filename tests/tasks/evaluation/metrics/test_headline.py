from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from tasks.evaluation.gold.outcomes import Outcome, Place
from tasks.evaluation.metrics.figures import counted_figures
from tasks.evaluation.metrics.headline import headline
from tasks.records import AnswerStatus, GoldEvidence, GoldQuestion, Verdict

PAGE, OTHER = Place("a.pdf", 1), Place("a.pdf", 2)


def asked(
    status: AnswerStatus,
    truth: Verdict | None = None,
    said: Verdict | None = None,
    *,
    answerable: bool = True,
    cited: Place | None = None,
    wanted: Sequence[Place] = (PAGE,),
    text: str = "Do you encrypt backups?",
) -> Outcome:
    evidence = tuple(GoldEvidence(*one) for one in wanted) if answerable else ()
    gold = GoldQuestion("q", text, answerable, verdict=truth, evidence=evidence)
    probability = 0.9 if said else None
    given = Outcome(gold, [], status, said if status == "answered" else None, cited)
    return replace(given, proposed_verdict=said, verdict_probability=probability)


def told(outcomes: Sequence[Outcome]) -> str:
    return headline(counted_figures(outcomes))


def test_a_bid_manager_reads_what_can_be_sent_what_wants_a_look_and_what_is_not_there() -> None:
    open_one = partial(asked, text="How long are backups kept?")
    outcomes = [
        *[asked("answered", "yes", "yes", cited=PAGE)] * 2,
        asked("answered", "no", "yes", cited=PAGE),
        asked("answered", None, "yes", answerable=False),  # whatever is said, nothing answers it
        open_one("answered", cited=PAGE),
        open_one("answered", cited=OTHER),
        *[asked("needs_review", "yes", "yes", cited=PAGE)] * 4,
        asked("needs_review", "no", "yes", cited=PAGE),
        open_one("needs_review", cited=PAGE),
        *[asked("declined", answerable=False)] * 3,
        asked("declined", "yes"),
        asked("failed", "yes"),
    ]
    assert told(outcomes) == (
        "of 17 questions 6 can be sent (yes or no right in 2 of 4; others from a right page in 1 of 2), "
        "6 want a look (proposed yes or no right in 4 of 5), "
        "4 are not found in your documents (rightly in 3 of 4), 1 failed"
    )


def test_a_percentage_is_of_enough_questions_and_never_rounded_up() -> None:
    right, wrong = asked("answered", "yes", "yes", cited=PAGE), asked("answered", "no", "yes", cited=PAGE)
    assert "(yes or no right in 19 of 19)" in told([right] * 19)
    assert "(yes or no right in 100% of 20)" in told([right] * 20)
    assert "(yes or no right in 99% of 400)" in told([right] * 399 + [wrong])


@pytest.mark.parametrize("verdict", ["yes", None])
def test_what_the_gold_set_does_not_say_is_not_claimed(verdict: Verdict | None) -> None:
    """An answer that is known to be there, with neither its verdict nor its page."""
    unknown = asked("answered", None, verdict, cited=PAGE, wanted=())
    assert told([unknown]) == (
        "of 1 question 1 can be sent (the gold set does not say which are right), 0 want a look, "
        "0 are not found in your documents"
    )
    assert told([asked("needs_review", None, verdict, wanted=()), asked("declined", wanted=())]) == (
        "of 2 questions 0 can be sent, 1 wants a look, 1 is not found in your documents (rightly in 0 of 1)"
    )
    assert told([]) == ""
