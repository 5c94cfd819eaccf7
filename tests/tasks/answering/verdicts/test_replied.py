"""A language model's verdict as evidence beside what the passages say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from configs.plans import Verdicts
from configs.weights import Replies, load_verdict_weights
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Check, Draft, Proposal, Replied
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.answering.verdicts.replied import OUTCOMES, weighed, with_replies_weighed
from tasks.records import Citation, Verdict
from tests.made.scripted_server import scripted_server
from tests.made.snapshots import TEXT, asked

EVEN = Replies(known=0.4)
PLAN = Verdicts(answered_from=0.9, proposed_from=0.5)
QUESTION = asked("Are database snapshots taken every four hours?", "yes_no")
OWN = Citation("d", "bcp.pdf", "0", 4, TEXT, 0, len(TEXT))
QUOTE = "Snapshots of databases are taken every four hours."
READ = Citation("d", "policy.pdf", "0", 2, QUOTE, 0, len(QUOTE))


def proposal(verdict: Verdict, probability: float) -> Proposal:
    """A proposal whose other outcomes are equally likely."""
    rest = (1 - probability) / 3
    return Proposal(verdict, probability, tuple(probability if one == verdict else rest for one in OUTCOMES))


@pytest.mark.parametrize("verdict", ["yes", "no", "partial"])
@pytest.mark.parametrize("probability", [0.3, 0.6, 0.9])
def test_agreement_makes_a_proposal_surer_and_disagreement_less_sure(verdict: Verdict, probability: float) -> None:
    before = proposal(verdict, probability)
    assert weighed(before, verdict, EVEN).probability > probability
    for other in set(OUTCOMES) - {verdict}:
        after = weighed(before, other, EVEN)
        assert dict(zip(OUTCOMES, after.chances, strict=True))[verdict] < probability
        assert sum(after.chances) == pytest.approx(1)


def test_a_verdict_that_is_mostly_guessed_counts_for_less() -> None:
    biased = Replies(known=0.4, guess={"yes": 0.9, "no": 0.05, "partial": 0.025, "not_settled": 0.025})
    gain = {said: weighed(proposal(said, 0.6), said, biased).probability - 0.6 for said in ("yes", "no")}
    assert 0 < gain["yes"] < gain["no"]


@pytest.mark.parametrize("replied", ["unsaid", "not_applicable", None])
def test_a_reply_without_a_verdict_that_is_weighed_changes_nothing(replied: Replied | None) -> None:
    assert weighed(proposal("no", 0.7), replied, EVEN) == proposal("no", 0.7)


def test_what_is_sure_or_known_by_nobody_stays() -> None:
    assert weighed(Proposal("yes", 1.0), "no", EVEN).probability == 1.0, "a past answer to the same question"
    assert weighed(proposal("yes", 0.7), "no", Replies()).probability == pytest.approx(0.7)


def test_a_model_that_knows_more_counts_for_more() -> None:
    after = [weighed(proposal("yes", 0.7), "no", Replies(known=known)) for known in (0.1, 0.7, 0.9)]
    assert [one.verdict for one in after] == ["yes", "no", "no"]
    assert after[1].probability < after[2].probability


def test_the_shipped_weights_know_every_outcome() -> None:
    replies = load_verdict_weights("bidfolio").replies
    assert {*replies.guess} == {*OUTCOMES} and sum(replies.guess.values()) == pytest.approx(1)
    assert 0 < replies.known < 1


def written(replied: Replied, *checks: Check, **changes: Any) -> Draft:
    """A model's draft."""
    verdict = replied if replied in ("yes", "no", "partial") else None
    draft = Draft("We take them every four hours.", verdict, (OWN,), 0.9, checks=checks, replied=replied)
    return replace(draft, **changes)


def became(draft: Draft, read: Proposal | None, *checks: Check, plan: Verdicts | None = PLAN) -> Draft:
    """The draft after weighing, beside a verbatim one whose passage reads so."""

    def quote(items: Sequence[Asked]) -> list[Draft]:
        quoted = Draft(QUOTE, None, (READ,), 0.9, is_verbatim=True, proposal=read, checks=checks)
        return [quoted for _ in items]

    (found,) = with_replies_weighed([QUESTION], [draft], plan, quote)
    return found


DOUBTED = Check("entailment", False, "check that it is supported")
KNOWN = PLAN.model_copy(update={"replies_known": 0.5})


@pytest.mark.parametrize(
    ("draft", "read", "checks", "verdict", "text"),
    [
        (written("yes"), proposal("yes", 0.85), (), "yes", "We take them every four hours."),
        (written("no"), proposal("yes", 0.95), (), "yes", QUOTE),
        (written("no"), proposal("yes", 0.55), (), "no", "We take them every four hours."),
        (written("yes", DOUBTED), proposal("yes", 0.85), (), "yes", QUOTE),
        (written("yes", DOUBTED), proposal("yes", 0.4), (), "yes", "We take them every four hours."),
        (written("yes", DOUBTED), proposal("yes", 0.85), (Check("reading", False),), "yes", TEXT),
        (written("no", DOUBTED), Proposal("yes", 0.51, (0.51, 0.49, 0.0, 0.0)), (), "no", "We take them"),
        (written("yes", text=TEXT), proposal("yes", 0.6), (), "yes", QUOTE),
        (written("not_settled", text=None, declined="no_evidence"), proposal("yes", 0.9), (), "yes", QUOTE),
        (written("yes", text=None, declined="unsupported"), proposal("yes", 0.7), (), "yes", QUOTE),
    ],
    ids=[
        "both",
        "the model is outweighed",
        "the passages are outweighed",
        "sure in doubtful words",
        "unsure in doubtful words",
        "a quote that a person has to read",
        "the passages are outweighed, in doubtful words",
        "a bare verdict",
        "found by one",
        "unsupported",
    ],
)
def test_the_draft_that_says_the_likeliest_verdict_is_taken(
    draft: Draft, read: Proposal, checks: Sequence[Check], verdict: Verdict, text: str
) -> None:
    found = became(draft, read, *checks, plan=KNOWN)
    assert found.proposal is not None and found.declined is None
    assert found.proposal.verdict == verdict and (found.text or "").startswith(text)
    assert found.replied == draft.replied, "so that it can be measured"


@pytest.mark.parametrize(
    ("draft", "read"),
    [
        (written("not_settled", text=None, declined="no_evidence"), proposal("yes", 0.5)),
        (written("yes", text=None, declined="conflict"), proposal("yes", 0.99)),
        (Draft(None, None, (), 0.0, declined="generator_failed"), proposal("yes", 0.99)),
        (written("yes", text=None, declined="unsupported"), None),
    ],
    ids=["nothing is likely", "documents contradict each other", "no reply", "no passage"],
)
def test_what_no_verdict_mends_stays_declined(draft: Draft, read: Proposal | None) -> None:
    assert became(draft, read).declined == draft.declined


def test_a_model_that_is_believed_is_quoted_where_its_words_are_in_doubt() -> None:
    believed = PLAN.model_copy(update={"replies_known": 0.95})
    found = became(written("no", DOUBTED), proposal("yes", 0.55), plan=believed)
    assert found.proposal is not None and found.proposal.verdict == "no" and found.proposal.probability > 0.9
    assert (found.text, found.is_verbatim, found.overruled_by) == (TEXT, True, [])
    contested = became(written("no", DOUBTED, Check("conflict", False)), proposal("yes", 0.55), plan=believed)
    assert contested.text == written("no").text and contested.overruled_by, "a conflict is for a person"


def test_a_model_is_believed_by_itself_where_the_passages_say_nothing() -> None:
    believed = PLAN.model_copy(update={"replies_known": 0.95})
    found = became(written("no"), None, plan=believed)
    assert found.proposal is not None and (found.proposal.verdict, found.text) == ("no", written("no").text)
    assert found.proposal.probability > 0.9
    assert became(written("no"), None) == written("no"), "one that mostly guesses is not"


def test_a_reply_has_no_weight_where_a_plan_says_so() -> None:
    found = became(written("no"), proposal("yes", 0.7), plan=PLAN.model_copy(update={"replies_known": 0.0}))
    assert found.proposal is not None and found.proposal.probability == pytest.approx(0.7)
    assert became(written("no"), proposal("yes", 0.7), plan=None) == written("no")


@pytest.mark.parametrize(
    ("reply", "replied"),
    [
        ({"verdict": "yes", "answer": "Snapshots are taken every four hours.", "citations": [1]}, "yes"),
        ({"verdict": "no", "answer": "They are taken at noon on the moon.", "citations": [1]}, "no"),
        ({"verdict": "not_found", "answer": None, "citations": []}, "not_settled"),
        ({"verdict": "unclear", "answer": None, "citations": []}, "not_settled"),
        ({"verdict": None, "answer": "Snapshots are taken every four hours.", "citations": [1]}, "unsaid"),
        ({"verdict": "yes", "answer": "No.", "citations": [1]}, "unsaid"),
        ({"verdict": "partial", "answer": None, "citations": []}, "partial"),
    ],
)
def test_the_verdict_of_a_reply_is_kept_whatever_becomes_of_its_words(reply: dict[str, Any], replied: Replied) -> None:
    with scripted_server((200, reply)) as (server, _):
        (draft,) = check_drafts([QUESTION], OpenAIGenerator(server).draft([QUESTION]), Opinions())
    assert draft.replied == replied
