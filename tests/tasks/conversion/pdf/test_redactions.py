"""Text under black boxes of a PDF."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from tests.made.conversions import convert_bytes

SAID = "The daily rate is 1,250 euros for a consultant."
HIDDEN = "The daily rate is █████ euros for a consultant."
FONT, SIZE = "Helvetica", 11


def printed(draw: Callable[[Canvas, tuple[float, float, float, float]], None], before: bool = False) -> bytes:
    """A page whose figure's box (x, y, width, height) is given to ``draw``, before or after the text."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842))
    x = 72 + canvas.stringWidth("The daily rate is ", FONT, SIZE)
    box = (x - 0.5, 697.0, canvas.stringWidth("1,250", FONT, SIZE) + 1, 13.0)
    if before:
        draw(canvas, box)
    canvas.setFillColor(colors.black)
    canvas.setFont(FONT, SIZE)
    canvas.drawString(72, 700, SAID)
    canvas.drawString(72, 680, "Travel is charged at cost.")
    if not before:
        draw(canvas, box)
    canvas.save()
    return out.getvalue()


def filled(colour: colors.Color, height: float = 13.0) -> Callable[[Canvas, tuple[float, float, float, float]], None]:
    def draw(canvas: Canvas, box: tuple[float, float, float, float]) -> None:
        canvas.setFillColor(colour)
        canvas.rect(box[0], box[1] + (13.0 - height) / 2, box[2], height, stroke=0, fill=1)

    return draw


def nothing(_canvas: Canvas, _box: tuple[float, float, float, float]) -> None:
    pass


def annotated(kind: str, colour: tuple[float, ...]) -> bytes:
    """The page with an annotation over its figure, filled with that colour where there is one."""
    boxes: list[tuple[float, float, float, float]] = []
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(printed(lambda _canvas, box: boxes.append(box)))))
    x, y, width, height = boxes[0]
    annotation = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject(kind),
            NameObject("/Rect"): ArrayObject(FloatObject(one) for one in (x, y, x + width, y + height)),
        }
    )
    if colour:
        annotation[NameObject("/IC")] = ArrayObject(FloatObject(one) for one in colour)
    writer.pages[0][NameObject("/Annots")] = ArrayObject([annotation])
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def text(data: bytes) -> str:
    return convert_bytes("a.pdf", data).text


def test_what_a_black_box_covers_is_not_read_and_its_line_shows_that_something_is_missing() -> None:
    assert text(printed(filled(colors.black))) == f"{HIDDEN}\nTravel is charged at cost."


@pytest.mark.parametrize("turns", [90, 180, 270])
def test_on_a_turned_page_too(turns: int) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(printed(filled(colors.black)))))
    writer.pages[0].rotate(turns)
    out = io.BytesIO()
    writer.write(out)
    assert "1,250" not in text(out.getvalue()) and "█████" in text(out.getvalue())


@pytest.mark.parametrize(
    "data",
    [
        printed(nothing),
        printed(filled(colors.black), before=True),
        printed(filled(colors.yellow)),
        printed(filled(colors.Color(0, 0, 0, alpha=0.3))),
        printed(filled(colors.black, height=1.0)),
        annotated("/Square", ()),
        annotated("/Square", (1, 1, 0)),
    ],
    ids=["no box", "a ground", "a highlight", "a shade", "a rule", "a frame", "a yellow square"],
)
def test_what_can_be_seen_is_read(data: bytes) -> None:
    assert SAID in text(data)


def test_boxes_that_were_put_on_as_annotations_cover_too_and_marks_that_ask_to_take_out() -> None:
    assert HIDDEN in text(annotated("/Square", (0, 0, 0)))
    assert HIDDEN in text(annotated("/Redact", ()))
