"""CSV files as records of raw fields, so that unchanged fields keep their characters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.safe_cell_text import clean_text, guard_formula
from tasks.spreadsheets.delimiters import find_delimiter

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_QUOTED = re.compile(r'"((?:[^"]+|"")*+)(?:"|\Z)(.*)', re.DOTALL)


class Record(NamedTuple):
    """One row: its fields as they stand in the file, quotes included, and its line end."""

    fields: tuple[str, ...]
    end: str


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A decoded CSV file; ``bom`` are the bytes before the first character."""

    encoding: str
    bom: bytes
    delimiter: str
    records: tuple[Record, ...]


def open_csv(data: bytes, file_name: str) -> CsvFile:
    """Decode a CSV file into records, with delimiter and encoding detected. No data give no records.

    Raises UsageError for bytes that are no text.
    """
    encoding, bom = _encoding(data)
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(f"{file_name}: {error}. Save the questionnaire as .xlsx or as .csv in UTF-8.") from error
    if "\0" in text:
        raise UsageError(f"{file_name}: this is no text file. Save the questionnaire as .xlsx or .csv.")
    delimiter = find_delimiter(text)
    return CsvFile(encoding, bom, delimiter, _records(text, delimiter))


def csv_grid(file: CsvFile) -> Grid:
    """The field values as a grid; row numbers count records, as a spreadsheet does."""
    texts = {
        number: {column: value for column, raw in enumerate(record.fields, 1) if (value := field_value(raw)).strip()}
        for number, record in enumerate(file.records, 1)
    }
    width = max((len(record.fields) for record in file.records), default=0)
    return Grid(sheet_name=None, texts={row: cells for row, cells in texts.items() if cells}, width=width)


def write_csv(file: CsvFile, cells: Mapping[tuple[int, int], str]) -> bytes:
    """The file with the ``cells`` (row, column) set to text that cannot run as a formula.

    A file whose encoding lacks a character becomes UTF-8 with a BOM. Rectangular files stay rectangular.
    """
    old_width = max((len(record.fields) for record in file.records), default=0)
    new_width = max((column for _, column in cells), default=0)
    by_row: dict[int, dict[int, str]] = {}
    for (row, column), text in cells.items():
        by_row.setdefault(row, {})[column] = text
    lines = []
    for number, record in enumerate(file.records, 1):
        written = by_row.get(number, {})
        width = max(len(record.fields), max(written, default=0))
        if len(record.fields) == old_width > 1:
            width = max(width, new_width)
        quote_all = bool(record.fields) and all(raw.startswith('"') for raw in record.fields)
        fields = [*record.fields, *[""] * (width - len(record.fields))]
        for column, text in written.items():
            fields[column - 1] = _field(text, file.delimiter, quote_all)
        lines.append(file.delimiter.join(fields) + record.end)
    text = "".join(lines)
    try:
        return file.bom + text.encode(file.encoding)
    except UnicodeEncodeError:
        return codecs.BOM_UTF8 + text.encode()


def field_value(raw: str) -> str:
    """The value of a raw field: its outer quotes removed and doubled quotes made single."""
    found = _QUOTED.fullmatch(raw)
    return found[1].replace('""', '"') + found[2] if found else raw


def _field(text: str, delimiter: str, quote: bool) -> str:
    text = clean_text(guard_formula(clean_text(text)))
    # Any usual delimiter is quoted: a spreadsheet with another locale splits at another delimiter.
    if text and (quote or any(mark in text for mark in (delimiter, '"', "\n", "\r", ",", ";", "\t"))):
        return '"' + text.replace('"', '""') + '"'
    return text


def _encoding(data: bytes) -> tuple[str, bytes]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding, bom
    for encoding in ("utf-8", "cp1252"):
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding, b""
    return "latin-1", b""


def _records(text: str, delimiter: str) -> tuple[Record, ...]:
    plain = rf"[^{re.escape(delimiter)}\r\n]*+"
    token = re.compile(rf'("(?:[^"]+|"")*+(?:"|\Z){plain}|{plain})({re.escape(delimiter)}|\r\n|\r|\n|\Z)')
    records: list[Record] = []
    fields: list[str] = []
    position = 0
    while position < len(text) or fields:
        found = token.match(text, position)
        assert found is not None  # every field ends at a delimiter, a line end or the end of the text
        fields.append(found[1])
        position = found.end()
        if found[2] != delimiter:
            records.append(Record(tuple(fields), found[2]))
            fields = []
    return tuple(records)
