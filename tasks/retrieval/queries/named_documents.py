"""Documents that a question names: "in FY2018", "your 3M report", "according to the SOC 2 report".

A word of a document's name counts where the question writes it as a name, with a capital or a digit: "what is your
password policy" asks about a thing, "what does the Password Policy say" names a document. Rare words count more.
Nothing is left out for it: the scores of the document's chunks rise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.records import Chunk
from tasks.text.names.name_terms import name_terms
from tasks.text.names.periods import Period, periods_in
from tasks.text.names.version_marks import versions_named, without_versions
from tasks.text.search_terms import terms

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, eq=False)
class DocumentNames:
    """The names of m documents: the row of each file, the rows ``having`` each word, and the words' ``weights``.

    A document's length (m,) is that of its name's weights; ``highest`` is the largest of all weights, 0 without words.
    """

    rows: Mapping[str, int]
    having: Mapping[str, Rows]
    weights: Mapping[str, float]
    lengths: NDArray[np.float64]
    highest: float

    def scores(self, questions: Sequence[str], chunks: Sequence[Chunk]) -> Matrix:
        """Score how clearly each question names the document of each chunk, ``(questions, chunks)``, from 0.

        The cosine of question and name times the length of what they share, over the highest weight: about 1 where the
        question has a rare name's only word. Documents without a name, or with words that all share, score 0.
        """
        # One more row, for chunks of no named document.
        found = np.zeros((len(questions), len(self.rows) + 1))
        for of_question, question in zip(found, questions, strict=True):
            # Sorted: a set has another order in each process, which would change the last bits of sums.
            for word in sorted(words_as_names(question) & self.having.keys()):
                of_question[self.having[word]] += self.weights[word] ** 2
        scale = np.append(self.lengths * self.highest, 0)
        scores: Matrix = np.divide(found, scale, out=np.zeros_like(found), where=scale > 0).astype(np.float32)
        of_chunks: Matrix = scores[:, [self.rows.get(chunk.file_name, len(self.rows)) for chunk in chunks]]
        return of_chunks


class DocumentName(NamedTuple):
    """The words by which a question may name a document of the file: its name, entity, period and version."""

    file_name: str
    name: str
    entity: str = ""
    period: Period | None = None

    @property
    def words(self) -> set[str]:
        """The terms of name, entity, period and version, each once."""
        versions = {*versions_named(self.name), *versions_named(PurePosixPath(self.file_name).stem)}
        named = name_terms(without_versions(self.name)) | name_terms(self.entity)
        return {*named, *versions, *(self.period.words if self.period else ())}


@lru_cache(maxsize=4)
def document_names(names: tuple[DocumentName, ...]) -> DocumentNames:
    """Weigh the words of documents' names, each by the logarithm of how few documents share it.

    The last few are kept: a corpus is asked many questions.
    """
    having: dict[str, list[int]] = defaultdict(list)
    for row, one in enumerate(names):
        for word in sorted(one.words):
            having[word].append(row)
    weights = {word: float(np.log(len(names) / len(rows))) for word, rows in having.items()}
    squares = np.zeros(len(names))
    for word, rows in having.items():
        squares[rows] += weights[word] ** 2
    found = {word: np.array(rows, np.int64) for word, rows in having.items()}
    rows_of_files = {one.file_name: row for row, one in enumerate(names)}
    return DocumentNames(rows_of_files, found, weights, np.sqrt(squares), max(weights.values(), default=0.0))


def words_as_names(question: str) -> set[str]:
    """The terms that a question writes as names, with those of periods ("FY18", "second quarter of 2022") and versions
    ("v2.1", "version 2.1") among them.

    The first word of a sentence has its capital from there, and a question in capitals alone names nothing by them.
    """
    written: list[str] = []
    end = 0
    unversioned = without_versions(question)
    for match in _WORD.finditer(unversioned):
        word, between = match.group(), unversioned[end : match.start()]
        begins = not end or any(sign in between for sign in ".?!")
        end = match.end()
        has_digit = any(letter.isdigit() for letter in word)
        is_capital = any(letter.isupper() for letter in word) and not question.isupper()
        if has_digit or (is_capital and not (begins and word[1:].islower())):
            written.append(word)
    periods = (word for period in periods_in(question) for word in period.words)
    acronyms = (word.casefold() for word in written if len(word) > 1 and word.isupper() and not terms(word))
    return {*terms(" ".join(written)), *acronyms, *periods, *versions_named(question)}
