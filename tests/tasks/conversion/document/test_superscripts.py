"""What is raised by its formatting alone is no digit of the number before it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import docx
import pptx
import pytest

from tasks.conversion.document.superscripts import raised
from tasks.text.names.figures_and_names import figures_of
from tasks.text.search_terms import terms
from tests.made.conversions import convert_bytes

RUNS: Sequence[tuple[str, bool]] = (
    ("The RTO is 4", False),
    ("1", True),
    (" hours, of 10", False),
    ("6", True),
    (" at 99.9%", False),
    ("1,2", True),
    (" on the 1", False),
    ("st", True),
    (" day.", False),
)
SAID = "The RTO is 4¹ hours, of 10⁶ at 99.9%¹,² on the 1st day."


def saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def add_runs(paragraph: Any, runs: Iterable[tuple[str, bool]]) -> list[Any]:
    """The runs that are to be raised, of all that are added."""
    made = [(paragraph.add_run(), text, is_raised) for text, is_raised in runs]
    for run, text, _ in made:
        run.text = text
    return [run for run, _, is_raised in made if is_raised]


@pytest.mark.parametrize("by_style", [False, True])
def test_word(by_style: bool) -> None:
    document = docx.Document()
    style = document.styles.add_style("Mark", docx.enum.style.WD_STYLE_TYPE.CHARACTER)
    style.font.superscript = True
    cell = document.add_table(1, 1).cell(0, 0).paragraphs[0]
    for run in (*add_runs(document.add_paragraph(), RUNS), *add_runs(cell, RUNS)):
        if by_style:
            run.style = style
        else:
            run.font.superscript = True
    document.add_paragraph().add_run("1").font.superscript = True
    assert convert_bytes("a.docx", saved(document)).text.split("\n") == [SAID, SAID, "1"]


def test_slides() -> None:
    deck = pptx.Presentation()
    box = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, 4_000_000, 2_000_000)
    for run in add_runs(box.text_frame.paragraphs[0], RUNS):
        run.font._element.set("baseline", "30000")
    assert convert_bytes("a.pptx", saved(deck)).text == SAID


@pytest.mark.parametrize("mark", ["<sup>{}</sup>", '<sup><a href="#n">{}</a></sup>', "<b><sup>{}</sup></b>"])
def test_markup(mark: str) -> None:
    body = "".join(mark.format(text) if is_raised else text for text, is_raised in RUNS)
    page = f"<html><body><p>{body}</p><table><tr><td>{body.replace('<b>', '').replace('</b>', '')}</table>"
    assert convert_bytes("a.html", page.encode()).text.split("\n") == [SAID, SAID]


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [("-3", "0", "⁻³"), ("n", "2", "ⁿ"), ("TM", "x", "TM"), ("1", " ", "1"), ("1", "", "1"), (",", "4", ",")],
)
def test_raised(text: str, before: str, expected: str) -> None:
    assert raised(text, before) == expected


def test_search_and_figures_are_those_without_marks() -> None:
    marked = "Support answers in 4¹ hours, at 99.9%¹,² of days³, over 5 km²."
    plain = "Support answers in 4 hours, at 99.9% of days, over 5 km2."
    assert terms(marked) == terms(plain)
    assert figures_of(marked) == figures_of(plain)
