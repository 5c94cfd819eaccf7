"""Files made on the spot, and where the real ones are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made.paths import SHARED
from tests.made.pdfs import MakePdf, pdf_of_pages

DATA = SHARED / "data"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"the real documents are not here ({DATA})")
    return DATA


@pytest.fixture(scope="session")
def make_pdf() -> MakePdf:
    """The maker of PDFs of text at given places."""
    return pdf_of_pages
