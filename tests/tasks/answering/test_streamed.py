"""Drafts whose text is handed on while it is written."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.answering.drafts.answer_text import drafted
from tasks.answering.drafts.draft import Asked, Draft, OnText
from tasks.records import Question

DRAFT = Draft("Yes, it is.", "yes", (), 0.9)


def test_a_generator_that_tells_is_listened_to() -> None:
    heard: list[str] = []

    class Telling:
        name, questions_a_batch = "telling", 1

        def draft(self, asked: Sequence[Asked]) -> list[Draft]:
            raise AssertionError("it can tell what it writes")

        def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
            for piece in ("Yes, ", "it is."):
                on_text(piece)
            return DRAFT

    asked = Asked(Question("ask", 0, "Is it?"), [])
    assert drafted([asked], Telling(), heard.append) == [DRAFT]
    assert heard == ["Yes, ", "it is."]


def test_a_generator_that_nobody_listens_to_drafts_at_once() -> None:
    class Silent:
        name, questions_a_batch = "silent", 2

        def draft(self, asked: Sequence[Asked]) -> list[Draft]:
            return [DRAFT] * len(asked)

        def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
            raise AssertionError("nobody listens")

    assert drafted([Asked(Question("ask", 0, "Is it?"), [])] * 2, Silent()) == [DRAFT, DRAFT]
