"""Sameness of questions: the same thing is asked in other words, with the same figures, names and polarity.

"Do you encrypt backups?" and "Are backups encrypted?" are one question; "before" and "after", "at rest" and "in
transit", "all users" and "administrators" make two. What is not clearly the same is another question: a person looks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.answering.conflicts.past_answers import asks_the_same
from tasks.embedding.lexical.abbreviations import one_form_each
from tasks.questions.wording import question_kind
from tasks.text.characters import fold
from tasks.text.names.figures_and_names import figures_of, names_of, periods_of, words_of_claim
from tasks.text.negation import denials_of, opposite_words
from tasks.text.word_stems import stems_of

Matrix = NDArray[np.float32]
LEAST_COSINE, LEAST_TOKEN_COSINE, WEAKEST_TOKEN = 0.8, 0.57, 0.44
"""The least cosine of two questions with different words, the tenth quantile of their tokens' best cosines, and the
least of these. Fitted on 55 pairs of questions, of which 30 ask two things."""
LOW_QUANTILE = 0.1
_NUMBERING = re.compile(
    r"^\s*(?:(?:question|frage|q)\s*)?(?:[#(]?\d+(?:[.\-]\d+)*[a-z]?[.):]?|[a-z][.)]|[ivx]+[.)])\s+", re.IGNORECASE
)
_FRAME = frozenset(
    stems_of(
        "please describe explain name state list provide number amount location place year date interval frequency "
        "duration period way person possible company organisation vendor supplier bidder solution use perform carry "
        "make give given require receive run have get exist available offer hold apply take work certificate "
        "certified quickly soon fast long often frequently many much"
    )
)
"""Stems that say how something is asked, not what."""
_SCOPE = frozenset(
    "out outside inside except before after without off on-site off-site non during until last next previous first "
    "second third former future planned all every each only always both other never sometimes current own".split()
)
"""Words that make another question wherever one of two questions lacks them."""
_ALIKE = {"latest": "last", "recent": "last", "every": "each"}
_PARTIES = re.compile(
    r"\b(?:(our|us|we)|(you|your|yours|vendors?|suppliers?|providers?|bidders?)|(customers?|clients?|buyers?))\b", re.I
)
_WHICH_SPAN = re.compile(r"\b(?:in )?(?:what|which) (?:year|month|day)\b|\bhow many \w+", re.IGNORECASE)
"""Spans of time that are asked for, not stated."""
_ASKED_FOR = {
    "soon": r"how (?:soon|quickly|fast)|within how (?:many|much) \w+",
    "often": r"how (?:often|frequently)|(?:frequency|interval)s?",
    "long": r"how long|for how many \w+|duration|period",
    "many": r"how (?:many|much)|(?:number|amount) of",
    "who": r"who|whom|whose|(?:which|what) person|name",
    "where": r"where|(?:what|which) (?:location|place|country|region)s?|locations? of",
    "when": r"when|(?:what|which) (?:year|month|day|date)",
    "why": r"why",
    "how": r"how",
}
"""The kinds of answer that a question asks for, and the words for each; the first that is found counts."""
_ASKING = {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for kind, words in _ASKED_FOR.items()}
_EACH_SPAN = re.compile(
    r"\b(?:every|each) (?=\w*(?:hour|day|week|month|quarter|year)\b)|\bcarr\w+ out\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_CLIPPED = {
    "admin": "administrator",
    "app": "application",
    "config": "configuration",
    "doc": "document",
    "info": "information",
    "org": "organisation",
    "repo": "repository",
}
"""Words that are written short, without the s of their plural, and whole."""
_SHORT_WORD = re.compile(rf"\b({'|'.join(_CLIPPED)})(s?)\b", re.IGNORECASE)


class Vectors(NamedTuple):
    """The unit vector of a question, and those of its tokens, (t, d); no tokens where the plan keeps none."""

    whole: Matrix
    tokens: Matrix


def bare(question: str) -> str:
    """The question without its number, in one form of case, spaces and punctuation."""
    return fold(_NUMBERING.sub("", question))


def in_full(question: str) -> str:
    """The question with clipped words whole, and without abbreviations that stand behind their long form."""
    long, _ = one_form_each(question)
    return _SHORT_WORD.sub(lambda found: f"{_CLIPPED[found[1].lower()]}{found[2]}", long)


def is_same_question(one: str, other: str, mine: Vectors | None = None, its: Vectors | None = None) -> bool:
    """Tell if two questions ask the same; without their vectors only in the same words, in nearly any order.

    Empty questions are the same as each other alone.
    """
    if bare(one) == bare(other) or asks_the_same(one, other):
        return True
    one, other = in_full(one), in_full(other)
    if _sets_apart(one, other):
        return False
    left, right = _content(one), _content(other)
    extra, further = set(left) - set(right), set(right) - set(left)
    if not _in_one_order(left, right):
        return False
    if not extra and not further and _wanted(one) == _wanted(other):
        return bool(left)
    if bool(extra) != bool(further):
        return False  # one asks for something more
    if (extra or further) and _kind(one) == "yes_no":
        return False  # another verb may turn it round: sold and bought
    return _are_near(mine, its)


def _are_near(mine: Vectors | None, its: Vectors | None) -> bool:
    if (
        mine is None
        or its is None
        or float(mine.whole @ its.whole) < LEAST_COSINE
        or not len(mine.tokens)
        or not len(its.tokens)
    ):
        return False
    cosines = mine.tokens @ its.tokens.T
    best = (cosines.max(axis=0), cosines.max(axis=1))
    return all(float(np.quantile(one, LOW_QUANTILE)) >= LEAST_TOKEN_COSINE for one in best) and all(
        float(one.min()) >= WEAKEST_TOKEN for one in best
    )


def _sets_apart(one: str, other: str) -> bool:
    """Tell if figures, names, polarity, scope, parties or what is asked for make two questions of them."""
    if _kind(one) != _kind(other) or denials_of(one) % 2 != denials_of(other) % 2:
        return True
    if opposite_words(one, other) or opposite_words(other, one):
        return True
    mine, its = (_WHICH_SPAN.sub(" ", text) for text in (one, other))
    if figures_of(mine) != figures_of(its) or periods_of(mine) != periods_of(its):
        return True
    if _names(one) != _names(other) or _scope(one) != _scope(other) or _are_turned(one, other):
        return True
    wanted = {_wanted(one), _wanted(other)} - {""}
    return len(wanted) > 1


def _kind(question: str) -> str:
    return question_kind(question, (), yes_no_header=False)


def _wanted(question: str) -> str:
    return next((kind for kind, words in _ASKING.items() if words.search(question)), "")


def _names(question: str) -> frozenset[str]:
    first, _, rest = question.strip().partition(" ")
    return names_of(f"{first.lower()} {rest}")


def _scope(question: str) -> frozenset[str]:
    words = (_ALIKE.get(word, word) for word in _WORD.findall(_EACH_SPAN.sub(" ", question.lower())))
    return frozenset(word for word in words if word in _SCOPE)


def _are_turned(one: str, other: str) -> bool:
    """Tell if the parties of two questions change places, or only one of the questions is about the asking company."""
    mine, its = ([found.lastindex for found in _PARTIES.finditer(text)] for text in (one, other))
    both = set(mine) & set(its)
    mine, its = ([party for party in some if party in both] for some in (mine, its))
    return (1 in mine) != (1 in its) or (len(both) > 1 and mine != its)


def _content(question: str) -> list[str]:
    """The stems of what is asked about, each once, in order."""
    asked = words_of_claim(question) - _FRAME
    return list(dict.fromkeys(stem for stem in stems_of(question) if stem in asked))


def _in_one_order(left: Sequence[str], right: Sequence[str]) -> bool:
    """Tell if the common stems stand in one order, but for one that moves, as a verb does in the passive."""
    common = set(left) & set(right)
    mine, its = ([stem for stem in some if stem in common] for some in (left, right))
    longest = [[0] * (len(its) + 1) for _ in range(len(mine) + 1)]
    for at, stem in enumerate(mine):
        for there, other in enumerate(its):
            same = longest[at][there] + 1 if stem == other else 0
            longest[at + 1][there + 1] = max(same, longest[at][there + 1], longest[at + 1][there])
    return longest[-1][-1] >= len(mine) - 1
