"""A home with one run of `answer` in its lake: a questionnaire, drafts, and a policy whose pages they cite."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openpyxl import Workbook, load_workbook

from configs.settings import Settings
from tasks.conversion.document.serialization import document_row
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.questionnaires.evidence.rows import evidence_row
from tasks.questionnaires.evidence.workbook import Heading, write_evidence
from tasks.questionnaires.task import open_file
from tasks.questions.rows import question_rows
from tasks.records import Document, content_id
from tasks.review.items import ReviewItem
from tasks.review.task import Review, load_review
from tasks.runtime.runs import run_started_at
from tasks.storage.lake import Lake
from tests.made.conversions import convert_bytes

RUN, LATER = "20260801T090000-aaaaaa", "20260802T090000-bbbbbb"
CORPUS, PLAN = "default", "bidfolio"
RULES = 12
WORDS = (
    "all customer data that leaves the production network is checked by two people who keep a record of what was sent "
    "to whom and why and delete their copy within thirty days unless the contract or a court asks for a longer time"
).split()
DRAFTS = 6
"""Questions that have a draft; one more is declined."""


def rule(number: int) -> str:
    """A sentence of the policy."""
    return f"Rule {number} says that part {number} of the service is checked every {number + 1} weeks."


def policy_pdf(pages: int = 3, rules_a_page: int = RULES // 3, filler: int = 0) -> bytes:
    """The policy: its rules, on ``pages`` pages, each with ``filler`` lines below them."""
    from reportlab.pdfgen import canvas

    buffer = io.BytesIO()
    pdf = canvas.Canvas(buffer, pagesize=(595, 842), invariant=True)
    for page in range(pages):
        pdf.setFont("Helvetica-Bold", 15)
        pdf.drawString(60, 790, f"Part {page + 1} of the policy")
        pdf.setFont("Helvetica", 10)
        for line in range(rules_a_page):
            pdf.drawString(60, 750 - 16 * line, rule(page * rules_a_page + line))
        for line in range(filler):
            at = 7 * line + 3 * page
            words = " ".join(WORDS[(at + word * (1 + page % 5)) % len(WORDS)] for word in range(15))
            pdf.drawString(60, 740 - 16 * rules_a_page - 13 * line, words)
        pdf.showPage()
    pdf.save()
    return buffer.getvalue()


def asked(number: int) -> str:
    """A question about a rule; every other one is of yes or no."""
    return f"Is part {number} of the service checked?" if number % 2 else f"How often is part {number} checked?"


@dataclass(frozen=True)
class ReviewedRun:
    """The home, the questionnaire that was answered, and the settings by which both are found."""

    home: Path
    questionnaire: Path
    settings: Settings

    def load(self, run_id: str = RUN) -> Review:
        """The review of the run as it stands."""
        return load_review.fn(run_id, self.settings)

    def item(self, question_id: str, run_id: str = RUN) -> ReviewItem:
        """One item of it."""
        return next(item for item in self.load(run_id).items if item.question_id == question_id)

    def evidence(self, run_id: str = RUN) -> Path:
        """The evidence workbook of the run, as `answer` writes it."""
        review = self.load(run_id)
        rows = [_evidence(item) for item in review.items]
        heading = Heading(run_id, "q.xlsx", "q.answered.xlsx", PLAN, "v1", run_started_at(run_id))
        path = self.questionnaire.with_name("q.evidence.xlsx")
        path.write_bytes(write_evidence(rows, heading))
        return path


def write_questionnaire(path: Path, count: int = DRAFTS + 1) -> Path:
    """A workbook with ``count`` questions Q-0 … in two sections, and places for a yes or no and a text."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Security"
    sheet.append(("ID", "Question", "Answer", "Comments"))
    for number in range(count):
        sheet.append((f"Q-{number}", asked(number), None, None))
    book.save(path)
    return path


def reviewed_run(
    folder: Path, count: int = DRAFTS + 1, pdf: bytes | None = None, file: Path | None = None, out: str = ""
) -> ReviewedRun:
    """Make the home: question Q-N is answered by rule N, the last one is declined with its nearest fact.

    The run is over ``file``, else over a workbook with ``count`` questions; its filled copy is called ``out``.
    """
    documents, home = folder / "documents", folder / "home"
    documents.mkdir(parents=True)
    data = pdf or policy_pdf()
    (documents / "policy.pdf").write_bytes(data)
    settings = Settings(home=str(home))
    lake = Lake(str(home))
    document = convert_bytes("policy.pdf", data)
    ConvertedCache(lake).put_document(document)
    lake.write("documents", [document_row(CORPUS, str(documents), document, len(data), None)], corpus=CORPUS)
    questionnaire = file or write_questionnaire(folder / "q.xlsx", count)
    made = ReviewedRun(home, questionnaire, settings)
    write_run(made, RUN, document, out=out)
    return made


def write_run(
    made: ReviewedRun, run_id: str, document: Document, wordings: dict[str, str] | None = None, out: str = ""
) -> None:
    """Write a run over the questionnaire; ``wordings`` are drafts other than the rule, by question."""
    lake = Lake(str(made.home))
    read = open_file.fn(str(made.questionnaire), made.settings).questionnaire
    identity: dict[str, Any] = {"run_id": run_id, "run_date": run_started_at(run_id).date()}
    lake.write("questions", question_rows(identity, read.questions), run_id=run_id)
    answers, citations = [], []
    for number, question in enumerate(read.questions):
        row = _answer(number, question.question_id, identity, is_last=number == len(read.questions) - 1)
        row["text"] = (wordings or {}).get(question.question_id, row["text"])
        answers.append(row)
        if row["text"]:
            citations.append(_citation(number, row, identity, document))
    partition = {"run_id": run_id, "plan": PLAN}
    lake.write("answers", answers, **partition)
    lake.write("citations", citations, **partition)
    summary = {
        "questions": len(answers),
        "questionnaire": str(made.questionnaire),
        "questionnaire_sha256": read.content_sha256,
        "out": str(made.questionnaire.with_name(out or "q.answered.xlsx")),
    }
    run = {
        **identity,
        "kind": "answer",
        "status": "done",
        "plan": PLAN,
        "corpus": CORPUS,
        "source": "q.xlsx",
        "index_version": "v1",
        "started_at": run_started_at(run_id),
        "duration_ms": 1000,
        "summary_json": json.dumps(summary),
    }
    lake.write("runs", [run], run_id=run_id)


def _answer(number: int, question_id: str, identity: dict[str, Any], *, is_last: bool) -> dict[str, Any]:
    is_yes_no = bool(number % 2)
    return {
        **identity,
        "plan": PLAN,
        "question_id": question_id,
        "answer_id": content_id("answer", identity["run_id"], question_id),
        "status": "declined" if is_last else "answered" if number < 2 else "needs_review",
        "verdict": "yes" if is_yes_no and number < 2 and not is_last else None,
        "proposed_verdict": "yes" if is_yes_no and not is_last else None,
        "verdict_probability": 0.9 if is_yes_no and not is_last else None,
        "draft_probability": None if is_yes_no or is_last else 0.3,
        "text": None if is_last else rule(number),
        "confidence": 0.5,
        "confidence_label": "medium",
        "decline_reason": "no_evidence" if is_last else None,
        "detail": None if is_last or number < 2 else "the evidence is thin",
        "generator": "extractive",
        "nearest_file_name": "policy.pdf" if is_last else None,
        "nearest_page_number": 1 if is_last else None,
        "nearest_quote": rule(0) if is_last else None,
    }


def _citation(number: int, answer: dict[str, Any], identity: dict[str, Any], document: Document) -> dict[str, Any]:
    start = document.text.index(rule(number))
    page = next(one for one in document.pages if one.start <= start < one.end)
    return {
        **identity,
        "plan": PLAN,
        "question_id": answer["question_id"],
        "answer_id": answer["answer_id"],
        "citation_index": 0,
        "document_id": document.document_id,
        "file_name": document.file_name,
        "content_sha256": document.content_sha256,
        "page_number": page.page_number,
        "section_path": page.text_source and f"Part {page.page_number} of the policy",
        "start_offset": start,
        "end_offset": start + len(rule(number)),
        "quote": rule(number),
    }


def _evidence(item: ReviewItem) -> Any:
    asked_row = {
        "question": item.question,
        "sheet_name": item.sheet_name,
        "row_number": item.row_number,
        "section": item.section,
        "asked_as": None,
    }
    given = {
        "question_id": item.question_id,
        "text": item.text,
        "status": item.status,
        "verdict": item.verdict,
        "proposed_verdict": item.proposed_verdict,
        "verdict_probability": item.verdict_probability,
        "draft_probability": None,
        "confidence": 0.5,
        "decline_reason": item.decline_reason or None,
        "detail": item.detail,
    }
    return evidence_row(asked_row, given, item.citations, index_version="v1")


def edit_evidence(path: Path, edits: dict[str, dict[str, str | None]], *, without: tuple[str, ...] = ()) -> None:
    """Edit the workbook as a person does: cells by question id and title, the rows turned round, some deleted."""
    book = load_workbook(path)
    sheet = book["Answers"]
    titles = [cell.value for cell in sheet[1]]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2, max_row=sheet.max_row)]
    at = titles.index("question id")
    kept = [row for row in rows if row[at] and row[at] not in without]
    for row in kept:
        for title, text in edits.get(row[at], {}).items():
            row[titles.index(title)] = text
    sheet.delete_rows(2, sheet.max_row)
    for row in reversed(kept):
        sheet.append(row)
    book.save(path)
