"""Embedding judge: scores answers by the cosines of unit vectors, without a language model.

A cosine is no grade. The judge learns from labelled examples where its grades begin, so that it gives each as often as
people did. It is therefore measured by other examples than those that it learnt from. It detects the topic of a text
better than its statement: a wrong figure hardly moves a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from tasks.evaluation.judges.cases import CRITERIA, MARKS, Case, Criterion, Judgement, as_judgements
from tasks.evaluation.judges.labels import Labelled
from tasks.text.sentences import sentence_spans

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Function that gives the unit vectors (m, n) of m texts. It is called again with the same texts and should cache
them.
"""
NOT_LEARNT = "no labelled example says where its grades begin"


class EmbeddingJudge:
    """Judge by cosines; see the module."""

    name = "embedding"
    is_deterministic = True
    learns = True

    def __init__(self, encode: Encode, model: str, examples: Sequence[Labelled]) -> None:
        """Learn the cuts from ``examples``, by which it must not be measured. ``encode`` is the ``model``."""
        self.model = model
        self.criteria = tuple(_COSINES)
        self._encode = encode
        self._cuts = {name: self._learnt(CRITERIA[name], examples) for name in _COSINES}

    def judge(self, cases: Sequence[Case], criterion: str, repeat: int = 1) -> list[Judgement]:
        """Judge the cases, in order; the same each time. Raises KeyError for a criterion that it does not know."""
        cuts, scale = self._cuts[criterion], CRITERIA[criterion].scale
        if cuts is None:
            return [Judgement(None, unscored=NOT_LEARNT)] * len(cases)
        self._encode_all([case for case in cases if not CRITERIA[criterion].settled(case)])

        def judged(case: Case) -> Judgement:
            cosines = self._shares(case, criterion)
            best = max(cosines)
            score = best if scale == "share" else MARKS[scale][sum(best >= cut for cut in cuts)]
            return Judgement(score, f"cosine {best:.2f}", shares=cosines)

        return as_judgements(criterion, cases, judged)

    def _learnt(self, criterion: Criterion, examples: Sequence[Labelled]) -> tuple[float, ...] | None:
        if criterion.scale == "share":
            return ()
        labelled = [one for one in examples if criterion.name in one.labels and not criterion.settled(one.case)]
        self._encode_all([one.case for one in labelled])
        cosines = [max(self._shares(one.case, criterion.name)) for one in labelled]
        return cuts_of(cosines, [one.labels[criterion.name] for one in labelled], criterion) if labelled else None

    def _encode_all(self, cases: Sequence[Case]) -> None:
        """Encode all texts in one batch, so that they are cached."""
        self._encode([text for case in cases for text in _texts(case)])

    def _shares(self, case: Case, criterion: str) -> tuple[float, ...]:
        """The cosines of a case, clipped to [0, 1]."""
        return tuple(min(1.0, max(0.0, value)) for value in _COSINES[criterion](case, self._encode))


def cuts_of(cosines: Sequence[float], labels: Sequence[float], criterion: Criterion) -> tuple[float, ...]:
    """The cosine at which each grade above the lowest begins, so that grades are as frequent as among ``labels``.

    A cut is half-way between two neighbours, and beyond all cosines if no label has the grade or a better one.
    """
    ranked = sorted(cosines, reverse=True)
    found = []
    for least in MARKS[criterion.scale][1:]:
        count = sum(label >= least for label in labels)
        above, below = ([float("inf"), *ranked][count], [*ranked, 0.0][count])
        found.append(below if count == len(ranked) else (above + below) / 2)
    return tuple(found)


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)] or [text]


def _texts(case: Case) -> list[str]:
    whole = [case.question, *case.contexts, *filter(None, [case.answer, case.reference])]
    return [*whole, *(sentence for text in whole for sentence in _sentences(text))]


def _between(one: str | None, others: Sequence[str | None], of: Encode) -> list[float]:
    return [float(cosine) for cosine in of([text or "" for text in others]) @ of([one or ""])[0]]


def _nearest(text: str | None, contexts: Sequence[str], of: Encode) -> list[float]:
    """The cosine of each sentence of ``text`` with the nearest sentence of the contexts."""
    sentences = [sentence for context in contexts for sentence in _sentences(context)]
    return [float(cosine) for cosine in (of(_sentences(text or "")) @ of(sentences).T).max(axis=1)]


def _to_reference(case: Case, of: Encode) -> Sequence[float]:
    return _between(case.answer, [case.reference], of)


def _to_question(case: Case, of: Encode) -> Sequence[float]:
    return _between(case.question, [case.answer], of)


def _least_supported(case: Case, of: Encode) -> Sequence[float]:
    return [min(_nearest(case.answer, case.contexts, of))]


_COSINES: Mapping[str, Callable[[Case, Encode], Sequence[float]]] = {
    "correctness": _to_reference,
    "relevancy": _to_question,
    "faithfulness": _least_supported,
    "points": _to_reference,
    "graded_correctness": _to_reference,
    "graded_context_relevance": lambda case, of: _between(case.question, case.contexts, of),
    "graded_faithfulness": lambda case, of: _between(case.answer, case.contexts, of),
    "graded_answer_relevance": _to_question,
    "claim_faithfulness": lambda case, of: [fmean(_nearest(case.answer, case.contexts, of))],
    "answer_relevance": _to_question,
    "context_recall": lambda case, of: [fmean(_nearest(case.reference, case.contexts, of))],
    "no_hallucination": _least_supported,
}
"""Cosines that each criterion is judged by, for example the least that a sentence of the answer has in the contexts."""
