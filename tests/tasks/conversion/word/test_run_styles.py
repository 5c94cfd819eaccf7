"""What styles say of the text of a Word file."""

from __future__ import annotations

import io
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from tests.made.conversions import convert_bytes

SHOWN = "The uptime is 99.9%."
HIDDEN = "Never promise more than 99.5% to this customer."


def text_of(document: Any) -> str:
    out = io.BytesIO()
    document.save(out)
    return convert_bytes("a.docx", out.getvalue()).text


def hiding(document: Any, name: str, kind: Any) -> Any:
    style = document.styles.add_style(name, kind)
    style.font.hidden = True
    return style


@pytest.mark.parametrize("is_based", [False, True])
def test_text_of_a_hidden_style_goes(is_based: bool) -> None:
    document = docx.Document()
    paragraphs = hiding(document, "Guidance", WD_STYLE_TYPE.PARAGRAPH)
    runs = hiding(document, "Hint", WD_STYLE_TYPE.CHARACTER)
    if is_based:
        for style in (paragraphs, runs):
            other = document.styles.add_style(f"{style.name} too", style.type)
            other.base_style = style
        paragraphs, runs = document.styles["Guidance too"], document.styles["Hint too"]
    document.add_paragraph(SHOWN).add_run(HIDDEN, style=runs)
    document.add_paragraph(HIDDEN, style=paragraphs)
    document.add_table(1, 1).cell(0, 0).paragraphs[0].add_run(HIDDEN, style=runs)
    assert text_of(document) == SHOWN


def test_a_run_switches_off_what_its_style_hides() -> None:
    document = docx.Document()
    guidance = hiding(document, "Guidance", WD_STYLE_TYPE.PARAGRAPH)
    hint = hiding(document, "Hint", WD_STYLE_TYPE.CHARACTER)
    paragraph = document.add_paragraph(HIDDEN, style=guidance)
    paragraph.add_run(SHOWN).font.hidden = False
    # As Word has it, each style turns the switch.
    paragraph.add_run(" It is measured monthly.", style=hint)
    assert text_of(document) == f"{SHOWN} It is measured monthly."


def test_text_may_be_hidden_by_default() -> None:
    document = docx.Document()
    defaults = document.styles.element.find(f".//{qn('w:rPrDefault')}/{qn('w:rPr')}")
    defaults.append(OxmlElement("w:vanish"))
    shown = document.styles.add_style("Shown", WD_STYLE_TYPE.PARAGRAPH)
    shown.font.hidden = False
    document.add_paragraph(HIDDEN)
    document.add_paragraph(SHOWN, style=shown)
    assert text_of(document) == SHOWN
