"""Items of a review: each question of a run with its draft, its evidence, and how it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.places import locator
from tasks.records import AnswerStatus, Citation, Verdict
from tasks.review.events import draft_id_of
from tasks.review.state import ReviewState


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place that bears an answer out, or the nearest fact of a decline.

    ``start`` and ``end`` are None where only the quote is known, ``document_id`` is "" where only the file is.
    """

    file_name: str
    quote: str
    page_number: int | None = None
    page_label: str = ""
    sheet_name: str | None = None
    row_number: int | None = None
    section_path: str = ""
    document_id: str = ""
    content_sha256: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def citation(self) -> Citation:
        """The place as a citation."""
        return Citation(
            document_id=self.document_id,
            file_name=self.file_name,
            content_sha256=self.content_sha256,
            page_number=self.page_number,
            quote=self.quote,
            start=self.start or 0,
            end=self.end or 0,
            section_path=self.section_path,
            sheet_name=self.sheet_name,
            row_number=self.row_number,
            page_label=self.page_label,
        )

    @property
    def place(self) -> str:
        """The place for people, as by :func:`locator`."""
        place = (self.file_name, self.page_number, self.sheet_name, self.row_number, self.section_path)
        return locator(*place, self.page_label)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A question with its draft: ``status``, ``verdict``, ``text`` and the rest as the table ``answers`` has them."""

    question_id: str
    question: str
    status: AnswerStatus
    text: str | None = None
    verdict: Verdict | None = None
    proposed_verdict: Verdict | None = None
    verdict_probability: float | None = None
    draft_probability: float | None = None
    confidence_label: str = ""
    decline_reason: str = ""
    detail: str = ""
    section: str = ""
    sheet_name: str | None = None
    row_number: int | None = None
    kind: str = "free_text"
    asked_as: str = ""
    max_characters: int | None = None
    generator: str = ""
    evidence: tuple[Evidence, ...] = ()
    nearest: Evidence | None = None
    state: ReviewState = field(default_factory=ReviewState)

    @property
    def draft_id(self) -> str:
        """The id of the draft, by which an approval knows it."""
        return draft_id_of(self.text, self.verdict or self.proposed_verdict)

    @property
    def draft_verdict(self) -> Verdict | None:
        """The verdict that an approval of the draft gives the customer."""
        return self.verdict or self.proposed_verdict

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The places that bear the answer out."""
        return tuple(one.citation for one in self.evidence)

    def is_settled(self, run_id: str) -> bool:
        """Tell if nobody has to look at the answer of that run any more."""
        return self.state.is_settled(run_id, self.draft_id)


def items_of(
    questions: Sequence[Mapping[str, Any]],
    answers: Iterable[Mapping[str, Any]],
    citations: Iterable[Mapping[str, Any]],
    states: Mapping[str, ReviewState],
) -> list[ReviewItem]:
    """The items of a run, in the order of its ``questions``, from rows of the tables of those names.

    A question that has no answer yet, because the run was stopped, counts as failed.
    """
    drafts = {row["question_id"]: row for row in answers}
    cited: dict[str, list[Evidence]] = defaultdict(list)
    for row in sorted(citations, key=lambda row: int(row["citation_index"])):
        cited[row["question_id"]].append(_evidence(row))
    none = {"status": "failed", "detail": "it was not answered: run the same command again"}
    return [
        _item(
            row,
            drafts.get(row["question_id"], none),
            tuple(cited[row["question_id"]]),
            states.get(row["question_id"], ReviewState()),
        )
        for row in sorted(questions, key=lambda row: int(row["question_index"]))
    ]


def _item(
    asked: Mapping[str, Any], draft: Mapping[str, Any], evidence: tuple[Evidence, ...], state: ReviewState
) -> ReviewItem:
    nearest = None
    if draft.get("nearest_quote") and draft.get("nearest_file_name"):
        nearest = Evidence(
            draft["nearest_file_name"],
            draft["nearest_quote"],
            draft.get("nearest_page_number"),
            draft.get("nearest_page_label") or "",
        )
    return ReviewItem(
        question_id=asked["question_id"],
        question=asked["question"],
        status=draft["status"],
        text=draft.get("text"),
        verdict=draft.get("verdict"),
        proposed_verdict=draft.get("proposed_verdict"),
        verdict_probability=draft.get("verdict_probability"),
        draft_probability=draft.get("draft_probability"),
        confidence_label=draft.get("confidence_label") or "",
        decline_reason=draft.get("decline_reason") or "",
        detail=draft.get("detail") or "",
        section=asked.get("section") or "",
        sheet_name=asked.get("sheet_name"),
        row_number=asked.get("row_number"),
        kind=asked.get("kind") or "free_text",
        asked_as=asked.get("asked_as") or "",
        max_characters=asked.get("max_characters"),
        generator=draft.get("generator") or "",
        evidence=evidence,
        nearest=nearest,
        state=state,
    )


def _evidence(row: Mapping[str, Any]) -> Evidence:
    return Evidence(
        file_name=row["file_name"],
        quote=row["quote"] or "",
        page_number=row["page_number"],
        page_label=row["page_label"] or "",
        sheet_name=row["sheet_name"],
        row_number=row["row_number"],
        section_path=row["section_path"] or "",
        document_id=row["document_id"],
        content_sha256=row["content_sha256"] or "",
        start=row["start_offset"],
        end=row["end_offset"],
    )
