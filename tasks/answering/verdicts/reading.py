"""Reading of passages beside yes/no questions by the plan's models, and the verdict that they make most likely."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from configs.plans import Answering
from configs.weights import VerdictWeights, load_verdict_weights
from tasks.answering.drafts.draft import VERDICTS, Asked
from tasks.answering.quotes.passages import Passage
from tasks.answering.verdicts.features import FEATURES, Contrasts, Reading
from tasks.answering.verdicts.model import Proposed, agreement, propose
from tasks.answering.verdicts.statements import Statements, statements_of
from tasks.errors import UsageError

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
ReadPairs = Callable[[Sequence[tuple[str, str]]], NDArray[np.float32]]
ProposeVerdicts = Callable[[Sequence[Asked], Sequence[Sequence[Passage]]], list[Proposed | None]]
"""Function from yes/no questions and the passages of each to the verdicts that these make most likely."""
LEAD_OF_ONE = 5.0
"""The lead of a passage without others."""


def proposer(plan: Answering, encode: Encode, read_pairs: ReadPairs) -> ProposeVerdicts | None:
    """The plan's proposer of verdicts, if it has one. Raises UsageError where it names unknown weights."""
    if plan.verdicts is None:
        return None
    weights = load_verdict_weights(plan.verdicts.weights)
    known = agreement(np.full((1, len(VERDICTS)), 0.1), np.zeros((1, len(FEATURES))))
    if unknown := weights.right.weights.keys() - known:
        raise UsageError(
            f"the weights {plan.verdicts.weights!r} are of another version, with {', '.join(sorted(unknown))}: "
            "fit them anew with tests.bench.fit_verdicts"
        )
    return VerdictReader(weights, encode, read_pairs).propose


class VerdictReader:
    """Proposer of a verdict for each yes/no question, from passages of its hits, by vectors and a cross-encoder."""

    def __init__(self, weights: VerdictWeights, encode: Encode, read_pairs: ReadPairs) -> None:
        self._weights, self._encode, self._read_pairs = weights, encode, read_pairs

    def propose(self, asked: Sequence[Asked], passages: Sequence[Sequence[Passage]]) -> list[Proposed | None]:
        """The likeliest verdict by each question's passages, in order; None for a question without passages."""
        return [propose(readings, self._weights) for readings in self.read(asked, passages)]

    def read(self, asked: Sequence[Asked], passages: Sequence[Sequence[Passage]]) -> list[list[Reading]]:
        """The readings of each question's passages, in order; all models are asked as one batch."""
        questions = [item.question.text for item in asked]
        statements = [statements_of(question) for question in questions]
        texts = list(dict.fromkeys(passage.matched_text for some in passages for passage in some))
        said = list(dict.fromkeys(one for of_question in statements for one in of_question))
        vectors = dict(zip([*texts, *said], self._encode([*texts, *said]), strict=True))
        of_questions = dict(zip(questions, self._encode(questions), strict=True))
        to_read = [(one, passage.read_text) for one, some in zip(questions, passages, strict=True) for passage in some]
        logits = iter(self._read_pairs(to_read).tolist())

        def readings(question: str, some: Sequence[Passage], said_by: Statements) -> Iterator[Reading]:
            relevance = [next(logits) for _ in some]
            for at, passage in enumerate(some):
                vector = vectors[passage.matched_text]
                cosines = [float(vectors[one] @ vector) for one in said_by]
                others = relevance[:at] + relevance[at + 1 :]
                yield Reading(
                    question=question,
                    quote=passage.quote,
                    read=passage.matched_text,
                    place=f"{passage.chunk.context}\n{passage.section}",
                    relevance=relevance[at],
                    lead=relevance[at] - max(others, default=relevance[at] - LEAD_OF_ONE),
                    similarity=float(of_questions[question] @ vector),
                    rank=passage.hit.rank,
                    known_words=passage.hit.known_words or 0.0,
                    is_past_answer=passage.is_past_answer,
                    contrasts=Contrasts(*(cosines[0] - one for one in cosines[1:])),
                )

        return [list(readings(*one)) for one in zip(questions, passages, statements, strict=True)]
