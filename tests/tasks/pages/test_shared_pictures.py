"""Pictures that quotes share: each page once, where the quotes stand on it, and pages that break the renderer."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image

from flows.review import quote_of
from tasks.pages import shared_pictures_task
from tasks.pages.pictures.page_painting import paint_all
from tasks.pages.pictures.png import small_png_of
from tasks.pages.pictures.text_page import text_sheets
from tasks.pages.shared_pictures_task import pictures_of_quotes
from tests.made.reviewed_runs import RULES, policy_pdf, reviewed_run


def test_a_small_picture_looks_like_the_page() -> None:
    pixels = np.full((40, 60, 3), 255, dtype=np.uint8)
    pixels[10:20, 10:50] = (200, 30, 40)
    pixels[25:30, 10:50] = (17, 17, 19)
    with Image.open(io.BytesIO(small_png_of(pixels))) as picture:
        shown = np.asarray(picture.convert("RGB")).astype(int)
    assert np.abs(shown - pixels).max() <= 32
    for wrong in (np.zeros((2, 2), dtype=np.uint8), np.zeros((0, 2, 3), dtype=np.uint8)):
        with pytest.raises(ValueError, match="shape"):
            small_png_of(wrong)


def test_all_pages_that_can_be_painted_are() -> None:
    """A page that is not there takes none of those after it along."""
    found = paint_all(policy_pdf(pages=3), [0, 7, 2], 300)
    assert [one is not None for one in found] == [True, False, True]
    first = found[0]
    assert first is not None and (first.width_px, first.width_pt, first.height_pt) == (300, 595, 842)
    assert paint_all(policy_pdf(), [], 300) == []
    assert paint_all(b"no PDF at all", [0, 1], 300) == [None, None]


def test_quotes_near_each_other_share_a_page_of_text_and_each_has_its_place() -> None:
    lines = [f"Line {number} of the text says something of its own." for number in range(200)]
    text = "\n".join(lines)
    quotes = [text.index(lines[number]) for number in (0, 3, 150, 199)]
    pdf, places = text_sheets("notes.md", text, [(start, start + 20) for start in quotes])
    document = pdfium.PdfDocument(pdf)
    assert len(document) == 2 + (places[3][0] != places[2][0]) and places[0][0] == places[1][0] != places[2][0]
    for (index, boxes), number in zip(places, (0, 3, 150, 199), strict=True):
        page = document[index]
        (box,) = boxes
        height = page.get_height()
        seen = page.get_textpage().get_text_bounded(box.left - 1, height - box.bottom, box.right + 1, height - box.top)
        assert f"Line {number} " in seen
    assert text_sheets("empty.md", "", [(0, 0)])[1] == [(0, [])]


def test_many_pages_are_narrower_and_the_heaviest_left_out_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_pictures_task, "USUAL_BYTES", 1)
    made = reviewed_run(tmp_path, RULES + 1)
    quotes = [quote_of(one) for item in made.load().items for one in item.evidence]

    def paint(budget: int) -> tuple[list[int], set[int], set[str]]:
        monkeypatch.setattr(shared_pictures_task, "BUDGET_BYTES", budget)
        found = pictures_of_quotes.fn(quotes, "default", made.settings)
        weights = sorted(len(picture.png) for picture in found.pictures.values())
        assert sum(weights) <= budget
        return weights, {one.width_px for one in found.pictures.values()}, {one.why for one in found.shown}

    weights, widths, reasons = paint(10_000_000)
    assert len(weights) == 3 and 800 <= widths.pop() <= 801 and reasons == {""}
    weights, widths, reasons = paint(int(0.6 * sum(weights)))
    assert len(weights) == 3 and 420 < widths.pop() < 700 and reasons == {""}
    weights, widths, reasons = paint(int(0.3 * sum(weights)))
    assert len(weights) < 3 and "the report would be too large with this page: see it in the review desk" in reasons
