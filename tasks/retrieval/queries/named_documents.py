"""Documents that a question names: "in FY2018", "your 3M report", "according to the SOC 2 report".

A word of a document's name counts where the question writes it as a name, with a capital or a digit: "what is your
password policy" asks about a thing, "what does the Password Policy say" names a document. Rare words count more.
Nothing is left out for it: the scores of the document's chunks rise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.records import Chunk
from tasks.text.search_terms import terms

Matrix = NDArray[np.float32]
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+)\W*[^\W\d_][a-z]+")
_WRITTEN_AS_NAME = re.compile(r"\b\w*[A-Z0-9]\w*")
_YEAR = re.compile(r"(?<=[A-Za-z0-9])(?P<year>(?:19|20)\d\d)\b|\b(?:FY|CY)\s?'?(?P<short>\d\d)\b", re.IGNORECASE)
_LEAST_WEIGHT = 1e-9


@dataclass(frozen=True, slots=True)
class DocumentNames:
    """The names of a corpus' documents: the row of each file, the column of each word, and the weights
    ``(documents, words)``, 0 for a word that is not in the name.
    """

    rows: Mapping[str, int]
    columns: Mapping[str, int]
    weights: Matrix

    def scores(self, questions: Sequence[str], chunks: Sequence[Chunk]) -> Matrix:
        """Score how clearly each question names the document of each chunk, ``(questions, chunks)``, from 0.

        A name of one rare word that the question has scores 1. Documents without a name score 0.
        """
        squares = self.weights**2
        # Summed by columns: few words are asked for, and a product of matrices may warn of flags that others have set.
        shared = [squares[:, self._columns_of(question)].sum(axis=1) for question in questions]
        lengths = np.sqrt(squares.sum(axis=1)) * self.weights.max(initial=0)
        found: Matrix = np.reshape(shared, (len(questions), len(self.rows))) / np.maximum(lengths, _LEAST_WEIGHT)
        # One more column, for chunks of no named document.
        found = np.pad(found, ((0, 0), (0, 1)))
        return found[:, [self.rows.get(chunk.file_name, len(self.rows)) for chunk in chunks]]

    def _columns_of(self, question: str) -> list[int]:
        # Sorted, as below: a set has another order in each process, which would change the last bits of sums.
        return sorted(self.columns[word] for word in words_as_names(question) if word in self.columns)


def document_names(names: Mapping[str, str]) -> DocumentNames:
    """Weigh the words of the ``names`` of documents, by file, each by the logarithm of how few documents share it."""
    words = [sorted({*terms(name)}) for name in names.values()]
    having = Counter(word for some in words for word in some)
    columns = {word: at for at, word in enumerate(having)}
    weights = np.zeros((len(names), len(columns)), np.float32)
    for row, some in enumerate(words):
        for word in some:
            weights[row, columns[word]] = np.log(len(names) / having[word])
    return DocumentNames({file: row for row, file in enumerate(names)}, columns, weights)


def words_as_names(question: str) -> set[str]:
    """The terms that a question writes as names, with the year of a period ("FY18", "FY2018", "Q2 2022") among them.

    The first word of a sentence has its capital from there.
    """
    written = _WRITTEN_AS_NAME.findall(_SENTENCE_START.sub(" ", question))
    years = (found["year"] or f"20{found['short']}" for found in _YEAR.finditer(question))
    return set(terms(" ".join([*written, *years])))
