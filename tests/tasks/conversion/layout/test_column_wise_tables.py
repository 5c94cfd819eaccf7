"""Forms that their file draws column by column, and columns of text that stay as they are."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from reportlab.pdfgen import canvas

from tasks.conversion.layout.column_wise_tables import rejoin_rows
from tasks.conversion.layout.page import Line
from tests.made.conversions import convert_bytes

LABELS = ("Company name", "Registered address", "Company number", "Year founded")
VALUES = ("Corvane Ltd", "12 Mill Lane, Leeds", "08123456", "2009")
NOTES = ("As registered", "Since 2015", "In England", "As a partnership")


def drawn(columns: Sequence[Sequence[str]], pitch: float, x: float = 60.0, width: float = 180.0) -> bytes:
    """A page with the columns one after the other, their lines on the same baselines; "" leaves a line out."""
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.setFont("Helvetica", 11)
    for column, lines in enumerate(columns):
        for at, line in enumerate(lines):
            if line:
                pdf.drawString(x + width * column, 760 - pitch * at, line)
    pdf.showPage()
    pdf.save()
    return out.getvalue()


def read(columns: Sequence[Sequence[str]], pitch: float) -> list[str]:
    return convert_bytes("drawn.pdf", drawn(columns, pitch)).text.split("\n")


@pytest.mark.parametrize("columns", [(LABELS, VALUES), (LABELS, VALUES, NOTES)])
def test_labels_and_values_drawn_apart_are_rows(columns: Sequence[Sequence[str]]) -> None:
    assert read(columns, 22) == [" | ".join(row) for row in zip(*columns, strict=True)]


def test_an_empty_value_moves_no_other_beside_its_label() -> None:
    labels, values = (*LABELS, "Number of staff"), (*VALUES[:2], "", VALUES[3], "140")
    rows = read((labels, values), 22)
    assert rows[:2] + rows[3:] == [f"{label} | {value}" for label, value in zip(labels, values, strict=True) if value]
    assert rows[2].startswith("Company number") and "2009" not in rows[2]


def test_questions_that_stand_close_have_their_answers_beside_them() -> None:
    asked = ("Do you encrypt data at rest?", "Do you hold ISO 27001?", "Are backups tested?", "Is MFA enforced?")
    said = ("Yes, with AES-256", "Yes, since 2019", "Each month", "No")
    assert read((asked, said), 13) == [f"{question} | {answer}" for question, answer in zip(asked, said, strict=True)]


def test_a_value_of_two_lines_stays_beside_its_label() -> None:
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.setFont("Helvetica", 11)
    for at, label in enumerate(LABELS):
        pdf.drawString(60, 760 - 30 * at, label)
    for at, value in enumerate(VALUES):
        pdf.drawString(240, 760 - 30 * at, value)
        if at == 1:
            pdf.drawString(240, 747 - 30 * at, "West Yorkshire")
    pdf.showPage()
    pdf.save()
    said = convert_bytes("form.pdf", out.getvalue()).text
    assert said.split("\n")[:3] == [
        "Company name | Corvane Ltd",
        "Registered address | 12 Mill Lane, Leeds West Yorkshire",
        "Company number | 08123456",
    ]


PROSE = (
    "Backups are made each night and",
    "kept for thirty-five days in two",
    "places that lie far apart. Each",
    "quarter one is restored in full",
    "and compared with what it holds.",
)
LEFT_LIST = ("Single sign-on", "Audit log", "Role editor", "Data export")
RIGHT_LIST = ("Search", "Reports", "Alerts", "Dashboards")


@pytest.mark.parametrize(
    ("columns", "pitch"),
    [
        ((PROSE, PROSE), 13),
        ((PROSE, PROSE), 22),
        ((LEFT_LIST, RIGHT_LIST), 13),
        (([f"• {one}" for one in LEFT_LIST], [f"• {one}" for one in RIGHT_LIST]), 22),
        (
            (
                [f"{n}. {one}" for n, one in enumerate(LEFT_LIST, 1)],
                [f"{n}. {one}" for n, one in enumerate(RIGHT_LIST, 5)],
            ),
            22,
        ),
        ((LABELS[:2], VALUES[:2]), 22),
        (([f"{one} . . . . . . 4" for one in LEFT_LIST], [f"{one} . . . . . . 9" for one in RIGHT_LIST]), 22),
    ],
)
def test_columns_of_text_and_lists_stay_one_after_the_other(columns: Sequence[Sequence[str]], pitch: float) -> None:
    said = " ".join(read(columns, pitch))
    words = " ".join(line for column in columns for line in column)
    assert said.replace("|", " ").split() == words.replace(" . . . . . .", " …").split()


def test_no_line_is_lost_and_lines_without_a_place_stay() -> None:
    assert rejoin_rows([]) == []
    unplaced = [Line("first"), Line("second"), Line("third")]
    assert rejoin_rows(unplaced) == unplaced
    column = [Line(f"label {n}", 60, 120, 700 - 30 * n, 700 - 30 * n, 11) for n in range(5)]
    lower = [Line(f"Value {n}", 240, 300, 640 - 30 * n, 640 - 30 * n, 11) for n in range(5)]
    assert sorted(rejoin_rows([*column, *lower])) == sorted([*column, *lower])
