"""The text of an answer, handed on while a model still writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tasks.answering.drafts.draft import Asked, Draft, Generator, OnText
from tasks.llm.json_replies import without_thought

_BEGIN = re.compile(r'"answer"\s*:\s*"')
_WHOLE = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')


def answer_so_far(raw: str) -> str:
    """The answer's text as far as the JSON in ``raw`` has come; "" before it begins, and where it is null.

    An escape that has come half is left for later, and half a character, too. What a model thinks is not told.
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
    """Tells a listener the further pieces of an answer's text, each once.

    A reply that begins anew, because the first was refused, is told from where it says more than the first, if it says
    the same; else it is not told, as what was told cannot be taken back.
    """

    def __init__(self, on_text: OnText) -> None:
        """``on_text`` is given the pieces."""
        self._on_text, self._told = on_text, ""

    def hear(self, raw: str) -> None:
        """Takes all that the model has said so far."""
        text = answer_so_far(raw)
        if len(text) > len(self._told) and text.startswith(self._told):
            piece, self._told = text[len(self._told) :], text
            self._on_text(piece)


class Streamed:
    """A generator as any other; the texts of its drafts also go to ``on_text`` as they come, before they are judged."""

    questions_a_batch = 1

    def __init__(self, generator: Generator, on_text: OnText) -> None:
        """``on_text`` is given each piece of a text."""
        self.name = generator.name
        self._generator, self._on_text = generator, on_text

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order."""
        return [self._generator.stream_draft(one, self._on_text) for one in asked]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """As the generator's own: whoever asks for it listens in its place."""
        return self._generator.stream_draft(asked, on_text)


def streamed(generator: Generator, on_text: OnText | None) -> Generator:
    """The generator, telling ``on_text`` what it writes; as it is where nobody listens."""
    return generator if on_text is None else Streamed(generator, on_text)
