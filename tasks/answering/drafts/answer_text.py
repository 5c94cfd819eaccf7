"""Streaming of an answer's text while a model is still writing its JSON reply."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tasks.answering.drafts.draft import Asked, Draft, Generator, OnText
from tasks.llm.json_replies import without_thought

_BEGIN = re.compile(r'"answer"\s*:\s*"')
_WHOLE = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')


def answer_so_far(raw: str) -> str:
    """The answer's text in the part of the JSON reply in ``raw`` so far; "" before it begins, and where it is null.

    Half an escape and half a character are left for the next call. A model's thinking is left out.
    """
    if not raw.lstrip().startswith("{"):
        raw = without_thought(raw)
    begin = _BEGIN.search(raw)
    if begin is None:
        return ""
    whole = _WHOLE.match(raw, begin.end())
    text: str = json.loads(f'"{whole.group() if whole else ""}"', strict=False)
    return text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text


class AnswerText:
    """Passes each further piece of an answer's text to a listener, once.

    Where a reply begins anew, because the first was refused, its text goes on from where it is longer than the first,
    if it begins the same; else it is not passed on, since what the listener has cannot be taken back.
    """

    def __init__(self, on_text: OnText) -> None:
        """``on_text`` is called with the pieces."""
        self._on_text, self._told = on_text, ""

    def hear(self, raw: str) -> None:
        """Take the whole reply so far and pass on what is new."""
        text = answer_so_far(raw)
        if len(text) > len(self._told) and text.startswith(self._told):
            piece, self._told = text[len(self._told) :], text
            self._on_text(piece)


def drafted(asked: Sequence[Asked], generator: Generator, on_text: OnText | None = None) -> list[Draft]:
    """One draft a question, in order; ``on_text``, if any, is called with their texts as they are written."""
    if on_text is None:
        return generator.draft(asked)
    return [generator.stream_draft(one, on_text) for one in asked]
