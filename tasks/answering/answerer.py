"""The answerer of a plan: everything that drafts, checks and decides, and the support of drafts by their questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.plans import Plan
from tasks.answering.conflicts.approved_answers import EntryOf, EntryState
from tasks.answering.conflicts.document_status import Standing
from tasks.answering.conflicts.past_answers import Dated
from tasks.answering.decision.answerability import read_for, weakest_match
from tasks.answering.decision.decline_advice import Owner
from tasks.answering.drafts.draft import Asked, Draft, Generator, OnText
from tasks.answering.entailment.labels import Opinions

Matrix = NDArray[np.float32]
EncodeTokens = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
"""Function from texts to their unit vectors, and to those of the tokens of each, (t, d), where the plan keeps them."""


class DocumentFacts(NamedTuple):
    """Functions from a document's id to its owner, its date, and the words by which it says that it is not in force;
    and from the chunk of an approved answer to the state of its entry.
    """

    owner: Owner
    dated: Dated
    standing: Standing
    entry: EntryOf = lambda chunk: EntryState()


@dataclass(frozen=True, slots=True)
class Answerer:
    """A plan with its ``generator`` of drafts and all that checks them.

    ``opinions`` label what a draft claims, ``documents`` gives facts of cited documents, and ``redact`` the function
    that removes secrets. A language model's reply to a yes/no question is weighed beside the draft of ``quoting``,
    which is verbatim. ``on_text`` is called with texts as they are written.
    """

    plan: Plan
    generator: Generator
    quoting: Generator
    encode: EncodeTokens
    opinions: Opinions
    documents: DocumentFacts
    redact: Callable[[], Callable[[str], str]]
    on_text: OnText | None = None


def held_against(asked: Sequence[Asked], drafts: Sequence[Draft], encode: EncodeTokens) -> list[Draft]:
    """The drafts with their support: the match of question and quote, by any generator; 0 without a quote."""
    texts = [read_for(item, draft) for item, draft in zip(asked, drafts, strict=True)]
    quoted = [at for at, text in enumerate(texts) if text is not None]
    _, questions = encode([asked[at].question.text for at in quoted])
    _, quotes = encode([texts[at] or "" for at in quoted])
    matches = dict(zip(quoted, map(weakest_match, questions, quotes), strict=True))
    return [replace(draft, support=matches.get(at, 0.0)) for at, draft in enumerate(drafts)]
