"""A question about snapshots, the passage that answers it, and a model's good reply."""

from __future__ import annotations

from typing import Any

from tasks.answering.drafts.draft import Asked
from tasks.records import Chunk, Hit, PageSpan, Question, QuestionKind

TEXT = "Database snapshots are taken every four hours and are kept for 35 days."
GOOD: dict[str, Any] = {"verdict": None, "answer": "Snapshots are taken every four hours.", "citations": [1]}


def hit(text: str = TEXT, *, rank: int = 1, page: int = 4, section: str = "") -> Hit:
    chunk = Chunk(
        f"c{rank}", "d", "bcp.pdf", "0" * 64, "pdf", rank, 0, len(text), text, "", 14, (PageSpan(page, 0, len(text)),)
    )
    if section:
        object.__setattr__(chunk, "section_path", section)
    return Hit("q", rank, chunk, 1.0 / rank, 0.5, 0.5, 0.5)


def asked(question: str = "How often are snapshots taken?", kind: QuestionKind = "free_text", *more: Hit) -> Asked:
    """The question with its passage, and more after it."""
    return Asked(Question("q", 0, question, kind=kind), [hit(), *more])
