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
Cuts = tuple[float, ...]
"""Cosine at which each grade above the lowest begins, the lowest first."""
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
        shares, cuts = self._shares(cases, criterion), self._cuts[criterion]
        if cuts is None:
            return [Judgement(None, unscored=NOT_LEARNT)] * len(cases)
        scale = CRITERIA[criterion].scale
        found = {id(case): share for case, share in zip(cases, shares, strict=True)}

        def judged(case: Case) -> Judgement:
            cosines = found[id(case)]
            best = max(cosines)
            score = best if scale == "share" else MARKS[scale][sum(best >= cut for cut in cuts)]
            return Judgement(score, f"cosine {best:.2f}", shares=cosines)

        return as_judgements(criterion, cases, judged)

    def _learnt(self, criterion: Criterion, examples: Sequence[Labelled]) -> Cuts | None:
        if criterion.scale == "share":
            return ()
        labelled = [one for one in examples if criterion.name in one.labels and not criterion.settled(one.case)]
        cosines = [max(shares) for shares in self._shares([one.case for one in labelled], criterion.name)]
        return cuts_of(cosines, [one.labels[criterion.name] for one in labelled], criterion) if labelled else None

    def _shares(self, cases: Sequence[Case], criterion: str) -> list[tuple[float, ...]]:
        """The cosines of each case, clipped to [0, 1]; (0.0,) for a case that cannot be judged."""
        settled, cosines = CRITERIA[criterion].settled, _COSINES[criterion]
        judged = [case for case in cases if not settled(case)]
        self._encode([text for case in judged for text in _texts(case)])  # in one batch
        return [
            tuple(min(1.0, max(0.0, value)) for value in cosines(case, self._encode)) if not settled(case) else (0.0,)
            for case in cases
        ]


def cuts_of(cosines: Sequence[float], labels: Sequence[float], criterion: Criterion) -> Cuts:
    """Choose where each grade above the lowest begins, so that grades are as frequent among ``cosines`` as ``labels``.

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


VectorsOf = Callable[[Sequence[str]], NDArray[np.float32]]


def _between(one: str | None, others: Sequence[str | None], of: VectorsOf) -> list[float]:
    return [float(cosine) for cosine in of([text or "" for text in others]) @ of([one or ""])[0]]


def _nearest(text: str | None, contexts: Sequence[str], of: VectorsOf) -> list[float]:
    """The cosine of each sentence of ``text`` with the nearest sentence of the contexts."""
    sentences = [sentence for context in contexts for sentence in _sentences(context)]
    return [float(cosine) for cosine in (of(_sentences(text or "")) @ of(sentences).T).max(axis=1)]


_COSINES: Mapping[str, Callable[[Case, VectorsOf], Sequence[float]]] = {
    "correctness": lambda case, of: _between(case.answer, [case.reference], of),
    "relevancy": lambda case, of: _between(case.question, [case.answer], of),
    "faithfulness": lambda case, of: [min(_nearest(case.answer, case.contexts, of))],
    "points": lambda case, of: _between(case.answer, [case.reference], of),
    "graded_correctness": lambda case, of: _between(case.answer, [case.reference], of),
    "graded_context_relevance": lambda case, of: _between(case.question, case.contexts, of),
    "graded_faithfulness": lambda case, of: _between(case.answer, case.contexts, of),
    "graded_answer_relevance": lambda case, of: _between(case.question, [case.answer], of),
    "claim_faithfulness": lambda case, of: [fmean(_nearest(case.answer, case.contexts, of))],
    "answer_relevance": lambda case, of: _between(case.question, [case.answer], of),
    "context_recall": lambda case, of: [fmean(_nearest(case.reference, case.contexts, of))],
    "no_hallucination": lambda case, of: [min(_nearest(case.answer, case.contexts, of))],
}
"""Cosines that each criterion is judged by, for example the least that a sentence of the answer has in the contexts."""
