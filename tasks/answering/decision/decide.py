"""From a draft to an answer: answered, needs review, or declined, with a confidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from configs.plans import Answering, Verdicts
from tasks.answering.decision.answerability import confidence_of, is_best_read_elsewhere, is_unheard_of
from tasks.answering.decision.expected_answer import (
    MOST_WORDS,
    ONE_WORD,
    asks_for_more,
    is_about,
    is_long,
    is_one_word,
    missed,
    unsaid,
)
from tasks.answering.decision.name_mismatch import other_day, other_name
from tasks.answering.drafting import Asked, Draft, Proposal, longest_text
from tasks.answering.entailment.negation import denials_of, denying_heading, excludes
from tasks.answering.quotes.context_passages import is_of
from tasks.answering.quotes.nearest_fact import whole_fact
from tasks.conversion.text import BLACKED_OUT, EMPTY
from tasks.records import Answer, Citation, DeclineReason

HIGH_CONFIDENCE = 0.65
_CUT = re.compile(r"^… [^\W\d_A-Z]|[\w,–-] …$")
"""A quote that begins or ends within a sentence, as :class:`Passage` shows it; a list that is cut has whole lines."""
DOUBTFUL = frozenset({"verdict", "conflict", "judgement", "entailment"})
"""The checks after which, where they fail, an answer is for a person; what fails another is left out of it."""


class Remarks(NamedTuple):
    """What else a person should know: ``told`` in any case, ``doubts`` about the question and ``of_citations`` about
    what the draft cites, both of which send an answer to them, and ``to_do`` what can be done where bidfolio declines.
    """

    told: Sequence[str] = ()
    doubts: Sequence[str] = ()
    of_citations: Sequence[str] = ()
    to_do: Callable[[Citation | None], str] = lambda nearest_fact: ""


def decide(asked: Asked, draft: Draft, plan: Answering, generator: str, remarks: Remarks | None = None) -> Answer:
    """The answer that ``draft`` becomes under the plan's thresholds."""
    remarks = remarks or Remarks()
    confidence = confidence_of(asked.hits, draft.support, plan)
    if draft.declined is not None or draft.text is None or not draft.citations:
        reason, nearest = draft.declined or "unsupported", draft.nearest_fact
        detail = draft.detail or "the draft cites nothing"
        return _declined(asked, reason, detail, nearest, confidence, generator, remarks)
    if asked.question.kind == "yes_no" and plan.verdicts is not None:
        return _yes_no(asked, draft, plan, plan.verdicts, generator, remarks, confidence)
    # What a model wrote was weighed by itself: on thin evidence it is for a person, and no reason to lose it.
    if confidence < plan.decline_below and (draft.is_verbatim or is_unheard_of(asked.hits)):
        detail = "; ".join(filter(None, ["the documents do not settle it", draft.detail]))
        nearest = draft.citations[0]
        near = nearest if is_about(asked.question.text, nearest.quote) else None
        return _declined(asked, "weak_evidence", detail, near, confidence, generator, remarks)
    doubted = [*remarks.doubts, *remarks.of_citations]
    doubts = [*doubted, *(check.detail for check in draft.checks if not check.passed and check.name in DOUBTFUL)]
    besides = _besides(asked, draft)
    doubts += besides
    # A yes or no on thin evidence would be signed too easily: the passage is shown, and a person says it.
    others = _otherwise(asked, draft)
    is_contested = any(
        check.name in ("conflict", "verdict", "entailment") and not check.passed for check in draft.checks
    )
    is_sure = confidence >= plan.review_below and not (doubted or besides or others or is_contested)
    verdict = draft.verdict if is_sure else None
    if asked.question.kind != "yes_no":
        doubts += missed(asked.question.text, *_said(asked, draft))
    if asks_for_more(asked.question.text):
        doubts.append("more than one thing is asked: see that each is answered")
    doubts += _too_long(asked, draft)
    if verdict is None and any(EMPTY in citation.quote for citation in draft.citations):
        doubts.append("the passage has an empty box: what stands beside it is not said")
    if others:
        doubts.append(f"nearly the same is said otherwise in {', '.join(others)}: which is meant?")
    if asked.question.kind == "yes_no" and draft.verdict is None and not doubts:
        # Of a yes or no each word counts, and one that stands elsewhere on the page is not said of what is quoted.
        quotes = [citation.quote for citation in draft.citations]
        quoted = "\n".join([draft.text or "", draft.compared_text or "", *quotes, _places(draft)])
        doubts += [*unsaid(asked.question.text, quoted), "what is quoted gives no sure yes or no"]
    if _is_thin(draft, confidence, plan):
        doubts.append("the evidence is thin")
    if is_best_read_elsewhere(asked, draft, plan):
        doubts.append("another passage was found that is more about it than what is quoted")
    if draft.verdict is not None and verdict is None:
        doubts.append(f"it reads as {draft.verdict.replace('_', ' ')}, which is left to you to say")
    return Answer(
        asked.question.question_id,
        "needs_review" if doubts else "answered",
        text=draft.text,
        verdict=verdict,
        confidence=confidence,
        detail="; ".join(filter(None, [*doubts, draft.detail, *remarks.told])),
        generator=generator,
        citations=draft.citations,
    )


def _yes_no(
    asked: Asked,
    draft: Draft,
    plan: Answering,
    verdicts: Verdicts,
    generator: str,
    remarks: Remarks,
    confidence: float,
) -> Answer:
    """The answer to a yes/no question: its proposed verdict decides, and only what no probability weighs overrules it.

    What overrules it are contradictions between documents, orders hidden in texts, passages that are cut or blacked
    out, outdated past answers, and a text that does not fit.
    """
    proposal = draft.proposal
    if proposal is None and draft.verdict is not None:
        # A model's own word, beside which nothing could be weighed, is worth no more than a look.
        proposal = Proposal(draft.verdict, verdicts.proposed_from)
    elif proposal is not None and proposal.probability < verdicts.proposed_from:
        proposal = None
    unclear = ""
    if denials_of(asked.question.text) > 1:
        unclear = "the question denies twice: say what a yes would mean, and decide"
    elif is_one_word(asked.question.text):
        unclear = ONE_WORD
    if unclear:
        proposal = None
    if proposal is None and confidence < plan.decline_below and (draft.is_verbatim or is_unheard_of(asked.hits)):
        near = draft.citations[0] if is_about(asked.question.text, draft.citations[0].quote) else None
        return _declined(asked, "weak_evidence", "the documents do not settle it", near, confidence, generator, remarks)
    doubts = [*remarks.doubts, *remarks.of_citations, *draft.overruled_by]
    doubts += _besides(asked, draft)
    if others := _otherwise(asked, draft):
        doubts.append(f"nearly the same is said otherwise in {', '.join(others)}: which is meant?")
    if asks_for_more(asked.question.text):
        doubts.append("more than one thing is asked: see that each is answered")
    doubts += _too_long(asked, draft)
    is_sure = proposal is not None and proposal.probability >= verdicts.answered_from
    if unclear:
        doubts.append(unclear)
    elif proposal is None:
        doubts.append("no quote settles yes or no: read the passage and decide")
    elif not is_sure:
        doubts.append(f"probably {proposal.verdict} ({proposal.probability:.0%}): check the quote")
    return Answer(
        asked.question.question_id,
        "needs_review" if doubts else "answered",
        text=draft.text,
        verdict=None if doubts or proposal is None else proposal.verdict,
        confidence=confidence,
        detail="; ".join(filter(None, [*doubts, draft.detail, *remarks.told])),
        generator=generator,
        citations=draft.citations,
        proposed_verdict=None if proposal is None else proposal.verdict,
        verdict_probability=None if proposal is None else proposal.probability,
    )


def _is_thin(draft: Draft, confidence: float, plan: Answering) -> bool:
    """Tell if a draft is not surely an answer: by the probability of what was selected, else by the confidence."""
    if plan.selection is None or draft.probability is None:
        return confidence < plan.review_below
    return draft.probability < plan.selection.answered_from


def _too_long(asked: Asked, draft: Draft) -> list[str]:
    limit, longest = asked.question.max_characters, longest_text(asked.question, draft.text or "")
    if longest is None or len(draft.text or "") <= longest:
        return []
    rest = "" if longest == limit else f" with the yes or no before it, which leaves {longest} for the text"
    return [f"the answer has {len(draft.text or '')} characters, and the customer takes {limit}{rest}"]


def _declined(
    asked: Asked,
    reason: DeclineReason,
    detail: str,
    nearest_fact: Citation | None,
    confidence: float,
    generator: str,
    remarks: Remarks,
) -> Answer:
    # What is found by no word of the question is near to nothing, and so are the documents that it stands in.
    if is_unheard_of(asked.hits):
        nearest_fact, besides = None, ["no document has a telling word of it"]
    else:
        nearest_fact = whole_fact(nearest_fact, asked.question.text, asked.hits)
        besides = [remarks.to_do(nearest_fact), *remarks.of_citations]
    return Answer(
        asked.question.question_id,
        "failed" if reason == "generator_failed" else "declined",
        confidence=confidence,
        decline_reason=reason,
        detail="; ".join(filter(None, [detail, *besides, *remarks.doubts, *remarks.told])),
        generator=generator,
        nearest_fact=nearest_fact,
    )


def _said(asked: Asked, draft: Draft) -> tuple[str, str]:
    """What the draft says with what it cites, and what else stands there: of a list of questions with their replies,
    the words of a question are in the passage that was found, and not in its reply.
    """
    quotes = (citation.quote for citation in draft.citations)
    found = (
        hit.chunk.text
        for hit in asked.hits
        if any(is_of(citation, chunk) for citation in draft.citations for chunk in hit.chunks)
    )
    return "\n".join([draft.text or "", *quotes]), "\n".join([draft.compared_text or "", _places(draft), *found])


def _besides(asked: Asked, draft: Draft) -> list[str]:
    """Why what the draft cites may be beside the question, so that no yes or no of it is said: it is about something
    else than the question names, stands in a list of what is not so, is half a sentence, or is partly blacked out; or
    the question was read with its beginning alone.
    """
    found = []
    quotes = "\n".join(citation.quote for citation in draft.citations)
    text = asked.question.text
    if other := other_name(text, quotes, _places(draft)) or other_day(text, quotes):
        found.append(f"asked about “{other[0]}”, and what is quoted is about “{other[1]}”")
    listed = (denying_heading(citation.section_path, citation.quote) for citation in draft.citations)
    if (heading := next(filter(None, listed), "")) and not excludes(asked.question.text):
        found.append(f"it is listed below “{heading}”")
    if _CUT.search(draft.text or ""):
        found.append("what is quoted is cut within a sentence, whose rest is on another page or in another part")
    if BLACKED_OUT in f"{draft.text}{quotes}":
        found.append("a part of what is quoted is blacked out")
    if is_long(asked.question.text):
        found.append(f"the question is long, and what stands behind its first {MOST_WORDS} words may not be answered")
    return found


def _places(draft: Draft) -> str:
    return "\n".join(f"{citation.file_name} {citation.section_path}" for citation in draft.citations)


def _otherwise(asked: Asked, draft: Draft) -> list[str]:
    """Where twins of what the draft cites say it otherwise, each once."""
    return list(
        dict.fromkeys(
            other.locator
            for hit in asked.hits
            for other in hit.duplicates
            if other.differs and not other.unasked and any(is_of(citation, hit.chunk) for citation in draft.citations)
        )
    )


def confidence_label(answer: Answer, plan: Answering) -> Literal["high", "medium", "low"] | None:
    """The word for the confidence of an answer; None where that or its text is missing: nobody is told how sure a
    decline would have been of an answer.

    Of a probability, what is answered is high and what a person has to look at medium.
    """
    confidence = answer.confidence
    if confidence is None or not answer.text:
        return None
    high, medium = max(HIGH_CONFIDENCE, plan.review_below), plan.review_below
    if plan.confidence is not None:
        high, medium = plan.review_below, plan.decline_below
    if confidence >= high:
        return "high"
    return "medium" if confidence >= medium else "low"
