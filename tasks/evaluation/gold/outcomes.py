"""Outcomes: the hits and the answer of a plan for a gold question, compared with the gold evidence.

A hit counts as one page, the page that holds most of its characters. A sheet has no pages, so any row of a workbook
counts as its only page. A place is stricter: if the gold evidence is a row, only that row is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from tasks.evaluation.gold.gold_corpus import Tables
from tasks.records import Answer, AnswerStatus, Chunk, Citation, DeclineReason, GoldEvidence, GoldQuestion, Hit, Verdict

RANKS = 10
DRAFTED = ("answered", "needs_review")
"""Statuses of answers that have a draft."""
_AS_ANSWERED = "status verdict confidence text decline_reason proposed_verdict verdict_probability".split()
"""Fields that an outcome shares with its answer, and with the table ``answers``."""

Page = tuple[str, int | None]
"""File by its bare name, and page number, None in a format without pages."""


class Place(NamedTuple):
    """Position of a hit, a citation or gold evidence: file by bare name, page, and in a workbook or CSV the row.

    Gold sets use bare file names. The page is None in a format without pages.
    """

    file_name: str
    page_number: int | None
    sheet_name: str | None = None
    row_number: int | None = None

    @property
    def page(self) -> Page:
        """The file and the page alone."""
        return self.file_name, self.page_number

    def is_at(self, gold: Place) -> bool:
        """Tell if it is on the page of ``gold``, and on its row where that names one. Gold evidence without a page is
        the whole file.
        """
        is_on_page = self.file_name == gold.file_name and gold.page_number in (None, self.page_number)
        return is_on_page and (
            gold.row_number is None
            or (self.row_number == gold.row_number and gold.sheet_name in (None, self.sheet_name))
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of a plan to one gold question, with the places it was found at.

    ``hit_places`` are those of its hits, best first; ``nearest`` is the place of the fact shown beside a decline, and
    ``decline_reason`` why it was declined. ``verdict`` is given to the customer, ``proposed_verdict`` is what the
    evidence makes likely.
    """

    gold: GoldQuestion
    hit_places: Sequence[Place]
    status: AnswerStatus
    verdict: Verdict | None = None
    cited: Place | None = None
    confidence: float | None = None
    nearest: Place | None = None
    text: str | None = None
    decline_reason: DeclineReason | None = None
    proposed_verdict: Verdict | None = None
    verdict_probability: float | None = None

    @property
    def declined(self) -> bool:
        """Tell if it has no draft: declined, or failed."""
        return self.status in ("declined", "failed")

    @property
    def is_withheld(self) -> bool:
        """Tell if it was declined for its confidence alone: a lower threshold would give its draft."""
        return self.decline_reason == "weak_evidence"

    @property
    def pages(self) -> list[Page]:
        """The pages of its hits, best first, with repetition."""
        return [self.page_of(hit) for hit in self.hit_places]

    @property
    def gold_pages(self) -> set[Page]:
        """The pages that answer the question; empty if unknown, or if it is unanswerable."""
        return {wanted.page for wanted in gold_places(self.gold)} if self.gold.answerable else set()

    def page_of(self, found: Place) -> Page:
        """The page of a place, as the gold set counts pages: a file that it names without pages is one page. Word files
        have pages where LibreOffice is installed, and else none.
        """
        whole_file = (found.file_name, None)
        return whole_file if whole_file in self.gold_pages else found.page

    @property
    def first_rank(self) -> int | None:
        """The 1-based rank of the first hit on a gold page, None if none of the first ten is."""
        return _first(page in self.gold_pages for page in self.pages[:RANKS])

    @property
    def first_place_rank(self) -> int | None:
        """The 1-based rank of the first hit in a gold place, None if none of the first ten is."""
        return _first(self.is_gold(hit) for hit in self.hit_places[:RANKS])

    @property
    def cluster(self) -> str:
        """The cluster of the question; see :func:`cluster_of`."""
        return cluster_of(self.gold)

    def is_gold(self, found: Place) -> bool:
        """Tell if that place answers the question."""
        return any(found.is_at(wanted) for wanted in gold_places(self.gold))

    def cites_gold_page(self) -> bool | None:
        """Tell if its first citation is on a gold page; None if the gold pages are unknown.

        An unanswerable question has no gold pages, so that every citation for it is wrong.
        """
        if self.gold.answerable and not self.gold_pages:
            return None
        return self.cited is not None and self.page_of(self.cited) in self.gold_pages


def outcome_of(gold: GoldQuestion, hits: Sequence[Hit], answer: Answer) -> Outcome:
    """Build the outcome of a gold question from its hits and its answer."""
    return Outcome(
        gold=gold,
        hit_places=[place_of(hit.chunk) for hit in hits],
        cited=place_of(answer.citations[0]) if answer.citations else None,
        nearest=place_of(answer.nearest_fact) if answer.nearest_fact else None,
        **{name: getattr(answer, name) for name in _AS_ANSWERED},
    )


def outcomes_of(lake: Tables, gold: Sequence[GoldQuestion], run_id: str, plan: str) -> list[Outcome]:
    """Load the outcome of each gold question in the run under the plan, in their order; no questions give none."""
    partition = {"run_id": run_id, "plan": plan}
    hits: dict[str, list[Place]] = defaultdict(list)
    for row in lake.read("retrievals", **partition).sort_by("rank").to_pylist():
        hits[row["question_id"]].append(_place(row))
    answers = {row["question_id"]: row for row in lake.read("answers", **partition).to_pylist()}
    citations = lake.read("citations", **partition).to_pylist()
    cited = {row["question_id"]: _place(row) for row in citations if row["citation_index"] == 0}
    found = []
    for item in gold:
        answer = answers[item.question_id]
        nearest = answer["nearest_file_name"]
        found.append(
            Outcome(
                gold=item,
                hit_places=hits[item.question_id],
                cited=cited.get(item.question_id),
                nearest=place(nearest, answer["nearest_page_number"]) if nearest is not None else None,
                **{name: answer[name] for name in _AS_ANSWERED},
            )
        )
    return found


def place_of(found: Chunk | Citation | GoldEvidence) -> Place:
    """The place of a chunk, at which a hit on it counts, of a citation or of gold evidence."""
    return place(found.file_name, found.page_number, found.sheet_name, found.row_number)


def place(file_name: str, page_number: int | None, sheet_name: str | None = None, row: int | None = None) -> Place:
    """Build the place in a file that is named by its path."""
    return Place(PurePosixPath(file_name).name, page_number, sheet_name, row)


def cluster_of(gold: GoldQuestion) -> str:
    """The cluster of a question, whose members are right or wrong together.

    It is its questionnaire if the gold set names one, else the document of its first gold evidence, else the question
    itself.
    """
    if gold.questionnaire is not None:
        return f"questionnaire {gold.questionnaire}"
    return f"document {gold.evidence[0].file_name}" if gold.evidence else f"question {gold.question_id}"


def gold_places(gold: GoldQuestion) -> set[Place]:
    """The places that answer the question, except those in a PDF whose page is unknown."""
    named = {place_of(one) for one in gold.evidence}
    return {one for one in named if one.page_number is not None or not one.file_name.lower().endswith(".pdf")}


def _place(row: Mapping[str, Any]) -> Place:
    return place(row["file_name"], row["page_number"], row["sheet_name"], row["row_number"])


def _first(right: Iterable[bool]) -> int | None:
    return next((rank for rank, is_right in enumerate(right, start=1) if is_right), None)
