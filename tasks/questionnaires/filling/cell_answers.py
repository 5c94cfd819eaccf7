"""Cell texts for a question row, from the answers to its questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tasks.questionnaires.formats.safe_cell_text import cited_inline
from tasks.questionnaires.reading.layout import Fill, FilledAnswer, Questionnaire
from tasks.questionnaires.reading.legend import spell
from tasks.questions.wording import begins_with_verdict, verdict_of
from tasks.records import AnswerStatus, Citation, Verdict

LIBRARY = "library"
"""The generator of approved answers."""
WEAKEST_LAST: Sequence[AnswerStatus] = ("answered", "needs_review", "declined", "failed")


class Given(NamedTuple):
    """The answer to one question: its row of the table ``answers``, its citations, the question's mark in its cell, how
    it was asked where that is not as it stands, and the least probability of a proposed verdict that may be filled in.
    """

    row: Mapping[str, Any]
    citations: Sequence[Citation]
    mark: str = ""
    asked_as: str | None = None
    filled_from: float = 0.0

    @property
    def is_withheld(self) -> bool:
        """True where the answer is contradicted or out of date, so that the customer's cell stays empty."""
        return bool(self.row.get("is_withheld"))

    def verdict(self, fill: Fill) -> Verdict | None:
        """The verdict to show the customer; a proposed one only if ``fill`` is "proposed" and it is likely enough."""
        if self.is_withheld:
            return None
        is_likely = (self.row["verdict_probability"] or 0.0) >= self.filled_from
        may_propose = fill == "proposed" and bool(self.row["text"]) and is_likely
        proposed: Verdict | None = self.row["proposed_verdict"] if may_propose else None
        verdict: Verdict | None = self.row["verdict"]
        return verdict or proposed


def filled_answer(
    questionnaire: Questionnaire, row_id: str, given: Sequence[Given], fill: Fill = "answered"
) -> FilledAnswer:
    """The cell texts of a row, from the answers to all its questions, at least one, in order, without those withheld.

    Several answers become one text, each behind its mark, with the weakest status: a part that is declined leaves the
    others to a person. The verdict is set if all answers that have one agree.
    """
    sheet, place = questionnaire.place(row_id)
    several = len(given) > 1
    verdicts = [one.verdict(fill) for one in given if one.row["proposed_verdict"] or one.row["verdict"]]
    agreed = verdicts[0] if len(set(verdicts)) == 1 else None
    word = spell(agreed, sheet, place) if agreed else None
    separate = word is not None and sheet.has_verdict_apart(place)
    rooms = {one.question_id: one.max_characters for one in questionnaire.questions}
    texts = []
    for one in given:
        if one.is_withheld:
            continue
        verdict = one.verdict(fill)
        said = spell(verdict, sheet, place) if verdict else None
        # A text that begins with the verdict does not get it twice.
        is_said = begins_with_verdict(one.row["text"] or "") == verdict
        before = f"{said}. " if said and not is_said and (several or not separate) else ""
        room = rooms[one.row["question_id"]]
        # An approved answer is given as it was approved, and places would make another text of it.
        cited = () if one.row.get("generator") == LIBRARY else one.citations
        text = cited_inline(one.row["text"], cited, None if room is None else room - len(before))
        if one.row["text"]:
            texts.append(f"{one.mark} {before}{text}" if several else f"{before}{text}")
    text = "\n".join(texts)
    if separate and agreed and verdict_of(text, whole=True) == agreed:
        text = ""  # its cell says it
    # A cell of its own for the reasons leaves the answer cell to the word that the customer asked for.
    answer_text = word if separate and word else text
    if word is None and (place.choices or sheet.yes_no_only):
        answer_text = ""
    weakest = max(given, key=lambda one: WEAKEST_LAST.index(one.row["status"]))
    is_partly_answered = bool(texts) and weakest.row["status"] in ("declined", "failed")
    sure = [one.row["confidence"] for one in given if one.row["text"] and one.row["confidence"] is not None]
    probabilities = [one.row["verdict_probability"] for one in given if one.row["verdict_probability"] is not None]
    proposed = {one.row["proposed_verdict"] for one in given} - {None}
    return FilledAnswer(
        question_id=row_id,
        status="needs_review" if is_partly_answered else weakest.row["status"],
        answer_text=answer_text,
        comment_text=text if separate or not answer_text else "",
        verdict=agreed,
        proposed_verdict=proposed.pop() if len(proposed) == 1 else None,
        verdict_probability=min(probabilities, default=None),
        confidence_label=weakest.row["confidence_label"] or "",
        # A decline's confidence is how near the documents came; it would read as the certainty of the decline.
        confidence=min(sure, default=None),
        citations="; ".join(dict.fromkeys(citation.locator for one in given for citation in one.citations)),
        reason="; ".join(filter(None, map(_reason, given))),
        cited=tuple(dict.fromkeys(citation for one in given for citation in one.citations)),
        withheld_text="\n".join(one.row["text"] for one in given if one.is_withheld),
    )


def _reason(one: Given) -> str:
    """The reason to review an answer, and how it was asked; after mark and status, where there is a mark."""
    row = one.row
    reasons = [row["decline_reason"] if row["status"] == "declined" else None, row["detail"]]
    told = "; ".join(filter(None, [*reasons, f"understood as “{one.asked_as}”" if one.asked_as else None]))
    return f"{one.mark} {row['status']}: {told}" if one.mark and told else told
