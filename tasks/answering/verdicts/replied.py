"""Verdicts in a language model's replies, weighed as evidence beside the passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from configs.plans import Verdicts
from configs.weights import Replies, load_verdict_weights
from tasks.answering.conflicts.past_answers import answered_another
from tasks.answering.drafts.draft import OVERRULING, VERDICTS, Asked, Draft, Proposal, Replied, joined
from tasks.text.characters import fold

OUTCOMES: tuple[Replied, ...] = (*VERDICTS, "not_settled")
NOTHING_READ = Proposal("yes", 1 / len(OUTCOMES), (1 / len(OUTCOMES),) * len(OUTCOMES))
"""The proposal where nothing is known from the passages."""
FINAL = ("generator_failed", "conflict")
"""The reasons of declines that no verdict changes."""


def weighed(proposal: Proposal, replied: Replied | None, replies: Replies) -> Proposal:
    """The proposal updated by a model's reply, by Bayes' rule; unchanged where the reply has none of the weighed
    verdicts. The model knows the verdict with the probability ``replies.known``, and else guesses.
    """
    if replied not in OUTCOMES:
        return proposal
    rest = (1 - proposal.probability) / len(VERDICTS)
    before = proposal.chances or tuple(proposal.probability if one == proposal.verdict else rest for one in OUTCOMES)
    guessed = (1 - replies.known) * replies.guess[replied]
    after = [one * (guessed + replies.known * (of == replied)) for of, one in zip(OUTCOMES, before, strict=True)]
    chances = tuple(one / sum(after) for one in after)
    best = max(range(len(VERDICTS)), key=chances.__getitem__)
    return Proposal(VERDICTS[best], chances[best], chances)


def with_replies_weighed(
    asked: Sequence[Asked],
    drafts: Sequence[Draft],
    plan: Verdicts | None,
    quote: Callable[[Sequence[Asked]], Sequence[Draft]],
) -> list[Draft]:
    """The drafts, where each of a language model for a yes/no question gives way to the one with the likeliest verdict
    by the passages and the model together: its own, or a verbatim one, which ``quote`` makes.
    """
    found = list(drafts)
    at = [
        number
        for number, (item, draft) in enumerate(zip(asked, drafts, strict=True))
        if item.question.kind == "yes_no" and draft.replied is not None and draft.declined not in FINAL
    ]
    if plan is None or not at:
        return found
    replies = load_verdict_weights(plan.weights).replies
    if plan.replies_known is not None:
        replies = replies.model_copy(update={"known": plan.replies_known})
    for number, quoted in zip(at, quote([asked[number] for number in at]), strict=True):
        proposal = weighed(quoted.proposal or NOTHING_READ, drafts[number].replied, replies)
        if quoted.proposal is None and (drafts[number].declined or proposal.probability < plan.proposed_from):
            continue
        found[number] = _likeliest(asked[number], drafts[number], quoted, proposal, plan)
    return found


def _likeliest(asked: Asked, draft: Draft, quoted: Draft, proposal: Proposal, plan: Verdicts) -> Draft:
    """The draft for the weighed ``proposal``: the model's where it has that verdict, or no verdict is likely; else the
    ``quoted`` one. Where the verdict is sure and the model's words are in doubt, quotes take their place.
    """
    if proposal.probability < plan.proposed_from:
        return replace(draft, proposal=proposal)
    says_it = draft.declined is None and draft.replied in ("unsaid", proposal.verdict)
    reads_so = quoted.proposal is not None and quoted.proposal.verdict == proposal.verdict
    failed = {check.name for check in draft.checks if not check.passed} & OVERRULING
    # What a person has to see for another reason stays in the model's words.
    is_in_doubt = proposal.probability >= plan.answered_from and failed == {"entailment"}
    only_quotes = any(fold(draft.text or "") == fold(citation.quote) for citation in draft.citations)
    if says_it and not (reads_so and only_quotes):
        if not is_in_doubt:
            return replace(draft, proposal=proposal)
        if not reads_so or quoted.overruled_by or answered_another(asked, quoted.citations):
            return replace(_in_quotes(draft), proposal=proposal)
    told = "" if says_it or draft.replied is None else f"the model replies: {draft.replied.replace('_', ' ')}"
    return replace(
        quoted,
        proposal=proposal,
        detail=joined(quoted.detail, told),
        attempts=draft.attempts,
        replied=draft.replied,
    )


def _in_quotes(draft: Draft) -> Draft:
    """The draft with the quotes that it cites as its text, which nobody has to check against their sources."""
    text = " ".join(dict.fromkeys(citation.quote for citation in draft.citations))
    checks = tuple(check for check in draft.checks if check.name != "entailment")
    return replace(draft, text=text, checks=checks, is_verbatim=True)
