"""Whether a claim says more than its source: that a plan is done, that what may be is so, that it is so of all or at
once, that a figure is a bound, or of one figure or name what its source says of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.answering.counting import said_of_one
from tasks.answering.facts import Figure, figures_of, names_of, periods_of
from tasks.answering.mixing import mixed
from tasks.answering.negation import Clause, denies, pieces_of
from tasks.answering.parties import exchanged
from tasks.answering.stems import stems_of

_PLANNED = re.compile(
    r"\b(?:plan(?:s|ned|ning)? (?:to|for)|intend(?:s|ed|ing)? to|aim(?:s|ing)? to|hop(?:es|ing) to|expect(?:s|ing)? to"
    r"|work(?:s|ing) towards?|(?:under|in) development|in preparation|on (?:the|our|its|their) roadmap|not yet"
    r"|scheduled (?:for|to)|pretend(?:e|emos) |planej\w+|prev[eê]\w* para)",
    re.IGNORECASE,
)
"""What is meant to be and is not yet, in English and Portuguese."""
_OPEN = re.compile(
    r"\b(?:may|might|could|can|possibl[ey]|perhaps|potentially|sometimes|(?:allowed|permitted|free|entitled) to)\b",
    re.I,
)
_MAY = re.compile(r"\b(?:may|might|could)\b", re.IGNORECASE)
"""What may be so, or is allowed, and need not be; a claim may say so by other words."""
_PERIOD = r"(?:\w+ )?(?:second|minute|hour|day|week|fortnight|month|quarter|year|time)s?\b"
_ALL = re.compile(
    rf"\b(?:all|always|entire|entirely|whole|fully|completely|everyone|everybody|everything|(?:each|every)"
    rf"(?! {_PERIOD}))\b",
    re.IGNORECASE,
)
_HARMLESS_ALL = re.compile(
    r"\b(?:at all(?! times)|not all|in all(?=\W*$)|after all|above all|all year)\b", re.IGNORECASE
)
_OF_ALL = re.compile(rf"{_ALL.pattern}|\b(?:any|both|no|none|throughout|without exception)\b", re.IGNORECASE)
"""What says a thing of all; "each month" is how often, and no such."""
_ANY = re.compile(r"(?<!if )(?<!whether )(?<!unless )(?<!without )\bany\s+(?P<what>\w+)", re.IGNORECASE)
_SINGLE = re.compile(r"\b(?:one|a single|some|several)\s+(?P<what>\w+)", re.IGNORECASE)
_EACH = re.compile(r"\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+|our\s+)?(?P<what>\w+)", re.IGNORECASE)
_LIMIT = re.compile(r"\b(within|after|before)\s+(\d+)", re.IGNORECASE)
_ONE = re.compile(r"\ban?\s+(?P<what>\w+(?:\s+\w+){0,2})", re.IGNORECASE)
"""One of a kind, which "any" of it may stand for."""
_AT_ONCE = re.compile(
    r"\b(?:immediate(?:ly)?|instant(?:ly|aneous(?:ly)?)?|at once|straight away|(?:in )?real[- ]time)\b", re.IGNORECASE
)
_BOUNDS = tuple(
    (
        re.compile(rf"\b(?:{before})\b", re.I),
        re.compile(rf"\b(?:{after})\b", re.I),
        re.compile(rf"\b(?:{said})\b", re.I),
    )
    for before, after, said in (
        (
            "at least|a minimum of|no less than|(?<!no )(?<!not )(?:more|longer) than|over|in excess of",
            "or more|or longer",
            "at least|minimum|or more|or longer|less than|over|than|excess|above|exceed",
        ),
        (
            "at most|up to|a maximum of|(?<!no )(?<!not )(?:less|fewer) than",
            "or less",
            "at most|up to|maximum|or less|more than|within|under|longer than|to|until",
        ),
    )
)
"""How a claim gives a bound, before the figure and behind it, and by what its source may have given it."""
_NEAR_BOUND = 6
"""So many words from what says that it is one, the figure of a bound stands at most."""
_WISHED = re.compile(
    r"\b(?:(?:is|are|was|were|be|been) (?:expected|supposed|encouraged|advised|recommended) to|should|ought to)\b",
    re.IGNORECASE,
)
"""What somebody is asked to do, which does not say that they do."""
_EXCEPTED = re.compile(r"(?<!without )(?<!no )(?<!without any )\b(?:exceptions?|except|apart from)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively|limited to)\b", re.IGNORECASE)
_ONLY_FIRST = re.compile(
    rf"\W*(?:{_ONLY.pattern}|(?:in|at|for|on|under|after)(?:\s+[\w-]+){{1,3}}?\s+{_ONLY.pattern}(?=\s+\w))",
    re.IGNORECASE,
)
"""Where a clause is about nothing else: "only logs", "in Leeds only logs", and not "logs are kept only there"."""
_ALONE = re.compile(
    rf"{_ONLY.pattern}|\b(?:alone|just|sole|nobody|none|no|not|never|unless|restricted|other than|except)\b",
    re.IGNORECASE,
)
"""By what a source may have said so; of whom it says it of no other, it need not."""


def overstated(claim: str, sentences: Sequence[Sequence[Clause]]) -> str:
    """By what ``claim`` goes beyond its source, whose ``sentences`` are their smallest clauses, in words; "" where it
    does not, and of no source.
    """
    source = [clause for sentence in sentences for clause in sentence]
    whole = " ".join(text for _, text in source)
    if source and (_says_of_all(claim) or _says_of_any(claim, whole)) and not _OF_ALL.search(whole):
        return "that it is so of all"
    if _says_all_of_one(claim, whole):
        return "that it is so of all"
    if limit := _turned_limit(claim, whole):
        return limit
    for words, piece in pieces_of(claim):
        most = max((len(words & stems) for stems, _ in source), default=0)
        near = [text for stems, text in source if most and len(words & stems) == most]
        if near and not _PLANNED.search(piece) and all(map(_PLANNED.search, near)):
            return "that it is so already, and tells of a plan"
        if near and not _OPEN.search(piece) and all(map(_MAY.search, near)):
            return "that it is so, and says only that it may be"
        if near and _ONLY_FIRST.match(piece) and not any(map(_ALONE.search, near)):
            return "that it is so of nothing else"
        if _AT_ONCE.search(piece) and not _AT_ONCE.search(whole):
            return "that it is so at once"
        if fault := _unsaid_bound(piece, source):
            return fault
    return said_of_one(claim, [text for _, text in source]) or mixed(claim, sentences)


def overstated_yes(question: str, source: str) -> str:
    """Why a yes to ``question`` says more than the ``source`` that it rests on, in words; "" where it does not."""
    if _PLANNED.search(source) and not _PLANNED.search(question):
        return "what is cited tells of a plan"
    if _WISHED.search(source) and not _WISHED.search(question):
        return "what is cited says what should be"
    if _EXCEPTED.search(source) and not _EXCEPTED.search(question):
        return "what is cited makes exceptions"
    if _says_of_all(question) and not _OF_ALL.search(source):
        return "the question asks about all, and what is cited does not say it of all"
    if _AT_ONCE.search(question) and not _AT_ONCE.search(source):
        return "the question asks whether it is so at once, and what is cited does not say so"
    if exchanged(question, [text for _, text in pieces_of(source)]):
        return "what is cited says it of another: see who does it to whom"
    if periods_of(question) - periods_of(source):
        return "what is cited lacks a span of time of the question"
    if _ONLY.search(source) and not _ONLY.search(question) and names_of(question) - names_of(f"x {source}"):
        return "what is cited holds only for something else"
    return ""


def _says_of_all(text: str) -> bool:
    return bool(_ALL.search(_HARMLESS_ALL.sub(" ", text)))


def _says_all_of_one(claim: str, source: str) -> bool:
    """Whether ``claim`` says of all what its source says of one of them: "every site of each region" of "one site"."""
    of_one = {stem for found in _SINGLE.finditer(source) for stem in stems_of(found["what"])[:1]}
    of_all = {stem for found in _EACH.finditer(source) for stem in stems_of(found["what"])[:1]}
    said = {stem for found in _EACH.finditer(claim) for stem in stems_of(found["what"])[:1]}
    return bool(said & of_one - of_all)


def _turned_limit(claim: str, source: str) -> str:
    """The number that ``claim`` puts "after" or "before" and its source otherwise, in words; "" where there is none."""
    said, told = ({(word.lower(), number) for word, number in _LIMIT.findall(text)} for text in (claim, source))
    for word, number in sorted(said - told):
        others = sorted(other for other, same in told if same == number)
        if word != "within" and others:
            return f"that it is {word} {number} and not {others[0]}"
    return ""


def _says_of_any(claim: str, source: str) -> bool:
    """Whether ``claim`` affirms of any of a kind what ``source`` does not say of one of it."""
    if denies(claim):
        return False
    of_one = {stem for found in _ONE.finditer(source) for stem in stems_of(found["what"])}
    return any(not of_one.issuperset(stems_of(found["what"])) for found in _ANY.finditer(claim))


def _unsaid_bound(piece: str, source: Sequence[Clause]) -> str:
    """A figure that the claim gives as a bound, and no clause that has it."""
    for before, after, said in _BOUNDS:
        bounds = [_nearest_figures(piece[found.end() :].split(), 1) for found in before.finditer(piece)]
        bounds += [_nearest_figures(piece[: found.start()].split(), -1) for found in after.finditer(piece)]
        values = {figure.value for figures in bounds for figure in figures}
        for figure in figures_of(piece):
            own = [text for _, text in source if figure in figures_of(text)]
            if figure.value in values and own and not any(map(said.search, own)):
                return f"that {figure.told} is a bound"
    return ""


def _nearest_figures(words: Sequence[str], step: int) -> frozenset[Figure]:
    """The figures that come first in ``words``, or last where ``step`` is -1; none where none is near."""
    for count in range(1, _NEAR_BOUND + 1):
        some = words[:count] if step > 0 else words[-count:]
        if found := figures_of(" ".join(some)):
            return found
    return frozenset()
