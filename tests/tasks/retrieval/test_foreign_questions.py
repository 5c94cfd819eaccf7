"""Questions in another language than the documents: no figure that compares words, or that an English model gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from configs.retrieval import RankedList, Reread, Retrieval
from tasks.answering.decision.answerability import signals
from tasks.records import Question
from tasks.retrieval.finding import Models, find_hits
from tests.made.chunks import chunk_of
from tests.made.small_indexes import index_of, unit_rows

TEXTS = (
    "All backups of the production database are encrypted with AES-256 and are kept for 35 days.",
    "Die Sicherungen der Datenbank werden mit AES-256 verschlüsselt und 35 Tage lang aufbewahrt.",
)
PLAN = Retrieval(lists=(RankedList(by="dense"),), reread=Reread(model="any", depth=2))


@pytest.mark.parametrize(
    ("question", "is_read", "compared"),
    [
        ("Are the backups encrypted?", True, {"made.pdf": True, "gemacht.pdf": False}),
        ("Werden die Sicherungen verschlüsselt?", False, {"made.pdf": False, "gemacht.pdf": False}),
        ("AES-256 SOC 2", True, {"made.pdf": True, "gemacht.pdf": False}),
    ],
)
def test_signals_of_two_languages_are_unknown(question: str, is_read: bool, compared: dict[str, bool]) -> None:
    pairs_read: list[tuple[str, str]] = []

    def read(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        pairs_read.extend(pairs)
        return np.zeros(len(pairs), np.float32)

    index = index_of([chunk_of(text, file_name=name) for text, name in zip(TEXTS, compared, strict=True)])
    models = Models(lambda texts: (unit_rows(len(texts), 1), []), read, lambda texts: [], read)
    ((one, other),) = find_hits([Question("q", 0, question)], index, PLAN, models).hits
    assert bool(pairs_read) is is_read
    assert {hit.relevance is not None for hit in (one, other)} == {is_read}
    assert {hit.chunk.file_name: hit.known_words is not None for hit in (one, other)} == compared
    for hit in (one, other):
        relevance, known_words = signals(hit)
        assert known_words == (1.0 if hit.known_words is None else hit.known_words)
        assert relevance == (0.5 if is_read else 0.0)
