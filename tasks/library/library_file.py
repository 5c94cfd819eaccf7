"""Files of the library: entries as a completed questionnaire, which the next refresh makes a document of.

The file has the entries and nothing else, so that what `library list` shows is what is searched. Sheets keep their
names and, where they can, rows their numbers, so that a citation leads to the row of the original.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

import xlsxwriter

from tasks.library.entries import LibraryEntry
from tasks.questions.wording import begins_with_verdict, spell_verdict

TITLES = ("Question", "Answer", "Comments")
_MADE_ON = datetime(2000, 1, 1)
"""A fixed day: the same entries make the same bytes, and so the same document."""
_FIRST_ROW = 2
SHEET = "Answers"
"""The sheet of entries from a questionnaire that has no sheets."""


def file_name_for(questionnaire: str) -> str:
    """The name of the library's file for a questionnaire: its own, with ``.xlsx`` where it is neither XLSX nor CSV."""
    return questionnaire if questionnaire.lower().endswith((".xlsx", ".csv")) else f"{questionnaire}.xlsx"


def placed(entries: Iterable[LibraryEntry], file_name: str) -> list[LibraryEntry]:
    """The entries with the sheets and rows that they have in the file: their own row, where it is free and below a
    header. No entries give none.
    """
    is_csv, found = file_name.lower().endswith(".csv"), list[LibraryEntry]()
    named = [replace(one, sheet_name=None if is_csv else one.sheet_name or SHEET) for one in entries]
    for _, of_sheet in groupby(sorted(named, key=lambda one: one.sheet_name or ""), lambda one: one.sheet_name):
        numbered = sorted(of_sheet, key=lambda one: (one.row_number is None, one.row_number or 0))
        last = _FIRST_ROW - 1
        for entry in numbered:
            last = max(last + 1, entry.row_number or 0)
            found.append(replace(entry, row_number=last))
    return found


def as_file(entries: Sequence[LibraryEntry], file_name: str) -> bytes:
    """The bytes of the file of the :func:`placed` entries, at least one: XLSX, or CSV by its name."""
    if file_name.lower().endswith(".csv"):
        return _csv(entries)
    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(out, options) as book:
        book.set_properties({"created": _MADE_ON})
        for name, of_sheet in groupby(entries, lambda one: one.sheet_name):
            sheet = book.add_worksheet(name)
            rows = list(of_sheet)
            for row, cells in _rows(rows):
                for column, text in enumerate(cells):
                    sheet.write_string(row - 1, column, text)
    return out.getvalue()


def _csv(entries: Sequence[LibraryEntry]) -> bytes:
    out = io.StringIO()
    writer, last = csv.writer(out, lineterminator="\n"), 0
    for row, cells in _rows(entries):
        for _ in range(row - last - 1):
            writer.writerow([""] * len(TITLES))
        writer.writerow(cells)
        last = row
    return out.getvalue().encode()


def _rows(entries: Sequence[LibraryEntry]) -> list[tuple[int, tuple[str, ...]]]:
    """The rows with their numbers: the header above the first entry, then the entries."""
    first = entries[0].row_number or _FIRST_ROW
    return [(first - 1, TITLES), *((one.row_number or 0, _cells(one)) for one in entries)]


def _cells(entry: LibraryEntry) -> tuple[str, ...]:
    """The question, the answer and the comment, each in one line: conversion reads a line as a cell."""
    question, said = (" ".join((text or "").split()) for text in (entry.question, entry.answer))
    verdict = spell_verdict(entry.verdict) if entry.verdict else None
    if verdict is None or begins_with_verdict(said) == entry.verdict:
        return question, said, ""
    return question, verdict, said
