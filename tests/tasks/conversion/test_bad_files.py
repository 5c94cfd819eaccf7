"""Broken, hostile and enormous files, each through a real worker process under limits that it would break."""

from __future__ import annotations

import http.server
import io
import os
import re
import shutil
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import openpyxl
import pytest

from tasks.conversion.document.serialization import from_json
from tasks.conversion.pdf.reader import read_pdf
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.errors import ConversionError
from tasks.records import Document, Quarantined
from tasks.sources.listing import list_files
from tests.made import bad_files as bad
from tests.made.bad_files import QUARANTINED
from tests.made.conversions import check_offsets
from tests.made.pdfs import MakePdf

LIMITS = Limits(seconds=180, memory_mb=3072)
"""Ten times what any of the files takes; what they would take if something were quadratic is far more."""
ROWS = 1_048_576
YES = "\nAnswer: Yes"
SAID = f"Do you encrypt backups?{YES}\nDo you test restores?{YES}"

Outcome = Document | Quarantined
Outcomes = dict[str, Outcome]


def table_pdf(rows: int) -> bytes:
    """One long cell beside a label: each line stands in line with those before it."""
    lines = [b"1 0 0 1 100 %.1f Tm (goes on %d) Tj\n" % (13990 - 1.1 * n, n) for n in range(1, rows)]
    first = b"BT /F1 1 Tf 1 0 0 1 10 13990 Tm (label) Tj 1 0 0 1 100 13990 Tm (begins) Tj\n"
    return bad.one_page_pdf(first + b"".join(lines) + b"ET", page=b"/MediaBox[0 0 600 14000]")


def csv_with(middle: bytes) -> bytes:
    """Two answers with a million lines between them."""
    head = b"Question,Answer\nDo you encrypt backups?,Yes\n"
    return head + middle * 1_000_000 + b"Do you test restores?,Yes\n"


GARBAGE = bytes(range(256)) * 50
READ: dict[str, tuple[Callable[[], bytes], str]] = {
    "one-in-10001-pages.pdf": (lambda: bad.many_pages_pdf(10_001, {5001: bad.WORDS}), bad.WORDS),
    "tree-loops.pdf": (bad.looping_pdf, bad.WORDS),
    "states-100000-pages.pdf": (lambda: bad.declaring_pdf(100_000), bad.WORDS),
    "annots.pdf": (
        lambda: bad.one_page_pdf(bad.says(bad.WORDS), page=b"/Annots[(x) 99 0 R<</Subtype/Link/Rect[a b]>> 4 0 R]"),
        bad.WORDS,
    ),
    "font.pdf": (
        lambda: bad.one_page_pdf(
            bad.says(bad.WORDS),
            font=b"<</Type/Font/Subtype/TrueType/BaseFont/X/FirstChar -5/LastChar 70000/Widths 3"
            b"/FontDescriptor<</FontFile2 6 0 R>>/ToUnicode 6 0 R>>",
            rest=[bad.stream(GARBAGE)],
        ),
        bad.WORDS,
    ),
    "no-font.pdf": (lambda: bad.one_page_pdf(bad.says(bad.WORDS), font=b"(no font)"), bad.WORDS),
    "is-html.pdf": (lambda: f"<!doctype html><html><body><p>{bad.WORDS}</p></body></html>".encode(), bad.WORDS),
    "is-pdf.docx": (lambda: bad.one_page_pdf(bad.says(bad.WORDS)), bad.WORDS),
    "rows.xlsx": (lambda: bad.formatted_workbook(ROWS), SAID),
    "lines.csv": (lambda: csv_with(b"\n"), SAID),
    "commas.csv": (lambda: csv_with(b",,,,\n"), SAID),
    "deep.html": (lambda: bad.nested_html(1000), bad.WORDS),
    "deep-tables.html": (lambda: b"<html><body>" + b"<table><tr><td>" * 300 + bad.WORDS.encode(), bad.WORDS),
    "comments.html": (lambda: b"<!-- x -->" * 200_000 + f"<p>{bad.WORDS}</p>".encode(), bad.WORDS),
    "underlined.txt": (lambda: b"Title\n=====\n" * 100_000 + bad.WORDS.encode(), bad.WORDS),
    "deep.eml": (lambda: bad.nested_mail(100), "See the mail below, number 1."),
}
"""What is read for all that, and how its text ends."""


def convert_folder(folder: Path, libreoffice: bool = False) -> Outcomes:
    """What becomes of each file of the folder."""
    with Sandbox(1, LIMITS, Helpers(libreoffice=libreoffice)) as sandbox:
        return {file.file_name: from_json(found) for file, found in sandbox.convert(list_files(str(folder)).files)}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """All files of READ and QUARANTINED, by one worker that survives each of them."""
    folder = tmp_path_factory.mktemp("bad")
    for name, (make, _) in (READ | QUARANTINED).items():
        (folder / name).write_bytes(make())
    return convert_folder(folder)


@pytest.mark.parametrize("name", READ)
def test_what_is_odd_is_read(outcomes: Outcomes, name: str) -> None:
    document = outcomes[name]
    assert isinstance(document, Document), document
    check_offsets(document)
    assert document.text.strip().endswith(READ[name][1])


@pytest.mark.parametrize("name", QUARANTINED)
def test_what_is_bad_has_a_reason(outcomes: Outcomes, name: str) -> None:
    quarantined = outcomes[name]
    assert isinstance(quarantined, Quarantined)
    assert quarantined.reason.startswith(f"{name}: ") and QUARANTINED[name][1] in quarantined.reason
    assert "crashed" not in quarantined.reason and "Error" not in quarantined.reason


def test_pages_and_rows_keep_their_numbers(outcomes: Outcomes) -> None:
    many, stated, rows = (outcomes[name] for name in ("one-in-10001-pages.pdf", "states-100000-pages.pdf", "rows.xlsx"))
    assert isinstance(many, Document) and isinstance(stated, Document) and isinstance(rows, Document)
    assert len(many.pages) == 10_001 and [element.page_number for element in many.elements] == [5001]
    assert [page.page_number for page in stated.pages] == [1]
    assert [element.row_number for element in rows.elements] == [2, ROWS]
    for name in ("lines.csv", "commas.csv"):
        found = outcomes[name]
        assert isinstance(found, Document)
        assert [element.row_number for element in found.elements] == [2, 1_000_003]


def test_a_page_of_five_million_characters_is_read(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(bad.long_page_pdf(5_000_000))
    (tmp_path / "table.pdf").write_bytes(table_pdf(12_000))
    found = convert_folder(tmp_path)
    long, table = found["long.pdf"], found["table.pdf"]
    assert isinstance(long, Document) and isinstance(table, Document)
    assert len(long.text) > 5_000_000
    numbers = [int(number) for number in re.findall(r"(\d+) Every backup", long.text)]
    assert len(numbers) > 50_000 and numbers == list(range(len(numbers)))
    assert [word for word in table.text.split() if word.isdigit()] == list(map(str, range(1, 12_000)))


def test_a_field_of_fifty_million_characters_is_read(tmp_path: Path) -> None:
    (tmp_path / "field.csv").write_bytes(b'Question,Answer\nDo you encrypt?,"' + b"yes we do " * 5_000_000 + b'"\n')
    (document,) = convert_folder(tmp_path).values()
    assert isinstance(document, Document) and document.text.count("yes we do") == 5_000_000


def test_a_password_is_asked_for_but_not_an_empty_one(tmp_path: Path, make_pdf: MakePdf) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption

    page = [(72, 700, bad.WORDS)]
    for name, password in (("open.pdf", ""), ("locked.pdf", "secret")):
        (tmp_path / name).write_bytes(make_pdf([page], encrypt=StandardEncryption(password, ownerPassword="owner")))
    found = convert_folder(tmp_path)
    opened, locked = found["open.pdf"], found["locked.pdf"]
    assert isinstance(opened, Document) and opened.text == bad.WORDS
    assert isinstance(locked, Quarantined)
    assert locked.reason == "locked.pdf: encrypted; save it without its password"


def test_what_is_said_of_a_file_is_not_said_of_the_one_before_it(make_pdf: MakePdf) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption

    locked = make_pdf([[(72, 700, bad.WORDS)]], encrypt=StandardEncryption("secret", ownerPassword="owner"))
    objects = b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    for file_name, data, said in (
        ("locked.pdf", locked, "encrypted; save it without its password"),
        ("none.pdf", b"%PDF-1.4\n" + objects + b"trailer<</Root 1 0 R>>\n%%EOF\n", "damaged"),
    ):
        with pytest.raises(ConversionError, match=f"^{file_name}: {said}"):
            read_pdf(file_name, data)


def test_a_workbook_that_lacks_one_of_its_sheets_is_damaged(tmp_path: Path) -> None:
    book, whole, cut = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    book.active.append(["The first sheet is there."])
    book.create_sheet("Second").append(["The second is not."])
    book.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(cut, "w") as new:
        for name in old.namelist():
            if name != "xl/worksheets/sheet2.xml":
                new.writestr(name, old.read(name))
    (tmp_path / "cut.xlsx").write_bytes(cut.getvalue())
    (found,) = convert_folder(tmp_path).values()
    assert isinstance(found, Quarantined)
    assert found.reason.startswith("cut.xlsx: damaged (it lacks the sheet 'Second'): open it in Excel and save it anew")


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_a_picture_that_states_or_has_billions_of_pixels_costs_its_file_alone(tmp_path: Path) -> None:
    for name, make in (("flate", bad.flate_picture_bomb), ("jbig2", bad.jbig2_bomb), ("jpeg", bad.jpeg_bomb)):
        (tmp_path / f"{name}.pdf").write_bytes(make())
    (tmp_path / "note.txt").write_text(bad.WORDS, encoding="utf-8")
    found = convert_folder(tmp_path)
    assert isinstance(found["note.txt"], Document)
    for name in ("flate.pdf", "jbig2.pdf", "jpeg.pdf"):
        lost = found[name]
        assert isinstance(lost, Quarantined) and lost.reason.startswith(f"{name}: ")


class Asked(http.server.BaseHTTPRequestHandler):
    """Notes what it is asked for."""

    paths: ClassVar[list[str]]

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.send_error(404)

    do_HEAD = do_PROPFIND = do_OPTIONS = do_GET

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def loopback() -> Iterator[tuple[str, list[str]]]:
    """A server's address, and the paths that it is asked for."""

    class Handler(Asked):
        paths: ClassVar[list[str]] = []

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", Handler.paths
    server.shutdown()
    thread.join()
    server.server_close()


LINKED = b"""<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">
<wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="x"/>
<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">
<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">
<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">
<pic:nvPicPr><pic:cNvPr id="1" name="x"/><pic:cNvPicPr/></pic:nvPicPr>
<pic:blipFill><a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:link="rId99"/>
<a:stretch><a:fillRect/></a:stretch></pic:blipFill>
<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr>
</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p><w:sectPr"""


def test_no_word_file_reads_or_fetches_another(tmp_path: Path, loopback: tuple[str, list[str]]) -> None:
    address, asked = loopback
    secret = tmp_path / "secret"
    secret.write_text("Zwiebelkuchen", encoding="utf-8")
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "file.docx").write_bytes(bad.docx_with_entity(f'SYSTEM "{secret.as_uri()}"'))
    (folder / "web.docx").write_bytes(bad.docx_with_entity(f'SYSTEM "{address}/entity"'))
    linked = bad.with_part(bad.word_file(bad.WORDS), "word/document.xml", (b"<w:sectPr", LINKED))
    target = (
        '<Relationship Id="rId99" TargetMode="External" Target="' + f'{address}/picture.png" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"/></Relationships>'
    )
    part = "word/_rels/document.xml.rels"
    (folder / "picture.docx").write_bytes(bad.with_part(linked, part, (b"</Relationships>", target.encode())))
    found = convert_folder(folder, libreoffice=True)
    for name in ("file.docx", "web.docx"):
        assert isinstance(found[name], Quarantined)
    picture = found["picture.docx"]
    assert isinstance(picture, Document) and picture.text == bad.WORDS
    assert asked == [] and "Zwiebelkuchen" not in str(found)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_names_of_every_kind_are_kept(tmp_path: Path) -> None:
    stem = "x" * (255 - len("🔒é.txt".encode()))
    names = ["two  blanks.txt", 'it\'s "quoted".txt', "🔒.txt", f"{stem}🔒é.txt", "-rf.txt", "%41 $(x).txt", "a\nb.txt"]
    assert len(os.fsencode(names[3])) == 255
    for name in names:
        (tmp_path / name).write_text(bad.WORDS, encoding="utf-8")
    found = convert_folder(tmp_path)
    assert {name: getattr(document, "text", None) for name, document in found.items()} == dict.fromkeys(
        names, bad.WORDS
    )
