"""Long PDFs read by several processes: the same documents, and the same reasons where there is none."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.conversion.document.serialization import from_json, to_json
from tasks.conversion.files.convert import convert
from tasks.conversion.layout.page_serialization import join_parts
from tasks.conversion.layout.page_serialization import to_json as printed_to_json
from tasks.conversion.office import unstructured_reader
from tasks.conversion.pdf.reader import count_pages, has_scans, read_pdf
from tasks.conversion.workers.conversion_steps import (
    LONG,
    SPLIT_BYTES,
    SPLIT_PAGES,
    SPLIT_SCANS,
    Job,
    first_jobs,
    may_be_scan,
    pages_of_part,
)
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.records import Quarantined, SourceFile
from tests.made.bad_files import pdf_that_unpacks_to, scan_pdf
from tests.made.object_store import ObjectStore
from tests.made.pdfs import MakePdf
from tests.made.source_files import put

PAGES = SPLIT_PAGES + 50


def letters(number: int) -> str:
    return "".join("ABCDEFGHIJ"[int(digit)] for digit in str(number))


@pytest.fixture(scope="module")
def manual(make_pdf: MakePdf) -> bytes:
    """A PDF of 250 pages with running lines, headings, tables, and a word that goes on over a line's end."""
    return make_pdf(
        [
            [
                (60, 810, "Northgate product manual", "Helvetica", 8),
                (60, 760, f"Chapter {letters(number)}", "Helvetica-Bold", 16),
                (60, 720, f"Backups of system {number} are kept für {number % 90} days. They are encryp-"),
                (60, 706, "ted at rest. A restore is rehearsed every quarter by the operations team."),
                *[
                    (x, 660 - 14 * row, f"{name} {number + row}")
                    for row in range(4)
                    for x, name in ((60, "Region"), (220, "Days"), (380, "Owner"))
                ],
                *[(60, 580 - 14 * row, f"Each of the {row} copies is checked by another team.") for row in range(6)],
                (290, 30, f"Page {number}", "Helvetica", 8),
            ]
            for number in range(1, PAGES + 1)
        ],
        title="The manual",
    )


def answers(files: list[SourceFile], workers: int, limits: Limits | None = None) -> dict[str, bytes]:
    with Sandbox(workers, limits or Limits(), Helpers()) as sandbox:
        return {file.file_name: raw for file, raw in sandbox.convert(files)}


def test_parts_make_the_document_that_one_process_makes(
    manual: bytes, make_pdf: MakePdf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Job] = []
    monkeypatch.setattr("tasks.conversion.workers.sandbox.Sandbox._convert", watched(asked))
    files = [put(tmp_path, "manual.pdf", manual), put(tmp_path, "a.txt", b"Backups are kept for a year.")]
    alone = answers(files, 1)
    assert [(job.processes, job.part) for job in asked] == [(0, None)] * 2
    asked.clear()
    # What the processes tell one another is UTF-8, whatever the locale is.
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    assert answers(files, 2) == alone and sorted(job.part for job in asked if job.part) == [(0, 2), (1, 2)]
    document = convert(files[0], manual, unstructured_reader)
    assert alone["manual.pdf"] == to_json(document) and len(document.pages) == PAGES
    assert {element.kind for element in document.elements} >= {"header", "footer", "title", "table", "paragraph"}


def test_a_short_file_that_is_large_costs_one_process_alone(
    make_pdf: MakePdf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Job] = []
    monkeypatch.setattr("tasks.conversion.workers.sandbox.Sandbox._convert", watched(asked))
    pages = make_pdf([[(60, 700, "Backups are kept for a year.")]] * (SPLIT_SCANS + 1))
    short = put(tmp_path, "short.pdf", pages + bytes(SPLIT_BYTES))
    assert may_be_scan(SPLIT_SCANS + 1, short.size_bytes)
    found = answers([short], 2)
    assert [(job.processes, job.part) for job in asked] == [(2, None)] and found == answers([short], 1)


def test_scans_are_told_from_pages_of_text(make_pdf: MakePdf) -> None:
    scan = scan_pdf(20, 20, zlib.compress(bytes(400)), b"/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode")
    assert has_scans(scan)
    assert not has_scans(make_pdf([[(60, 700, "Backups are kept for a year.")]] * 3))
    assert not has_scans(make_pdf([[]])) and not has_scans(b"%PDF-1.7 cut off")


def test_a_long_file_of_a_store_is_fetched_once_by_each_process(manual: bytes, object_store: ObjectStore) -> None:
    bucket = object_store.make_bucket()
    object_store.put(bucket, {"manual.pdf": manual})
    url = f"s3://{bucket}/manual.pdf"
    file = SourceFile("manual.pdf", url, len(manual), hashlib.sha256(manual).hexdigest())
    (answer,) = answers([file], 2).values()
    assert answer == to_json(convert(file, manual, unstructured_reader))
    assert object_store.read() == [f"/{bucket}/manual.pdf"] * 2, "its length, two parts, and the two of them joined"


def watched(asked: list[Job]) -> Callable[[Sandbox, Job], bytes]:
    """The sandbox' own way to convert, that notes what is asked for."""
    original = Sandbox._convert

    def convert_and_note(sandbox: Sandbox, job: Job) -> bytes:
        asked.append(job)
        return original(sandbox, job)

    return convert_and_note


def test_printed_pages_come_back_from_json_as_they_were(manual: bytes) -> None:
    assert count_pages(manual) == PAGES and count_pages(b"%PDF-1.7 cut off") == 0
    whole = read_pdf("manual.pdf", manual)
    cut = [read_pdf("manual.pdf", manual, None, begin, end) for begin, end in ((0, 90), (90, PAGES))]
    assert [len(content.pages) for content in cut] == [90, PAGES - 90]
    raw = [printed_to_json(content) for content in cut]
    loaded = join_parts(raw)
    assert loaded == whole and loaded.title == "The manual"
    assert any(line.cells for page in loaded.pages for line in page.lines)
    assert join_parts([]) == ([], "")


def source(name: str, size_bytes: int) -> SourceFile:
    return SourceFile(name, name, size_bytes, name)


def test_the_largest_begin_first_and_what_is_more_than_a_share_is_cut() -> None:
    files = [source("a.pdf", 10), source("b.PDF", SPLIT_BYTES + 90), source("c.pdf", 20)]
    assert [(job.file.file_name, job.processes) for job in first_jobs(files, 2)] == [
        ("b.PDF", 2),
        ("c.pdf", 0),
        ("a.pdf", 0),
    ]
    for one in (source("b.docx", SPLIT_BYTES + 1), source("b.pdf", SPLIT_BYTES)):
        assert [job.processes for job in first_jobs([one], 2)] == [0]
    assert not any(job.processes for job in first_jobs(files, 1)) and first_jobs([], 2) == []


@pytest.mark.parametrize(
    ("page_count", "is_scan", "parts", "expected"),
    [
        (201, False, 2, [(0, 100), (100, 201)]),
        (1000, False, 3, [(0, 333), (333, 666), (666, 1000)]),
        (250, False, 4, [(0, 125), (125, 250), (250, 250), (250, 250)]),
        (5, True, 2, [(0, 2), (2, 5)]),
        (5, True, 6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 5)]),
    ],
)
def test_parts_hold_every_page_once(
    page_count: int, is_scan: bool, parts: int, expected: list[tuple[int, int]]
) -> None:
    found = [pages_of_part(page_count, is_scan, index, parts) for index in range(parts)]
    assert [(pages.start, pages.stop) for pages in found if pages is not None] == expected
    assert pages_of_part(SPLIT_PAGES, False, 0, parts) is None and pages_of_part(SPLIT_SCANS, True, 0, parts) is None


def two_parts() -> list[Job]:
    (asked,) = first_jobs([source("a.pdf", SPLIT_BYTES + 1)], 2)
    parts = asked.go_on(LONG)
    assert isinstance(parts, list) and [job.part for job in parts] == [(0, 2), (1, 2)]
    return parts


def test_parts_are_joined_in_order_when_the_last_is_there() -> None:
    first, second = two_parts()
    assert second.go_on(b'{"pages":[2]}') == []
    joined = first.go_on(b'{"pages":[1]}')
    assert isinstance(joined, list) and len(joined) == 1
    assert joined[0].request.endswith(b', "joins": 2}\n{"pages":[1]}\n{"pages":[2]}\n')
    assert joined[0].go_on(b'{"document_id":"x"}') == b'{"document_id":"x"}'


def test_a_part_that_cannot_be_read_leaves_the_file_to_one_process() -> None:
    first, second = two_parts()
    assert first.go_on(b"{}") == []
    (whole,) = second.go_on(b'{"pages":[2]}')
    assert isinstance(whole, Job) and b"joins" not in whole.request and not whole.part


def test_a_part_that_is_stopped_costs_the_file_and_no_more(tmp_path: Path) -> None:
    first, second = two_parts()
    stopped = to_json(Quarantined("id", "a.pdf", "sha", "a.pdf: refused: reading it takes more than 2 s"))
    assert first.go_on(stopped) == stopped and second.is_over
    assert second.go_on(b'{"pages":[2]}') == []

    # The same with real processes: the last page of 201 is a bomb.
    bomb = put(tmp_path, "bomb.pdf", pdf_that_unpacks_to(400, blank_pages=SPLIT_PAGES))
    found = answers([bomb, put(tmp_path, "a.txt", b"Words.")], 2, Limits(seconds=5.0))
    said = from_json(found["bomb.pdf"])
    assert isinstance(said, Quarantined)
    assert said.reason == "bomb.pdf: refused: reading it takes more than 5 s (BIDFOLIO_CONVERSION_SECONDS)"
    assert not isinstance(from_json(found["a.txt"]), Quarantined)


def test_a_long_file_without_text_has_its_own_reason(tmp_path: Path, make_pdf: MakePdf) -> None:
    blank = make_pdf([[] for _ in range(PAGES)])
    found = from_json(answers([put(tmp_path, "blank.pdf", blank)], 2)["blank.pdf"])
    assert isinstance(found, Quarantined)
    assert found.reason == "blank.pdf: no text found (its pages are blank or drawn)"
