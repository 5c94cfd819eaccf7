"""Points of a slide's list: their bullets are the layout's and the master's."""

from __future__ import annotations

import io
from typing import Any

import pptx
import pytest
from pptx.util import Inches

from tests.made.conversions import convert_bytes

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def add_slide(deck: Any, *points: tuple[str, int]) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Facts"
    frame = slide.placeholders[1].text_frame
    for index, (text, level) in enumerate(points):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    return slide


def elements(deck: Any) -> list[tuple[str, str, str]]:
    out = io.BytesIO()
    deck.save(out)
    return [(e.kind, e.text, e.section_path) for e in convert_bytes("a.pptx", out.getvalue()).elements]


def test_short_points_are_no_sections() -> None:
    deck = pptx.Presentation()
    add_slide(deck, ("Customers", 0), ("Offices in Oslo", 1), ("Certified by ISO", 0))
    assert elements(deck) == [
        ("title", "Facts", ""),
        ("list_item", "Customers", "Facts"),
        ("list_item", "Offices in Oslo", "Facts"),
        ("list_item", "Certified by ISO", "Facts"),
    ]


@pytest.mark.parametrize("where", ["paragraph", "shape", "layout", "master"])
def test_the_nearest_that_says_so_takes_bullets_away(where: str) -> None:
    deck = pptx.Presentation()
    slide = add_slide(deck, ("Our Customers", 0), ("Offices in Oslo", 1))
    if where == "paragraph":
        slide.placeholders[1].text_frame.paragraphs[0]._p.get_or_add_pPr().append(none(slide))
    elif where == "master":
        styles = slide.slide_layout.slide_master._element.iter(f"{A}lvl1pPr")
        for style in styles:
            for bullet in list(style.iterchildren(f"{A}buChar")):
                style.replace(bullet, none(slide))
    else:
        holder = slide.placeholders[1] if where == "shape" else slide.slide_layout.placeholders[1]
        level = slide._element.makeelement(f"{A}lvl1pPr")
        level.append(none(slide))
        holder._element.find(f".//{A}lstStyle").append(level)
    assert elements(deck)[1:] == [
        ("title", "Our Customers", "Facts"),
        ("list_item", "Offices in Oslo", "Facts > Our Customers"),
    ]


def none(slide: Any) -> Any:
    return slide._element.makeelement(f"{A}buNone")


def test_what_stands_outside_of_the_list_is_no_point() -> None:
    deck = pptx.Presentation()
    slide = add_slide(deck, ("Customers", 0))
    box = slide.shapes.add_textbox(Inches(1), Inches(6), Inches(3), Inches(1))
    box.text_frame.text = "We are audited every year by an outside firm."
    assert elements(deck)[1:] == [
        ("list_item", "Customers", "Facts"),
        ("paragraph", "We are audited every year by an outside firm.", "Facts"),
    ]
