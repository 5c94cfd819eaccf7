"""The real Great Expectations, over one good frame of each kind and one for each way to be broken."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import great_expectations as gx
import numpy as np
import pandas as pd
import pytest
from great_expectations.expectations import Expectation

from tasks.quality.frames import chunk_frame, vector_frame
from tasks.quality.suites import Finding, chunk_suite, validate, vector_suite
from tests.tasks.made import chunk_of, document_of

MAX_TOKENS = 20
COUNT = 4
DOCUMENT = document_of(["One page of words here.", "Two pages of words here."])
CHUNKS = [
    replace(
        chunk_of(DOCUMENT.text[start:end], ordinal=number, start=start, page_number=1 + number // 2),
        document_id=DOCUMENT.document_id,
    )
    for number, (start, end) in enumerate([(0, 8), (4, 23), (24, 33), (30, 48)])
]
TEXTS = {DOCUMENT.document_id: DOCUMENT.text}
DENSE = np.eye(COUNT, 8, dtype=np.float32)
LEXICAL = np.eye(COUNT, 3, dtype=np.float32)  # the last row is zero: no known word
IDS = [chunk.chunk_id for chunk in CHUNKS]


def with_row(matrix: np.ndarray, row: int, value: float) -> np.ndarray:
    changed = matrix.copy()
    changed[row] = value
    return changed


FOUND = {chunk.chunk_id: True for chunk in CHUNKS}
GOOD_CHUNKS, GOOD_VECTORS = chunk_frame(CHUNKS, TEXTS, FOUND), vector_frame(IDS, DENSE, LEXICAL)

BROKEN_CHUNKS: Mapping[str, tuple[pd.DataFrame, str, str | None]] = {
    "no rows": (chunk_frame([], TEXTS, FOUND), "expect_table_row_count_to_be_between", None),
    "a column is missing": (
        GOOD_CHUNKS.drop(columns="lacks_page"),
        "expect_table_columns_to_match_set",
        None,
    ),
    "an id twice": (
        chunk_frame([*CHUNKS, CHUNKS[0]], TEXTS, FOUND),
        "expect_column_values_to_be_unique",
        "chunk_id",
    ),
    "too many tokens": (
        chunk_frame([*CHUNKS[1:], replace(CHUNKS[0], token_count=MAX_TOKENS + 1)], TEXTS, FOUND),
        "expect_column_values_to_be_between",
        "token_count",
    ),
    "no tokens": (
        chunk_frame([*CHUNKS[1:], replace(CHUNKS[0], token_count=0)], TEXTS, FOUND),
        "expect_column_values_to_be_between",
        "token_count",
    ),
    "white space": (
        chunk_frame([*CHUNKS[1:], replace(CHUNKS[0], text=" \n")], TEXTS, FOUND),
        "expect_column_values_to_be_between",
        "characters",
    ),
    "another text": (
        chunk_frame([*CHUNKS[1:], replace(CHUNKS[0], text="Other wo")], TEXTS, FOUND),
        "expect_column_values_to_be_in_set",
        "is_verbatim",
    ),
    "moved offsets": (
        chunk_frame([*CHUNKS[1:], replace(CHUNKS[0], start=1, end=9)], TEXTS, FOUND),
        "expect_column_values_to_be_in_set",
        "is_verbatim",
    ),
    "no document": (chunk_frame(CHUNKS, {}, FOUND), "expect_column_values_to_be_in_set", "is_verbatim"),
    "a PDF without a page": (
        chunk_frame([*CHUNKS[1:], replace(CHUNKS[0], page_spans=())], TEXTS, FOUND),
        "expect_column_values_to_be_in_set",
        "lacks_page",
    ),
    "pages that the finder does not bear out": (
        chunk_frame(CHUNKS, TEXTS, {chunk.chunk_id: False for chunk in CHUNKS}),
        "expect_column_values_to_be_in_set",
        "page_is_found",
    ),
}
BROKEN_VECTORS: Mapping[str, tuple[pd.DataFrame, str, str | None]] = {
    "no rows": (vector_frame([], DENSE[:0], LEXICAL[:0]), "expect_table_row_count_to_equal", None),
    "a vector too few": (
        vector_frame(IDS[1:], DENSE[1:], LEXICAL[1:]),
        "expect_table_row_count_to_equal",
        None,
    ),
    "a column too many": (
        GOOD_VECTORS.assign(text="corpus text"),
        "expect_table_columns_to_match_set",
        None,
    ),
    "an id twice": (
        vector_frame([IDS[0], *IDS[:3]], DENSE, LEXICAL),
        "expect_column_values_to_be_unique",
        "chunk_id",
    ),
    "a norm of 2": (
        vector_frame(IDS, 2 * DENSE, LEXICAL),
        "expect_column_values_to_be_between",
        "dense_norm",
    ),
    "a zero vector": (
        vector_frame(IDS, with_row(DENSE, 1, 0.0), LEXICAL),
        "expect_column_values_to_be_between",
        "dense_norm",
    ),
    "not a number": (
        vector_frame(IDS, with_row(DENSE, 1, np.nan), LEXICAL),
        "expect_column_values_to_not_be_null",
        "dense_norm",
    ),
    "infinite": (
        vector_frame(IDS, with_row(DENSE, 1, np.inf), LEXICAL),
        "expect_column_values_to_not_be_null",
        "dense_norm",
    ),
    "a lexical norm of 2": (
        vector_frame(IDS, DENSE, 2 * LEXICAL),
        "expect_column_values_to_be_between",
        "lexical_norm",
    ),
    "lexical not a number": (
        vector_frame(IDS, DENSE, with_row(LEXICAL, 0, np.nan)),
        "expect_column_values_to_not_be_null",
        "lexical_norm",
    ),
}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data_docs")


@pytest.fixture(scope="module")
def findings(docs: Path) -> Sequence[Finding]:
    """The good frames and a broken one of each kind, as the gate itself holds them against their suites."""
    frames = {
        "chunks": (GOOD_CHUNKS, chunk_suite(MAX_TOKENS)),
        "vectors": (GOOD_VECTORS, vector_suite(COUNT)),
        "broken chunks": (BROKEN_CHUNKS["another text"][0], chunk_suite(MAX_TOKENS)),
        "broken vectors": (BROKEN_VECTORS["a norm of 2"][0], vector_suite(COUNT)),
    }
    return validate(frames, str(docs))


@pytest.mark.parametrize("suite", ["chunks", "vectors"])
def test_good_frames_pass(findings: Sequence[Finding], suite: str) -> None:
    found = [finding for finding in findings if finding.suite == suite]
    assert len(found) == {"chunks": 8, "vectors": 7}[suite]
    assert [finding for finding in found if not finding.passed] == []


def test_a_finding_says_what_failed_and_how_often(findings: Sequence[Finding]) -> None:
    assert [finding for finding in findings if not finding.passed] == [
        Finding("broken chunks", "expect_column_values_to_be_in_set", "is_verbatim", False, "1 rows"),
        Finding("broken vectors", "expect_column_values_to_be_between", "dense_norm", False, "4 rows"),
    ]


def test_no_corpus_text_reaches_a_finding_or_the_data_docs(findings: Sequence[Finding], docs: Path) -> None:
    assert (docs / "index.html").is_file()
    assert all("words" not in finding.observed for finding in findings)
    pages = list(docs.rglob("*.html"))
    assert len(pages) > 4
    assert not any("pages of words" in path.read_text(encoding="utf-8") for path in pages)


Refusal = tuple[str, str | None]
Refused = Callable[[pd.DataFrame, list[Expectation]], list[Refusal]]


@pytest.fixture(scope="module")
def refused() -> Refused:
    """What of a suite a frame fails, without Data Docs, which take a hundred times as long."""
    source = gx.get_context(mode="ephemeral").data_sources.add_pandas("frames")

    def judge(frame: pd.DataFrame, suite: list[Expectation]) -> list[Refusal]:
        asset = source.add_dataframe_asset(uuid.uuid4().hex).add_batch_definition_whole_dataframe("frame")
        results = asset.get_batch(batch_parameters={"dataframe": frame}).validate(
            gx.ExpectationSuite("suite", expectations=suite)
        )
        configs = [item.expectation_config for item in results.results if not item.success]
        return [(config.type, config.kwargs.get("column")) for config in configs]

    return judge


def test_the_good_frames_fail_nothing(refused: Refused) -> None:
    assert refused(GOOD_CHUNKS, chunk_suite(MAX_TOKENS)) == refused(GOOD_VECTORS, vector_suite(COUNT)) == []


@pytest.mark.parametrize("name", BROKEN_CHUNKS)
def test_a_broken_chunk_is_refused(refused: Refused, name: str) -> None:
    frame, expectation, column = BROKEN_CHUNKS[name]
    assert (expectation, column) in refused(frame, chunk_suite(MAX_TOKENS))


@pytest.mark.parametrize("name", BROKEN_VECTORS)
def test_a_broken_vector_is_refused(refused: Refused, name: str) -> None:
    frame, expectation, column = BROKEN_VECTORS[name]
    assert (expectation, column) in refused(frame, vector_suite(COUNT))


def test_the_frames_of_nothing_have_all_columns() -> None:
    assert chunk_frame([], {}, FOUND).columns.tolist() == GOOD_CHUNKS.columns.tolist()
    nothing = vector_frame([], np.zeros((0, 8), np.float32), np.zeros((0, 3), np.float32))
    assert nothing.columns.tolist() == GOOD_VECTORS.columns.tolist() and nothing.empty
