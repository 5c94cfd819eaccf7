"""Headings of Word files: by outline level, whatever their style is called."""

from __future__ import annotations

import io
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from tests.made.conversions import convert_bytes

BELOW = "Whatever stands here is long enough to be a sentence of its own."


def paths(document: Any) -> list[tuple[str, str]]:
    """Each title with its section path."""
    out = io.BytesIO()
    document.save(out)
    elements = convert_bytes("a.docx", out.getvalue()).elements
    assert not any("\ufdd2" in element.text for element in elements)
    return [(element.text, element.section_path) for element in elements if element.kind == "title"]


def set_outline(element: Any, level: int) -> None:
    stated = OxmlElement("w:outlineLvl")
    stated.set(qn("w:val"), str(level))
    element.get_or_add_pPr().append(stated)


def add(document: Any, text: str, style: str | None = None) -> Any:
    paragraph = document.add_paragraph(text, style=style)
    document.add_paragraph(BELOW)
    return paragraph


def test_each_first_level_begins_anew() -> None:
    document = docx.Document()
    add(document, "Our Offer", "Title")
    add(document, "For the Ministry", "Subtitle")
    for text, level in (("Security", 1), ("Backups", 2), ("Restores", 3), ("Prices", 1), ("Discounts", 2)):
        add(document, text, f"Heading {level}")
    assert paths(document) == [
        ("Our Offer", ""),
        ("For the Ministry", "Our Offer"),
        ("Security", "Our Offer"),
        ("Backups", "Our Offer > Security"),
        ("Restores", "Our Offer > Security > Backups"),
        ("Prices", "Our Offer"),
        ("Discounts", "Our Offer > Prices"),
    ]


def test_styles_of_ones_own_and_outline_levels_count() -> None:
    document = docx.Document()
    chapter = document.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
    set_outline(chapter.element, 0)
    part = document.styles.add_style("Abschnitt", WD_STYLE_TYPE.PARAGRAPH)
    part.base_style = document.styles["Heading 2"]
    add(document, "Datenschutz", "Kapitel")
    add(document, "Fristen", "Abschnitt")
    set_outline(add(document, "Ausnahmen", "Normal")._p, 2)
    add(document, "Preise", "Kapitel")
    contents = add(document, "Contents of this offer", "Heading 1")
    # Level 10 is body text: so Word's own heading of a table of contents says that it is none.
    set_outline(contents._p, 9)
    assert paths(document)[:4] == [
        ("Datenschutz", ""),
        ("Fristen", "Datenschutz"),
        ("Ausnahmen", "Datenschutz > Fristen"),
        ("Preise", ""),
    ]


def test_what_goes_on_of_a_heading_after_a_page_break_stands_below_it() -> None:
    document = docx.Document()
    add(document, "Security", "Heading 1")
    parted = document.add_paragraph("Prices and", style="Heading 1")
    parted.add_run().add_break(docx.enum.text.WD_BREAK.PAGE)
    parted.add_run("discounts")
    document.add_paragraph(BELOW)
    add(document, "Contacts", "Heading 2")
    assert paths(document) == [
        ("Security", ""),
        ("Prices and", ""),
        ("discounts", "Prices and"),
        ("Contacts", "Prices and"),
    ]


def test_a_heading_keeps_its_number_and_its_page() -> None:
    document = docx.Document()
    add(document, "Security", "Heading 1")
    heading = document.add_paragraph(style="Heading 1")
    heading.add_run().add_break(docx.enum.text.WD_BREAK.PAGE)
    heading.add_run("Prices")
    numbering = OxmlElement("w:numPr")
    for name, value in (("w:ilvl", "0"), ("w:numId", "1")):
        child = OxmlElement(name)
        child.set(qn("w:val"), value)
        numbering.append(child)
    heading._p.get_or_add_pPr().append(numbering)
    out = io.BytesIO()
    document.save(out)
    found = convert_bytes("a.docx", out.getvalue())
    last = found.elements[-1]
    assert (last.kind, last.page_number, last.section_path) == ("title", 2, "")
    assert last.text.endswith("Prices")


def test_whole_clauses_are_no_titles_and_tables_no_headings() -> None:
    document = docx.Document()
    add(document, "Security", "Heading 1")
    document.add_paragraph(BELOW * 5, style="Heading 2")
    table = document.add_table(1, 2)
    table.cell(0, 0).paragraphs[0].style = document.styles["Heading 1"]
    table.cell(0, 0).text, table.cell(0, 1).text = "Region", "Days"
    assert paths(document) == [("Security", "")]


@pytest.mark.parametrize("base", ["Kapitel", "Nowhere"])
def test_styles_that_lead_in_a_circle_or_nowhere_give_no_heading(base: str) -> None:
    document = docx.Document()
    style = document.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
    based = OxmlElement("w:basedOn")
    based.set(qn("w:val"), base)
    for old in style.element.findall(qn("w:basedOn")):
        style.element.remove(old)
    style.element.append(based)
    document.add_paragraph(BELOW, style="Kapitel")
    assert paths(document) == []


def add_bold(document: Any, text: str, points: int | None = None) -> Any:
    run = document.add_paragraph().add_run(text)
    run.bold = True
    run.font.size = docx.shared.Pt(points) if points else None
    return run


@pytest.mark.parametrize("points", [None, 14])
def test_a_bold_line_with_a_section_number_is_a_heading(points: int | None) -> None:
    document = docx.Document()
    for text in ("1. Scope", "2. Access control", "2.1 Passwords", "2.1.1. Length", "3.\tBackups"):
        add_bold(document, text, points)
        document.add_paragraph(BELOW)
    found = paths(document)
    assert [text for text, _ in found] == [
        "1. Scope",
        "2. Access control",
        "2.1 Passwords",
        "2.1.1. Length",
        "3. Backups",
    ]
    assert [path for _, path in found] == ["", "", "2. Access control", "2. Access control > 2.1 Passwords", ""]


@pytest.mark.parametrize(
    "text",
    [
        "1. Passwords are long.",
        "1. Do you scan?",
        "1. Name:",
        "14 March 2024",
        "14. March 2024",
        "1. Scope\t7",
        "Passwords",
        "1. " + "long " * 30,
        "99%",
    ],
)
def test_other_bold_lines_are_none(text: str) -> None:
    document = docx.Document()
    add_bold(document, text, 14)
    document.add_paragraph(BELOW)
    assert paths(document) == []


def test_a_bold_list_and_a_line_that_is_bold_in_part_have_no_headings() -> None:
    document = docx.Document()
    document.add_paragraph(BELOW)
    for text in ("1. Scope", "2. Access control", "3. Backups"):
        add_bold(document, text)
    add_bold(document, BELOW)
    document.add_paragraph().add_run("4. Logs").bold = True
    document.paragraphs[-1].add_run(" are kept")
    document.add_paragraph(BELOW)
    assert paths(document) == []


def test_a_larger_bold_line_is_a_heading_whatever_follows() -> None:
    document = docx.Document()
    for text in ("1. Scope", "2. Backups"):
        add_bold(document, text, 14)
        add_bold(document, BELOW * 2)
    assert [text for text, _ in paths(document)] == ["1. Scope", "2. Backups"]


@pytest.mark.parametrize(("above", "path"), [("Security", "Security"), ("1. Security", "")])
def test_bold_lines_stand_below_headings_without_numbers_alone(above: str, path: str) -> None:
    document = docx.Document()
    add(document, above, "Heading 1")
    add_bold(document, "2. Scope")
    document.add_paragraph(BELOW)
    assert paths(document)[1] == ("2. Scope", path)
