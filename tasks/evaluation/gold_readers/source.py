"""What a reader of a gold set's layout is given, what it gives back, and the protocol of one."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tasks.errors import UsageError
from tasks.questionnaires.words import question_kind, verdict_of
from tasks.records import GoldQuestion, Verdict, content_id

Row = Mapping[str, Any]
WORKBOOKS, TABLES = (".xlsx", ".xlsm"), (".parquet", ".csv", ".jsonl")


@dataclass(frozen=True, slots=True)
class Source:
    """A file in some layout. ``content`` is what a JSON file says, or the rows of a CSV, JSONL or Parquet file; None of
    a workbook. ``passages`` are the rows of the file that has the passages, none where there is no such file.
    """

    path: Path
    content: Any
    passages: Sequence[Row] = ()

    @property
    def rows(self) -> Sequence[Row]:
        """The rows of a table; none of what is no table."""
        is_table = isinstance(self.content, list) and all(isinstance(row, dict) for row in self.content)
        return self.content if is_table else ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing at all; of a workbook its own reader tells."""
        return self.content in ([], {}) or (self.content is None and self.path.suffix.lower() not in WORKBOOKS)

    def has_columns(self, *names: str) -> bool:
        """Whether it is a table, of which the first row has these columns."""
        return bool(self.rows) and all(name in self.rows[0] for name in names)


class Imported(NamedTuple):
    """The questions of a file, the documents that it brings by their names, and how often something was left out, by
    the reason.
    """

    questions: list[GoldQuestion]
    documents: dict[str, str]
    left_out: Counter[str]


@dataclass(slots=True)
class Gathering:
    """Questions and documents as they are read. Each id is there once, and each document has one text."""

    documents: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    _questions: dict[str, GoldQuestion] = field(default_factory=dict)

    def add(self, question: GoldQuestion) -> None:
        """One more question, or one more that is left out."""
        if not question.question.strip():
            self.left_out["rows without a question"] += 1
        elif question.question_id in self._questions:
            self.left_out["questions whose id is there already"] += 1
        else:
            self._questions[question.question_id] = question

    def imported(self) -> Imported:
        """All of it."""
        return Imported(list(self._questions.values()), self.documents, self.left_out)


class Reader(Protocol):
    """One layout."""

    name: str

    def recognises(self, source: Source) -> bool:
        """Whether the file is in this layout, by what is in it."""
        ...

    def read(self, source: Source) -> Imported:
        """Its questions. Raises KeyError, TypeError or ValueError for what is not in the layout."""
        ...


def open_source(path: str, passages: str | None) -> Source:
    """The file, and the passages beside it where they are named, or a file or folder beside it is named for them, as
    Hugging Face lays such sets out (``data/test.parquet`` and ``data/passages.parquet``).

    Raises UsageError for a file that is not there, or that cannot be read.
    """
    source = Source(Path(path), _content(Path(path)))
    is_table = source.has_columns("question", "answer")
    beside = Path(passages) if passages else _passages_beside(source.path) if is_table else None
    return replace(source, passages=_content(beside)) if beside else source


def file_stem(*words: str) -> str:
    """A file's name without suffix, of letters, digits, ``.``, ``_`` and ``-``; words that have others get their hash,
    so that two of them stay two.
    """
    said = "-".join(words)
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", said).strip("._")[:80]
    return plain if plain == said else f"{plain}-{content_id(said)[:8]}"


def stated_verdict(question: str, answer: str | None) -> Verdict | None:
    """The verdict of an answer to what asks for yes or no; None where it states none, or something else is asked."""
    asks = question_kind(question, (), yes_no_header=False) == "yes_no"
    return verdict_of(answer) if asks and answer else None


def text_of(value: Any) -> str | None:
    """A text without the blanks around it; None for what is empty or no text."""
    said = str(value).strip() if value is not None and not isinstance(value, (list, dict)) else ""
    return said or None


def _content(path: Path) -> Any:
    suffix = path.suffix.lower()
    try:
        if path.is_dir() and not any(path.rglob("*.parquet")):
            raise UsageError(f"{path} is a folder without Parquet files: name the file")
        if suffix == ".parquet" or path.is_dir():
            import pyarrow.parquet as pq  # half a second that the other layouts do not need

            return pq.read_table(path).to_pylist()
        if suffix in WORKBOOKS:
            path.stat()
            return None
        if suffix == ".csv":
            # A questionnaire has whatever encoding its customer's spreadsheet has; its own reader tells which.
            text = path.read_bytes().decode("utf-8-sig", errors="replace")
            return list(csv.DictReader(text.splitlines(keepends=True)))
        text = path.read_text(encoding="utf-8-sig")
        if not text.strip():
            return None
        if suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {path}") from error
    except ValueError as error:
        what = "Parquet" if suffix == ".parquet" or path.is_dir() else "JSON"
        raise UsageError(
            f"cannot read {path}, as it is not {what}: {error}; a completed questionnaire is one of "
            f"{', '.join(sorted(WORKBOOKS))} or .csv"
        ) from error
    except (OSError, csv.Error) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def _passages_beside(path: Path) -> Path | None:
    """Hugging Face has shards in folders: ``test.parquet/part.0.parquet`` beside ``passages.parquet/``, or
    ``question-answer-passages/`` beside ``text-corpus/``.
    """
    names = re.compile(r"^(?:passages|text-corpus|corpus)(?:[.\-].*)?$")
    for folder in (path.parent, path.parent.parent):
        there = (one for one in folder.glob("*") if one not in (path, path.parent) and names.match(one.name.lower()))
        found = sorted(one for one in there if one.suffix in TABLES or any(one.glob("*.parquet")))
        if found:
            return found[0]
    return None
