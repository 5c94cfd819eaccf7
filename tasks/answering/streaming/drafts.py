"""A draft whose text is handed on while it is being written."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.answering.drafting import Asked, Draft, Generator, OnText


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
