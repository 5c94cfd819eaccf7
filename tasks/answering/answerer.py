"""Everything that drafts, verifies and decides under a plan, and how near each draft is to its question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.plans import Plan
from tasks.answering.conflicts.document_status import Standing
from tasks.answering.conflicts.past_answers import Dated
from tasks.answering.decision.answerability import read_for, weakest_match
from tasks.answering.decision.declines import Owner
from tasks.answering.drafts.draft import Asked, Draft, Generator
from tasks.answering.entailment.labels import Opinions

Matrix = NDArray[np.float32]
EncodeTokens = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
"""Gives the unit vectors of texts, and of each those of its tokens (t, d) where the plan keeps them."""


class DocumentFacts(NamedTuple):
    """The owner of a document, its day, and the words by which it says that it does not hold, by its id."""

    owner: Owner
    dated: Dated
    standing: Standing


@dataclass(frozen=True, slots=True)
class Answerer:
    """A plan with its ``generator`` of drafts and all that judges these; :mod:`tasks.answering.pipeline` answers by it.

    ``opinions`` judge what a draft claims, ``documents`` are asked for facts of those that are cited, and ``redact``
    gives the function that takes secrets out of words of servers. ``quoting`` drafts verbatim, with the verdicts that
    the passages say: what a language model replies to a yes/no question is weighed beside it.
    """

    plan: Plan
    generator: Generator
    quoting: Generator
    encode: EncodeTokens
    opinions: Opinions
    documents: DocumentFacts
    redact: Callable[[], Callable[[str], str]]


def held_against(asked: Sequence[Asked], drafts: Sequence[Draft], encode: EncodeTokens) -> list[Draft]:
    """The drafts, with the support that a fitted confidence weighs, whoever wrote them; 0 for one without a quote."""
    texts = [read_for(item, draft) for item, draft in zip(asked, drafts, strict=True)]
    quoted = [at for at, text in enumerate(texts) if text is not None]
    _, questions = encode([asked[at].question.text for at in quoted])
    _, quotes = encode([texts[at] or "" for at in quoted])
    matches = dict(zip(quoted, map(weakest_match, questions, quotes), strict=True))
    return [replace(draft, support=matches.get(at, 0.0)) for at, draft in enumerate(drafts)]
