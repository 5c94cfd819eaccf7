"""Questionnaires about the tiny corpus, and rows of answers to fill in."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from tasks.questionnaires.reading.layout import Questionnaire

ENCRYPTED = "Is all customer data at rest encrypted with AES-256?"
BREACH = "How soon are customers told about a confirmed breach of personal data?"
SIGN_ON = "Do you support single sign-on?"
GARDENER = "What is the favourite colour of your chief gardener?"
QUESTIONS = (ENCRYPTED, BREACH, SIGN_ON, GARDENER)


def write_questionnaire(path: Path) -> Path:
    """Write a workbook with the four questions to ``path``, which is returned."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Security"
    sheet.append(("No.", "Question", "Answer", "Comments"))
    for number, question in enumerate(QUESTIONS, start=1):
        sheet.append((number, question, None, None))
    book.save(path)
    return path


def write_question(path: Path, header: tuple[str, ...] = ("No.", "Question", "Answer")) -> Path:
    """Write a workbook with one question to ``path``, which is returned."""
    book = Workbook()
    book.active.append(header)
    book.active.append((1, "Is all customer data at rest encrypted?"[: 200 if "Question" in header else 3]))
    book.save(path)
    return path


GOLD_PAGES = {
    "Is customer data at rest encrypted?": 1,
    "Which encryption is used for data at rest?": 1,
    "In which regions is data encrypted?": 1,
    "How long are backups of the production database kept?": 1,
    "How soon are customers told about a confirmed breach of personal data?": 2,
    "Within how many hours are customers told about a breach?": 2,
    "Are customers told about a breach of their personal data?": 2,
    "What do you tell customers about a confirmed breach?": 2,
}
"""Gold questions to the tiny corpus, each with the page of the policy that answers it."""


def with_rule(data: bytes, rule: DataValidation) -> bytes:
    """The workbook with a data validation on its first sheet."""
    workbook, out = load_workbook(io.BytesIO(data)), io.BytesIO()
    workbook.active.add_data_validation(rule)
    workbook.save(out)
    return out.getvalue()


def answer_row(read: Questionnaire, text: str) -> dict[str, Any]:
    """The answer yes to the first question, as the lake keeps it."""
    return {
        "question_id": read.questions[0].question_id,
        "status": "answered",
        "verdict": "yes",
        "proposed_verdict": "yes",
        "verdict_probability": 0.97,
        "text": text,
        "detail": None,
        "decline_reason": None,
        "confidence": 0.9,
        "confidence_label": "high",
    }
