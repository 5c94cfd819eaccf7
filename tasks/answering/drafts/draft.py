"""Protocol of generators: a question with its hits goes in, a draft comes out."""

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
    ``seconds`` is 0 where no model was asked anew. ``prompts_version`` is of the files in ``configs/prompts``.
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
"""The verdicts that have a probability."""
Replied = Verdict | Literal["not_settled", "unsaid"]
"""The verdict in a language model's reply; "not_settled" where it finds none, "unsaid" where the reply does not say."""
OVERRULING = frozenset({"conflict", "judgement", "entailment", "reading", "library"})
"""The checks that send an answer to review whatever the verdict's probability."""

AGAINST = frozenset({"conflict", "library"})
"""The checks that find what contradicts a draft, or that it is out of date."""


class Proposal(NamedTuple):
    """The likeliest verdict and its probability; ``chances``: those of all VERDICTS, then of none; or ().

    ``settled`` is the probability that the passage which is quoted settles the question.
    """

    verdict: Verdict
    probability: float
    chances: tuple[float, ...] = ()
    settled: float = 1.0


@dataclass(frozen=True, slots=True)
class Draft:
    """A generator's draft, before the decision.

    ``support`` in [0, 1] is how near the quotes are to the question, or to a model's words. ``declined`` is the
    generator's own reason not to answer, with ``nearest_fact`` to show in place of an answer. ``attempts`` are the
    tries that led to the draft, the last of which made it, and ``checks`` the results of later checks. A draft that
    ``is_verbatim`` consists of its citations' quotes, and its verdict was read from them; ``compared_text`` is then the
    text that was compared with the question, which is shorter than a quote that needs context. ``probability`` is the
    probability that a selected quote answers an open question; None where no model weighed it. ``replied`` is the
    verdict of a language model's reply, even where its draft is declined; None where there is no reply.
    ``borne_out_by`` are citations of what says the same as the text, and is cited with it: an earlier answer, say.
    ``denied_by`` is a place that says otherwise. A draft that ``is_approved`` is the library's answer to the same
    question.
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
    borne_out_by: tuple[Citation, ...] = ()
    denied_by: Citation | None = None
    is_approved: bool = False

    @property
    def overruled_by(self) -> list[str]:
        """The details of the failed checks that a verdict's probability does not overrule."""
        return [check.detail for check in self.checks if not check.passed and check.name in OVERRULING]

    @property
    def is_contradicted(self) -> bool:
        """True where something that is known contradicts the draft, or it is out of date."""
        return any(not check.passed and check.name in AGAINST for check in self.checks)

    @property
    def generator(self) -> str | None:
        """The name of the generator that made the draft; None where no attempt is recorded."""
        return self.attempts[-1].generator if self.attempts else None


def longest_text(question: Question, text: str = "") -> int | None:
    """The number of characters that the customer leaves for the text; None without a limit.

    A verdict in the same cell takes its part, unless the ``text`` says it itself.
    """
    if question.max_characters is None:
        return None
    is_shared = question.kind == "yes_no" and not question.verdict_apart and not begins_with_verdict(text)
    return max(1, question.max_characters - (LONGEST_VERDICT + len(". ") if is_shared else 0))


def declined(reason: DeclineReason, detail: str) -> Draft:
    """A draft that declines."""
    return Draft(None, None, (), 0.0, declined=reason, detail=detail)


def joined(*remarks: str) -> str:
    """The remarks, without those that are "", as the detail of a draft or an answer."""
    return "; ".join(filter(None, remarks))


OnText = Callable[[str], None]
"""Callback for each further piece of a draft's text as it is written."""


class Generator(Protocol):
    """Drafts answers to a batch of questions."""

    name: str
    questions_a_batch: int
    """The number of questions of a batch: a batch waits for its slowest question."""

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order; no questions give none. Raises ServiceAway where its server is away."""
        ...

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question, which counts; ``on_text`` is called with what is written before it is checked.

        Raises as ``draft``. Not to be called within an event loop; a thread will do.
        """
        ...
