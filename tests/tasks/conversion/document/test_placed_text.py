"""Places on PDF pages: what pdfium finds in the boxes of a quote is the quote."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pypdf
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf.constants import PageLabelStyle

from tasks.conversion.document.placed_text import Part, PlacedText, join, mend, union, with_short_leader
from tasks.pages.pictures.highlight import boxes_of
from tasks.records import Box, Document
from tasks.text.characters import LINE_END_HYPHEN, count_tokens, count_words, fold, mend_hyphens
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf
from tests.made.placed_text import check_places, text_in


def quoted(document: Document, data: bytes, quote: str) -> list[tuple[int, str]]:
    start = document.text.index(quote)
    boxes = boxes_of(document.lines, start, start + len(quote), document.text)
    pdf = pypdfium2.PdfDocument(data)
    return [(page, text_in(pdf, page, box)) for page, box in boxes]


def test_a_quote_over_hyphens_lines_and_pages(make_pdf: MakePdf) -> None:
    one = [
        (72, 700, "We keep the confiden-"),
        (72, 686, "tiality of all customer data. They are encrypted at rest, and so are backups,"),
        (72, 672, "with keys that are rotated every ninety days and held apart from the data, which"),
    ]
    two = [(72, 700, "nobody may read without two persons' consent. The keys are held in hardware.")]
    data = make_pdf([one, two])
    document = convert_bytes("a.pdf", data)
    assert check_places(document, data) == 6
    assert quoted(document, data, "confidentiality of all customer data.") == [
        (1, "wekeeptheconfiden"[9:]),
        (1, "tialityofallcustomerdata"),
    ]
    both = "They are encrypted at rest, and so are backups, with keys that are rotated every ninety days and held"
    first, second = quoted(document, data, both)
    assert first == (1, "theyareencryptedatrestandsoarebackups")
    assert second[0] == 1 and second[1].startswith("withkeysthatarerotatedeveryninetydaysandhel")
    over = document.text[document.text.index("with keys") : document.text.index(" The keys are held")]
    assert [page for page, _ in quoted(document, data, over)] == [1, 2]
    assert fold(over) == "".join(text for _, text in quoted(document, data, over))


def test_ligatures_and_odd_spaces(make_pdf: MakePdf) -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    text = "A  swift\u00a0\ufb02ow of \ufb01les. It\u00a0 is  \ufb01ne."
    data = make_pdf([[(72, 700, text, "Vera", 11)]])
    document = convert_bytes("a.pdf", data)
    assert document.text == "A swift flow of files. It is fine."
    check_places(document, data)
    assert quoted(document, data, "It is fine.") == [(1, "itisfine")]


def test_table_cells_have_places_of_their_own(make_pdf: MakePdf) -> None:
    rows = [("Control", "Owner"), ("Backups", "Platform team"), ("Access review", "Security")]
    cells = [(x, 700 - 18 * i, row[j]) for i, row in enumerate(rows) for j, x in enumerate((72, 250))]
    data = make_pdf([cells])
    document = convert_bytes("a.pdf", data)
    assert document.text == "Control | Owner\nBackups | Platform team\nAccess review | Security"
    assert check_places(document, data) == 6
    assert quoted(document, data, "Backups | Platform team") == [(1, "backups"), (1, "platformteam")]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (50, 60, 500, 790)])
def test_pages_that_are_turned_or_cropped(make_pdf: MakePdf, turn: int, crop: tuple[int, ...] | None) -> None:
    plain = make_pdf([[(72, 700, "The first line of the page ends here."), (72, 660, "Another one, lower down.")]])
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(plain))
    writer.pages[0].rotate(turn)
    if crop:
        writer.pages[0].cropbox = pypdf.generic.RectangleObject(crop)
    out = io.BytesIO()
    writer.write(out)
    document = convert_bytes("a.pdf", out.getvalue())
    wide, high = (450, 730) if crop else (595, 842)
    (page,) = document.pages
    assert (page.width_pt, page.height_pt) == ((high, wide) if turn % 180 else (wide, high))
    check_places(document, out.getvalue())
    assert all(0 < x < (page.width_pt or 0) for line in document.lines for x in (line.box.left, line.box.right))
    if turn == 0:
        box = document.lines[0].box
        left, top = (crop[0], 842 - crop[3]) if crop else (0, 0)
        assert box.left == pytest.approx(72 - left, abs=1) and box.bottom == pytest.approx(142 - top, abs=3)
        element = document.elements[0].box
        assert element is not None and element.left == box.left


def test_labels(make_pdf: MakePdf) -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(make_pdf([[(72, 700, f"Text {n}.")] for n in "abc"])))
    writer.set_page_label(0, 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(2, 2, style=PageLabelStyle.DECIMAL, prefix="A-", start=3)
    out = io.BytesIO()
    writer.write(out)
    assert [page.label for page in convert_bytes("a.pdf", out.getvalue()).pages] == ["i", "ii", "A-3"]
    assert convert_bytes("a.pdf", make_pdf([[(72, 700, "Text.")]])).pages[0].label is None


def test_running_lines_have_boxes_and_no_offsets(make_pdf: MakePdf) -> None:
    words = ["alpha", "beta", "gamma", "delta"]
    pages = [
        [(72, 800, "Acme Policy"), *((72, 600 - 16 * i, f"The {w} is {x}.") for i, x in enumerate(words))]
        for w in words
    ]
    document = convert_bytes("a.pdf", make_pdf(pages))
    headers = [element for element in document.elements if element.kind == "header"]
    assert len(headers) == 4 and all(element.box and element.box.bottom < 60 for element in headers)
    assert not any("Acme" in document.text[line.start : line.end] for line in document.lines)


def test_places_on_real_pages(data_folder: Path) -> None:
    """Not letter by letter: italics lean over their boxes, and small print stands in others' lines."""
    for path in sorted((data_folder / "northwind").glob("*.pdf")):
        data = path.read_bytes()
        document = convert_bytes(path.name, data)
        pdf = pypdfium2.PdfDocument(data)
        right = 0
        sample = document.lines[:: max(1, len(document.lines) // 300)]
        for line in sample:
            own, found = fold(document.text[line.start : line.end]), text_in(pdf, line.page_number, line.box)
            right += own == found
        assert right >= 0.97 * len(sample), (path.name, right, len(sample))
        covered = sum(line.end - line.start for line in document.lines)
        assert covered > 0.97 * len("".join(document.text.split("\n")))


BOX = Box(0, 0, 10, 10)
PIECES = st.lists(st.text(alphabet="ab c" + LINE_END_HYPHEN, max_size=8), max_size=8)


@given(PIECES)
def test_mending_moves_parts_with_their_letters(pieces: list[str]) -> None:
    texts = [PlacedText(piece, (Part(0, len(piece), BOX),) if piece else ()) for piece in pieces]
    joined = join(texts, " ")
    words = count_words(count_tokens("ab abc"))
    mended = mend(joined, lambda: words)
    assert mended.text == mend_hyphens(joined.text, lambda: words)
    for a, b in pairwise(mended.parts):
        assert a.end <= b.start
    letters = [fold(piece) for piece in pieces if fold(piece)]
    assert [fold(mended.text[a:b]) for a, b, _ in mended.parts if fold(mended.text[a:b])] == letters


def test_union() -> None:
    assert union([]) is None
    assert union([Box(1, 2, 3, 4), Box(0, 3, 2, 9)]) == Box(0, 2, 3, 9)


def test_what_leads_to_a_page_number_is_short_and_the_number_keeps_its_place() -> None:
    after = Box(200, 10, 212, 22)
    entry = "1 Scope . . . . . . 12"
    found = with_short_leader(PlacedText(entry, (Part(0, 9, BOX), Part(10, 19, BOX), Part(20, 22, after))))
    assert found.text == "1 Scope … 12"
    assert [(found.text[start:end], box) for start, end, box in found.parts] == [("1 Scope …", BOX), ("12", after)]
    whole = with_short_leader(PlacedText(entry, (Part(0, len(entry), BOX),)))
    assert whole.parts == (Part(0, len("1 Scope … 12"), BOX),)
    other = PlacedText("It ends ... 12", (Part(0, 14, BOX),))
    assert with_short_leader(other) == other
