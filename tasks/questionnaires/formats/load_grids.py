"""Loader of a customer's file, XLSX or CSV, as grids; other formats are refused with the way out."""

from __future__ import annotations

from tasks.errors import UsageError
from tasks.questionnaires.formats.csv_file import csv_grid, open_csv
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.package import open_workbook, refusing_damage
from tasks.questionnaires.formats.worksheet_reader import read_grids

ZIP, OLE, PDF = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF"
WORD_SUFFIXES = (".docx", ".docm", ".dotx", ".dotm")
"""The endings of names of Word files that are packages."""
WORKBOOKS = (".xlsx", ".xlsm", ".xltx", ".xltm")


def load_grids(data: bytes, file_name: str) -> tuple[Grid, ...]:
    """The sheets as grids; a CSV file is one sheet. Raises UsageError for a file that cannot be read."""
    if not data.strip():
        raise UsageError(f"{file_name}: the file is empty. Send the questionnaire itself as .xlsx or .csv.")
    if data.startswith(OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UsageError(f"{file_name}: the file is encrypted. Remove its password and save it again.")
        if "WordDocument".encode("utf-16-le") in data:
            raise UsageError(f"{file_name}: this is a legacy Office file (.doc). Save it as .docx and try again.")
        raise UsageError(
            f"{file_name}: this is a legacy Office file (.xls). Save it as .xlsx and try again; where LibreOffice is "
            "installed, a file whose name ends in .xls is converted."
        )
    if data.startswith(PDF):
        raise UsageError(f"{file_name}: this is a PDF. Copy its questions to an .xlsx or .csv file.")
    if file_name.casefold().endswith(WORD_SUFFIXES):
        raise UsageError(f"{file_name}: this is not a Word document. Save it as .docx and try again.")
    if data.startswith(ZIP):
        with refusing_damage(file_name):
            return read_grids(open_workbook(data, file_name))
    if file_name.casefold().endswith(WORKBOOKS):
        raise UsageError(f"{file_name}: this is not an Excel workbook. Save it as .xlsx or .csv and try again.")
    return (csv_grid(open_csv(data, file_name)),)
