"""Joining of a follow-up with the question before it, so that it can be asked alone.

A pointing follow-up keeps its frame, and gets the words of the question before that a pronoun would stand for: those
that their place in a phrase, and what stands before it, make likely (``topic`` in ``configs/follow_ups.yaml``). An
elliptical one takes, in the question before, the place of the span that it is most like: by the meaning of both and of
their last words, by how they begin, and by their kind (``place``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.weights import FollowUpWeights
from tasks.chat.follow_ups import Wording, linear
from tasks.text.content_words import content_words, is_function_word, words_in
from tasks.text.english import AUXILIARIES

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Function from texts to their unit vectors."""
JOINT = " – "
"""The text between a question and the follow-up that is put behind it."""
LONGEST_SPAN = 6
"""The most words of a span whose place a follow-up takes."""
MOST_WORDS = 12
"""The most content words that a follow-up gets from the question before, beside its inherited topic."""
LONGEST_FRAGMENT = 8
TOPIC_FROM = -1.0
"""The least log-odds of a topic word: a word too few costs more than one too many."""
_CARRIES_ON = re.compile(
    r"^\W*(?:(?:and|or|but|so|also|then)\b[\s,]*)*(?:(?:what|how)\s+(?:about|of)\b)?\s*", re.IGNORECASE
)
_VERB = re.compile(AUXILIARIES, re.IGNORECASE)


class Placed(NamedTuple):
    """The question before with the follow-up in the place of a span, or behind it, and the features of that place."""

    text: str
    features: dict[str, float]


def joined(question: str, before: str, wording: Wording, encode: Encode, weights: FollowUpWeights) -> str:
    """The follow-up joined with the question ``before`` as its ``wording`` leans, if it lacks anything."""
    if wording.way == "elliptical" and len(words_in(question)) <= LONGEST_FRAGMENT:
        return max(placings(question, before, encode), key=lambda one: linear(one.features, weights.place)).text
    return with_topic(question, before, weights)


def with_topic(question: str, before: str, weights: FollowUpWeights) -> str:
    """The question with the topic of the one before behind it, in brackets; words that it has are left out."""
    topic = topic_of(before, weights, frozenset(word.lower() for word in content_words(question)))
    return f"{question.rstrip(' ?.!')} ({topic})?" if topic else question


def topic_of(question: str, weights: FollowUpWeights, without: frozenset[str] = frozenset()) -> str:
    """The phrases of a question that a pronoun in the next may stand for, with commas between them: its likely content
    words, or all, with what joins them, and what stood in brackets; none of the words ``without``.
    """
    said, _, inherited = question.partition(" (")
    words = [word.group() for word in words_in(said)]
    content = [at for at, word in enumerate(words) if not is_function_word(word)]
    likely = [at for at in content if linear(topic_features(words, at), weights.topic) >= TOPIC_FROM]
    chosen = [at for at in likely or (() if inherited else content) if words[at].lower() not in without][:MOST_WORDS]
    phrases: list[str] = []
    for before, at in pairwise([-1, *chosen]):
        between = words[before + 1 : at]
        if phrases and all(is_function_word(word) and not _VERB.fullmatch(word) for word in between):
            phrases[-1] = " ".join([phrases[-1], *between, words[at]])
        else:
            phrases.append(words[at])
    known = without | {words[at].lower() for at in chosen}
    for phrase in inherited.rstrip("?) ").split(", "):
        if any(word.lower() not in known for word in content_words(phrase)):
            phrases.append(phrase)
    return ", ".join(dict.fromkeys(phrases))


def topic_features(words: Sequence[str], at: int) -> dict[str, float]:
    """The features of the content word ``words[at]``: its place in its phrase, and that of the phrase."""
    begin, end = at, at + 1
    while begin and not is_function_word(words[begin - 1]):
        begin -= 1
    while end < len(words) and not is_function_word(words[end]):
        end += 1
    lead = words[begin - 1].lower() if begin else "nothing"
    place = "alone" if end - begin == 1 else "first" if at == begin else "last" if at == end - 1 else "inside"
    found = {place: 1.0, f"{place} behind {lead}": 1.0, f"phrase behind {lead}": 1.0}
    found[f"phrase before {words[end].lower() if end < len(words) else 'nothing'}"] = 1.0
    found["first phrase"] = float(all(map(is_function_word, words[:begin])))
    found["last phrase"] = float(end == len(words))
    return found


def placings(question: str, before: str, encode: Encode) -> list[Placed]:
    """Each way to put the follow-up into the question before: behind it, or in the place of one of its spans."""
    base = before.strip()
    rest = _CARRIES_ON.sub("", question.strip(), count=1).rstrip(" ?.!")
    words, new = words_in(base), words_in(rest)
    bare = sum(is_function_word(word.group()) for word in new)
    of_behind = {"behind": 1.0, "behind, words": len(new) / 3, "behind, function words": bare / 3}
    behind = Placed(f"{base.rstrip(' ?.!')}{JOINT}{question.strip()}", of_behind)
    spans = list(_spans(words)) if new else []
    if not spans:
        return [behind]
    texts = [base[words[begin].start() : words[end - 1].end()] for begin, end in spans]
    last = list(dict.fromkeys(words[end - 1].group() for _, end in spans))
    vectors = encode([rest, new[-1].group(), *texts, *last])
    alike = vectors[2 : 2 + len(texts)] @ vectors[0]
    last_alike = dict(zip(last, vectors[2 + len(texts) :] @ vectors[1], strict=True))
    found = [behind]
    for (begin, end), likeness in zip(spans, alike, strict=True):
        old = words[begin:end]
        features = {
            "span": float(likeness),
            "last word": float(last_alike[old[-1].group()]),
            **_form(old, new),
            "length": abs(len(old) - len(new)) / 3,
            "from the beginning": float(begin == 0),
            "from a phrase's beginning": float(begin == 0 or is_function_word(words[begin - 1].group())),
            "to a phrase's end": float(end == len(words) or is_function_word(words[end].group())),
        }
        found.append(Placed(base[: old[0].start()] + rest + base[old[-1].end() :], features))
    return found


def _spans(words: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The spans that end with a content word and leave another one."""
    content = [not is_function_word(word.group()) for word in words]
    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + LONGEST_SPAN, len(words)) + 1):
            if content[end - 1] and any(content[:begin] + content[end:]):
                yield begin, end


def _form(old: Sequence[re.Match[str]], new: Sequence[re.Match[str]]) -> dict[str, float]:
    """The features of the likeness in form of a span and a follow-up."""
    (first, *_), (other, *_) = ([word.group().lower() for word in some] for some in (old, new))
    kinds = [is_function_word(first), is_function_word(other)]
    inside = [sum(is_function_word(word.group()) for word in some[1:]) for some in (old, new)]
    return {
        "same function word": float(first == other and kinds[0]),
        "both begin so": float(kinds[0] == kinds[1]),
        "same kind of name": float(not _shapes(old).isdisjoint(_shapes(new))),
        "function words inside": float(inside[0] - inside[1]),
        "one word": float(len(old) == 1),
    }


def _shapes(words: Sequence[re.Match[str]]) -> set[str]:
    """The kinds of content words that occur: with digits ("9"), with a capital ("A"), or neither ("a")."""
    texts = [word.group() for word in words if not is_function_word(word.group())]
    return {"9" if any(map(str.isdigit, text)) else "A" if text[0].isupper() else "a" for text in texts}
