"""Generators for measuring: one that is told a language model's reply to each question, and one that asks once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tasks.answering.audit.replay import RecordedServer
from tasks.answering.drafts.draft import Asked, Attempt, Draft, Generator, OnText
from tasks.answering.generators.openai_generator import OpenAIGenerator


class Replying:
    """Drafts from the replies that ``reply_of`` gives, as from those of a model server."""

    name, questions_a_batch = "openai", 64

    def __init__(self, reply_of: Callable[[Asked], str]) -> None:
        """Each reply is the JSON that a model would write."""
        self._reply_of = reply_of

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order."""
        return [self.stream_draft(one, lambda text: None) for one in asked]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question."""
        said = [Attempt(self.name, "told", raw=self._reply_of(asked))]
        return OpenAIGenerator(RecordedServer(said)).draft([asked])[0]


class Remembering:
    """A generator that drafts each question once, where it has the same hits whenever it is asked."""

    def __init__(self, generator: Generator) -> None:
        self.name, self.questions_a_batch = generator.name, generator.questions_a_batch
        self._generator, self._kept = generator, dict[str, Draft]()

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order."""
        new = [one for one in asked if one.question.question_id not in self._kept]
        ids = [one.question.question_id for one in new]
        self._kept |= dict(zip(ids, self._generator.draft(new) if new else [], strict=True))
        return [self._kept[one.question.question_id] for one in asked]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question."""
        return self.draft([asked])[0]
