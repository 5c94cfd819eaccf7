"""The customer's file as it was approved: what people decided, and nothing else, in the customer's cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from tasks.errors import UsageError
from tasks.questionnaires.evidence.statuses import SENT
from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.company_facts import facts_left, known_facts
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_with_notes
from tasks.questionnaires.reading.layout import Questionnaire
from tasks.review.items import ReviewItem

SHOWN_ROWS = 5
NO_PROFILE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Final:
    """The customer's file, the number of questions ``written``, ``warnings`` about texts that have no cell, and the
    ``response`` document of a tender.
    """

    data: bytes
    written: int
    warnings: tuple[str, ...]
    response: bytes | None = None


def final_file(
    data: bytes,
    questionnaire: Questionnaire,
    items: Sequence[ReviewItem],
    company: Mapping[str, str] = NO_PROFILE,
    *,
    with_answered: bool,
) -> Final:
    """Write the approved and edited answers, and facts of the ``company``'s profile, into the customer's file; nothing
    approved or known gives the same bytes. Of a tender it is the compliance matrix.

    An approved draft is followed by its places in the documents, as in the filled copy; an edited text and a reused one
    stand as they were written. With ``with_answered``, drafts that the run answered on its own and nobody decided on
    are written too. Raises UsageError where the questionnaire asks another question by the id of one that was approved.
    """
    asked = {question.question_id: question.written or question.text for question in questionnaire.questions}
    given = {}
    for item in items:
        row = final_row(item, with_answered=with_answered)
        if row is None:
            continue
        if not _is_asked(item, asked):
            raise UsageError(
                f"{questionnaire.file_name} does not ask {item.question_id!r} any more as it was answered: put the "
                "file back as it was, or answer it again (what was approved is kept)"
            )
        given[item.question_id] = Given(row, item.citations if row["is_draft"] else ())
    filled: list[FilledAnswer] = []
    for sheet in questionnaire.sheets:
        for place in sheet.rows:
            marked = questionnaire.asked_in(place.question_id)
            parts = [given[one]._replace(mark=mark) for one, mark in marked if one in given]
            if not parts:
                continue
            answer = filled_answer(questionnaire, place.question_id, parts)
            text = (parts[0].row["text"] or "").strip() if len(parts) == 1 else ""
            choice = next((one for one in place.choices if one.casefold() == text.casefold()), None)
            filled.append(replace(answer, answer_text=choice, comment_text="") if choice else answer)
    filled += known_facts(questionnaire, company)
    left = facts_left(questionnaire, filled)
    done = fill_with_notes(data, questionnaire, filled, review_columns=False, is_final=True)
    lost = {one for row_id in done.unplaced for one, _ in questionnaire.asked_in(row_id)}
    notes = [f"{row_id}: {'; '.join(done.notes.get(row_id, ())) or 'it has no cell'}" for row_id in done.unplaced]
    more = [f"and {len(notes) - SHOWN_ROWS} more"] if len(notes) > SHOWN_ROWS else []
    told = [f"an approved answer has no cell in the customer's file, {note}" for note in notes[:SHOWN_ROWS]]
    return Final(done.data, len(given.keys() - lost), (*told, *more, *filter(None, [left])), done.response)


def still_open(items: Sequence[ReviewItem], run_id: str) -> str:
    """The message about the answers, at least one, that keep a questionnaire from being finished."""
    states = Counter("disputed" if item.state.status == "disputed" else item.status for item in items)
    words = {
        "needs_review": "to review",
        "declined": "not in the documents",
        "failed": "failed",
        "answered": "answered and not approved",
        "disputed": "decided twice",
    }
    counts = ", ".join(f"{count} {words[name]}" for name, count in states.most_common())
    answered = "--with-answered to send what was answered without a look, or " if states.keys() == {"answered"} else ""
    return (
        f"{len(items)} answers are open ({counts}): decide on them with `bidfolio review {run_id}`, or give {answered}"
        "--partial to leave their cells empty"
    )


def final_row(item: ReviewItem, *, with_answered: bool) -> dict[str, Any] | None:
    """The answer that the customer gets, as a row of the table ``answers``; None for no answer.

    ``is_draft`` tells if the text is the run's own.
    """
    state = item.state
    if state.status in SENT:
        text, verdict = state.final_answer, state.final_verdict
    elif state.status == "open" and with_answered and item.status == "answered":
        text, verdict = item.text, item.verdict
    else:
        return None
    return {
        "question_id": item.question_id,
        "status": "answered",
        "verdict": verdict,
        "proposed_verdict": verdict,
        "verdict_probability": None,
        "text": text,
        "detail": None,
        "decline_reason": None,
        "confidence": None,
        "confidence_label": None,
        "generator": item.generator,
        "is_draft": state.status != "edited" and text == item.text,
    }


def _is_asked(item: ReviewItem, asked: Mapping[str, str]) -> bool:
    """Tell if the questionnaire asks the question of the item, without regard to white space."""
    return "".join(asked.get(item.question_id, "").split()) == "".join(item.question.split())
