"""Answers of one questionnaire beside each other: the same question gets the same answer, and contradictions are shown.

A question that is asked twice, with another number, case or spacing, gets the answer that it got first. Two questions
that ask the same in other words and are answered differently both go to a person, with both texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tasks.answering.audit.log import Settled, Times
from tasks.answering.conflicts.answer_differences import Side, differs
from tasks.answering.conflicts.same_question import Vectors, bare, in_full, is_same_question
from tasks.answering.drafts.draft import joined, longest_text
from tasks.questions.wording import begins_with_verdict
from tasks.records import Answer, Question
from tasks.text.names.figures_and_names import words_of_claim

Encode = Callable[[Sequence[str]], tuple[NDArray[np.float32], list[NDArray[np.float32]]]]
Read = Callable[[str], str]
"""Function that gives a question with the long forms of its abbreviations."""
Timed = tuple[Settled, Times]
LEAST_SHARED = 0.5
"""The least share of the shorter question's words in another that may ask the same."""


def consistent(settled: Sequence[Timed], encode: Encode, read: Read) -> list[Timed]:
    """The settled questions in their order, repeated ones with the answer of the first, contradictions for review.

    ``encode`` gives vectors of the questions that may ask the same; none are asked for where there are none.
    """
    alike = _repeated(settled)
    texts = [in_full(read(one.asked.question.text)) for one, _ in alike]
    pairs = list(_pairs(alike, texts))
    told = list(dict.fromkeys(texts[at] for pair in pairs for at in pair))
    if not told:
        return alike
    whole, tokens = encode(told)
    none = np.zeros((0, 0), np.float32)
    found = tokens if len(tokens) == len(told) else [none] * len(told)
    vectors = {text: Vectors(one, some) for text, one, some in zip(told, whole, found, strict=True)}
    doubts: dict[int, str] = {}
    for one, other in pairs:
        mine, its = texts[one], texts[other]
        if not is_same_question(mine, its, vectors[mine], vectors[its]):
            continue
        sides = _side(alike[one][0].answer), _side(alike[other][0].answer)
        if differs(mine, *sides):
            doubts.setdefault(one, _told(sides[0], sides[1], alike[other][0].asked.question))
            doubts.setdefault(other, _told(sides[1], sides[0], alike[one][0].asked.question))
    return [_doubted(timed, doubts[at]) if at in doubts else timed for at, timed in enumerate(alike)]


def _repeated(settled: Sequence[Timed]) -> list[Timed]:
    """The settled questions, those that repeat an earlier one with its answer, where that is not too long for them."""
    first: dict[tuple[str, str], Settled] = {}
    found = []
    for one, times in settled:
        question = one.asked.question
        before = first.setdefault((bare(question.text), question.kind), one) if bare(question.text) else one
        longest = longest_text(question, before.answer.text or "")
        if before is not one and (longest is None or len(before.answer.text or "") <= longest):
            answer = replace(before.answer, question_id=question.question_id)
            one = Settled(one.asked, before.draft, answer)
        found.append((one, times))
    return found


def _pairs(settled: Sequence[Timed], questions: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The pairs of different questions with a text that share enough words to ask the same."""
    words = [words_of_claim(question) for question in questions]
    texts = [bare(one.asked.question.text) for one, _ in settled]
    for one, other in combinations([at for at, (some, _) in enumerate(settled) if some.answer.text], 2):
        least = min(len(words[one]), len(words[other]))
        if texts[one] != texts[other] and len(words[one] & words[other]) >= LEAST_SHARED * least > 0:
            yield one, other


def _side(answer: Answer) -> Side:
    text = answer.text or ""
    stated = begins_with_verdict(text)
    return Side(text, answer.verdict or answer.proposed_verdict or stated)


def _told(mine: Side, its: Side, other: Question) -> str:
    row = f", row {other.row_number}" if other.row_number is not None else ""
    sheet = f" (sheet {other.sheet_name}{row})" if other.sheet_name else row and f" ({row[2:]})"
    return (
        f"the same is asked by “{other.written or other.text}”{sheet} and answered otherwise: here {mine.shown}, "
        f"there {its.shown}: decide which is right"
    )


def _doubted(timed: Timed, doubt: str) -> Timed:
    one, times = timed
    detail = joined(doubt, one.answer.detail)
    answer = replace(one.answer, status="needs_review", verdict=None, detail=detail, is_withheld=True)
    return one._replace(answer=answer), times
