"""Entries of the library: approved answers with their owner, their term and the places that bear them out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from tasks.records import Citation, Verdict, content_id


@dataclass(frozen=True, slots=True)
class EntryEvidence:
    """A place that bore out an entry on the day of its approval: the verbatim ``quote``, and the hash of the file."""

    file_name: str
    quote: str
    content_sha256: str = ""
    page_number: int | None = None
    sheet_name: str | None = None
    row_number: int | None = None

    @classmethod
    def of(cls, citation: Citation) -> EntryEvidence:
        """The place that a citation names."""
        return cls(
            citation.file_name,
            citation.quote,
            citation.content_sha256,
            citation.page_number,
            citation.sheet_name,
            citation.row_number,
        )


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """An approved answer to a question, with its place in the questionnaire that it comes from.

    ``answer`` is the text besides the ``verdict``; one of the two is given. ``approved_on`` is None where the day of
    the import stands for it, ``valid_until`` the last day on which it may be used again, None without an end.
    """

    question: str
    answer: str | None
    verdict: Verdict | None = None
    owner: str = ""
    approved_by: str = ""
    approved_on: date | None = None
    valid_until: date | None = None
    sheet_name: str | None = None
    row_number: int | None = None
    evidence: tuple[EntryEvidence, ...] = ()

    @property
    def entry_id(self) -> str:
        """The id of the entry: a hash of what was asked and answered."""
        return content_id("entry", self.question, self.verdict or "", self.answer or "")


@dataclass(frozen=True, slots=True)
class Edit:
    """A draft of bidfolio beside what a person made of it; equal texts are an approval without a change.

    ``status`` is approved, edited or rejected. ``answer_run_id`` and ``question_id`` lead to the draft's row in the
    table ``answers``.
    """

    answer_run_id: str
    question_id: str
    question: str
    proposed: str | None
    final: str | None
    proposed_verdict: Verdict | None = None
    final_verdict: Verdict | None = None
    verdict_probability: float | None = None
    status: str = ""
    edited_by: str = ""
    edited_at: datetime | None = None
