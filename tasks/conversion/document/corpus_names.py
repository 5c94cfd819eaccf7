"""Names of documents within their corpus: the title, and what else tells a document from the others.

A title whose words most documents share ("Table of contents", an authority's name, a form's number) names none of them.
The words of the file's name are put behind a title that lacks them, or in the place of one that names nothing, in the
spelling of the document itself: "General Mills 2020" for ``GENERALMILLS_2020_10K.pdf``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from tasks.conversion.document.assembly import COVER_SEPARATOR
from tasks.records import Document
from tasks.text.search_terms import terms

COVER_CHARACTERS = 2_000
"""Length of the beginning of a text whose words count as shared or not."""
SPELLING_CHARACTERS = 50_000
"""Length of the beginning of a text in which the spelling of a file's name is looked for."""
LEAST_DOCUMENTS = 4
"""With fewer documents nobody can tell which words are shared."""
LEAST_COMPOUND = 6
"""A shorter word of a file's name is no compound."""
_SEGMENT = re.compile(r"[\W_]+|(?<=(?:19|20)\d\d)(?=[^\W\d_])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z\d])")
_TURN = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NOISE = re.compile(r"\d*|(?:v|ver|version|rev|revision)\d+|v", re.IGNORECASE)
_STATE = re.compile(r"final|copy|draft|current|latest|version|rev", re.IGNORECASE)
"""Marks of a version where they end a file's name: "Draft Kings" and "Version control" are no versions."""


class NameFacts(NamedTuple):
    """The facts by which a document may be named: its title, the words of its file's name, and the terms of both and
    of its cover, each once.
    """

    title: str
    file_words: tuple[str, ...]
    known_by: frozenset[str]


def name_facts(document: Document) -> NameFacts:
    """The facts about one document. A file's name of figures and version marks gives no words; a title that is only the
    file's name is replaced by them.
    """
    stem = unicodedata.normalize("NFC", PurePosixPath(document.file_name).stem)
    beginning = document.text[:SPELLING_CHARACTERS]
    words = tuple(_as_spelled(word, beginning) for word in _file_words(stem))
    title = (
        " ".join(words) or stem
        if unicodedata.normalize("NFC", document.title) in (stem, document.file_name)
        else document.title
    )
    return NameFacts(title, words, frozenset(terms(" ".join([title, *words, document.text[:COVER_CHARACTERS]]))))


def _file_words(stem: str) -> list[str]:
    """The words and years of a file's name, without versions, figures and hashes (letters and digits in turn)."""
    segments = [segment for segment in _SEGMENT.split(stem) if len(_TURN.findall(segment)) < 2]
    parts = [part for segment in segments for part in _CAMEL.split(segment)]
    words = [part for part in parts if _YEAR.fullmatch(part) or not _NOISE.fullmatch(part)]
    while words and _STATE.fullmatch(words[-1]):
        words.pop()
    return words


def _as_spelled(word: str, text: str) -> str:
    """A compound as the text spells it, most often, in several words or one; a word that is not in it stays."""
    if len(word) < LEAST_COMPOUND or not word.isalpha():
        return word
    spaced = r"[\s-]?".join(word)
    found = re.findall(rf"(?<![^\W_]){spaced}(?![^\W_])", text, re.IGNORECASE)
    counts = Counter(" ".join(each.split()) for each in found)
    return max(counts, key=lambda each: (counts[each], not each.isupper()), default=word)


def with_names(rows: Iterable[Mapping[str, Any]], facts: Mapping[str, NameFacts]) -> list[dict[str, Any]]:
    """The rows of the table ``documents`` of one corpus, each with its ``name``, from the facts by document id.

    A row of which nothing is known keeps the name that it has; one that never had text has none.
    """
    names = dict(zip(facts, corpus_names(list(facts.values())), strict=True))
    return [{**row, "name": names.get(row["document_id"], row.get("name"))} for row in rows]


def corpus_names(facts: Sequence[NameFacts]) -> list[str]:
    """The name of each document, in order, within the corpus of them all. No documents give no names."""
    having = Counter(word for one in facts for word in one.known_by)
    most = len(facts) / 2 if len(facts) >= LEAST_DOCUMENTS else len(facts)

    def is_telling(text: str) -> bool:
        return any(having[word] <= most for word in terms(text))

    return [_name(one, is_telling) for one in facts]


def _name(one: NameFacts, is_telling: Callable[[str], bool]) -> str:
    of_title = set(terms(one.title))
    added = " ".join(word for word in one.file_words if is_telling(word) and not of_title >= set(terms(word)))
    if not added:
        return one.title
    return f"{one.title}{COVER_SEPARATOR}{added}" if is_telling(one.title) else added
