"""The fitted model, and the decision that its probability makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from configs.plans import Answering, Verdicts
from configs.weights import Linear, VerdictWeights, load_verdict_weights
from tasks.answering.decision.decide import decide
from tasks.answering.drafts.draft import VERDICTS, Asked, Check, Draft, Proposal
from tasks.answering.verdicts.features import FEATURES, Contrasts, Reading
from tasks.answering.verdicts.model import agreement, joint_probabilities, propose
from tasks.errors import UsageError
from tasks.records import AnswerStatus, Citation, Hit, Question, Verdict
from tests.made.chunks import chunk_of

BY_POLARITY = VerdictWeights(
    settles=Linear(intercept=-2.0, weights={"covered_in_place": 6.0}),
    says={
        "yes": Linear(intercept=0.0, weights={}),
        "no": Linear(intercept=-4.0, weights={"polarity_differs": 8.0}),
        "partial": Linear(intercept=-4.0, weights={"restricted_clause": 8.0}),
    },
    right=Linear(intercept=0.0, weights={"best": 1.0}),
)
PLAN = Answering(decline_below=0.5, review_below=0.5, verdicts=Verdicts(answered_from=0.9, proposed_from=0.5))
QUESTION = Question("q", 0, "Do you encrypt backups?", kind="yes_no")
QUOTE = Citation("d", "policy.pdf", "0", 3, "Backups are encrypted.", 0, 22)


def reading(quote: str) -> Reading:
    """A reading of that quote beside QUESTION."""
    return Reading(QUESTION.text, quote, quote, "", 0.0, 0.0, 0.0, 1, 0.0, Contrasts())


@pytest.mark.parametrize(
    ("quotes", "verdict", "at"),
    [
        (["Backups are encrypted."], "yes", 0),
        (["Lunch is at noon.", "Backups are not encrypted."], "no", 1),
        (["Backups are encrypted only in Premium."], "partial", 0),
    ],
)
def test_the_passage_that_settles_gives_the_verdict(quotes: list[str], verdict: Verdict, at: int) -> None:
    found = propose([reading(quote) for quote in quotes], BY_POLARITY)
    assert found is not None
    assert (found.proposal.verdict, found.at) == (verdict, at)
    assert found.proposal.probability > 0.5
    assert sum(found.proposal.chances) == pytest.approx(1)
    assert found.proposal.chances[VERDICTS.index(verdict)] == found.proposal.probability


def test_a_document_comes_before_a_past_answer_to_another_question() -> None:
    past = replace(reading("Backups are not encrypted."), is_past_answer=True)
    found = propose([past, reading("Our backups are encrypted.")], BY_POLARITY)
    assert found is not None and (found.proposal.verdict, found.at) == ("yes", 1)
    found = propose([past, reading("Lunch is at noon.")], BY_POLARITY)
    assert found is not None and (found.proposal.verdict, found.at) == ("no", 0), "where no document settles it"


def test_the_share_that_agrees_is_of_what_any_passage_says() -> None:
    joint = np.array([[0.5, 0.1, 0.1], [0.5, 0.0, 0.0], [0.0, 0.1, 0.0]])
    agreed = agreement(joint, np.zeros((3, len(FEATURES))))["agreed"]
    assert agreed == pytest.approx(0.75 / (0.75 + 0.19 + 0.1))


@pytest.mark.parametrize(
    ("settled", "told"), [(0.6, "check the quote"), (0.2, "the quote may be about something else")]
)
def test_a_person_is_told_where_the_quote_may_settle_nothing(settled: float, told: str) -> None:
    draft = Draft("Backups.", None, (QUOTE,), 0.9, is_verbatim=True, proposal=Proposal("yes", 0.6, (), settled))
    answer = decide(Asked(QUESTION, [made_hit(0.9)]), draft, PLAN, "extractive")
    assert answer.detail == f"probably yes (60%): {told}"


def test_a_past_answer_that_agrees_makes_a_verdict_surer() -> None:
    weights = BY_POLARITY.model_copy(update={"right": load_verdict_weights("bidfolio").right})
    document = reading("Our backups are encrypted.")
    past = replace(reading("Backups are encrypted."), is_past_answer=True)
    alone, both = propose([document], weights), propose([past, document], weights)
    assert alone is not None and both is not None
    assert (alone.at, alone.beside, both.at, both.beside) == (0, None, 1, 0)
    assert both.proposal.probability > alone.proposal.probability
    against = propose([replace(past, quote="Backups are not encrypted."), document], weights)
    assert against is not None and against.beside is None
    assert against.proposal.probability < alone.proposal.probability


def test_no_passage_proposes_nothing() -> None:
    assert propose([], BY_POLARITY) is None


def test_the_probabilities_of_a_passage_are_a_part_of_one() -> None:
    features = np.random.default_rng(0).normal(size=(7, len(FEATURES)))
    joint = joint_probabilities(features, load_verdict_weights("bidfolio"))
    assert joint.shape == (7, len(VERDICTS))
    assert (joint >= 0).all() and (joint.sum(axis=1) <= 1 + 1e-9).all()


def test_the_weights_name_known_features_alone() -> None:
    weights = load_verdict_weights("bidfolio")
    assert {*weights.settles.weights} <= {*FEATURES}
    assert all({*one.weights} <= {*FEATURES} for one in weights.says.values())
    assert {*weights.says} == {*VERDICTS}
    told = agreement(np.full((1, 3), 0.2), np.zeros((1, len(FEATURES))))
    assert {*weights.right.weights} <= {*told}


def test_unknown_weights_are_refused() -> None:
    with pytest.raises(UsageError, match="there are no verdict weights 'nothing'; there are: bidfolio"):
        load_verdict_weights("nothing")


@pytest.mark.parametrize(
    ("probability", "support", "status", "verdict", "proposed"),
    [
        (0.95, 0.9, "answered", "yes", "yes"),
        (0.7, 0.9, "needs_review", None, "yes"),
        (0.3, 0.9, "needs_review", None, None),
        (0.3, 0.0, "declined", None, None),
    ],
)
def test_the_probability_decides(
    probability: float, support: float, status: AnswerStatus, verdict: Verdict | None, proposed: Verdict | None
) -> None:
    hits = [made_hit(support)]
    proposal = Proposal("yes", probability)
    draft = Draft(QUOTE.quote, None, (QUOTE,), support, is_verbatim=True, proposal=proposal)
    answer = decide(Asked(QUESTION, hits), draft, PLAN, "extractive")
    assert (answer.status, answer.verdict, answer.proposed_verdict) == (status, verdict, proposed)
    assert answer.verdict_probability == (probability if proposed else None)
    assert len(answer.detail) <= 80


def made_hit(share: float) -> Hit:
    """A hit that has that share of the question's words."""
    return Hit("q", 1, chunk_of(QUOTE.quote), 1.0, share, share, share)


def test_a_conflict_overrules_a_sure_verdict() -> None:
    draft = Draft(
        QUOTE.quote,
        None,
        (QUOTE,),
        0.9,
        proposal=Proposal("yes", 0.99),
        checks=(Check("conflict", False, "another document says 30 days"),),
    )
    answer = decide(Asked(QUESTION, [made_hit(0.9)]), draft, PLAN, "extractive")
    assert (answer.status, answer.verdict, answer.proposed_verdict) == ("needs_review", None, "yes")


def test_a_models_own_word_beside_which_nothing_is_weighed_is_worth_a_look() -> None:
    draft = Draft("No.", "no", (QUOTE,), 0.9)
    alone = decide(Asked(QUESTION, [made_hit(0.9)]), draft, PLAN, "openai")
    assert (alone.status, alone.proposed_verdict) == ("needs_review", "no")
    weighed = decide(Asked(QUESTION, [made_hit(0.9)]), replace(draft, proposal=Proposal("no", 0.3)), PLAN, "openai")
    assert (weighed.status, weighed.proposed_verdict) == ("needs_review", None)
