"""A written answer held against the passages that it cites, and the quotes that bear it out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.answering.handed_over import text_of
from tasks.answering.passages import passages_of
from tasks.answering.polarity import FIGURE
from tasks.chunking.sentences import sentence_spans
from tasks.embedding.bm25 import terms
from tasks.records import Citation, Hit

MIN_SUPPORT = 0.6
"""A sentence with fewer of its words in the cited passages says something of its own."""


class Grounded(NamedTuple):
    """The citations of an answer, one a cited hit, and the share of its words that they bear out.

    ``unsupported`` are its sentences that they do not.
    """

    citations: tuple[Citation, ...]
    support: float
    unsupported: tuple[str, ...]


def ground(answer: str, cited: Sequence[Hit]) -> Grounded:
    """The answer's support in ``cited``; nothing cited supports nothing.

    A figure that no cited passage has makes its sentence unsupported, however well the rest fits.
    """
    source = " ".join(map(text_of, cited))
    words, figures = set(terms(source)), set(FIGURE.findall(source))
    shares: list[float] = []
    unsupported: list[str] = []
    for start, end in sentence_spans(answer):
        sentence = answer[start:end]
        said = set(terms(sentence))
        share = len(said & words) / len(said) if said else 0.0
        shares.append(share)
        if share < MIN_SUPPORT or set(FIGURE.findall(sentence)) - figures:
            unsupported.append(sentence)
    citations = tuple(citation for hit in cited for citation in [_best_quote(answer, hit)] if citation)
    return Grounded(citations, min(shares, default=0.0), tuple(unsupported))


def _best_quote(answer: str, hit: Hit) -> Citation | None:
    """The passage of the hit that shares most words with the answer, None where it has no whole sentence."""
    said = set(terms(answer))
    best = max(passages_of(hit), key=lambda passage: len(said & set(terms(passage.quote))), default=None)
    return best.citation() if best else None
