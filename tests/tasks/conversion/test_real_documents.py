"""The real documents, where they are: what is quoted from a page must stand on it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pypdfium2
import pytest

from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.text.characters import fold
from tests.made.conversions import convert_bytes
from tests.made.paths import ROOT
from tests.made.source_files import source_of


def check_pages(path: Path) -> int:
    data = path.read_bytes()
    document = convert_bytes(path.name, data)
    pdf = pypdfium2.PdfDocument(data)
    assert [page.page_number for page in document.pages] == list(range(1, len(pdf) + 1))
    for page in document.pages:
        assert page.page_number is not None
        there = fold(pdf[page.page_number - 1].get_textpage().get_text_bounded())
        assert fold(document.text[page.start : page.end]) in there, f"{path.name}, p. {page.page_number}"
    return len(pdf)


def test_every_northwind_page_is_a_stretch_of_what_pdfium_gives(data_folder: Path) -> None:
    assert sum(check_pages(path) for path in sorted((data_folder / "northwind").glob("*.pdf"))) == 263


def test_the_rfp_is_read(data_folder: Path) -> None:
    for path in sorted((data_folder / "rfp").glob("*.pdf")):
        check_pages(path)
    for path in sorted((data_folder / "rfp").glob("*.md")):
        document = convert_bytes(path.name, path.read_bytes())
        assert document.kind == "md" and len(document.text) > 500


WORD_PAGES = {
    "Azure AI COE.docx": 3,
    "Azure AI Services.docx": 3,
    "Azure Landing Zones.docx": 2,
    "Compliance and Security.docx": 2,
    "Fourth Coffee-Explore Azure- AI-Services.docx": 2,
    "Migrate to Azure.docx": 2,
    "Online Banking System.docx": 3,
    "Project Plan.docx": None,
    "RFP template.docx": None,
}
"""As Word counted them itself (docProps/app.xml); None where it left no breaks."""


@pytest.mark.parametrize("name", sorted(WORD_PAGES))
def test_word_files_have_the_pages_that_word_counted(data_folder: Path, name: str) -> None:
    document = convert_bytes(name, (data_folder / "word" / name).read_bytes())
    assert document.pages[-1].page_number == WORD_PAGES[name]


def test_every_file_of_the_demo_corpus_converts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "configs.demo.build", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-300:]
    files = sorted((tmp_path / "corpus").iterdir())
    assert files
    for path in files:
        if path.suffix == ".pdf":
            check_pages(path)
        else:
            assert len(convert_bytes(path.name, path.read_bytes()).text) > 1000


def test_speed(data_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Printed, with a floor that a busy machine still meets; a quiet one gives some 200 a CPU-second."""
    files = [(path.name, path.read_bytes()) for path in sorted((data_folder / "northwind").glob("*.pdf"))]
    start = time.process_time()
    pages = sum(len(convert(source_of(name, data), data, unstructured_reader).pages) for name, data in files)
    speed = pages / (time.process_time() - start)
    with capsys.disabled():
        print(f"\n[conversion] {speed:.0f} pages a CPU-second ({pages} pages)")
    assert speed > 60
