"""Hypothesis strategies for chunks."""

from __future__ import annotations

from hypothesis import strategies as st

from tasks.records import Chunk, PageSpan

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
optional_numbers = st.none() | st.integers(1, 2**31 - 1)
chunks = st.builds(
    Chunk,
    chunk_id=texts,
    document_id=texts,
    file_name=texts,
    content_sha256=texts,
    kind=st.sampled_from(["pdf", "docx", "pptx", "xlsx", "csv", "html", "md", "txt"]),
    ordinal=st.integers(0, 2**31 - 1),
    start=st.integers(0, 2**40),
    end=st.integers(0, 2**40),
    text=texts,
    context=texts,
    token_count=st.integers(0, 512),
    page_spans=st.lists(
        st.builds(PageSpan, optional_numbers, st.integers(0, 2**40), st.integers(0, 2**40), st.just("")), max_size=3
    ).map(tuple),
    section_path=texts,
    sheet_name=st.none() | texts,
    row_number=optional_numbers,
    parent=st.none() | st.integers(0, 2**31 - 1),
)
