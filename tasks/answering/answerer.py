"""Questions and hits to answers: hits that give orders are left out, drafts are made, checked, weighed and judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from configs.plans import Plan
from tasks.answering.audit import Settled, redacted
from tasks.answering.decide import Remarks, decide
from tasks.answering.declines import Owner, what_to_do
from tasks.answering.drafting import Asked, Draft, Generator
from tasks.answering.evidence import read_for, weakest_match
from tasks.answering.grounding import Opinions, check_drafts
from tasks.answering.injection import told_of_passages, told_of_question, without_orders
from tasks.answering.past_answers import Dated, doubts_of
from tasks.answering.shortened import shortened
from tasks.answering.standing import Standing, doubts_of_standing
from tasks.records import Hit, Question

Matrix = NDArray[np.float32]
EncodeTokens = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
"""Gives the unit vectors of texts, and of each those of its tokens (t, d) where the plan keeps them."""


@dataclass(frozen=True, slots=True)
class Answerer:
    """What answers questions under a plan: a ``generator`` of drafts, further ``opinions`` on what they claim,
    who is the ``owner`` of a document, what gives the function that takes secrets out of words of servers, of which day
    a document is, and whether it says that it does not hold.
    """

    plan: Plan
    generator: Generator
    encode: EncodeTokens
    opinions: Opinions
    owner: Owner
    redact: Callable[[], Callable[[str], str]]
    dated: Dated = lambda document_id: None
    standing: Standing = lambda document_id: ""

    def settle(self, questions: Sequence[Question], hits: Mapping[str, Sequence[Hit]]) -> list[Settled]:
        """What becomes of ``questions``, in order, each answered from the plan's best ``top_k`` of its hits that give
        no orders to a language model.
        """
        handed = [without_orders(hits.get(one.question_id, []), self.plan.retrieval.top_k) for one in questions]
        asked = [Asked(question, kept) for question, (kept, _) in zip(questions, handed, strict=True)]
        drafts = [shortened(item, draft) for item, draft in zip(asked, self.generator.draft(asked), strict=True)]
        drafts = check_drafts(asked, drafts, self.opinions)
        if self.plan.answering.confidence is not None:
            drafts = held_against(asked, drafts, self.encode)
        redact = self.redact()
        settled: list[Settled] = []
        for item, draft, (kept, suspects) in zip(asked, drafts, handed, strict=True):
            to_do = partial(what_to_do, item.question.text, hits=kept, owner=self.owner)
            doubts = doubts_of(item, draft.citations, self.dated) + doubts_of_standing(draft.citations, self.standing)
            remarks = Remarks(told_of_passages(suspects), told_of_question(item.question.text), doubts, to_do)
            answer = decide(item, draft, self.plan.answering, draft.generator or self.generator.name, remarks)
            settled.append(redacted(Settled(item, draft, answer), redact))
        return settled


def held_against(asked: Sequence[Asked], drafts: Sequence[Draft], encode: EncodeTokens) -> list[Draft]:
    """The drafts, with the support that a fitted confidence weighs, whoever wrote them; 0 for one without a quote."""
    texts = [read_for(item, draft) for item, draft in zip(asked, drafts, strict=True)]
    quoted = [at for at, text in enumerate(texts) if text is not None]
    _, questions = encode([asked[at].question.text for at in quoted])
    _, quotes = encode([texts[at] or "" for at in quoted])
    matches = dict(zip(quoted, map(weakest_match, questions, quotes), strict=True))
    return [replace(draft, support=matches.get(at, 0.0)) for at, draft in enumerate(drafts)]
