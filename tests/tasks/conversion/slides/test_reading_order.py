"""The order in which the boxes of a slide are read."""

from __future__ import annotations

import io
from typing import Any

import pptx
from pptx.util import Inches

from tests.made.conversions import convert_bytes


def box(shapes: Any, said: str, left: float, top: float) -> Any:
    made = shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.4))
    made.text_frame.text = said
    return made


def read(deck: Any) -> list[str]:
    out = io.BytesIO()
    deck.save(out)
    return [element.text for element in convert_bytes("deck.pptx", out.getvalue()).elements]


def test_a_group_is_read_as_one_in_the_place_where_it_stands() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for at, name in enumerate(("Hosting", "Support")):
        group = slide.shapes.add_group_shape()
        box(group.shapes, f"{name} is described here in a few words.", 1 + 4 * at, 2.6)
        box(group.shapes, f"{name} comes from our own people.", 1 + 4 * at, 2.0)
        # A group may measure from anywhere, below nought too.
        for child in group.shapes:
            child.left, child.top = child.left - Inches(9), child.top - Inches(9)
        transform = group._element.grpSpPr.find("{http://schemas.openxmlformats.org/drawingml/2006/main}xfrm")
        transform.chOff.x, transform.chOff.y = transform.off.x - Inches(9), transform.off.y - Inches(9)
    box(slide.shapes, "What we offer to every customer.", 1, 1)
    box(slide.shapes, "All of it is in the price.", 1, 5)
    assert read(deck) == [
        "What we offer to every customer.",
        "Hosting comes from our own people.",
        "Hosting is described here in a few words.",
        "Support comes from our own people.",
        "Support is described here in a few words.",
        "All of it is in the price.",
    ]


def test_boxes_side_by_side_are_read_from_the_left_though_one_stands_a_hair_higher() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    box(slide.shapes, "On the right there is the second.", 5, 2.0)
    box(slide.shapes, "On the left there is the first.", 1, 2.01)
    assert read(deck) == ["On the left there is the first.", "On the right there is the second."]


def test_what_stands_beside_the_slide_is_not_read() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    box(group.shapes, "What is shown on the slide.", 1, 2)
    box(slide.shapes, "A note of the one who made it.", -3, -1)
    assert read(deck) == ["What is shown on the slide."]


def test_a_slide_without_anything_has_an_empty_page() -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    box(deck.slides.add_slide(deck.slide_layouts[6]).shapes, "The second slide says this.", 1, 1)
    assert read(deck) == ["The second slide says this."]


def test_what_stands_below_a_heading_is_read_after_it() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[4])
    said = ("Service levels", "Standard", "Answers within 8 hours.", "Premium", "Answers within 1 hour.")
    for shape, text in zip(slide.placeholders, said, strict=False):
        shape.text_frame.text = text
    out = io.BytesIO()
    deck.save(out)
    found = [(e.section_path, e.text) for e in convert_bytes("deck.pptx", out.getvalue()).elements]
    assert [text for _, text in found] == list(said)
    assert found[2][0] == "Service levels > Standard" and found[4][0] == "Service levels > Premium"


def test_numbers_on_cards_are_read_with_their_names() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for at, (value, name) in enumerate((("99.95 %", "Uptime"), ("4 h", "RTO"), ("1 h", "RPO"))):
        box(slide.shapes, value, 1 + 2.5 * at, 2)
        box(slide.shapes, name, 1 + 2.5 * at, 2.5)
    assert read(deck) == ["99.95 %", "Uptime", "4 h", "RTO", "1 h", "RPO"]


def test_several_headings_in_a_column_have_their_own_text_and_a_table_of_boxes_is_read_by_rows() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for top, pairs in (
        (1, (("Strengths", "Own hall"), ("Weaknesses", "Few partners"))),
        (4, (("Chances", "New law"),)),
    ):
        for at, (head, said) in enumerate((*pairs, ("Risks", "Price war"))[:2]):
            box(slide.shapes, head, 1 + 4 * at, top)
            box(slide.shapes, said, 1 + 4 * at, top + 0.5).height = Inches(2.3)
    in_pairs = ["Strengths", "Own hall", "Weaknesses", "Few partners", "Chances", "New law", "Risks", "Price war"]
    assert read(deck) == in_pairs
    table = pptx.Presentation()
    slide = table.slides.add_slide(table.slide_layouts[6])
    cells = ["Severity", "Response", "Critical", "1 h", "High", "4 h", "Low", "8 h"]
    for at, said in enumerate(cells):
        box(slide.shapes, said, 1 + 4 * (at % 2), 1 + 0.5 * (at // 2))
    assert read(table) == cells
