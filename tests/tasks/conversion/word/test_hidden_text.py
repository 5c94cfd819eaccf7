"""What Word does not show, or shows struck out."""

from __future__ import annotations

import pytest

from tests.made.word_files import read_paragraph

FIELD = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
BEGIN, RESULT, END = (FIELD.format(kind) for kind in ("begin", "separate", "end"))
CODE = "<w:r><w:instrText> IF </w:instrText></w:r>"


def with_property(name: str, said: str) -> str:
    return f'<w:r><w:rPr><w:{name}/></w:rPr><w:t xml:space="preserve">{said}</w:t></w:r>'


def test_of_a_field_its_result_is_read_and_not_that_of_a_field_in_its_instructions() -> None:
    inner = BEGIN + CODE + RESULT + "<w:r><w:t>silver</w:t></w:r>" + END
    said = read_paragraph("Response within ", BEGIN + CODE + inner + CODE + RESULT, "8 hours", END, ".")
    assert said == "Response within 8 hours."


def test_a_field_without_a_result_shows_nothing_and_one_that_never_ends_hides_nothing() -> None:
    assert read_paragraph("A", BEGIN + CODE, "hidden", END, "B") == "AB"
    assert read_paragraph("A", BEGIN + CODE, "shown", "B") == "AshownB"


@pytest.mark.parametrize("name", ["strike", "dstrike", "vanish"])
def test_struck_and_hidden_text_is_not_read(name: str) -> None:
    assert read_paragraph("Logs are kept for ", with_property(name, "30 "), "90 days.") == "Logs are kept for 90 days."


def test_a_prompt_that_nobody_has_filled_says_nothing() -> None:
    prompt = (
        "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>"
        "<w:r><w:t>Click or tap here to enter text.</w:t></w:r></w:sdtContent></w:sdt>"
    )
    assert read_paragraph("RTO: ", prompt) == "RTO:"
    assert read_paragraph("RTO: ", prompt.replace("<w:showingPlcHdr/>", "")) == "RTO: Click or tap here to enter text."


def test_a_word_with_its_reading_above_it_is_read_without_that() -> None:
    ruby = (
        "<w:r><w:ruby><w:rt><w:r><w:t>reading</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>word</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    )
    assert read_paragraph("The ", ruby, " stays.") == "The word stays."


@pytest.mark.parametrize(
    ("font", "code", "shown"),
    [
        *(("Symbol", "F0B3", "≥"), ("Symbol", "F0A3", "≤"), ("symbol", "00B1", "±"), ("Symbol", "F06D", "μ")),
        *(("Segoe UI Symbol", "2714", "✔"), ("Wingdings", "F0E0", "→"), ("Wingdings", "F04A", "")),
        *(("A Font", "F041", "\ufffd"), ("A Font", "D800", "\ufffd"), ("A Font", "x", "")),
    ],
)
def test_a_symbol_is_read_as_what_it_shows(font: str, code: str, shown: str) -> None:
    assert read_paragraph(
        "a ", f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>', " 30"
    ) == f"a {shown} 30".replace("  ", " ")
