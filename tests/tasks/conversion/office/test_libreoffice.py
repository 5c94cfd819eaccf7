"""Word files laid out by LibreOffice, where it is installed."""

from __future__ import annotations

import io
import shutil
import subprocess
import time
from pathlib import Path

import docx
import psutil
import pypdfium2
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tasks.conversion.files.convert import convert
from tasks.conversion.office import libreoffice, unstructured_reader
from tasks.conversion.office.libreoffice import find_renderer
from tasks.records import Document
from tasks.text.characters import fold
from tests.made.conversions import check_offsets
from tests.made.source_files import source_of
from tests.made.word_files import with_footnotes

needs_soffice = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")

FONTS = ("Liberation", "Carlito")
"""Those whose letters are as wide as Word's own; with others its pages end elsewhere."""


def has_fonts() -> bool:
    if shutil.which("fc-list") is None:
        return False
    listed = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True).stdout
    return all(font in listed for font in FONTS)


needs_fonts = pytest.mark.skipif(not has_fonts(), reason=f"the fonts {' and '.join(FONTS)} are not installed")

SENTENCE = "Paragraph {} says that all customer data are encrypted at rest and in transit, and that keys are rotated."


def word_file(paragraphs: int) -> bytes:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Acme Security Policy"
    for number in range(paragraphs):
        document.add_paragraph(SENTENCE.format(f"number {number}"))
    table = document.add_table(0, 2)
    for number in range(20):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = f"Control {number}", f"Owner of control {number}"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def rendered(data: bytes) -> Document:
    document = convert(source_of("a.docx", data), data, unstructured_reader, render=find_renderer())
    check_offsets(document)
    return document


@needs_soffice
def test_a_file_without_breaks_gets_its_pages() -> None:
    data = word_file(70)
    plain = convert(source_of("a.docx", data), data, unstructured_reader)
    assert [page.page_number for page in plain.pages] == [None]
    document = rendered(data)
    render = find_renderer()
    assert render is not None
    pdf = pypdfium2.PdfDocument(render(data) or b"")
    assert [page.page_number for page in document.pages] == list(range(1, len(pdf) + 1)) and len(pdf) > 2
    assert {page.text_source for page in document.pages} == {"rendered"}
    for page, sheet in zip(document.pages, pdf, strict=True):
        there = fold(sheet.get_textpage().get_text_bounded())
        assert fold(document.text[page.start : page.end]) in there
        assert (page.width_pt, page.height_pt) == pytest.approx(sheet.get_size())
    assert fold(document.text) == fold(plain.text)
    assert "Acme" not in document.text


@needs_soffice
def test_a_row_of_several_pages_and_a_changed_text_that_comes_back_have_their_pages() -> None:
    file = docx.Document()
    changed = "The supplier tells the customer of a breach within 24 hours, by telephone and in writing."
    paragraph = file.add_paragraph()
    inserted = f'<w:ins {nsdecls("w")} w:id="1" w:author="a"><w:r><w:t>{changed}</w:t></w:r></w:ins>'
    paragraph._p.append(parse_xml(inserted))
    old = f'<w:del {nsdecls("w")} w:id="2" w:author="a"><w:r><w:delText>Or later.</w:delText></w:r></w:del>'
    paragraph._p.append(parse_xml(old))
    cells = file.add_table(1, 2).rows[0].cells
    cells[0].text = "Measures"
    for number in range(120):
        cells[1].add_paragraph(f"Measure {number}: key number {number} is changed every {number + 2} days.")
    file.add_page_break()
    file.add_paragraph(changed)
    out = io.BytesIO()
    file.save(out)
    render = find_renderer()
    assert render is not None
    pdf = render(out.getvalue())
    assert pdf is not None
    sheets = [fold(page.get_textpage().get_text_bounded()) for page in pypdfium2.PdfDocument(pdf)]
    document = rendered(out.getvalue())
    assert len(document.pages) == len(sheets) > 3
    texts = [document.text[page.start : page.end] for page in document.pages]
    assert changed in texts[0] and changed in texts[-1]
    for number in range(120):
        said = fold(f"Measure {number}: key number {number} is changed")
        assert [said in fold(text) for text in texts] == [said in sheet for sheet in sheets]


@needs_soffice
@needs_fonts
@pytest.mark.slow
def test_pages_are_those_that_word_left(data_folder: Path) -> None:
    """By letters: LibreOffice has other fonts than Word, so that a page may end some lines sooner or later."""
    for path in sorted((data_folder / "word").glob("*.docx")):
        data = path.read_bytes()
        breaks = convert(source_of(path.name, data), data, unstructured_reader)
        document = rendered(data)
        assert fold(document.text) == fold(breaks.text)
        if breaks.pages[-1].page_number is None:
            continue
        assert len(document.pages) == len(breaks.pages), path.name
        pages = [[p.page_number for p in d.pages for _ in fold(d.text[p.start : p.end])] for d in (document, breaks)]
        assert sum(a == b for a, b in zip(*pages, strict=True)) > 0.9 * len(pages[0]), path.name


def test_a_rendering_that_fails_leaves_the_breaks() -> None:
    data = word_file(3)
    document = convert(source_of("a.docx", data), data, unstructured_reader, render=lambda _data: None)
    assert [(page.page_number, page.text_source) for page in document.pages] == [(None, "none")]
    rubbish = convert(source_of("a.docx", data), data, unstructured_reader, render=lambda _data: b"no PDF")
    assert rubbish == document


@needs_soffice
def test_rubbish_renders_to_nothing() -> None:
    render = find_renderer()
    assert render is not None and render(b"PK\x03\x04 rubbish") is None


def test_no_libreoffice_no_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert find_renderer() is None


def test_one_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for soffice: the real one hangs when nobody wants it to."""
    program = tmp_path / "soffice"
    program.write_text(f"#!/bin/sh\nsleep 300 &\necho $! > {tmp_path}/child\nwait\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _name: str(program))
    monkeypatch.setattr(libreoffice, "TIME_LIMIT_S", 1)
    render = find_renderer()
    assert render is not None
    start = time.monotonic()
    assert render(b"") is None
    assert time.monotonic() - start < 30
    child = int((tmp_path / "child").read_text())
    for _ in range(50):
        if not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the child goes on")


@needs_soffice
def test_footnotes_are_on_the_pages_that_they_are_printed_on() -> None:
    notes = {SENTENCE.format(f"number {number}"): f"Of note {number}: contractors excepted." for number in (3, 30, 60)}
    document = rendered(with_footnotes(word_file(70), notes))
    found = {element.text: element.page_number for element in document.elements}
    assert len({found[note] for note in notes.values()}) > 1
    for text, note in notes.items():
        page = next(page for page in document.pages if page.page_number == found[note])
        assert text in document.text[page.start : page.end] and note in document.text[page.start : page.end]
    assert [kind for kind in (element.kind for element in document.elements) if kind == "notes"] == ["notes"] * 3
