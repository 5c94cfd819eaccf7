"""Names of documents within their corpus: the title, and what else tells a document from the others.

A title whose words most documents share, or that others have as a heading ("Table of contents", an authority's name, a
form's number) names none of them. The words of the file's name are put behind a title that lacks them, or in the place
of one that names nothing, in the spelling of the document itself: "General Mills 2020" for a file
``GENERALMILLS_2020_10K.pdf``. Where the file's name says nothing, the name that the text is about does, or a line of
its cover, with its period and kind.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from tasks.conversion.document.assembly import COVER_SEPARATOR
from tasks.conversion.document.identity import NameFacts, UsedName, heading_hash, spellings
from tasks.text.names.document_kinds import any_kind
from tasks.text.names.name_terms import name_terms
from tasks.text.names.periods import without_periods
from tasks.text.names.version_marks import versions_in, without_versions
from tasks.text.search_terms import terms

LOGIC_VERSION = "3"
LEAST_DOCUMENTS = 4
"""With fewer documents nobody can tell which words are shared."""
SHARED_HEADING = 0.25
"""A title names none where more than that share of documents, and LEAST_DOCUMENTS of them, have it as a heading."""
COMMON_SHARE = 0.1
"""A word that so many documents write in small letters, too, is none of a name."""
LEAST_LINE_WORDS, MOST_LINE_CHARACTERS = 2, 60
_SENTENCE_ENDS = (".", "!", "?", ":", ";")
_FIGURE = re.compile(r"\d\S*")
_WORD = re.compile(r"[^\W_]+")


class Identity(NamedTuple):
    """Identity of a document within its corpus; ``entity``, ``period`` and ``kind`` are "" where nothing states it."""

    name: str
    entity: str
    period: str
    kind: str


def with_identities(rows: Iterable[Mapping[str, Any]], facts: Mapping[str, NameFacts]) -> list[dict[str, Any]]:
    """The rows of the table ``documents`` of one corpus, each with its ``name``, ``entity``, ``period`` and
    ``document_type``, from the facts by document id.

    A row of which nothing is known keeps what it has; one that never had text has none.
    """
    found = dict(zip(facts, corpus_identities(list(facts.values())), strict=True))
    columns = ("name", "entity", "period", "document_type")
    return [
        {**row, **{column: row.get(column) for column in columns}}
        | (
            dict(zip(columns, (value or None for value in found[row["document_id"]]), strict=True))
            if row["document_id"] in found
            else {}
        )
        for row in rows
    ]


def corpus_identities(facts: Sequence[NameFacts]) -> list[Identity]:
    """The identity of each document, in order, within the corpus of them all. No documents give none.

    No two have the same name.
    """
    corpus = _Corpus(facts)
    entities = [corpus.entity(one) for one in facts]
    names = _apart(facts, [corpus.name(one, entity) for one, entity in zip(facts, entities, strict=True)])
    return [
        Identity(name, entity, str(one.period or ""), corpus.kind(one, entity))
        for one, name, entity in zip(facts, names, entities, strict=True)
    ]


@dataclass(frozen=True)
class _Corpus:
    """The documents of a corpus, with the counts of those that have a word or a heading."""

    facts: Sequence[NameFacts]
    _shared: dict[frozenset[str], int] = field(default_factory=dict)

    @cached_property
    def _having(self) -> Counter[str]:
        of_names = ({word for used in one.names for word in name_terms(used.text)} for one in self.facts)
        return Counter(word for one, names in zip(self.facts, of_names, strict=True) for word in one.known_by | names)

    @cached_property
    def _common(self) -> Counter[str]:
        return Counter(word for one in self.facts for word in one.common)

    @cached_property
    def _headings(self) -> Counter[int]:
        return Counter(each for one in self.facts for each in {*one.headings, heading_hash(one.title)})

    @cached_property
    def _years(self) -> Counter[int]:
        return Counter(one.period.year for one in self.facts if one.period)

    @cached_property
    def _most(self) -> float:
        """The number of documents that may share what tells them from the others."""
        return len(self.facts) / 2 if len(self.facts) >= LEAST_DOCUMENTS else len(self.facts)

    def is_telling(self, text: str) -> bool:
        """Tell if ``text`` has a word that most documents lack."""
        return any(self._having[word] <= self._most for word in name_terms(text))

    def names_itself(self, one: NameFacts, entity: str) -> bool:
        """Tell if a document's title tells it from the others by more than figures and its entity's name.

        A title that several others have as a heading does not, unless the file's name agrees with it.
        """
        of_title = name_terms(without_periods(one.title))
        words = frozenset(word for word in of_title - name_terms(entity) if not word.isdigit())
        is_alike = self._is_shared_heading(one.title) and not of_title & name_terms(" ".join(one.file_words))
        return bool(words) and not is_alike and self._sharing(words) <= self._most

    def _is_shared_heading(self, line: str) -> bool:
        most = max(LEAST_DOCUMENTS - 1, len(self.facts) * SHARED_HEADING)
        return self._headings[heading_hash(line)] > most

    def _sharing(self, words: frozenset[str]) -> int:
        """The number of documents that are known by all of those words."""
        if words not in self._shared:
            fewest = min(self._having[word] for word in words)
            is_few = fewest <= self._most
            self._shared[words] = fewest if is_few else sum(words <= one.known_by for one in self.facts)
        return self._shared[words]

    def entity(self, one: NameFacts) -> str:
        """The name of whom or what a document is about, "" where nothing states it.

        It is a name that the document uses in its sentences and that its title or its file's name has; where the title
        tells nothing, one with which a line of its cover begins; else the name that most documents share.
        """
        return self._own_entity(one) or (self._shared_entity if self._shared_entity in _texts(one) else "")

    def _own_entity(self, one: NameFacts) -> str:
        naming = {word.casefold() for word in _WORD.findall(" ".join([one.title, *one.file_words]))}
        named = [(clipped, used.uses) for used in one.names if (clipped := self._clipped(used, naming))]
        if named:
            return max(named, key=lambda each: (len(each[0].split()), each[1]))[0]
        if self.names_itself(one, ""):
            return ""
        on_cover = (used for used in one.names if used.is_on_cover and self._is_own(used.proper))
        first = max(on_cover, key=lambda used: used.uses, default=None)
        return first.text if first else ""

    def _clipped(self, used: UsedName, naming: set[str]) -> str:
        """The words of a name, from its first to its last, that the title or the file's name has."""
        words = used.text.split()
        at = [number for number, word in enumerate(words) if naming.issuperset(_WORD.findall(word.casefold()))]
        clipped = " ".join(words[at[0] : at[-1] + 1]) if at else ""
        own = used.proper.intersection(_WORD.findall(clipped.casefold()))
        return clipped if self._is_own(own) and not any_kind(clipped) else ""

    def _is_own(self, words: Iterable[str]) -> bool:
        """Tell if one of the words is written with capitals alone in nearly all documents, and most lack it."""
        most = len(self.facts) * COMMON_SHARE
        return any(self._common[word] <= most and self.is_telling(word) for word in words)

    @cached_property
    def _shared_entity(self) -> str:
        """The name that most documents use and several have in their titles, "" where most have names of their own."""
        if sum(bool(self._own_entity(one)) for one in self.facts) > len(self.facts) / 2:
            return ""
        using = Counter(used.text for one in self.facts for used in one.names if not any_kind(used.text))
        titles = [one.title.casefold() for one in self.facts]
        common = [
            (users, name)
            for name, users in using.items()
            if users > 1 and sum(name.casefold() in title for title in titles) > 1 and not self.is_telling(name)
        ]
        return max(common, default=(0, ""))[1]

    def name(self, one: NameFacts, entity: str) -> str:
        """The name of a document, which another may have, too."""
        named = (word for word in one.file_words if terms(word) or word.isupper())
        words = [word for word in named if self.is_telling(word)]
        period = str(one.period) if one.period and self._years[one.period.year] <= self._most else ""
        if self.names_itself(one, entity):
            added = _lacking(one.title, [*words, *([] if one.is_dated else [period])])
            return COVER_SEPARATOR.join(filter(None, [one.title, " ".join(added)]))
        if not words:
            words = [entity if self.is_telling(entity) else self._telling_line(one)]
        if not any(words):
            words = [one.title or PurePosixPath(one.file_name).stem]
        return " ".join(_lacking("", [*words, period, self.kind(one, entity)]))

    def kind(self, one: NameFacts, entity: str) -> str:
        """The kind of a document: of its title or its file's name, or where its title tells nothing, of its cover."""
        return one.kind or ("" if self.names_itself(one, entity) else one.cover_kind)

    def _telling_line(self, one: NameFacts) -> str:
        own = (line for line in one.lines if not self._is_shared_heading(line))
        worded = (line for line in own if len(name_terms(_FIGURE.sub(" ", line))) >= LEAST_LINE_WORDS)
        telling = [line for line in worded if self.is_telling(_FIGURE.sub(" ", line))]
        line = next((line for line in telling if not line.endswith(_SENTENCE_ENDS)), next(iter(telling), ""))
        cut = line[: MOST_LINE_CHARACTERS + 1].rpartition(" ")[0]
        return line if len(line) <= MOST_LINE_CHARACTERS else cut


def _texts(one: NameFacts) -> set[str]:
    return {used.text for used in one.names}


def _lacking(text: str, parts: Iterable[str]) -> list[str]:
    """The parts that ``text`` and those before lack: these have neither their words, nor what they abbreviate."""
    found: list[str] = []
    for part in parts:
        so_far = " ".join([text, *found])
        if part and not (name_terms(so_far) >= name_terms(part) or spellings(part, so_far) or _is_short(part, so_far)):
            found.append(part)
    return found


def _is_short(word: str, text: str) -> bool:
    """Tell if a word abbreviates words of ``text``: "mgmt" for management, "bcdr" for its words' first letters."""
    words = [each.casefold() for each in _WORD.findall(text)]
    short, small = word.casefold(), [each for each in words if len(each) > len("and")]
    if not short.isalpha() or len(short) == 1:
        return False
    initials = ("".join(each[0] for each in some) for some in (words, small))
    return any(short in letters for letters in initials) or any(
        each.startswith(short[:2]) and len(short) > len("or") and _is_subsequence(short, each) for each in words
    )


def _is_subsequence(short: str, word: str) -> bool:
    letters = iter(word)
    return all(letter in letters for letter in short)


def _apart(facts: Sequence[NameFacts], names: Sequence[str]) -> list[str]:
    """The names, each with what tells it from those alike: period, folder, version, or the rest of the path."""
    found = list(names)
    for telling in (_period, _folder_words, _folders, _version, _rest_of_stem, _stem, _suffix):
        alike: dict[str, list[int]] = defaultdict(list)
        for at, name in enumerate(found):
            alike[name.casefold()].append(at)
        for group in alike.values():
            added = [telling(facts[at], found[at]) for at in group]
            if len(set(added)) > 1:
                for at, part in zip(group, added, strict=True):
                    found[at] = f"{found[at]}{COVER_SEPARATOR}{part}" if part else found[at]
    return found


def _period(one: NameFacts, name: str) -> str:
    return "".join(_lacking(name, [str(one.period or "")]))


def _folder_words(one: NameFacts, name: str) -> str:
    return " ".join(_lacking(name, one.folder_words))


def _folders(one: NameFacts, _: str) -> str:
    return " ".join(PurePosixPath(one.file_name).parts[:-1])


def _version(one: NameFacts, _: str) -> str:
    return next(versions_in(_stem(one)), "")


def _rest_of_stem(one: NameFacts, name: str) -> str:
    return " ".join(word for word in _WORD.findall(without_versions(_stem(one))) if not spellings(word, name))


def _stem(one: NameFacts, _: str = "") -> str:
    return PurePosixPath(one.file_name).stem


def _suffix(one: NameFacts, _: str) -> str:
    return PurePosixPath(one.file_name).suffix.removeprefix(".")
