"""A draft whose text is handed on while it is being written, where its generator can do that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from tasks.answering.drafting import Asked, Draft, Generator

OnText = Callable[[str], None]
"""Is given each piece of a text as it comes."""


@runtime_checkable
class StreamingGenerator(Protocol):
    """A generator that tells what it writes."""

    name: str

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """One question's draft; ``on_text`` is given its text in pieces, before it is judged."""
        ...


class Streamed:
    """A generator as any other; the texts of its drafts also go to ``on_text`` as they come."""

    def __init__(self, generator: StreamingGenerator, on_text: OnText) -> None:
        self.name = generator.name
        self._generator, self._on_text = generator, on_text

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order."""
        return [self._generator.stream_draft(one, self._on_text) for one in asked]


def streamed(generator: Generator, on_text: OnText | None) -> Generator:
    """The generator, telling ``on_text`` what it writes; as it is where nobody listens or it cannot."""
    if on_text is None or not isinstance(generator, StreamingGenerator):
        return generator
    return Streamed(generator, on_text)
