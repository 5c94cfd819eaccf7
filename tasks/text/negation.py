"""Negation: clauses that deny something, and pairs of clauses that say the opposite of each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tasks.text.english import AUXILIARIES
from tasks.text.stemmed_words import reducer
from tasks.text.word_stems import stems_of

_STEM = reducer("english")
_CACHED_TEXTS = 16_384
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|nobody|nothing|without|cannot|unable|lacks?|lacking|n[aã]o|nunca|sem"
    r"|rarely|seldom|hardly|scarcely|fail(?:s|ed|ing)? to|(?:ceas|stopp)(?:e[sd]?|ing)|stops|myth|untrue|raramente)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:not only|no later than|not later than|no less than|not less than|no more than|not more than|no fewer than"
    r"|not exceed|no longer than|without undue delay|without delay|without exception|not limited to|at no charge"
    r"|without (?:a |any )?(?:break|interruption|regard to)"
    r"|at no (?:extra |additional )?cost|free of|whether or not)\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\bwithout\b", re.IGNORECASE)
_FREE_OF = re.compile(r"\bfree (?:of|from)\b(?! (?:any )?charge)", re.IGNORECASE)
_EMPTY_CELL = re.compile(r"(?:\||^)\s*(?:none|no|not applicable|n/?a|[-–—])\s*(?=\||$)", re.IGNORECASE)
_ASKS_LEAVE = re.compile(r"^\W*(?:can|could|may)\b", re.IGNORECASE)
Sides = tuple[frozenset[str], frozenset[str]]
"""The stems of two opposites."""


def _sides(*pairs: tuple[str, str]) -> tuple[Sides, ...]:
    return tuple((frozenset(map(_STEM, one.split())), frozenset(map(_STEM, other.split()))) for one, other in pairs)


_PREDICATES = _sides(
    ("enable enabled", "disable disabled"),
    (
        "allow allowed permit permitted",
        "forbid forbidden prohibit prohibited deny denied refuse refused block blocked ban banned disallow disallowed",
    ),
    ("accept accepted", "reject rejected refuse refused"),
    ("include included inclusive", "exclude excluded exclusive"),
    ("mandatory required compulsory", "optional voluntary"),
    ("encrypted", "unencrypted"),
)
"""Opposites that tell if something is so: "USB storage is blocked" denies that it is allowed."""
_OPPOSITES = _PREDICATES + _sides(
    ("enable enabled on", "disable disabled off"),
    ("before", "after"),
    ("once", "twice thrice"),
    ("inside within", "outside"),
    ("internal internally", "external externally"),
    ("always", "never sometimes"),
    ("minimum least", "maximum most"),
    ("more longer above exceeds over", "less fewer shorter below under"),
    ("increase rise", "decrease fall reduce"),
    ("first", "last"),
    ("older oldest old", "newer newest new"),
    ("earlier", "later"),
    ("higher highest", "lower lowest"),
    ("larger largest", "smaller smallest"),
    ("primary", "secondary"),
    ("weekday weekdays", "weekend weekends"),
    ("automatic automatically", "manual manually"),
    ("all every each", "some few"),
    ("with", "without"),
    ("success successful pass passed", "fail failed failure"),
    ("public", "private"),
    ("incoming inbound", "outgoing outbound"),
    ("upload uploaded", "download downloaded"),
    ("import imported", "export exported"),
    ("rest", "transit"),
    ("start begin beginning", "end ending expiry"),
    ("summary", "full complete"),
)
"""Opposites: a text with words of one side alone does not bear out a clause with a word of the other."""
_WORD = re.compile(r"[^\W\d_]+")
_ON_OR_OFF = re.compile(r"\b\w+-(?:on|off)\b|\b(?:on|off)-\w+")
"""A "kick-off" turns nothing off."""
Clause = tuple[frozenset[str], str]
"""The stems of a clause, and the clause as it is written."""
_CLAUSE = re.compile(
    r"\s*[;:|]\s*|\s*,\s+(?!\d)|\s+[–—]\s+|[.!?]\s+"
    r"|\s+(?:and|but|while|whereas|although|though|unless|or)\s+",
    re.IGNORECASE,
)
_APART = re.compile(r"[;|]|[.!?]\s")
_SUBJECT = re.compile(
    r"\s*(?:(?:and|but)\s)?(?:we|they|you|it|he|she|nobody|everybody|everyone|no[ -]one)\b",
    re.IGNORECASE,
)
"""A pronoun as the subject of a part, whose verb follows."""
_FINITE = re.compile(
    rf"\b(?:{AUXILIARIES}|be|been|might)\b|n['’]t\b",
    re.IGNORECASE,
)
_EXCLUDES = re.compile(
    r"\b(?:exclu(?:de[sd]?|ding|sions?)|(?:out of|outside)(?: the)? scope|unsupported|unavailable|prohibited"
    r"|forbidden)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^(?:un|non|in|im|ir|dis)(?=\w{4})")


def clauses_of(text: str) -> list[str]:
    """``text`` as a whole and its clauses, each once; an empty text has none.

    A part without an auxiliary verb or a pronoun as its subject is taken to be no clause: it goes on with the one
    before it, and the first with the next. Sentences, cells of a table, and what a semicolon parts, stay apart.
    """
    if not text.strip():
        return []
    spans: list[tuple[int, int]] = []
    lacks_verb = False
    for begin, end in _part_spans(text):
        is_part = not (_FINITE.search(text, begin, end) or _SUBJECT.match(text, begin, end))
        if spans and (is_part or lacks_verb) and not _APART.search(text, spans[-1][1], begin):
            spans[-1] = spans[-1][0], end
            lacks_verb = lacks_verb and is_part
        else:
            spans.append((begin, end))
            lacks_verb = is_part
    return list(dict.fromkeys([text, *(text[begin:end] for begin, end in spans)]))


def _part_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of what _CLAUSE parts in ``text``, without empty ones."""
    begin = 0
    for mark in _CLAUSE.finditer(text):
        if text[begin : mark.start()].strip():
            yield begin, mark.start()
        begin = mark.end()
    if text[begin:].strip():
        yield begin, len(text)


def pieces_of(text: str) -> list[Clause]:
    """The smallest clauses of ``text``, each with its stems; an empty text has none."""
    return [(frozenset(stems_of(part)), part) for part in _CLAUSE.split(text) if part.strip()]


def turned_round(claim: str, source: Sequence[Clause]) -> str:
    """Describe how ``claim`` turns round what the clauses of its source say; "" where it does not.

    One of the clauses that share most words with its own must deny as it does and not have the opposite words.
    """
    for words, piece in pieces_of(claim):
        most = max((len(words & stems) for stems, _ in source), default=0)
        near = [text for stems, text in source if most and len(words & stems) == most]
        if near and all(denies(text) != denies(piece) for text in near):
            return "the same yes or no"
        opposites = [opposite_words(piece, text) for text in near]
        if opposites and all(opposites):
            return f"the word “{opposites[0]}”"
    return ""


def denies(clause: str) -> bool:
    """Tell if ``clause`` denies: "not", "never", "without", and not "no later than" or an empty cell of a table."""
    return bool(denials_of(clause))


@lru_cache(maxsize=_CACHED_TEXTS)
def denials_of(clause: str) -> int:
    """Count the denials of ``clause``, as :func:`denies` knows them."""
    return len(_NEGATION.findall(_HARMLESS.sub(" ", _EMPTY_CELL.sub("|", clause))))


def is_negative(clause: str) -> bool:
    """Tell if ``clause`` as a whole denies: if one of its parts does. In a part, "without" turns another denial round,
    as in "not without approval"; all others count once, as in "neither … nor".

    It reads a yes/no question beside its evidence; :func:`denies`, which compares texts of like wording, only looks for
    a denial.
    """
    return any(_is_negative_part(clause[begin:end]) for begin, end in _part_spans(clause))


def _is_negative_part(part: str) -> bool:
    lacking = len(_WITHOUT.findall(_HARMLESS.sub(" ", part)))
    return (denials_of(part) > lacking) != bool(lacking)


def asks_for_none(question: str) -> bool:
    """Tell if a yes to ``question`` denies something: it denies, or asks if something is free of another."""
    return is_negative(question) or bool(_FREE_OF.search(question))


def denying_heading(section_path: str, text: str) -> str:
    """The heading over ``text`` that denies what is listed below ("Exclusions"); "" where ``text`` says it itself."""
    heading = section_path.rsplit(" > ", 1)[-1]
    says_itself = _FINITE.search(text) or excludes(text)
    return heading if not says_itself and excludes(heading) else ""


def excludes(text: str) -> bool:
    """Tell if ``text`` denies, or says that something is left out."""
    return denies(text) or bool(_EXCLUDES.search(text))


def says_opposite(question: str, clause: str) -> bool:
    """Tell if ``clause`` says the opposite of what ``question`` asks by a word of its own: "blocked" for "allowed?".

    A question that begins with "can" or "may" asks if something is allowed.
    """
    question = _ASKS_LEAVE.sub("allowed", question)
    return _opposite(question, clause, _PREDICATES) is not None and _opposite(clause, question, _PREDICATES) is not None


def opposite_words(claim: str, source: str) -> str | None:
    """The word of ``claim`` whose opposite alone stands in ``source``; None where there is none."""
    return _opposite(claim, source, _OPPOSITES)


@lru_cache(maxsize=_CACHED_TEXTS)
def _words_by_stem(text: str) -> dict[str, str]:
    return {_STEM(word): word for word in _WORD.findall(_ON_OR_OFF.sub(" ", text.lower()))}


def _opposite(claim: str, source: str, opposites: Sequence[Sides]) -> str | None:
    said, words = _words_by_stem(claim), _words_by_stem(source).keys()
    for sides in opposites:
        for mine, its in (sides, sides[::-1]):
            if (found := said.keys() & mine) and words & its and not words & mine:
                return str(said[min(found)])
    for stem, word in said.items():
        if stem in words:
            continue
        bare = _PREFIX.sub("", stem)
        if (bare != stem and bare in words) or any(f"{prefix}{stem}" in words for prefix in ("un", "non", "dis")):
            return str(word)
    return None
