"""Source files of gold sets in other layouts, and the imported result."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tasks.errors import UsageError
from tasks.questions.wording import question_kind, verdict_of
from tasks.records import GoldQuestion, Verdict, content_id

Row = Mapping[str, Any]
WORKBOOKS, TABLES = (".xlsx", ".xlsm"), (".parquet", ".csv", ".jsonl")


@dataclass(frozen=True, slots=True)
class Source:
    """A file in some layout, parsed.

    ``content`` is the content of a JSON file, or the rows of a CSV, JSONL or Parquet file; None for a workbook.
    ``passages`` are the rows of the file with the passages, empty if there is no such file. ``drafts`` are the keys of
    drafts that bidfolio wrote into questionnaires.
    """

    path: Path
    content: Any
    passages: Sequence[Row] = ()
    drafts: Set[str] = frozenset()

    @property
    def rows(self) -> Sequence[Row]:
        """The rows of a table; empty for any other content."""
        is_table = isinstance(self.content, list) and all(isinstance(row, dict) for row in self.content)
        return self.content if is_table else ()

    @property
    def is_empty(self) -> bool:
        """Tell if the file has no content at all; a workbook is checked by its own reader."""
        return self.content in ([], {}) or (self.content is None and self.path.suffix.lower() not in WORKBOOKS)

    def has_columns(self, *names: str) -> bool:
        """Tell if it is a table whose first row has these columns."""
        return bool(self.rows) and all(name in self.rows[0] for name in names)

    def has_list(self, key: str, *names: str) -> bool:
        """Tell if it is a JSON object with a list under ``key`` whose first member has these keys."""
        some = self.content.get(key) if isinstance(self.content, dict) else None
        return isinstance(some, list) and bool(some) and all(name in some[0] for name in names)


@dataclass(slots=True)
class Imported:
    """The questions of a file, its documents by name, and the number of items left out, by reason.

    Each id and each document name occurs once.
    """

    documents: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    _questions: dict[str, GoldQuestion] = field(default_factory=dict)

    def add(self, question: GoldQuestion) -> None:
        """Add a question, or count it as left out."""
        if not question.question.strip():
            self.left_out["rows without a question"] += 1
        elif question.question_id in self._questions:
            self.left_out["questions whose id is there already"] += 1
        else:
            self._questions[question.question_id] = question

    @property
    def questions(self) -> list[GoldQuestion]:
        """The questions, in the order in which they were added."""
        return list(self._questions.values())


def open_source(path: str, passages: str | None) -> Source:
    """Open the file, and its passages if they are named or found in a file or folder beside it.

    Hugging Face lays such sets out as ``data/test.parquet`` and ``data/passages.parquet``. Raises UsageError for a file
    that is missing or cannot be read.
    """
    source = Source(Path(path), _content(Path(path)))
    is_table = source.has_columns("question", "answer")
    beside = Path(passages) if passages else _passages_beside(source.path) if is_table else None
    return replace(source, passages=_content(beside)) if beside else source


def file_stem(*words: str) -> str:
    """Make a file name without suffix, of letters, digits, ``.``, ``_`` and ``-``.

    If other characters are replaced, a hash is added, so that different words give different names.
    """
    said = "-".join(words)
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", said).strip("._")[:80]
    return plain if plain == said else f"{plain}-{content_id(said)[:8]}"


def stated_verdict(question: str, answer: str | None) -> Verdict | None:
    """The verdict that an answer to a yes/no question states; None if it states none, or for other questions."""
    asks = question_kind(question, (), yes_no_header=False) == "yes_no"
    return verdict_of(answer) if asks and answer else None


def text_of(value: Any) -> str | None:
    """A text without surrounding blanks; None for an empty value or one that is no text."""
    said = str(value).strip() if value is not None and not isinstance(value, (list, dict)) else ""
    return said or None


def _content(path: Path) -> Any:
    suffix = path.suffix.lower()
    try:
        if path.is_dir() and not any(path.rglob("*.parquet")):
            raise UsageError(f"{path} is a folder without Parquet files: name the file")
        if suffix == ".parquet" or path.is_dir():
            import pyarrow.parquet as pq  # its import takes half a second, which the other layouts do not need

            return pq.read_table(path).to_pylist()
        if suffix in WORKBOOKS:
            path.stat()
            return None
        if suffix == ".csv":
            # A questionnaire has the encoding of its customer's spreadsheet; its own reader detects it.
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
    """Find the passages, a file or a folder of shards, by the names that Hugging Face's sets have beside a file."""
    names = re.compile(r"^(?:passages|text-corpus|corpus)(?:[.\-].*)?$")
    for folder in (path.parent, path.parent.parent):
        there = (one for one in folder.glob("*") if one not in (path, path.parent) and names.match(one.name.lower()))
        found = sorted(one for one in there if one.suffix in TABLES or any(one.glob("*.parquet")))
        if found:
            return found[0]
    return None
