"""Questionnaires as separated values, in the encodings and with the separators that offices export."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tests.made.questionnaire_layouts.form import Asked, Layout, told

_Rows = Sequence[Sequence[str]]


def _written(rows: _Rows, separator: str, encoding: str, end: str = "\r\n") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=end).writerows(rows)
    return out.getvalue().encode(encoding)


def _asked(rows: _Rows, places: Sequence[int], column: int, answer: str, comment: str | None = None) -> list[Asked]:
    """The questions in a column of those rows, of which each is counted as a record, over however many lines."""
    return [
        Asked("", row, rows[row - 1][column], f"{answer}{row}", {}, comment and f"{comment}{row}") for row in places
    ]


def western() -> Layout:
    """Semicolons in Windows-1252, with a title above the heads, sections, and a separator within a question."""
    rows = [
        ["Lieferantenfragebogen – Umwelt & Qualität", "", "", "", ""],
        ["", "", "", "", ""],
        ["Nr.", "Frage", "Ja/Nein", "Erläuterung", "Beträge in €"],
        ["1", "Umwelt", "", "", ""],
        ["1.1", "Betreiben Sie ein Umweltmanagementsystem nach ISO 14001?", "", "", ""],
        ["1.2", "Erfassen Sie Ihren Stromverbrauch; wenn ja, wie häufig?", "", "", ""],
        ["1.3", "Wie hoch waren die Ausgaben für „grüne“ Maßnahmen im Vorjahr?", "", "", ""],
        ["2", "Qualität", "", "", ""],
        ["2.1", "Gibt es ein dokumentiertes Verfahren für Reklamationen?", "", "", ""],
        ["2.2", "Werden Prüfmittel regelmäßig kalibriert?", "", "", ""],
        ["", "Summe", "", "", "0,00"],
    ]
    asked = _asked(rows, (5, 6, 7, 9, 10), 1, "C", "D")
    refused = [rows[0][0], *rows[2], "Umwelt", "Qualität", "Summe"]
    data = _written(rows, ";", "cp1252")
    return told("csv_western", "Lieferantenfragebogen_Umwelt.csv", data, asked, refused)


def many_lines() -> Layout:
    """Commas in UTF-8 with a mark of byte order, instructions first, an example, and questions of several lines."""
    rows = [
        ["Vendor security questionnaire", "", "", ""],
        ["Please fill in the column Answer. Do you need more room? Use a second line.", "", "", ""],
        ["ID", "Question", "Answer", "Notes"],
        ["EX", "Example: do you lock your doors?", "Yes, at 8 p.m.", ""],
        ["S-1", "Do you use a password manager, and is it mandatory?", "", ""],
        [
            "S-2",
            "Describe how production access is granted.\nInclude:\n- who approves it\n- how long it lasts",
            "",
            "",
        ],
        ["S-3", 'Is there a "break-glass" account?', "", ""],
        ["S-4", "Are secrets kept out of source code?\nHow is this checked?", "", ""],
        ["", "", "", ""],
        ["Thank you! — The security team", "", "", ""],
    ]
    asked = [one._replace(comment=f"D{one.row}") for one in _asked(rows, (5, 6, 7, 8), 1, "C")]
    refused = [rows[0][0], rows[1][0], *rows[2], rows[3][1], rows[3][2], rows[9][0]]
    data = _written(rows, ",", "utf-8-sig", "\n")
    return told("csv_many_lines", "vendor-security.csv", data, asked, refused)


def tabs() -> Layout:
    """Tabs in UTF-16, as a spreadsheet saves "Unicode text", in Polish and English, and without a title."""
    rows = [
        ["Lp.", "Pytanie", "Question", "Odpowiedź / Answer"],
        ["1", "Czy dane są szyfrowane?", "Is the data encrypted?", ""],
        ["2", "Gdzie znajdują się serwery?", "Where are the servers?", ""],
        ["3", "Jak długo przechowywane są kopie zapasowe?", "How long are backups kept?", ""],
    ]
    asked = [one._replace(variants=(rows[one.row - 1][1],)) for one in _asked(rows, (2, 3, 4), 2, "D")]
    data = _written(rows, "\t", "utf-16")
    return told("csv_tabs", "pytania_dostawca.csv", data, asked, rows[0])
