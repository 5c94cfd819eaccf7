"""A customer's file as it is read: its bytes, converted to XLSX where need be, and its questions as a map has them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.load_grids import OLE, ZIP, load_grids
from tasks.questionnaires.reading.layout import Questionnaire
from tasks.questionnaires.reading.mapping import QuestionnaireMap, parse_map
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questionnaires.word.questions import form_of, read_word_questionnaire

CONVERTED = (".ods", ".fods", ".ots", ".xls", ".xlt")
"""The suffixes of workbooks that LibreOffice converts to XLSX, in which the filled copy is written then."""
OLD = (".xls", ".xlt")
_BOOKS = ("Workbook".encode("utf-16-le"), "Book".encode("utf-16-le"), "EncryptedPackage".encode("utf-16-le"))
"""Streams of which an old workbook has one: of any other bytes, LibreOffice makes a sheet of odd characters."""
Converter = Callable[[bytes, str], bytes | None]
"""Function from a workbook's bytes and suffix to those of an XLSX file; None where it fails."""


class ReadAs(NamedTuple):
    """A person's word on how a file is read: the path of a map, and the letter or title of the column of questions; ""
    for none.
    """

    map: str = ""
    question_column: str = ""

    @property
    def identity(self) -> dict[str, str]:
        """The values that tell two ways of reading apart; empty for that without a word. Raises as :meth:`mapping`."""
        content = hashlib.sha256(_text(self.map).encode()).hexdigest() if self.map else ""
        return {name: value for name, value in (("map", content), ("question_column", self.question_column)) if value}

    def mapping(self) -> QuestionnaireMap | None:
        """The map, None where none is named. Raises UsageError for a file that is missing, or no map."""
        return parse_map(_text(self.map), self.map) if self.map else None


AS_FOUND = ReadAs()


class CustomersFile(NamedTuple):
    """The bytes that are filled, and the questionnaire that was read from them."""

    data: bytes
    questionnaire: Questionnaire


def filled_suffix(path: str) -> str:
    """The suffix of the filled copy: that of the file, or .xlsx for a workbook that is converted."""
    suffix = Path(path).suffix
    return ".xlsx" if suffix.casefold() in CONVERTED else suffix


def read_customers_file(path: str, read_as: ReadAs, convert: Converter | None = None) -> CustomersFile:
    """Read the file at ``path``; a workbook of another format is converted with ``convert``.

    Raises UsageError for a file that is missing or unreadable, one that cannot be converted, a map that does not fit
    it, and where no questions are found.
    """
    data = workbook_bytes(path, convert)
    given = read_as.mapping()
    if form := form_of(data, Path(path).name):
        read = read_word_questionnaire(form, data, Path(path).name, given, read_as.question_column)
        return CustomersFile(data, read)
    return CustomersFile(data, read_questionnaire(data, Path(path).name, given, read_as.question_column))


def grids_of(data: bytes, file_name: str) -> tuple[Grid, ...]:
    """The sheets of a file as grids; of a Word form its tables, and its running text. Raises UsageError for a file that
    cannot be read.
    """
    form = form_of(data, file_name)
    return load_grids(data, file_name) if form is None else (*form.tables, form.running_text)


def workbook_bytes(path: str, convert: Converter | None = None) -> bytes:
    """The bytes of the file, or of the XLSX that it is converted to. Raises UsageError as :func:`read_customers_file`,
    but for the map and the questions.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the questionnaire {path}: {error.strerror}") from error
    suffix = Path(path).suffix.casefold()
    if suffix not in CONVERTED or not data.strip() or convert is None:
        return data
    if data.startswith(ZIP) and suffix in OLD:
        return data  # an XLSX by another name
    is_damaged = data.startswith(OLE) and not any(name in data for name in _BOOKS)
    made = None if is_damaged else convert(data, suffix)
    if made is None:
        raise UsageError(
            f"{path}: LibreOffice cannot convert it to .xlsx: it is damaged, or has a password. Open it, save it as "
            ".xlsx without a password, and try again."
        )
    return made


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read the map {path} ({error}): `bidfolio inspect FILE --write-map {path}` writes one to edit"
        ) from error
