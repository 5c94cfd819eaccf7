"""What the formulas of a Word file say."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml import parse_xml

from tests.made.conversions import convert_bytes

MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def said(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def text_with(formula: str) -> str:
    document = docx.Document()
    paragraph = document.add_paragraph("Availability is ")
    paragraph._p.append(parse_xml(formula))
    paragraph.add_run(" a month.")
    out = io.BytesIO()
    document.save(out)
    return convert_bytes("a.docx", out.getvalue()).text


POWER = f"<m:sSup><m:e>{said('10')}</m:e><m:sup>{{}}</m:sup></m:sSup>"
UP, DOWN = said("up"), said("up") + said("+") + said("down")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (said("99.95%"), "99.95%"),
        (said("99.") + said("95"), "99.95"),
        (f"<m:f><m:num>{UP}</m:num><m:den>{DOWN}</m:den></m:f>", "up/(up+down)"),
        (POWER.format(said("-6")), "10⁻⁶"),
        (POWER.format(said("x+y")), "10^(x+y)"),
        (f"<m:d><m:e>{UP}</m:e></m:d>", "(up)"),
        (f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>{UP}</m:e></m:d>', "[up]"),
        (f"<m:rad><m:radPr/><m:deg/><m:e>{UP}</m:e></m:rad>", "√up"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{said("i=1")}</m:sub><m:sup>{said("n")}</m:sup>'
            f"<m:e>{UP}</m:e></m:nary>",
            "∑_(i=1)^n up",
        ),
        (f"<m:func><m:fName>{said('min')}</m:fName><m:e>{UP}</m:e></m:func>", "min up"),
    ],
)
def test_a_formula_stands_in_its_place(formula: str, expected: str) -> None:
    assert text_with(f"<m:oMath {MATH}>{formula}</m:oMath>") == f"Availability is {expected} a month."


def test_a_formula_of_its_own_line() -> None:
    whole = f"<m:oMathPara {MATH}><m:oMath>{said('99.95%')}</m:oMath></m:oMathPara>"
    assert text_with(whole) == "Availability is 99.95% a month."
