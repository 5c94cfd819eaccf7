"""Rule-based question generation: turn sentences of a chunk into questions, for use without a model server.

A sentence is inverted around its auxiliary: "Customers are told of a breach within 48 hours." becomes "How soon are
customers told of a breach?". A figure that the question asks for is left out, with the words that lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.records import Chunk, content_id
from tasks.text.sentences import sentence_spans

MOST_QUESTIONS = 2000
QUESTIONS_A_CHUNK = 2
LEAST_WORDS, MOST_WORDS, MOST_SUBJECT_WORDS = 6, 40, 7
_TURNED = re.compile(
    r"^(?P<subject>[A-Z][^,;:()]*?) (?P<auxiliary>is|are|was|were|must|can|may|will|should|has|have) "
    r"(?P<rest>[^;:]+)\.$"
)
_FIGURE = re.compile(
    r" (?P<lead>within|after|for|every|at least|up to|at most|no later than|by|on) "
    r"(?:(?:about|some|the|a|no|more|less|than|nearly) ){0,3}"
    r"(?:\$?\d[\d,.]*|(?:two|three|four|five|six|seven|ten|twelve|thirty)\b).*$"
)
_ASKS = {"within": "How soon", "after": "How soon", "no later than": "How soon", "by": "When", "on": "When"}
_ASKS |= {"for": "How long", "every": "How often", "at least": "How much", "up to": "How much", "at most": "How much"}
REFERS = frozenset("this that these those it they he she we you i there which such that’s who whose his her".split())
"""Words that refer to the sentence before."""
LEADS_IN = frozenset("if in when as for while although to by with at on once because since after before where".split())
"""Words that begin a sentence whose subject comes later."""


def made_questions(chunks: Sequence[Chunk]) -> list[tuple[int, str]]:
    """Generate questions, each with the position of its chunk: at most MOST_QUESTIONS, evenly drawn.

    Rows of sheets give none, nor do chunks without a sentence that can be inverted; no chunks give none.
    """
    order = sorted(range(len(chunks)), key=lambda at: content_id("made", chunks[at].chunk_id))
    found: dict[str, int] = {}
    for at in order:
        if chunks[at].row_number is not None:
            continue
        for question in list(_questions_of(chunks[at].text))[:QUESTIONS_A_CHUNK]:
            found.setdefault(question, at)
        if len(found) >= MOST_QUESTIONS:
            break
    return [(at, question) for question, at in list(found.items())[:MOST_QUESTIONS]]


def _questions_of(text: str) -> Iterator[str]:
    for start, end in sentence_spans(text):
        sentence = " ".join(text[start:end].split())
        turned = _TURNED.match(sentence)
        if not turned or not LEAST_WORDS <= len(sentence.split()) <= MOST_WORDS:
            continue
        subject = turned["subject"].split()
        words = {word.lower() for word in subject}
        if len(subject) > MOST_SUBJECT_WORDS or words & REFERS or subject[0].lower() in LEADS_IN:
            continue
        yield _turned_round(in_a_question(subject), turned["auxiliary"], turned["rest"])


def in_a_question(subject: Sequence[str]) -> str:
    """The words of a subject as they appear inside a question: names keep their capital, other first words lose it."""
    first, *others = subject
    begins = (not others or others[0].islower()) and first[1:].lower() == first[1:]
    return " ".join([first.lower() if begins else first, *others])


def _turned_round(subject: str, auxiliary: str, rest: str) -> str:
    figure = _FIGURE.search(f" {rest}")
    before = f" {rest}"[: figure.start()].strip() if figure else ""
    if figure and before:
        return f"{_ASKS[figure['lead']]} {auxiliary} {subject} {before}?"
    if auxiliary in ("is", "are") and rest.split()[0] in ("a", "an", "the"):
        return f"What {auxiliary} {subject}?"
    return f"{auxiliary.capitalize()} {subject} {rest}?"
