"""What is answered from chunks that are handed over with a hit: each quote from its own chunk and page, none twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.generators.prompts import user_prompt
from tasks.answering.quotes.context_passages import on_one_page, text_of
from tasks.answering.quotes.passages import passages_of
from tasks.records import Chunk, Hit, PageSpan, Question
from tasks.text.search_terms import terms

TEXT = (
    "Snapshots of every database are copied to Dublin.\n"
    "They are taken every four hours and are kept for 35 days.\n"
    "A restore is rehearsed each quarter by the operations team.\n"
    "The doors of the data centre are guarded day and night.\n"
)
PAGE_END = TEXT.index("A restore")


def chunk(start: int, end: int, ordinal: int) -> Chunk:
    """The part of the text, whose first two lines stand on page 1 and the others on page 2."""
    bounds = ((1, 0, PAGE_END), (2, PAGE_END, len(TEXT)))
    spans = tuple(PageSpan(n, max(start, a), min(end, b)) for n, a, b in bounds if max(start, a) < min(end, b))
    text = TEXT[start:end]
    return Chunk(str(ordinal), "d", "bcp.pdf", "0" * 64, "pdf", ordinal, start, end, text, "", 12, spans)


def sentences() -> list[Chunk]:
    lines = [0, *(at + 1 for at, character in enumerate(TEXT) if character == "\n")]
    return [chunk(start, end - 1, n) for n, (start, end) in enumerate(pairwise(lines))]


def hit_on(found: Chunk, handed_over: Sequence[Chunk] | None, rank: int = 1) -> Hit:
    given = None if handed_over is None else tuple(handed_over)
    return Hit("q", rank, found, 1.0, 0.5, 0.5, 0.5, handed_over=given)


def shared_words(texts: Sequence[str]) -> NDArray[np.float32]:
    """A stand-in for the model: a vector of which words of the question a text has."""
    words = sorted(terms("How long are snapshots kept? Who rehearses a restore?"))
    raw = np.array([[float(word in terms(text)) for word in words] for text in texts], dtype=np.float32)
    return np.asarray(raw / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1))


def test_a_neighbour_answers_with_its_own_page_and_offsets() -> None:
    """The sentence that is found names the snapshots, and another says how long they are kept."""
    made = sentences()
    generator = ExtractiveGenerator(shared_words, shared_words, 1)
    question = Question("q", 0, "Who rehearses a restore?")
    (alone,) = generator.draft([Asked(question, [hit_on(made[0], None)])])
    assert [citation.quote for citation in alone.citations] == [made[0].text]
    (draft,) = generator.draft([Asked(question, [hit_on(made[0], made[:3])])])
    (citation,) = draft.citations
    assert (citation.quote, citation.page_number) == (made[2].text, 2)
    assert TEXT[citation.start : citation.end] == citation.quote


def test_what_overlaps_gives_each_passage_once_and_the_whole_sentence() -> None:
    first, second = TEXT.index("They"), TEXT.index("and are kept")
    parts = [chunk(0, second - 1, 0), chunk(first, PAGE_END - 1, 1), chunk(first, len(TEXT) - 1, 2)]
    found = list(passages_of(hit_on(parts[0], parts)))
    assert [passage.quote for passage in found] == [each.text for each in sentences()]
    assert [passage.page_number for passage in found] == [1, 1, 2, 2]
    assert text_of(hit_on(parts[0], parts)) == TEXT.rstrip("\n")


def test_a_prompt_has_a_passage_a_page_and_no_text_twice() -> None:
    made = sentences()
    hits = [hit_on(made[2], made[:3]), hit_on(made[1], (), rank=2), hit_on(made[3], None, rank=3)]
    question = Question("q", 0, "How long are snapshots kept?")
    prompt = user_prompt(Asked(question, on_one_page(hits)))
    assert prompt.split("\n\nQuestion:")[0] == "\n\n".join(
        [
            "Passages:",
            f"[1] bcp.pdf, p. 1\n{made[0].text}\n{made[1].text}",
            f"[2] bcp.pdf, p. 2\n{made[2].text}",
            f"[3] bcp.pdf, p. 2\n{made[3].text}",
        ]
    )


def test_parts_that_are_not_next_to_each_other_are_passages_of_their_own() -> None:
    made = sentences()
    assert [part.chunks for part in on_one_page([hit_on(made[0], [made[0], made[1]])])] == [tuple(made[:2])]
    apart = [replace(made[1], page_spans=made[2].page_spans), made[3]]
    assert [part.chunks for part in on_one_page([hit_on(made[3], apart)])] == [(apart[0],), (apart[1],)]
    assert on_one_page([hit_on(made[0], ())]) == []


def test_chunks_that_were_cut_inside_a_word_are_read_as_one_word() -> None:
    assert text_of(hit_on(chunk(0, 5, 0), [chunk(0, 5, 0), chunk(5, 20, 1)])) == TEXT[:20]


def test_an_answer_is_held_against_all_that_a_passage_hands_over() -> None:
    made = sentences()
    answer = "Snapshots are copied to Dublin and are kept for 35 days."
    (first,) = passages_of(hit_on(made[0], None))
    draft = Draft(answer, None, (first.citation(),), 0.0)
    question = Question("q", 0, "Where are snapshots copied?")
    (alone,) = check_drafts([Asked(question, [hit_on(made[0], None)])], [draft], Opinions())
    assert alone.declined == "unsupported"
    (whole,) = check_drafts([Asked(question, [hit_on(made[0], made[:2])])], [draft], Opinions())
    assert whole.text == answer and [citation.page_number for citation in whole.citations] == [1, 1]
