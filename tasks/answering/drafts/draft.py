"""The protocol of generators: the question with its hits that one is asked, and the draft that it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from tasks.questions.wording import LONGEST_VERDICT, begins_with_verdict
from tasks.records import Citation, DeclineReason, Hit, Question, Verdict


class Asked(NamedTuple):
    """A question with the hits that the plan hands over, best first."""

    question: Question
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One generator's try at a draft, as the audit log keeps it.

    ``prompt_sha256`` is of all that a model was sent, ``raw`` what it said, ``failure`` why that became no draft.
    ``seconds`` is 0 for a reply that was kept from before, and for a generator that asks no model. ``prompts_version``
    is of the files in ``configs/prompts`` that it was made from.
    """

    generator: str
    model: str | None = None
    prompt_sha256: str | None = None
    raw: str | None = None
    failure: str | None = None
    seconds: float = 0.0
    prompts_version: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check of a draft; ``detail`` says what it found."""

    name: str
    passed: bool
    detail: str = ""


VERDICTS: tuple[Verdict, ...] = ("yes", "no", "partial")
"""The verdicts that are weighed."""
Replied = Verdict | Literal["not_settled", "unsaid"]
"""The verdict of a language model's reply, that it finds none, or that the reply does not say."""
OVERRULING = frozenset({"conflict", "judgement", "entailment", "reading"})
"""The checks that no probability of a verdict makes up for."""


class Proposal(NamedTuple):
    """The verdict that the evidence makes most likely, and how probable it is that it is right. ``chances`` are the
    probabilities of all VERDICTS, and then of none of them; () where they are not known apart.
    """

    verdict: Verdict
    probability: float
    chances: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A generator's proposal, before it is judged.

    ``support`` in [0, 1] is how well the cited quotes bear the question out. ``declined`` is the generator's own
    reason not to answer, with ``nearest_fact`` as what it can show all the same. ``attempts`` are the tries that led
    to it, the last that which made it, and ``checks`` what was looked at afterwards. One that ``is_verbatim`` says its
    citations' quotes and nothing else, and its verdict was read from them; ``compared_text`` is then what the question
    was compared with, which is less than the quote where that needs more to be understood. ``probability`` is how
    probably a selected quote answers an open question; None where nothing weighed that. ``replied`` is the verdict of a
    language model's reply, even where its draft is declined; None where there is no reply.
    """

    text: str | None
    verdict: Verdict | None
    citations: tuple[Citation, ...]
    support: float
    declined: DeclineReason | None = None
    detail: str = ""
    nearest_fact: Citation | None = None
    attempts: tuple[Attempt, ...] = ()
    checks: tuple[Check, ...] = ()
    is_verbatim: bool = False
    compared_text: str = ""
    probability: float | None = None
    proposal: Proposal | None = None
    replied: Replied | None = None

    @property
    def overruled_by(self) -> list[str]:
        """The details of the failed checks that no probability of a verdict makes up for."""
        return [check.detail for check in self.checks if not check.passed and check.name in OVERRULING]

    @property
    def generator(self) -> str | None:
        """The generator that made it; None where no try is recorded."""
        return self.attempts[-1].generator if self.attempts else None


def longest_text(question: Question, text: str = "") -> int | None:
    """The number of characters that the customer leaves for the text; None where it is not said.

    Where a yes/no question has one cell for both, the verdict is written before the text, and takes its part; not
    before a ``text`` that says it itself.
    """
    if question.max_characters is None:
        return None
    is_shared = question.kind == "yes_no" and not question.verdict_apart and not begins_with_verdict(text)
    return max(1, question.max_characters - (LONGEST_VERDICT + len(". ") if is_shared else 0))


OnText = Callable[[str], None]
"""Is given each further piece of a draft's text as it is written."""


class Generator(Protocol):
    """Drafts answers to a batch of questions."""

    name: str
    questions_a_batch: int
    """The number of questions to give at once: a batch waits for its slowest."""

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order; no questions give none. Raises ServiceAway where its server is away."""
        ...

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question, whose text ``on_text`` is given piece by piece meanwhile.

        The pieces are what is being written, and not yet checked: the draft that is returned may have another text, or
        none, and it is what counts. Raises as ``draft``. Not to be called within an event loop; a thread will do.
        """
        ...
