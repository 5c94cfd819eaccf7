"""Gold set generation from a corpus: a question for each sampled chunk, whose answer is a span found only there.

After Finardi et al. 2024, section 2, who have a language model write one question a chunk and ask it for one that has
only one answer in the book. That is checked here, against every other chunk; and while they use all chunks, ours are
sampled.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.evaluation.gold.rule_questions import Asked
from tasks.records import Chunk, GoldEvidence, GoldQuestion, content_id
from tasks.text.stemmed_words import words_of

WriteQuestions = Callable[[Sequence[Chunk]], Sequence[Sequence[Asked] | str]]
"""Function that writes the questions on each chunk, in order, the best first; or the reason why there are none."""
CHUNKS_AT_ONCE = 64
LEAST_WORDS, RARE = 3, 3
"""Least number of content words of a question, and the number of chunks up to which a word is rare. With fewer words a
question could be about anything; with a rare word, one less is enough."""
SAME_SUBJECT, SAME_ANSWERED = 0.75, 0.5
"""Shares of a question's words, weighted by rarity, from which another chunk rules the question out: by itself, and if
it also has the answer."""
_ASKING = frozenset(("long", "soon", "often", "mani", "much", "happen", "import"))
_FIGURES = re.compile(r"\d[\d.,]*\d|\d")


class MadeGold(NamedTuple):
    """A generated gold set, with the number of sampled chunks and of dropped questions by reason.

    The questions on the documents ``held_out`` come last: without these documents they cannot be answered. ``gave_up``:
    too many chunks in a row gave no question.
    """

    questions: tuple[GoldQuestion, ...]
    sampled: int
    dropped: dict[str, int]
    held_out: tuple[str, ...]
    gave_up: bool


def make_gold(
    chunks: Sequence[Chunk],
    write: WriteQuestions,
    count: int,
    held_out: float,
    seed: int,
    *,
    patience: float = math.inf,
    advance: Callable[[int], object] = lambda made: None,
) -> MadeGold:
    """Generate at most ``count`` questions; the share ``held_out`` of them is on documents that are held out.

    As large a share of the documents is held out: at least one, and never all. The same chunks and seed give the same
    sample. After ``patience`` chunks in a row without a question it stops. ``advance`` is called for each question.

    Rows of sheets are not used: they are past questionnaires, or figures without a sentence. Raises UsageError if
    documents are to be held out and there are too few.
    """
    prose = [at for at, chunk in enumerate(chunks) if chunk.row_number is None]
    order = sorted(prose, key=lambda at: content_id("gold", seed, chunks[at].chunk_id))
    elsewhere, dropped, asked = Elsewhere(chunks), Counter[str](), set[str]()
    without = _without(order, chunks, write, held_out, seed, elsewhere) if held_out else frozenset()
    # At least one of each kind: rounding would leave a small set without one of them.
    unanswerable = min(max(1, round(count * held_out)), count - 1) if without else 0
    answerable = count - unanswerable
    questions: list[GoldQuestion] = []
    sampled = made = in_vain = 0
    for is_answerable in (True, False) if without else (True,):
        # If the corpus gives fewer questions than asked for, the share is kept.
        wanted = answerable if is_answerable else math.ceil(made * unanswerable / answerable)
        drawn = [at for at in order if (chunks[at].file_name not in without) is is_answerable]
        made = 0
        for at, candidates in _written(drawn, chunks, write):
            if made == wanted or in_vain >= patience:
                break
            sampled += 1
            in_vain += 1
            if one := _first_good(candidates, at, elsewhere, asked, dropped):
                asked.add(one.question)
                questions.append(_gold(one, chunks[at], seed, is_answerable=is_answerable))
                made += 1
                in_vain = 0
                advance(1)
    gave_up = in_vain >= patience
    return MadeGold(tuple(questions), sampled, dict(dropped.most_common()), tuple(sorted(without)), gave_up)


def _without(
    order: Sequence[int], chunks: Sequence[Chunk], write: WriteQuestions, held_out: float, seed: int, of: Elsewhere
) -> frozenset[str]:
    """Choose the documents to hold out among those that questions can be made of; one of them is always left."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for at in order:
        by_name[chunks[at].file_name].append(at)
    count, found = max(1, round(held_out * len(by_name))), list[str]()
    if count >= len(by_name):
        raise UsageError(
            f"of {len(by_name)} documents that can be asked about, none would be left: hold out a smaller share, or "
            "none"
        )
    for name in sorted(by_name, key=lambda name: content_id("held out", seed, name)):
        written = _written(by_name[name], chunks, write)
        if len(found) <= count and any(_first_good(one, at, of, set(), Counter()) for at, one in written):
            found.append(name)
    if len(found) < 2:
        made_of = f"{found[0]} alone" if found else "no document"
        raise UsageError(
            f"questions can be made of {made_of}, and with --held-out it takes two, one to hold out and one to keep: "
            "leave --held-out out"
        )
    return frozenset(found[:-1])


class Elsewhere:
    """Index of all chunks of a corpus, to check if a question could be answered from another chunk."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._texts = [" ".join(chunk.text.casefold().split()) for chunk in chunks]
        self._having: dict[str, list[int]] = defaultdict(list)
        for at, chunk in enumerate(chunks):
            for word in set(_words(chunk.searched_text)):
                self._having[word].append(at)

    def fault(self, asked: Asked, of: int) -> str:
        """The reason why the question on the chunk at ``of`` is not answered by that chunk alone; "" if it is.

        A chunk that overlaps the sentence itself does not count as another.
        """
        words = set(_words(asked.question)) - _ASKING
        is_rare = any(len(self._having[word]) <= RARE for word in words)
        if len(words) < LEAST_WORDS - is_rare:
            return "too few words of its own"
        weights = {word: math.log(1 + len(self._chunks) / max(1, len(self._having[word]))) for word in words}
        shares: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for at in self._having[word]:
                shares[at] += weight / sum(weights.values())
        chunk = self._chunks[of]
        start, end = chunk.start + asked.sentence_start, chunk.start + asked.sentence_end
        answer = chunk.text[asked.start : asked.end]
        for at, share in shares.items():
            other = self._chunks[at]
            is_same = other.document_id == chunk.document_id and other.start < end and start < other.end
            if is_same or share < SAME_ANSWERED:
                continue
            if share >= SAME_SUBJECT:
                return "another passage is about the same"
            if self._answers(at, answer):
                return "the answer stands elsewhere too"
        return ""

    def _answers(self, at: int, answer: str) -> bool:
        """Tell if the chunk has the answer, or all its figures."""
        text, figures = self._texts[at], set(_FIGURES.findall(answer))
        return " ".join(answer.casefold().split()) in text or (bool(figures) and figures <= set(_FIGURES.findall(text)))


def _written(
    drawn: Sequence[int], chunks: Sequence[Chunk], write: WriteQuestions
) -> Iterator[tuple[int, Sequence[Asked] | str]]:
    for begin in range(0, len(drawn), CHUNKS_AT_ONCE):
        some = drawn[begin : begin + CHUNKS_AT_ONCE]
        yield from zip(some, write([chunks[at] for at in some]), strict=True)


def _first_good(
    candidates: Sequence[Asked] | str, of: int, elsewhere: Elsewhere, asked: set[str], dropped: Counter[str]
) -> Asked | None:
    if isinstance(candidates, str):
        dropped[candidates] += 1
        return None
    for one in candidates:
        fault = "asked already" if one.question in asked else elsewhere.fault(one, of)
        if not fault:
            return one
        dropped[fault] += 1
    return None


def _gold(one: Asked, chunk: Chunk, seed: int, *, is_answerable: bool) -> GoldQuestion:
    question_id = f"made-{content_id('made', seed, chunk.chunk_id, one.question)}"
    if not is_answerable:
        return GoldQuestion(question_id, one.question, answerable=False, held_out=(chunk.file_name,))
    at = chunk.start + one.start
    page = next((span.page_number for span in chunk.page_spans if span.start <= at < span.end), chunk.page_number)
    evidence = (GoldEvidence(chunk.file_name, page, chunk.sheet_name, chunk.row_number),)
    answer = " ".join(chunk.text[one.start : one.end].split())
    return GoldQuestion(question_id, one.question, answerable=True, answer=answer, evidence=evidence)


def _words(text: str) -> list[str]:
    return words_of(text, "english", "english")
