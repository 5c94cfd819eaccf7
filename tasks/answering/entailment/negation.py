"""Whether a clause denies what it says, and whether two clauses say the opposite of each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from tasks.answering.entailment.stems import stems_of
from tasks.embedding.bm25 import terms
from tasks.embedding.words import reducer
from tasks.text.english import AUXILIARIES

_STEM = reducer("english")
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
_ONLY, _NOT_ONLY = (re.compile(rf"\b{words}\b", re.IGNORECASE) for words in ("only", "not only"))
_EMPTY_CELL = re.compile(r"(?:\||^)\s*(?:none|no|not applicable|n/?a|[-–—])\s*(?=\||$)", re.IGNORECASE)
_OPPOSITES = tuple(
    (frozenset(map(_STEM, one.split())), frozenset(map(_STEM, other.split())))
    for one, other in (
        ("before", "after"),
        ("once", "twice thrice"),
        ("enable enabled on", "disable disabled off"),
        ("allow allowed permit permitted", "forbid forbidden prohibit prohibited deny denied refuse refused"),
        ("accept accepted", "reject rejected refuse refused"),
        ("include included", "exclude excluded"),
        ("inside within", "outside"),
        ("internal internally", "external externally"),
        ("always", "never sometimes"),
        ("mandatory required compulsory", "optional voluntary"),
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
        ("encrypted", "unencrypted"),
        ("incoming inbound", "outgoing outbound"),
        ("upload uploaded", "download downloaded"),
        ("import imported", "export exported"),
        ("rest", "transit"),
        ("start begin beginning", "end ending expiry"),
        ("summary", "full complete"),
    )
)
"""Where a clause has a word of one side, and what should bear it out has only words of the other, it does not."""
NEARLY_ALL = 0.8
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
_FINITE = re.compile(
    rf"\b(?:{AUXILIARIES}|be|been|might)\b|n['’]t\b",
    re.IGNORECASE,
)
_STOP = re.compile(r"(?<=[.!?])\s+")
_RELATIVE = re.compile(r"\s+(?:which|who|whose|where)\s+", re.IGNORECASE)
_RELATIVE_FIRST = re.compile(r"(?:which|who|whose|where)\b", re.IGNORECASE)
_EXCLUDES = re.compile(
    r"\b(?:exclu(?:de[sd]?|ding|sions?)|(?:out of|outside)(?: the)? scope|unsupported|unavailable|prohibited"
    r"|forbidden)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^(?:un|non|in|im|ir|dis)(?=\w{4})")


def clauses_of(text: str) -> list[Clause]:
    """``text`` as a whole and its clauses, each with its stems; an empty text has none."""
    parts = dict.fromkeys(part for part in [text, *_CLAUSE.split(text)] if part.strip())
    return [(frozenset(terms(part)), part) for part in parts]


def pieces_of(text: str) -> list[Clause]:
    """The smallest clauses of ``text``, each with its stems; an empty text has none."""
    return [(frozenset(stems_of(part)), part) for part in _CLAUSE.split(text) if part.strip()]


def joined_clauses(text: str) -> list[Clause]:
    """The clauses of ``text`` that are more, or less, than one of its smallest: with the parts of a list that have no
    verb ("A, B and C are not kept"), with the relative clause after them, and without one that stands in them.
    """
    found: list[str] = []
    # In a row of a table the cells stand for clauses.
    for sentence in [] if "|" in text else _STOP.split(text):
        parts = [part for part in _CLAUSE.split(sentence) if part.strip()]
        relative = [f"{one} {other}" for one, other in pairwise(parts) if _RELATIVE_FIRST.match(other)]
        within = [piece for part in parts for piece in _RELATIVE.split(part)]
        found += [part for part in dict.fromkeys([*_with_verbs(parts), *relative, *within]) if part not in parts]
    return [(frozenset(stems_of(part)), part) for part in found]


def _with_verbs(parts: Sequence[str]) -> list[str]:
    """The parts, of which those without a verb or a denial of their own are joined to the one before, or else after."""
    joined: list[str] = []
    for part in parts:
        if joined and (not (_FINITE.search(part) or denies(part)) or not _FINITE.search(joined[-1])):
            joined[-1] = f"{joined[-1]} {part}"
        else:
            joined.append(part)
    return joined


def turned_round(claim: str, source: Sequence[Clause], joined: Sequence[Clause] = ()) -> str:
    """How ``claim`` turns round what the pieces of its source say, in words; "" where it does not.

    Each piece of the claim is held against those that share most words with it. Where they share nearly all, it must
    deny as often, else whether it denies at all counts; a piece of one word may have its denial from the piece before.
    Of the ``joined`` clauses those that have more of its words, or as many within one of these, may bear it out. A
    claim of one verb may be cut within a list: it denies what one of them denies that has nearly all its words.
    """
    pieces, denied_before = pieces_of(claim), False
    if len(pieces) == len(source) and _are_nearly_the_same(pieces, source):
        texts = [" ".join(text for _, text in side) for side in (pieces, source)]
        if len({denials_of(text) for text in texts}) > 1:
            return "the same yes or no"
    whole = _said_in_one(claim, joined) if len(pieces) > 1 else []
    for words, piece in pieces:
        most, near = _nearest(words, source)
        count = denials_of(piece)
        counts = {count, count + denied_before} if len(words) < 2 else {count}
        agrees = _agrees(near, counts, most >= NEARLY_ALL * len(words))
        agrees = agrees or any(2 * len(words & stems) >= len(words) > 0 for stems in whole)
        if not agrees:
            more, nearer = _nearest(words, joined)
            if more <= most:
                nearer = [text for text in nearer if more == most and any(text in one for one in near)]
            agrees = _agrees(nearer, counts, more >= NEARLY_ALL * len(words))
        if near and not agrees:
            return "the same yes or no"
        if near and _ONLY.search(piece) and not _NOT_ONLY.search(piece) and all(map(_NOT_ONLY.search, near)):
            return "the word “only”"
        opposites = [opposite_words(piece, text) for text in near]
        if opposites and all(opposites):
            return f"the word “{opposites[0]}”"
        denied_before = bool(count)
    return ""


def _nearest(words: frozenset[str], clauses: Sequence[Clause]) -> tuple[int, list[str]]:
    """How many of ``words`` a clause has at most, and the clauses with so many; none where none has any."""
    most = max((len(words & stems) for stems, _ in clauses), default=0)
    return most, [text for stems, text in clauses if most and len(words & stems) == most]


def _agrees(near: Sequence[str], counts: Collection[int], is_exact: bool) -> bool:
    return any(denials_of(text) in counts if is_exact else bool(denials_of(text)) in map(bool, counts) for text in near)


def _said_in_one(claim: str, clauses: Sequence[Clause]) -> list[frozenset[str]]:
    """The stems of the clauses that have nearly all words of a claim of one verb and deny as often."""
    if len(_with_verbs([text for _, text in pieces_of(claim)])) > 1:
        return []
    words, count = frozenset(stems_of(claim)), denials_of(claim)
    return [
        stems for stems, text in clauses if len(words & stems) >= NEARLY_ALL * len(words) and denials_of(text) == count
    ]


def _are_nearly_the_same(one: Sequence[Clause], other: Sequence[Clause]) -> bool:
    mine, its = (frozenset().union(*(words for words, _ in side)) for side in (one, other))
    return len(mine & its) >= NEARLY_ALL * len(mine | its)


def rests_on_first(claim: str, source: Sequence[Clause]) -> bool:
    """Whether a piece of ``claim`` shares most words with the first piece of its source."""
    first = source[0][1] if source else ""
    return any(first in near for words, _ in pieces_of(claim) for _, near in [_nearest(words, source)])


def nearest_clause(words: frozenset[str], clauses: Sequence[Clause]) -> str:
    """The shortest of those that share most with ``words``, as it is written; "" where there are none."""
    return max(clauses, key=lambda clause: (len(words & clause[0]), -len(clause[0])), default=(words, ""))[1]


def denies(clause: str) -> bool:
    """Whether ``clause`` denies: "not", "never", "without", and not "no later than" or an empty cell of a table."""
    return bool(denials_of(clause))


def denials_of(clause: str) -> int:
    """How often ``clause`` denies, as :func:`denies` counts it."""
    return len(_NEGATION.findall(_HARMLESS.sub(" ", _EMPTY_CELL.sub("|", clause))))


def denying_heading(section_path: str, text: str) -> str:
    """The heading over ``text`` that denies what is listed below it ("What is not supported", "Exclusions"); "" where
    there is none, or ``text`` says by a verb of its own, or by an exclusion, what is meant.
    """
    heading = section_path.rsplit(" > ", 1)[-1]
    says_itself = _FINITE.search(text) or excludes(text)
    return heading if not says_itself and excludes(heading) else ""


def excludes(text: str) -> bool:
    """Whether ``text`` denies, or says that something is left out."""
    return denies(text) or bool(_EXCLUDES.search(text))


def affirms(text: str) -> bool:
    """Whether a clause of ``text`` has a verb, and neither denies nor excludes."""
    return any(_FINITE.search(one) and not excludes(one) for one in _with_verbs([one for _, one in pieces_of(text)]))


def opposite_words(claim: str, source: str) -> str | None:
    """The word of ``claim`` whose opposite alone stands in ``source``; None where there is none."""
    claim, source = (_ON_OR_OFF.sub(" ", text.lower()) for text in (claim, source))
    said = {_STEM(word): word for word in _WORD.findall(claim)}
    words = {_STEM(word) for word in _WORD.findall(source)}
    for sides in _OPPOSITES:
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
