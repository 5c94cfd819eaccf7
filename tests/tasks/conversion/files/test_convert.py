"""Real files of every kind, made here, and what goes wrong with them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any, cast

import docx
import openpyxl
import pptx
import pypdfium2
import pytest

from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.errors import ConversionError
from tasks.text.characters import fold
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf
from tests.made.source_files import source_of
from tests.made.word_files import with_footnotes

SENTENCE = "All customer data are encrypted at rest with AES-256 and in transit with TLS 1.3."


def body(number: int) -> list[tuple[object, ...]]:
    words = ["alpha", "beta", "gamma", "delta", "epsilon"][number % 5]
    return [(72, 700 - 16 * i, f"Sentence {words} {'abcdefgh'[i]} says what the {words} team does.") for i in range(8)]


def reason(name: str, data: bytes) -> str:
    with pytest.raises(ConversionError) as error:
        convert(source_of(name, data), data, unstructured_reader)
    return str(error.value)


def docx_bytes(document: docx.document.Document) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_pdf_headers_and_footers_stay_out_of_the_text(make_pdf: MakePdf) -> None:
    pages = [[(72, 800, "Acme Security Policy"), (72, 30, f"Page {n} of 4"), *body(n)] for n in range(1, 5)]
    document = convert_bytes("policy.pdf", make_pdf(pages, title="Acme Security Policy"))
    assert [page.page_number for page in document.pages] == [1, 2, 3, 4]
    assert document.title == "Acme Security Policy" and "Acme" not in document.text
    asides = [(e.kind, e.text, e.page_number) for e in document.elements if e.start is None]
    assert asides[:2] == [("header", "Acme Security Policy", 1), ("footer", "Page 1 of 4", 1)]
    page = document.pages[1]
    assert document.text[page.start : page.end].startswith("Sentence gamma a says")


def test_pdf_sentence_over_lines_reads_as_one(make_pdf: MakePdf) -> None:
    lines = [
        (72, 700, "We keep the confiden-"),
        (72, 686, "tiality of all customer data, which are encrypted at rest"),
        (72, 672, "with keys that are rotated every ninety days."),
    ]
    text = convert_bytes("a.pdf", make_pdf([lines])).text
    assert "We keep the confidentiality of all customer data, which are encrypted at rest with keys" in text


def test_pdf_blank_page_between_keeps_its_number(make_pdf: MakePdf) -> None:
    document = convert_bytes("a.pdf", make_pdf([[(72, 700, SENTENCE)], [], [(72, 700, "The end.")]]))
    assert [(p.page_number, p.end > p.start) for p in document.pages] == [(1, True), (2, False), (3, True)]


def test_pdf_with_an_empty_password_opens_and_another_does_not(make_pdf: MakePdf) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption

    page = [(72, 700, SENTENCE)]
    opened = make_pdf([page], encrypt=StandardEncryption("", ownerPassword="owner"))
    assert convert_bytes("a.pdf", opened).text == SENTENCE
    closed = make_pdf([page], encrypt=StandardEncryption("secret", ownerPassword="owner"))
    assert "encrypted" in reason("a.pdf", closed)


def test_pdf_scanned(make_pdf: MakePdf) -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    pdf = canvas.Canvas(out)
    pdf.drawImage(ImageReader(Image.new("RGB", (20, 20), "red")), 50, 50, 400, 600)
    pdf.showPage()
    pdf.save()
    said = reason("scan.pdf", out.getvalue())
    assert "scanned (1 page of images)" in said and said.endswith("install tesseract to read it")
    assert "blank" in reason("blank.pdf", make_pdf([[]]))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_pdf_cut_off(make_pdf: MakePdf, share: float) -> None:
    data = make_pdf([[(72, 700, SENTENCE)] for _ in range(5)])
    assert "truncated" in reason("cut.pdf", data[: int(len(data) * share)])


def test_pdf_of_rubbish() -> None:
    assert "damaged" in reason("a.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 40 + b"\n%%EOF")


def test_pdf_ligatures(make_pdf: MakePdf) -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    data = make_pdf([[(72, 700, "A swift \ufb02ow of \ufb01les.", "Vera", 11)]])
    text = convert_bytes("a.pdf", data).text
    assert text == "A swift flow of files."
    # pdfium takes them apart itself, so that a quote is still found in what it gives.
    assert fold(text) == fold(pypdfium2.PdfDocument(data)[0].get_textpage().get_text_bounded())


def test_one_bad_page_does_not_lose_the_others(make_pdf: MakePdf) -> None:
    import pypdf

    writer = pypdf.PdfWriter(
        clone_from=io.BytesIO(make_pdf([[(72, 700, f"Page {w}.")] for w in ("one", "two", "three")]))
    )
    kids = cast(Any, writer._pages.get_object())["/Kids"]
    kids[1] = writer._add_object(
        pypdf.generic.DictionaryObject({pypdf.generic.NameObject("/Type"): pypdf.generic.NameObject("/Rubbish")})
    )
    out = io.BytesIO()
    writer.write(out)
    document = convert_bytes("a.pdf", out.getvalue())
    assert "Page one." in document.text and "Page three." in document.text
    assert [e.page_number for e in document.elements] == [1, 3]


def test_extension_that_lies(make_pdf: MakePdf) -> None:
    assert convert_bytes("policy.docx", make_pdf([[(72, 700, SENTENCE)]])).kind == "pdf"
    document = docx.Document()
    document.add_paragraph(SENTENCE)
    assert convert_bytes("policy.pdf", docx_bytes(document)).kind == "docx"


def test_docx_elements_tables_and_running_text() -> None:
    document = docx.Document()
    document.core_properties.title = "Acme Access Policy"
    document.sections[0].header.paragraphs[0].text = "Acme confidential"
    document.sections[0].footer.paragraphs[0].text = "Version 3"
    document.add_heading("Access", 1)
    document.add_paragraph(SENTENCE)
    document.add_heading("Reviews", 2)
    document.add_paragraph("Each quarter", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        (c for r in table.rows for c in r.cells), ("Control", "Owner", "Backups", "Ops"), strict=True
    ):
        cell.text = text
    got = convert_bytes("policy.docx", docx_bytes(document))
    assert got.title == "Acme Access Policy"
    assert [(e.kind, e.text, e.section_path) for e in got.elements] == [
        ("header", "Acme confidential", ""),
        ("title", "Access", ""),
        ("paragraph", SENTENCE, "Access"),
        ("title", "Reviews", "Access"),
        ("list_item", "Each quarter", "Access > Reviews"),
        ("table", "Control | Owner\nBackups | Ops", "Access > Reviews"),
        ("footer", "Version 3", ""),
    ]
    assert [(p.page_number, p.text_source) for p in got.pages] == [(None, "none")]
    assert "<table" in (got.elements[5].html or "")


def test_docx_breaks_that_a_person_set() -> None:
    document = docx.Document()
    document.add_paragraph("On page one we say this.")
    document.add_page_break()
    document.add_paragraph("On page two we say this.")
    document.add_paragraph("On page three we say this.").paragraph_format.page_break_before = True
    document.add_section()
    document.add_paragraph("On page four we say this.")
    got = convert_bytes("a.docx", docx_bytes(document))
    assert [(e.page_number, e.text.split()[2]) for e in got.elements] == [
        (1, "one"),
        (2, "two"),
        (3, "three"),
        (4, "four"),
    ]
    assert all(page.text_source == "breaks" for page in got.pages)


def test_docx_footnotes_stand_below_what_they_are_notes_to() -> None:
    document = docx.Document()
    document.add_paragraph(SENTENCE)
    hidden = document.add_paragraph("Shown. ").add_run("Our margin is 40%.")
    hidden.font.hidden = True
    note = "Except for contractors, who bring their own."
    got = convert_bytes("a.docx", with_footnotes(docx_bytes(document), {SENTENCE: note}))
    assert [(element.kind, element.text) for element in got.elements] == [
        ("paragraph", SENTENCE),
        ("notes", note),
        ("paragraph", "Shown."),
    ]


def deck_bytes(text: str) -> bytes:
    """One slide with that text in a box of its own."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Slide"
    slide.shapes.add_textbox(0, 2_000_000, 3_000_000, 300_000).text_frame.text = text
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def test_office_files_and_mark_up_reach_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a conversion reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    document = docx.Document()
    document.add_paragraph(SENTENCE)
    assert convert_bytes("a.docx", docx_bytes(document)).text == SENTENCE
    assert convert_bytes("a.html", f"<html><body><p>{SENTENCE}</p></body></html>".encode()).text == SENTENCE
    assert convert_bytes("a.md", SENTENCE.encode()).text == SENTENCE
    unstructured_reader._tagger.cache_clear()
    assert SENTENCE in convert_bytes("a.pptx", deck_bytes(SENTENCE)).text


def test_the_model_that_tells_sentences_from_titles_is_run_for_slides_alone() -> None:
    unstructured_reader._tagger.cache_clear()
    sentence = "Quarterly audits are run by an outside firm, and its report is sent to all customers."
    document = docx.Document()
    document.add_heading("Audits", 1)
    document.add_paragraph(sentence)
    for name, data in (
        ("a.docx", docx_bytes(document)),
        ("a.html", f"<html><body><h1>Audits</h1><p>{sentence}</p></body></html>".encode()),
        ("a.md", f"# Audits\n\n{sentence}\n".encode()),
    ):
        assert [element.kind for element in convert_bytes(name, data).elements] == ["title", "paragraph"]
    assert unstructured_reader._tagger.cache_info().misses == 0
    convert_bytes("a.pptx", deck_bytes(sentence))
    assert unstructured_reader._tagger.cache_info().misses == 1


def test_pptx_slides_tables_and_notes() -> None:
    deck = pptx.Presentation()
    for number in range(3):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide {'ABC'[number]}"
        slide.placeholders[1].text = SENTENCE if number == 0 else f"Point {'xyz'[number]} is made here."
        box = slide.shapes.add_textbox(0, 6_500_000, 3_000_000, 300_000)
        box.text_frame.text = f"Acme overview | {number + 1}"
    deck.slides[0].notes_slide.notes_text_frame.text = "Say it slowly."
    deck.slides[1].shapes.add_table(1, 2, 0, 0, 100, 100).table.cell(0, 0).text = "Uptime"
    deck.slides.add_slide(deck.slide_layouts[6])
    out = io.BytesIO()
    deck.save(out)
    got = convert_bytes("deck.pptx", out.getvalue())
    assert [page.page_number for page in got.pages] == [1, 2, 3, 4]
    assert [(e.kind, e.text) for e in got.elements if e.page_number == 1] == [
        ("title", "Slide A"),
        ("list_item", SENTENCE),
        ("notes", "Say it slowly."),
        ("footer", "Acme overview | 1"),
    ]
    assert ("table", "Uptime") in [(e.kind, e.text) for e in got.elements]


def test_xlsx_rows_with_sheet_and_row_number() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Security"
    for row in (
        ["Acme questionnaire"],
        [],
        ["Question", "Answer", "Score"],
        ["Do you encrypt?", "Yes", 0.95],
        ["Do you log?", True, 3],
    ):
        sheet.append(row)
    sheet["C4"].number_format = "0%"
    book.create_sheet("Empty")
    out = io.BytesIO()
    book.save(out)
    got = convert_bytes("q.xlsx", out.getvalue())
    assert [(e.kind, e.row_number, e.text) for e in got.elements] == [
        ("title", 1, "Acme questionnaire"),
        ("row", 4, "Do you encrypt?\nAnswer: Yes\nScore: 95%"),
        ("row", 5, "Do you log?\nAnswer: TRUE\nScore: 3"),
    ]
    assert [(p.page_number, p.sheet_name) for p in got.pages] == [(None, "Security"), (None, "Empty")]


def test_xlsx_cells_that_reach_over_several_rows_are_said_in_each() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for cells in (
        ["Controls of the whole company", None, None],
        ["Domain", "Question", "Answer"],
        ["Access", "Do you use MFA?", "Yes"],
        [None, "Do you review rights?", "Every quarter"],
        [None, "Do you log access?", "Yes"],
    ):
        sheet.append(cells)
    for merged in ("A1:C1", "A3:A5"):
        sheet.merge_cells(merged)
    made, out = io.BytesIO(), io.BytesIO()
    book.save(made)
    # openpyxl would make each of the million cells that Excel lets one cell reach over.
    with zipfile.ZipFile(made) as parts, zipfile.ZipFile(out, "w") as reaching:
        for name in parts.namelist():
            reaching.writestr(name, parts.read(name).replace(b'ref="A3:A5"', b'ref="A3:A1048576"'))
    assert b'ref="A3:A1048576"' in zipfile.ZipFile(out).read("xl/worksheets/sheet1.xml")
    got = convert_bytes("q.xlsx", out.getvalue())
    assert [
        (e.row_number, e.text.partition("\n")[0], e.section_path.rpartition(" > ")[2]) for e in got.elements[1:]
    ] == [
        (3, "Do you use MFA?", "Access"),
        (4, "Do you review rights?", "Access"),
        (5, "Do you log access?", "Access"),
    ]


def test_csv() -> None:
    data = 'Frage;Question;Answer\n1;Do you encrypt;Yes, always\n2;"Where, exactly?";Zürich\n'.encode("cp1252")
    got = convert_bytes("past.csv", data)
    assert [(e.row_number, e.sheet_name, e.text) for e in got.elements] == [
        (2, None, "Do you encrypt\nAnswer: Yes, always\nFrage: 1"),
        (3, None, "Where, exactly?\nAnswer: Zürich\nFrage: 2"),
    ]


def test_html() -> None:
    html = (
        "<html><head><title>Trust centre</title><style>p{}</style></head>"
        "<body><header><h1>Trust</h1></header>"
        f"<main><p>{SENTENCE}</p><ul><li>One<li>Two</ul>"
        "<table><caption>Uptime</caption><tr><th>Month</th><th>%</th></tr><tr><td>May</td><td>99.9</td></tr></table></main><script>bad()</script></body></html>"
    )
    got = convert_bytes("trust.html", html.encode())
    assert got.title == "Trust centre"
    assert got.text == f"Trust\n{SENTENCE}\nOne\nTwo\nUptime\nMonth | %\nMay | 99.9"
    assert got.elements[-1].section_path == "Trust" and got.pages[0].page_number is None


def test_markdown() -> None:
    text = (
        "---\ntitle: Data policy\n---\n# Data\n\nIntro line:\n- one\n- two\n\n"
        "## Rules\nTable:\n| A | B |\n|---|---|\n| 1 | 2 |\n"
    )
    got = convert_bytes("data.md", text.encode())
    assert got.title == "Data policy"
    assert [(e.kind, e.text) for e in got.elements] == [
        ("header", "title: Data policy"),
        ("title", "Data"),
        ("paragraph", "Intro line:"),
        ("list_item", "one"),
        ("list_item", "two"),
        ("title", "Rules"),
        ("paragraph", "Table:"),
        ("table", "A | B\n1 | 2"),
    ]


def test_plain_text() -> None:
    text = "Access Policy\n\nAll staff use a second\nfactor. It is checked.\n\n- one\n- two\n"
    got = convert_bytes("a.txt", text.encode("utf-16"))
    assert [(e.kind, e.text) for e in got.elements] == [
        ("title", "Access Policy"),
        ("paragraph", "All staff use a second factor. It is checked."),
        ("list_item", "- one"),
        ("list_item", "- two"),
    ]


def test_plain_text_with_a_table_and_a_word_over_two_lines() -> None:
    text = "We en-\ncrypt all; to encrypt is self-\nevident.\n\n   Name       Value\n   RTO        4 h\n   RPO\t1 h\n"
    got = convert_bytes("a.txt", text.encode())
    assert [(e.kind, e.text) for e in got.elements] == [
        ("paragraph", "We encrypt all; to encrypt is self-evident."),
        ("table", "Name | Value\nRTO | 4 h\nRPO | 1 h"),
    ]
    typed = "Staff use a second factor.  It is checked.\nLogs are kept for ninety days.  They are read.\n"
    assert {e.kind for e in convert_bytes("a.txt", typed.encode()).elements} == {"paragraph"}


@pytest.mark.parametrize("part", ["word/document.xml", "word/styles.xml", "[Content_Types].xml"])
def test_docx_with_a_broken_part(part: str) -> None:
    import zipfile

    document = docx.Document()
    document.add_paragraph(SENTENCE)
    broken = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx_bytes(document))) as old, zipfile.ZipFile(broken, "w") as new:
        for item in old.infolist():
            new.writestr(item, b"<broken" if item.filename == part else old.read(item))
    said = reason("a.docx", broken.getvalue())
    assert "not readable as docx" in said and said.endswith("save it anew, or get it again")


def test_empty_files_of_each_kind() -> None:
    assert "no text found; where it holds pictures of text" in reason("a.docx", docx_bytes(docx.Document()))
    book = io.BytesIO()
    openpyxl.Workbook().save(book)
    assert "no text found" in reason("a.xlsx", book.getvalue())
    assert "no text found" in reason("a.html", b"<html><body></body></html>")


def test_memory_errors_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("tasks.conversion.files.convert._read", fail)
    with pytest.raises(MemoryError):
        convert(source_of("a.txt", b"words"), b"words", unstructured_reader)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            (
                "Please wait...",
                "If this message is not eventually replaced by the proper contents of the document, your PDF",
                "viewer may not be able to display this type of document.",
            ),
            "no text found: a form that Adobe's programs alone show; print it to a PDF there",
        ),
        (
            ("For the best experience, open this PDF portfolio in", "Acrobat X or Adobe Reader X, or later."),
            "no text found: a portfolio, whose files are in it; save each of them on its own",
        ),
    ],
)
def test_a_page_that_stands_in_for_what_is_not_shown(make_pdf: MakePdf, words: Sequence[str], reason: str) -> None:
    page: list[tuple[object, ...]] = [(72, 700 - 14 * at, line) for at, line in enumerate(words)]
    with pytest.raises(ConversionError, match=re.escape(reason)):
        convert_bytes("form.pdf", make_pdf([page]))
    assert words[0] in convert_bytes("two pages.pdf", make_pdf([page, page])).text
