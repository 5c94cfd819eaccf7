"""From a draft to an answer: answered, needs review, or declined, with a confidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from configs.plans import Answering, Verdicts
from tasks.answering.decision.answerability import confidence_of, is_unheard_of
from tasks.answering.decision.name_mismatch import other_name
from tasks.answering.drafts.draft import Asked, Draft, Proposal, joined, longest_text
from tasks.answering.quotes.context_passages import is_of
from tasks.answering.quotes.nearest_fact import whole_fact
from tasks.answering.verdicts.model import SETTLED_FROM
from tasks.questions.expected_answer import (
    MOST_WORDS,
    ONE_WORD,
    asks_for_more,
    is_about,
    is_long,
    is_one_word,
    missed,
)
from tasks.records import Answer, Citation
from tasks.text.characters import BLACKED_OUT, EMPTY
from tasks.text.negation import denials_of, denying_heading, excludes

HIGH_CONFIDENCE = 0.65
SHORT_OF_SURE = 0.01
_CUT = re.compile(r"^… [^\W\d_A-Z]|[\w,–-] …$")
"""The dots of a quote that begins or ends within a sentence; a list that is cut has whole lines."""
NOTHING_WEIGHED = Verdicts(answered_from=1.0, proposed_from=0.5)
"""The thresholds without a model of verdicts: what a language model says is proposed, and never given."""


class Remarks(NamedTuple):
    """Remarks for the person who reviews an answer. ``told`` are shown in any case; ``doubts`` about the question and
    ``of_citations`` about what the draft cites send an answer to review; ``to_do`` says what to do about a decline.
    """

    told: Sequence[str] = ()
    doubts: Sequence[str] = ()
    of_citations: Sequence[str] = ()
    to_do: Callable[[Citation | None], str] = lambda nearest_fact: ""


def decide(asked: Asked, draft: Draft, plan: Answering, generator: str, remarks: Remarks | None = None) -> Answer:
    """The answer that ``draft`` becomes under the plan's thresholds.

    The proposed verdict decides a yes/no question, and only what no probability weighs overrules it: contradictions,
    hidden orders, cut or blacked-out passages, outdated past answers, and a text that does not fit.
    """
    remarks, text = remarks or Remarks(), asked.question.text
    confidence = confidence_of(asked.hits, draft.support, plan)
    if draft.declined is not None or draft.text is None or not draft.citations:
        detail = draft.detail or "the draft cites nothing"
        draft = replace(draft, declined=draft.declined or "unsupported", detail=detail)
        return _declined(asked, draft, confidence, generator, remarks)
    verdicts, is_yes_no = plan.verdicts or NOTHING_WEIGHED, asked.question.kind == "yes_no"
    unclear = _unclear(text) if is_yes_no else ""
    proposal = _proposal(draft, verdicts) if is_yes_no and not unclear else None
    # What a model wrote was weighed by itself: on thin evidence it is for a person, and no reason to lose it.
    is_known = draft.is_approved or confidence is None or confidence >= plan.decline_below
    is_settled = proposal is not None or is_known
    if not is_settled and (draft.is_verbatim or is_unheard_of(asked.hits)):
        detail = joined("the documents do not settle it", draft.detail)
        near = draft.citations[0] if is_about(text, draft.citations[0].quote) else None
        draft = replace(draft, declined="weak_evidence", detail=detail, nearest_fact=near)
        return _declined(asked, draft, confidence, generator, remarks)
    doubts = [*remarks.doubts, *remarks.of_citations, *draft.overruled_by]
    if not draft.is_approved:
        doubts += _besides(asked, draft)
        if asks_for_more(text):
            doubts.append("more than one thing is asked: check that each is answered")
    doubts += _too_long(asked, draft)
    if is_yes_no:
        doubts += [unclear] if unclear else _unsure(proposal, verdicts)
    elif not draft.is_approved:
        doubts += _beside_the_point(asked, draft, plan, confidence)
    if draft.is_approved and doubts and confidence is not None:
        # What is doubted is not shown as sure, however alike the questions are.
        confidence = min(confidence, plan.review_below - SHORT_OF_SURE)
    return Answer(
        asked.question.question_id,
        "needs_review" if doubts else "answered",
        text=draft.text,
        verdict=None if doubts or proposal is None else proposal.verdict,
        confidence=confidence,
        detail=joined(*doubts, draft.detail, *remarks.told),
        generator=generator,
        nearest_fact=draft.denied_by,
        # What bears an approved answer out is a page that a reader can look at, unlike the answer itself.
        citations=(*draft.borne_out_by, *draft.citations)
        if draft.is_approved
        else (*draft.citations, *draft.borne_out_by),
        proposed_verdict=None if proposal is None else proposal.verdict,
        verdict_probability=None if proposal is None else proposal.probability,
        draft_probability=None if is_yes_no else draft.probability,
        is_withheld=draft.is_contradicted,
    )


def _proposal(draft: Draft, verdicts: Verdicts) -> Proposal | None:
    """The draft's proposal, where it is probable enough to be shown."""
    if draft.proposal is None and draft.verdict is not None:
        # A model's own word, beside which nothing could be weighed, is worth no more than a look.
        return Proposal(draft.verdict, verdicts.proposed_from)
    is_probable = draft.proposal is not None and draft.proposal.probability >= verdicts.proposed_from
    return draft.proposal if is_probable else None


def _unclear(question: str) -> str:
    """The reason why a yes or no to the question would mean nothing; "" where there is none."""
    if denials_of(question) > 1:
        return "the question is a double negative: decide what a yes would mean"
    return ONE_WORD if is_one_word(question) else ""


def _unsure(proposal: Proposal | None, verdicts: Verdicts) -> list[str]:
    if proposal is None:
        return ["no quote settles yes or no: read the passage and decide"]
    if proposal.probability >= verdicts.answered_from:
        return []
    to_do = "check the quote" if proposal.settled >= SETTLED_FROM else "the quote may be about something else"
    return [f"probably {proposal.verdict} ({proposal.probability:.0%}): {to_do}"]


def _beside_the_point(asked: Asked, draft: Draft, plan: Answering, confidence: float | None) -> list[str]:
    """The reasons why the draft may not answer an open question."""
    quotes = [citation.quote for citation in draft.citations]
    doubts = missed(asked.question.text, "\n".join([draft.text or "", *quotes]))
    if any(EMPTY in citation.quote for citation in draft.citations):
        doubts.append("the quote has an empty box: what is beside it may not hold")
    is_thin = is_doubtful = confidence is None or confidence < plan.review_below
    if plan.selection is not None and draft.probability is not None:
        is_doubtful = draft.probability < plan.selection.answered_from
    if is_doubtful:
        why = "the evidence is thin" if is_thin else "the documents seem to tell it, perhaps elsewhere"
        doubts.append(f"{why}: check that the quote answers the question")
    return doubts


def _too_long(asked: Asked, draft: Draft) -> list[str]:
    text, limit = draft.text or "", asked.question.max_characters
    longest = longest_text(asked.question, text)
    if longest is None or len(text) <= longest:
        return []
    rest = "" if longest == limit else f", which the yes or no leaves of {limit}"
    return [f"too long at {len(text)} characters: shorten it to {longest}{rest}"]


def _declined(asked: Asked, draft: Draft, confidence: float | None, generator: str, remarks: Remarks) -> Answer:
    # What is found by no word of the question is near to nothing, and so are the documents that it stands in.
    nearest_fact: Citation | None = None
    besides = ["no document mentions it"]
    if not is_unheard_of(asked.hits):
        nearest_fact = whole_fact(draft.nearest_fact, asked.question.text, asked.hits)
        besides = [remarks.to_do(nearest_fact), *remarks.of_citations]
    return Answer(
        asked.question.question_id,
        "failed" if draft.declined == "generator_failed" else "declined",
        confidence=confidence,
        decline_reason=draft.declined,
        detail=joined(draft.detail, *besides, *remarks.doubts, *remarks.told),
        generator=generator,
        nearest_fact=nearest_fact,
    )


def _besides(asked: Asked, draft: Draft) -> list[str]:
    """The reasons why the cited passages may not answer the question, whatever its kind."""
    found = []
    quotes = "\n".join(citation.quote for citation in draft.citations)
    text = asked.question.text
    places = "\n".join(f"{citation.file_name} {citation.section_path}" for citation in draft.citations)
    if other := other_name(text, quotes, places):
        found.append(f"the question is about “{other[0]}”, the quote about “{other[1]}”: check if it applies")
    listed = (denying_heading(citation.section_path, citation.quote) for citation in draft.citations)
    if (heading := next(filter(None, listed), "")) and not excludes(text):
        found.append(f"it is listed under “{heading}”: it may mean the opposite")
    if _CUT.search(draft.text or ""):
        found.append("the quote breaks off: read the rest on its page")
    if BLACKED_OUT in f"{draft.text}{quotes}":
        found.append("part of the quote is blacked out: ask the document's owner for it")
    if is_long(text):
        found.append(f"the question is long: check that all after its first {MOST_WORDS} words is answered")
    cited = (hit for hit in asked.hits if any(is_of(citation, hit.chunk) for citation in draft.citations))
    twins = (twin for hit in cited for twin in hit.duplicates)
    if others := dict.fromkeys(twin.locator for twin in twins if twin.differs and not twin.unasked):
        says = "says" if len(others) == 1 else "say"
        found.append(f"{', '.join(others)} {says} it differently: decide which is meant")
    return found


def confidence_label(answer: Answer, plan: Answering) -> Literal["high", "medium", "low"] | None:
    """The label of a confidence; None without a text, since that of a decline is shown to nobody.

    With a fitted confidence, a probability, answers are high and answers to review medium.
    """
    if answer.confidence is None or not answer.text:
        return None
    high, medium = max(HIGH_CONFIDENCE, plan.review_below), plan.review_below
    if plan.confidence is not None:
        high, medium = plan.review_below, plan.decline_below
    return "high" if answer.confidence >= high else "medium" if answer.confidence >= medium else "low"
