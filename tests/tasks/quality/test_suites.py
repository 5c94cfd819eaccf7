"""The real Great Expectations, over one good frame of each kind and one for each way to be broken."""

from __future__ import annotations

import html
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import great_expectations as gx
import numpy as np
import pandas as pd
import pytest
from great_expectations.expectations import Expectation

from tasks.embedding.models.shards import text_id
from tasks.quality.findings import Finding
from tasks.quality.frames import (
    ChunkFacts,
    Counts,
    PageFacts,
    chunk_facts,
    counts_frame,
    deleted_files,
    frame_of,
    page_facts,
    vector_frame,
)
from tasks.quality.suites import chunk_suite, counts_suite, page_suite, validate_with_docs, vector_suite
from tasks.records import Document, PageSpan
from tests.made.chunks import chunk_of, document_of

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
DENSE = np.eye(COUNT, 8, dtype=np.float32)
LEXICAL = np.eye(COUNT, 3, dtype=np.float32)  # the last row is zero: no known word
IDS = [chunk.chunk_id for chunk in CHUNKS]
TEXT_IDS = [text_id(chunk.searched_text) for chunk in CHUNKS]


def with_row(matrix: np.ndarray, row: int, value: float) -> np.ndarray:
    changed = matrix.copy()
    changed[row] = value
    return changed


FOUND = {chunk.chunk_id: True for chunk in CHUNKS}
PLACES = [f"made.pdf, chunk {chunk_id}" for chunk_id in IDS]
LACKING = replace(DOCUMENT, pages=DOCUMENT.pages[:1])


def chunks_with(
    found: Mapping[str, bool] = FOUND, document: Document | None = DOCUMENT, **changes: Any
) -> pd.DataFrame:
    """The chunks' frame with the first of them changed."""
    return frame_of(ChunkFacts, chunk_facts([replace(CHUNKS[0], **changes), *CHUNKS[1:]], document, found, [""]))


def vectors_with(
    dense: np.ndarray = DENSE, lexical: np.ndarray = LEXICAL, kept: Sequence[tuple[list[str], np.ndarray]] = ()
) -> pd.DataFrame:
    return vector_frame(PLACES[: len(dense)], IDS[: len(dense)], TEXT_IDS[: len(dense)], dense, lexical, kept)


def pages_with(**changes: Any) -> pd.DataFrame:
    """The pages' frame with the last of them changed."""
    first, last = DOCUMENT.pages
    return frame_of(PageFacts, page_facts(replace(DOCUMENT, pages=(first, replace(last, **changes)))))


def counts_of(documents: int, pages: int, chunks: int) -> pd.DataFrame:
    return counts_frame(Counts(10, 100, 1000), Counts(documents, pages, chunks), judged_from=6)


SUITES: Mapping[str, Callable[[], list[Expectation]]] = {
    "counts": lambda: counts_suite(refused_loss=0.4, noticed_loss=0.1),
    "pages": page_suite,
    "chunks": lambda: chunk_suite(COUNT, {"": MAX_TOKENS}, pages_found=0.9),
    "vectors": lambda: vector_suite(COUNT),
}
GOOD = {
    "counts": counts_of(9, 90, 5000),
    "pages": pages_with(),
    "chunks": chunks_with(),
    "vectors": vectors_with(),
}

BROKEN: Mapping[str, tuple[str, pd.DataFrame, str | None]] = {
    "6 of 10 documents gone": ("counts", counts_of(4, 100, 1000), "documents_explained"),
    "41 of 100 pages gone": ("counts", counts_of(10, 59, 1000), "pages_explained"),
    "half of the chunks gone": ("counts", counts_of(10, 100, 500), "chunks_explained"),
    "no pages": ("pages", frame_of(PageFacts, []), None),
    "a page without a document": (
        "pages",
        frame_of(PageFacts, page_facts(replace(DOCUMENT, document_id=""))),
        "document_id",
    ),
    "a page 0": ("pages", pages_with(page_number=0), "page_number"),
    "a page twice": ("pages", pages_with(page_number=1), "page_key"),
    "a page that ends before it begins": ("pages", pages_with(end=0), "is_within_text"),
    "a page past the text": ("pages", pages_with(end=1000), "is_within_text"),
    "no chunks": ("chunks", frame_of(ChunkFacts, []), None),
    "a chunk too few": ("chunks", frame_of(ChunkFacts, chunk_facts(CHUNKS[1:], DOCUMENT, FOUND, [""])), None),
    "a column is missing": ("chunks", GOOD["chunks"].drop(columns="lacks_page"), "lacks_page"),
    "no id": ("chunks", chunks_with(chunk_id=""), "chunk_id"),
    "an id twice": ("chunks", chunks_with(chunk_id=IDS[1]), "chunk_id"),
    "no document": ("chunks", chunks_with(document=None), "has_document"),
    "too many tokens": ("chunks", chunks_with(token_count=MAX_TOKENS + 1), "token_count"),
    "no tokens": ("chunks", chunks_with(token_count=0), "token_count"),
    "a hole in the text": ("chunks", chunks_with(end=2, text="On"), "is_cut_whole"),
    "a granularity that is not there": (
        "chunks",
        frame_of(ChunkFacts, chunk_facts(CHUNKS, DOCUMENT, FOUND, ["", "children"])),
        "is_cut_whole",
    ),
    "white space": ("chunks", chunks_with(text=" \n"), "characters"),
    "another text": ("chunks", chunks_with(text="Other wo"), "is_verbatim"),
    "moved offsets": ("chunks", chunks_with(start=1, end=9), "is_verbatim"),
    "a PDF without a page": ("chunks", chunks_with(page_spans=()), "lacks_page"),
    "a page that the document has not": ("chunks", chunks_with(document=LACKING), "pages_exist"),
    "a part that its page has not": ("chunks", chunks_with(page_spans=(PageSpan(2, 0, 8),)), "pages_exist"),
    "the part of another chunk": ("chunks", chunks_with(page_spans=CHUNKS[2].page_spans), "pages_exist"),
    "the same page, another part": ("chunks", chunks_with(page_spans=(PageSpan(1, 0, 7),)), "pages_exist"),
    "pages that the finder does not bear out": ("chunks", chunks_with(found={}), "page_is_found"),
    "no vectors": ("vectors", vectors_with(DENSE[:0], LEXICAL[:0]), None),
    "a vector too few": ("vectors", vectors_with(DENSE[1:], LEXICAL[1:]), None),
    "a vector without a chunk": ("vectors", vector_frame(PLACES, ["", *IDS[1:]], TEXT_IDS, DENSE, LEXICAL), "chunk_id"),
    "a norm of 2": ("vectors", vectors_with(2 * DENSE), "dense_norm"),
    "a zero vector": ("vectors", vectors_with(with_row(DENSE, 1, 0.0)), "dense_norm"),
    "not a number": ("vectors", vectors_with(with_row(DENSE, 1, np.nan)), "dense_norm"),
    "infinite": ("vectors", vectors_with(with_row(DENSE, 1, np.inf)), "dense_norm"),
    "one vector for all": ("vectors", vectors_with(DENSE[[0, 0, 0, 0]]), "is_own"),
    "one vector for three of four": ("vectors", vectors_with(DENSE[[0, 0, 0, 1]]), "is_own"),
    "a lexical norm of 2": ("vectors", vectors_with(lexical=2 * LEXICAL), "lexical_norm"),
    "lexical not a number": ("vectors", vectors_with(lexical=with_row(LEXICAL, 0, np.nan)), "lexical_norm"),
}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data_docs")


@pytest.fixture(scope="module")
def findings(docs: Path) -> Sequence[Finding]:
    """The good frames and some broken ones, as the gate itself holds them against their suites."""
    good = {name: (frame, SUITES[name]()) for name, frame in GOOD.items()}
    broken = {name: (BROKEN[name][1], SUITES[BROKEN[name][0]]()) for name in SHOWN}
    return validate_with_docs(good | broken, str(docs))


SHOWN = {
    "6 of 10 documents gone": (
        "counts",
        "documents_explained: of the documents of the version before, at least 60% are there still, or were deleted "
        "from folders that have other files; not so in 1 of 1: "
        "documents 10 → 4, pages 100 → 100, chunks 1000 → 1000 (0.4)",
    ),
    "another text": (
        "chunks",
        "is_verbatim: each chunk is, letter by letter, what its document says at its offsets; not so in 1 of 4: "
        f"made.pdf, p. 1, chunk {IDS[0]}",
    ),
    "a norm of 2": (
        "vectors",
        "dense_norm: each dense vector has the length 1; not so in 4 of 4: "
        f"{PLACES[0]} (2); {PLACES[1]} (2); {PLACES[2]} (2) …",
    ),
    "a vector too few": ("vectors", "rows: there are vectors of all 4 chunks; there are 3"),
    "a column is missing": (
        "chunks",
        'lacks_page: each chunk of a PDF or of slides has a page; Error: The column "lacks_page" in BatchData does not '
        "exist.",
    ),
}
"""What is said of a fault."""


@pytest.mark.parametrize("suite", SUITES)
def test_good_frames_pass(findings: Sequence[Finding], suite: str) -> None:
    found = [finding for finding in findings if finding.suite == suite]
    assert len(found) == {"counts": 6, "pages": 5, "chunks": 12, "vectors": 8}[suite]
    assert [finding for finding in found if not finding.passed] == []


@pytest.mark.parametrize("name", SHOWN)
def test_a_finding_says_what_failed_where(findings: Sequence[Finding], name: str) -> None:
    failed = [one.message for one in findings if one.suite == name and one.severity == "critical" and not one.passed]
    assert failed == [f"{name}.{SHOWN[name][1]}"]


def test_no_corpus_text_reaches_a_finding_or_the_data_docs(findings: Sequence[Finding], docs: Path) -> None:
    assert (docs / "index.html").is_file()
    assert all("words" not in finding.observed for finding in findings)
    pages = list(docs.rglob("*.html"))
    assert len(pages) > 4
    assert not any("pages of words" in path.read_text(encoding="utf-8") for path in pages)


def test_the_data_docs_show_the_reason_and_fetch_nothing(findings: Sequence[Finding], docs: Path) -> None:
    for path in docs.rglob("*.html"):
        assert not re.search(r"""(src|<link[^>]*href)="https?:""", path.read_text(encoding="utf-8")), path
    index = (docs / "index.html").read_text(encoding="utf-8")
    failed = [finding for finding in findings if not finding.passed]
    assert index.index('class="critical"') < index.index('class="passed"')
    assert all(html.escape(finding.observed) in index for finding in failed)
    links = re.findall(r'<a href="([^"]+)">', index)
    assert len(links) == len(SUITES) + len(SHOWN) and all((docs / link).is_file() for link in links)


Refused = Callable[[pd.DataFrame, Sequence[Expectation]], list[str | None]]


@pytest.fixture(scope="module")
def refused() -> Refused:
    """The columns of which a frame fails a critical expectation, without Data Docs, which take a hundred times as
    long.
    """
    source = gx.get_context(mode="ephemeral").data_sources.add_pandas("frames")

    def judge(frame: pd.DataFrame, suite: Sequence[Expectation]) -> list[str | None]:
        asset = source.add_dataframe_asset(uuid.uuid4().hex).add_batch_definition_whole_dataframe("frame")
        results = asset.get_batch(batch_parameters={"dataframe": frame}).validate(
            gx.ExpectationSuite("suite", expectations=list(suite))
        )
        configs = [item.expectation_config for item in results.results if not item.success]
        return [config.kwargs.get("column") for config in configs if config.severity == "critical"]

    return judge


@pytest.mark.parametrize("suite", SUITES)
def test_the_good_frames_fail_nothing(refused: Refused, suite: str) -> None:
    assert refused(GOOD[suite], SUITES[suite]()) == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_frame_is_refused(refused: Refused, name: str) -> None:
    suite, frame, column = BROKEN[name]
    assert column in refused(frame, SUITES[suite]())


def test_a_first_version_is_compared_with_nothing(refused: Refused) -> None:
    frame = counts_frame(Counts(None, None, None), Counts(1, 1, 1), 6)
    assert refused(frame, SUITES["counts"]()) == []
    assert refused(counts_frame(None, Counts(0, 0, 0), 6), SUITES["counts"]()) == []
    assert frame["place"].tolist() == ["documents ? → 1, pages ? → 1, chunks ? → 1"]


@pytest.mark.parametrize(("before", "is_refused"), [(5, False), (6, True)])
def test_of_a_few_a_share_says_nothing(refused: Refused, before: int, is_refused: bool) -> None:
    frame = counts_frame(Counts(before, before, before), Counts(1, before, before), judged_from=6)
    assert refused(frame, SUITES["counts"]()) == (["documents_explained"] if is_refused else [])


def test_chunks_of_one_text_share_its_vector(refused: Refused) -> None:
    for texts, columns in ((["A notice."] * COUNT, []), ([*["A notice."] * 3, "Another."], ["is_own"])):
        frame = vector_frame(PLACES, IDS, texts, DENSE[[0, 0, 0, 0]], LEXICAL)
        assert refused(frame, SUITES["vectors"]()) == columns
    half = vectors_with(DENSE[[0, 0, 1, 2]])
    assert half["is_own"].tolist() == [False, False, True, True]
    assert refused(half, SUITES["vectors"]()) == []


def test_a_vector_is_held_against_the_one_that_is_kept_of_its_text(refused: Refused) -> None:
    """What is kept is of some of the texts, and of others; a batch of other texts may have given it."""
    kept = [
        ([TEXT_IDS[1], "of another text"], DENSE[[1, 0]] + np.float32(1e-3)),
        ([TEXT_IDS[3]], DENSE[3:]),
    ]
    good = vectors_with(kept=kept)
    assert good["is_of_text"].tolist() == [pd.NA, True, pd.NA, True]
    assert refused(good, SUITES["vectors"]()) == []
    swapped = vectors_with(DENSE[[0, 3, 2, 1]], kept=kept)
    assert swapped["is_of_text"].tolist() == [pd.NA, False, pd.NA, False]
    assert refused(swapped, SUITES["vectors"]()) == ["is_of_text"]


def test_the_frames_of_nothing_have_all_columns() -> None:
    assert frame_of(ChunkFacts, []).dtypes.to_dict() == GOOD["chunks"].dtypes.to_dict()
    assert frame_of(PageFacts, []).dtypes.to_dict() == GOOD["pages"].dtypes.to_dict()
    nothing = vectors_with(DENSE[:0], LEXICAL[:0])
    assert nothing.dtypes.to_dict() == GOOD["vectors"].dtypes.to_dict() and nothing.empty


def test_a_page_is_called_by_its_number_or_its_sheet() -> None:
    sheet = document_of(["One page."], rows=["A row."])
    assert [facts.place for facts in page_facts(sheet)] == ["made.xlsx, p. 1", "made.xlsx, sheet Sheet"]


def test_each_granularity_has_its_own_limit_of_tokens(refused: Refused) -> None:
    """Of two sentences of 15 tokens and two children of 5, at most 20 and 8 are allowed; then fewer of each."""
    sizes = (("sentences", 15), ("children", 5)) * 2
    cut = [
        replace(chunk, granularity=name, token_count=count) for chunk, (name, count) in zip(CHUNKS, sizes, strict=True)
    ]
    frame = frame_of(ChunkFacts, chunk_facts(cut, DOCUMENT, FOUND, []))
    for limits, columns in (
        ({"sentences": 20, "children": 8}, []),
        ({"sentences": 10, "children": 8}, ["token_count"]),
        ({"sentences": 20, "children": 4}, ["token_count"]),
        ({"sentences": 10, "children": 4}, ["token_count", "token_count"]),
    ):
        assert refused(frame, chunk_suite(COUNT, limits, pages_found=0.9)) == columns


def test_a_deletion_is_no_loss(refused: Refused) -> None:
    frame = counts_frame(Counts(10, 100, 1000), Counts(4, 40, 400), 6, deleted=Counts(6, 60, 600))
    assert refused(frame, SUITES["counts"]()) == []
    assert frame["place"].tolist() == [
        "documents 10 → 4 (6 deleted), pages 100 → 40 (60 deleted), chunks 1000 → 400 (600 deleted)"
    ]


def test_a_file_is_deleted_where_its_folder_has_others() -> None:
    before = ["a.pdf", "b.pdf", "drive/c.pdf", "drive/d.pdf"]
    assert deleted_files(before, ["a.pdf", "new.pdf"]) == {"b.pdf"}
    assert deleted_files(before, ["drive/c.pdf"]) == {"drive/d.pdf"}
    assert deleted_files(before, []) == deleted_files([], before) == frozenset()


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="no folder that nobody can write")
def test_where_no_page_can_be_written_the_check_is_the_same_and_says_nothing(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    found = validate_with_docs({"counts": (GOOD["counts"], SUITES["counts"]())}, "/sys/bidfolio/data_docs")
    assert found and not any(one.failed for one in found)
    assert capfd.readouterr() == ("", "") and "Traceback" not in caplog.text
