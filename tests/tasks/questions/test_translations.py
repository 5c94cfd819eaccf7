"""Cells with one question in several languages: asked once."""

from __future__ import annotations

import pytest

from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questions.translations import in_one_language
from tests.made.raw_workbooks import Cell, RawSheet, raw_workbook

CERTIFIED = "Do you hold ISO/IEC 27001 certification?"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (f"Sind Sie nach ISO/IEC 27001 zertifiziert?\n{CERTIFIED}", CERTIFIED),
        ("Is data encrypted? / Les données sont-elles chiffrées ?", "Is data encrypted?"),
        ("Où sont hébergées les données ? Where are data hosted?", "Where are data hosted?"),
        ("Où sont les données ?\nWo sind die Daten?", "Où sont les données ?"),
        (
            "Werden Backups verschlüsselt? Wenn ja, wie?\nAre backups encrypted? If so, how?",
            "Are backups encrypted? If so, how?",
        ),
        ("Die Daten werden verschlüsselt gespeichert.\nThe data is stored encrypted.", "The data is stored encrypted."),
    ],
)
def test_a_translation_is_read_once(text: str, asked: str) -> None:
    assert in_one_language(text) == asked


@pytest.mark.parametrize(
    "text",
    [
        CERTIFIED,
        "Do you hold ISO 27001?\nDo you hold ISO 14001?",
        "a) Wo werden Daten gespeichert?\nb) Are backups encrypted?",
        "Werden Backups verschlüsselt?\nAre backups encrypted? How long are they kept?",
        "Do you have a “Notfallplan”?\nWhere is it kept?",
        "SOC 2?\nDo you hold it?",
        "",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert in_one_language(text) == text


def test_a_cell_in_two_languages_is_one_question() -> None:
    rows: list[list[Cell]] = [
        ["Nr.", "Frage / Question", "Antwort / Answer"],
        ["1", f"Sind Sie nach ISO 27001 zertifiziert?\n{CERTIFIED}"],
        ["2", "Where is data kept?\nWo liegen die Daten?"],
    ]
    read = read_questionnaire(raw_workbook(RawSheet("Q", rows)), "q.xlsx")
    assert [(one.question_id, one.text) for one in read.questions] == [("1", CERTIFIED), ("2", "Where is data kept?")]
