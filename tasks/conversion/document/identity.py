"""Facts by which a document may be named: its title, the words of its file's name, its period, kind and names."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import NamedTuple

from tasks.records import Document
from tasks.text.english import MONTHS
from tasks.text.names.document_kinds import any_kind, kind_of
from tasks.text.names.name_terms import name_terms
from tasks.text.names.periods import Period, ended_periods, periods_in, without_periods
from tasks.text.names.version_marks import is_state, is_version_number
from tasks.text.search_terms import terms

COVER_CHARACTERS = 2_000
"""Length of the beginning of a text that is its cover: its words count as shared or not."""
BEGINNING_CHARACTERS = 50_000
"""Length of the beginning of a text in which names, headings and the spelling of a file's name are looked for."""
LEAST_COMPOUND = 6
"""A shorter word of a file's name is no compound."""
LEAST_USES = 3
"""A name that the beginning of a text has less often is not its subject."""
MOST_NAMES = 20
"""The number of names that are kept, the most frequent first."""
_MOST_LINE_WORDS = 12
"""A longer line of a cover is a sentence."""
_MOST_LINES = 8
SHEETS = ("xlsx", "xls", "csv")
"""Kinds of documents without a cover: a day among their first cells is any."""
_SEGMENT = re.compile(r"[\W_]+|(?<=(?:19|20)\d\d)(?=[^\W\d_])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z\d])")
_TURN = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DEVICE = re.compile(
    r"scan(?:ned)?|img|image|pict?|photo|dsc\w?|fax|screenshot|untitled|unknown|doc|document|file|page"
)
"""Words that a scanner, camera or program gives to a file."""
_WORD = re.compile(r"[^\W_]+")
_CAPITALS = "A-ZÀ-ÖØ-ÞΑ-ΩА-Я"
_NAME = rf"\d{{0,3}}[{_CAPITALS}][\w&-]*"
_USED_NAME = re.compile(
    # The first word of a sentence has its capital from there.
    rf"[ \n](?<=[^\W\d_{_CAPITALS}][^\W\d_{_CAPITALS}].|[^\W\d_{_CAPITALS}],.)"
    rf"({_NAME}(?:[ ](?:of[ ]|&[ ])?{_NAME}){{0,3}})",
    re.DOTALL,
)
_ENDS = re.compile(r"end(?:ed|ing)\b", re.IGNORECASE)
_LINE_ENDS = re.compile(r"\n|_{3,}|\|")
_TURNS_OF_HASH = 2
_HEX = re.compile(r"(?=.*\d)[\da-f]{8,}", re.IGNORECASE)
_LOWER_SHARE = 0.1
"""A word that is so often in small letters is none of a name."""


class UsedName(NamedTuple):
    """A name that a text writes in its sentences, with how often. ``is_on_cover`` where a line of the cover begins
    with it; ``proper`` are its words, in lower case, that the text never writes so.
    """

    text: str
    uses: int
    is_on_cover: bool
    proper: frozenset[str]


class NameFacts(NamedTuple):
    """The facts by which one document may be named.

    ``title`` is that of the document, or the words of a file's name where it is one, "" without any. ``file_words`` and
    ``folder_words`` are spelled as in the document;
    ``known_by`` are the terms of these and of the cover, each once; ``lines`` the first short lines of the cover;
    ``headings`` hashes of headings and running headers, comparable within this process. ``common`` are words, in lower
    case, that are written with and without capitals. The period of a document that
    ``is_dated`` is only a day on its cover.
    """

    file_name: str
    title: str
    file_words: tuple[str, ...]
    folder_words: tuple[str, ...]
    known_by: frozenset[str]
    lines: tuple[str, ...]
    headings: frozenset[int]
    names: tuple[UsedName, ...]
    common: frozenset[str]
    period: Period | None
    is_dated: bool
    kind: str
    cover_kind: str


def name_facts(document: Document) -> NameFacts:
    """The facts about one document. A file's name of figures, version marks and a scanner's words gives no words."""
    path = PurePosixPath(unicodedata.normalize("NFC", document.file_name))
    beginning, cover = document.text[:BEGINNING_CHARACTERS], document.text[:COVER_CHARACTERS]
    words = _file_words(path.stem, beginning)
    written = unicodedata.normalize("NFC", document.title)
    title = document.title
    if written in (path.stem, path.name, str(path)):
        title = " ".join(words)
    elif not re.search(r"\s", title) and "_" in title:
        title = " ".join(_file_words(written, beginning))
    lines = [" ".join(line.split()) for line in _LINE_ENDS.split(cover)]
    short = [line for line in lines if line and len(line.split()) <= _MOST_LINE_WORDS]
    return NameFacts(
        str(path),
        title,
        words,
        tuple(word for part in path.parts[:-1] for word in _file_words(part, beginning)),
        frozenset(name_terms(title) | name_terms(" ".join(words)) | name_terms(cover)),
        tuple(filter(_is_worded, short))[:_MOST_LINES],
        frozenset(_headings(document)),
        *_used_names(beginning, lines, words),
        *_period(path, written, cover, [] if document.kind in SHEETS else short),
        kind_of(title) or any_kind(" ".join(words)),
        next(filter(None, map(_kind_of_line, lines)), ""),
    )


def heading_hash(text: str) -> int:
    """The hash of a heading, of its words in lower case."""
    return hash(" ".join(_WORD.findall(text.casefold())))


def spellings(word: str, text: str) -> list[str]:
    """The ways in which ``text`` writes a word: in one or several words; none where it lacks it."""
    # In small letters the pattern begins with one, which is looked for ten times as fast as either of two.
    low = text.lower()
    written = text if len(low) == len(text) else low
    found = re.finditer(r"[\W_]?".join(map(re.escape, word.lower())) + r"(?![^\W_])", low)
    return [
        " ".join(written[each.start() : each.end()].split())
        for each in found
        if not each.start() or not low[each.start() - 1].isalnum()
    ]


def _file_words(stem: str, text: str) -> tuple[str, ...]:
    """The words and years of a file's name as ``text`` spells them, without versions, figures, hashes (letters and
    digits in turn) and what a scanner gave.
    """
    segments = [segment for segment in _SEGMENT.split(stem) if not _is_hash(segment)]
    parts = [part for segment in segments for part in _as_spelled(segment, text)]
    words = [part for part in parts if _YEAR.fullmatch(part) or not is_version_number(part)]
    while words and is_state(words[-1]):
        words.pop()
    is_given = all(_YEAR.fullmatch(word) or _DEVICE.fullmatch(word.casefold()) or len(word) == 1 for word in words)
    return () if is_given else tuple(words)


def _as_spelled(segment: str, text: str) -> list[str]:
    """A compound as ``text`` spells it, most often, in several words or one; else its parts by their capitals."""
    parts = _CAMEL.split(segment)
    if len(segment) < LEAST_COMPOUND and _is_acronym(segment, text):
        return [segment.upper()]
    if len(parts) == 1 and (len(segment) < LEAST_COMPOUND or not segment.isalpha()):
        return parts
    counts = Counter(spellings(segment, text))
    found = max(counts, key=lambda each: (counts[each], not each.isupper()), default="")
    return [found] if found else parts


def _is_acronym(segment: str, text: str) -> bool:
    """Tell if ``text`` writes a short word in capitals, amid others, and in small letters only if it is a stop word:
    "us" of a file's name is "US", where the text has that.
    """
    capitals = segment.upper()
    written = (line for line in text.splitlines() if capitals in line and not line.isupper())
    is_written = any(capitals in _WORD.findall(line) for line in written)
    return is_written and (not terms(segment) or segment.lower() not in _WORD.findall(text))


def _is_hash(segment: str) -> bool:
    return len(_TURN.findall(segment)) >= _TURNS_OF_HASH or bool(_HEX.fullmatch(segment))


def _is_worded(line: str) -> bool:
    """Tell if a line is words in the main, and not only a period."""
    undated = without_periods(line)
    return sum(map(str.isalpha, undated)) > len(line) // 2 and not _ENDS.search(line)


def _headings(document: Document) -> Iterator[int]:
    for element in document.elements:
        if element.kind in ("header", "footer") or (
            element.kind == "title" and (element.start or 0) < BEGINNING_CHARACTERS
        ):
            yield heading_hash(element.text)


def _used_names(
    text: str, cover_lines: Iterable[str], file_words: Iterable[str]
) -> tuple[tuple[UsedName, ...], frozenset[str]]:
    """The names that a text writes in its sentences, or that its file has, with capitals, the most frequent first; and
    the words of such that it writes in small letters, too.
    """
    words = Counter(_WORD.findall(text))
    uses = Counter(re.sub(r"['’]s$", "", found) for found in _USED_NAME.findall(text))
    uses |= Counter({word: len(spellings(word, text)) for word in file_words if word.lower() != word})
    cover = [line.casefold().removeprefix("the ") for line in cover_lines]
    known = [(name, count, _proper(name, words)) for name, count in uses.most_common() if count >= LEAST_USES]
    common = (word.lower() for name, _, proper in known for word in _WORD.findall(name) if word.lower() not in proper)
    names = (
        UsedName(name, count, any(_begins_with(line, name.casefold()) for line in cover), proper)
        for name, count, proper in known
        if proper
    )
    return tuple(islice(names, MOST_NAMES)), frozenset(common)


def _begins_with(line: str, name: str) -> bool:
    return line.startswith(name) and not line[len(name) : len(name) + 1].isalnum()


def _proper(name: str, words: Counter[str]) -> frozenset[str]:
    """The words of a name, in lower case, that are hardly ever written so."""
    parts = [part for part in _WORD.findall(name) if part not in MONTHS and part.lower() != part]
    return frozenset(
        part.lower()
        for part in parts
        if words[part.lower()] <= (words[part] + words[part.upper()] + words[part.capitalize()]) * _LOWER_SHARE
    )


def _period(path: PurePosixPath, title: str, cover: str, lines: Iterable[str]) -> tuple[Period | None, bool]:
    """The period of a document: of its file's name, of the year that ends on its cover, of its title or its folders;
    else, with True, of the first day on its cover.
    """
    stated = (periods_in(path.stem), ended_periods(cover), *map(periods_in, (title, *reversed(path.parts[:-1]))))
    if found := next(chain.from_iterable(stated), None):
        return found, False
    days = (period for line in lines for period in periods_in(line) if period.month or period.quarter)
    return next(days, None), True


def _kind_of_line(line: str) -> str:
    """The kind of document that a line of a cover begins with, behind a mark."""
    return any_kind(" ".join(_WORD.findall(line)[:3]))
