"""Numbers of lines in the margin of a PDF's pages."""

from __future__ import annotations

import pytest

from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf

TEXT = [
    "Our platform stores all data of customers in two regions of the Union. Access",
    "is granted by role and reviewed every quarter by the owner of the system. All",
    "administrators sign in with hardware keys, and sessions end after some fifteen",
    "minutes without use. Logs are kept for 90 days in another account, where nobody",
    "may change them. Backups are made every night and are kept for 30 days in the",
    "other region, and restored once a quarter as a test by those who are on call.",
    "Whoever leaves loses all access on the same day, which audits have confirmed.",
]
WHOLE = " ".join(TEXT)


@pytest.mark.parametrize("first", [1, 97])
@pytest.mark.parametrize("margin", [45, 20])
def test_numbers_that_count_lines_are_no_words(make_pdf: MakePdf, first: int, margin: float) -> None:
    page = [
        one
        for at, line in enumerate(TEXT)
        for one in ((margin, 800 - 14 * at, str(first + at)), (72, 800 - 14 * at, line))
    ]
    document = convert_bytes("a.pdf", make_pdf([page]))
    assert document.text == WHOLE
    assert all(element.box and element.box.left <= 72 < element.box.right for element in document.elements)


def test_a_numbered_list_keeps_its_numbers(make_pdf: MakePdf) -> None:
    items = [f"{at} Control {at} describes how access is reviewed and by whom." for at in range(1, 9)]
    page = [(72, 800 - 14 * at, item) for at, item in enumerate(items)]
    assert convert_bytes("a.pdf", make_pdf([page])).text == " ".join(items)


def test_a_stamp_across_the_page_is_no_title(make_pdf: MakePdf) -> None:
    page = [*((72, 800 - 14 * at, line) for at, line in enumerate(TEXT)), (200, 400, "DRAFT", "Helvetica-Bold", 60)]
    document = convert_bytes("plan.pdf", make_pdf([page]))
    assert (document.title, document.text) == ("plan", f"{WHOLE}\nDRAFT")
