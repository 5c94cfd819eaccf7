"""Responses to the requirements of a tender: the code, the text and the evidence of each, in the tender's order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tasks.library_names import PREFIX
from tasks.questionnaires.formats.safe_cell_text import shown_to_customers
from tasks.questionnaires.reading.layout import FilledAnswer
from tasks.questionnaires.requirements.find_requirements import Requirement
from tasks.questionnaires.requirements.tender import Tender
from tasks.records import Citation, Verdict

COMPLY, PARTLY, NOT, NOT_APPLICABLE = "Comply", "Partially comply", "Does not comply", "Not applicable"
ANSWERED, OPEN = "See response", "To be reviewed"
CODES = (COMPLY, PARTLY, NOT, NOT_APPLICABLE, ANSWERED, OPEN)
"""The response codes; a request for a description is answered and not complied with."""
ELSEWHERE = "see the evidence workbook"
_NAMES = re.compile(rf"[“”]|{PREFIX}|\w\.[A-Za-z]{{2,5}}\b")
"""A quote, or the name of a file."""
_CODES: Mapping[Verdict, str] = {"yes": COMPLY, "partial": PARTLY, "no": NOT, "not_applicable": NOT_APPLICABLE}


class Response(NamedTuple):
    """A requirement with its response: ``cited`` are sources that a customer may see, ``remark`` says why a person has
    to look.
    """

    requirement: Requirement
    code: str
    text: str
    cited: tuple[Citation, ...]
    remark: str


def responses_of(tender: Tender, answers: Mapping[str, FilledAnswer], *, is_final: bool = False) -> Iterator[Response]:
    """The response to each requirement, in order; one without an answer is to be reviewed or, ``is_final``, empty."""
    for question in tender.questions:
        requirement = tender.requirements[question.question_id]
        answer = answers.get(question.question_id)
        if answer is None:
            yield (
                Response(requirement, "", "", (), "")
                if is_final
                else Response(requirement, OPEN, "", (), "not answered")
            )
            continue
        text = answer.comment_text or ("" if answer.verdict else answer.answer_text)
        if answer.status in ("declined", "failed"):
            text = ""
        yield Response(
            requirement, _code(answer), text, shown_to_customers(answer.cited if text else ()), _remark(answer)
        )


def _code(answer: FilledAnswer) -> str:
    if answer.verdict:
        return _CODES[answer.verdict]
    return ANSWERED if answer.status == "answered" and answer.answer_text else OPEN


def _remark(answer: FilledAnswer) -> str:
    if answer.status == "answered":
        return ""
    proposed = ""
    if answer.proposed_verdict and not answer.verdict and not answer.reason:
        share = f" ({answer.verdict_probability:.0%})" if answer.verdict_probability is not None else ""
        proposed = f"proposed: {_CODES[answer.proposed_verdict].lower()}{share}"
    status = {"needs_review": "to review", "declined": "not in the documents", "failed": "failed"}[answer.status]
    return "; ".join(filter(None, (status, proposed, *_for_customers(answer.reason))))


def _for_customers(reason: str) -> Iterator[str]:
    """The parts of a reason that name no file and quote nothing, as another customer's may, and a hint at others."""
    depth, is_left_out = 0, False
    for part in filter(None, reason.split("; ")):
        names = depth > 0 or _NAMES.search(part) is not None
        depth = max(0, depth + part.count("“") - part.count("”"))
        is_left_out = is_left_out or names
        if not names:
            yield part
    if is_left_out:
        yield ELSEWHERE
