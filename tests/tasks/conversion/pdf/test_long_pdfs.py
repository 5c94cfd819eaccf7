"""Long PDFs: their pages wait packed, their documents are written page by page, and neither is to be seen."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.conversion.document.assembly import Block, PageBlocks
from tasks.conversion.document.placed_text import Part
from tasks.conversion.document.serialization import assemble, from_json, to_json
from tasks.conversion.document.spooled_bytes import Spool
from tasks.conversion.files.convert import Readers, convert, convert_to_json
from tasks.conversion.layout.page import Line, PdfContent
from tasks.conversion.layout.page_serialization import PackedLines, join_parts, opened
from tasks.conversion.layout.page_serialization import to_json as printed_to_json
from tasks.conversion.layout.paragraphs import Typography
from tasks.conversion.office import unstructured_reader
from tasks.conversion.pdf.reader import read_pdf
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.records import Box, Document, SourceFile
from tasks.text.characters import LINE_END_HYPHEN, count_tokens, count_words
from tests.made.conversions import check_offsets
from tests.made.pdfs import MakePdf
from tests.made.processes import CONVERTER, children_running
from tests.made.source_files import source_of

SHORT, LONG = 300, 900
MOST_KB_A_PAGE = 16
"""A page of the test's PDF takes 7 kB while it waits, as much again as a part of its document, and more than 50 as
lines and elements: a long PDF's pages are neither waited for nor written in memory."""


def report(make_pdf: MakePdf, pages: int) -> bytes:
    """Pages with running lines, a title, a table, a paragraph with a hyphen at a line's end, and sentences."""
    return make_pdf(
        [
            [
                (60, 810, "Northgate annual report", "Helvetica", 8),
                (60, 770, f"Findings of week {number}", "Helvetica-Bold", 15),
                (60, 740, f"Backups of system {number} are kept for {number % 90} days. They are encryp-"),
                (60, 726, "ted at rest. A restore is rehearsed every quarter – by the operations team."),
                *[
                    (x, 690 - 14 * row, f"{name} {number + row}")
                    for row in range(4)
                    for x, name in ((60, "Region"), (220, "Days"), (380, "Owner"))
                ],
                *[
                    (
                        60,
                        610 - 14 * row,
                        f"Copy {number * row} is checked by team {number % 7} on day {row}. It is kept.",
                    )
                    for row in range(20)
                ],
                (290, 30, f"Page {number}", "Helvetica", 8),
            ]
            for number in range(1, pages + 1)
        ]
    )


def test_packed_pages_make_the_document_that_plain_ones_make(
    make_pdf: MakePdf, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = report(make_pdf, 30)
    source = source_of("report.pdf", data)
    plain = read_pdf("report.pdf", data)
    document = convert(source, data, unstructured_reader)
    assert {element.kind for element in document.elements} >= {"header", "footer", "title", "table", "paragraph"}
    for module in ("pdf.reader", "layout.page_serialization"):
        monkeypatch.setattr(f"tasks.conversion.{module}.PLAIN_PAGES", 10)
    monkeypatch.setattr("tasks.conversion.pdf.reader._PAGES_A_DOCUMENT", 7)
    packed = read_pdf("report.pdf", data)
    assert [isinstance(page.lines, PackedLines) for page in packed.pages] == [False] * 10 + [True] * 20
    assert list(opened(packed.pages)) == plain.pages
    assert (len(packed.pages[10].lines), packed.pages[10].lines[0]) == (
        len(plain.pages[10].lines),
        plain.pages[10].lines[0],
    )
    assert not PackedLines(Spool().put(b"[]\x1f[]")) and packed.pages[10].lines
    assert printed_to_json(packed) == printed_to_json(plain)
    joined = join_parts(
        [printed_to_json(PdfContent(packed.pages[:15], "")), printed_to_json(PdfContent(packed.pages[15:], ""))]
    )
    assert list(opened(joined.pages)) == plain.pages
    for printed in (None, plain, packed, joined):
        raw = b"".join(convert_to_json(source, data, Readers(unstructured_reader, printed=printed)))
        assert raw == to_json(document)


TEXTS = st.text(st.sampled_from(["a", "B", "é", " ", "\n", '"', "\\", "\x01", "😀"]), max_size=6)
BLOCKS = st.builds(
    Block,
    st.sampled_from(["title", "paragraph", "row", "header", "footer"]),
    TEXTS,
    st.sampled_from([(0, 0), (1, 2)]),
    html=st.none() | TEXTS,
    row_number=st.none() | st.integers(1, 9),
    section=TEXTS,
    parts=st.just(()) | st.just((Part(0, 1, Box(1.0, 2.5, 3.25, 4.0)),)),
)
PAGES = st.builds(
    PageBlocks,
    st.none() | st.integers(1, 9),
    st.just("native"),
    st.lists(BLOCKS, max_size=4).map(tuple),
    st.lists(BLOCKS, max_size=2).map(tuple),
    st.none() | TEXTS,
)


@settings(deadline=None)
@given(st.lists(PAGES, max_size=5), st.none() | TEXTS)
def test_a_document_written_in_pieces_is_the_document(pages: list[PageBlocks], title: str | None) -> None:
    source = SourceFile('a "b".pdf', "a.pdf", 1, "0" * 64)
    raw = b"".join(assemble(source, "pdf", iter(pages), title))
    document = from_json(raw)
    assert raw == to_json(document)
    assert isinstance(document, Document) and len(document.pages) == len(pages)
    check_offsets(document)


WORDS = st.lists(
    st.sampled_from(["data", "sub-", "sub-data", f"en{LINE_END_HYPHEN}", "crypted", "Keys."]), min_size=1, max_size=4
)


@given(st.lists(st.lists(WORDS.map(" ".join), max_size=3), max_size=8), st.integers(1, 4))
def test_words_are_counted_as_if_the_text_stood_together(pages: list[list[str]], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tasks.conversion.layout.paragraphs._PAGES_OF_TEXT", at_once)
        typography = Typography()
        for page in pages:
            typography.add([Line(text) for text in page])
        together = "\n".join(text for page in pages for text in page)
        assert typography.words == count_words(count_tokens(together))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a process' peak so")
def test_a_longer_pdf_takes_a_process_little_more_memory(make_pdf: MakePdf, tmp_path: Path) -> None:
    peaks: list[int] = []
    for pages in (SHORT, LONG):
        data = report(make_pdf, pages)
        path = tmp_path / f"{pages}.pdf"
        path.write_bytes(data)
        file = SourceFile(path.name, path.as_uri(), len(data), hashlib.sha256(data).hexdigest())
        with Sandbox(1, Limits(), Helpers()) as sandbox:
            for _, raw in sandbox.convert([file]):
                peaks.append(peak_kb())
                document = from_json(raw)
                assert isinstance(document, Document) and len(document.pages) == pages
    assert (peaks[1] - peaks[0]) / (LONG - SHORT) < MOST_KB_A_PAGE, peaks


def peak_kb() -> int:
    """The most memory that the worker process has had so far."""
    [worker] = children_running(CONVERTER)
    status = Path(f"/proc/{worker.pid}/status").read_text("utf-8")
    return int(status.split("VmHWM:")[1].split()[0])
