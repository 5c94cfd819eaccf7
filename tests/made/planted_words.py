"""Search for planted words in every byte of a home, decoded: what a person with its disk could read."""

from __future__ import annotations

import gzip
import html
import io
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.made.lance_bytes import texts_of_lance

_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")
_ENCODINGS = ("utf-8", "utf-16-le", "utf-32-le")
"""Those of texts in files, of Outlook's and SQLite's, and of NumPy's arrays of strings."""


def places_of(words: Sequence[str], home: Path) -> list[str]:
    """The files of the home, by path, in whose name or bytes, as they are or decoded, one of the ``words`` stands,
    and the word. Case does not matter; files below links are left out.
    """
    found = []
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name.startswith("cache/models") or path.is_symlink():  # the models' own files
            continue
        texts = _texts_of(path) if path.is_file() else ()
        left = {word for word in words if word.casefold() in name.casefold()}
        for text in texts:
            left |= {word for word in words if _holds(text, word)}
        found += [f"{name}: {word}" for word in sorted(left)]
    return found


def _holds(text: str | bytes, word: str) -> bool:
    if isinstance(text, str):
        return word.casefold() in text.casefold()
    return any(word.lower().encode(encoding) in text.lower() for encoding in _ENCODINGS)


def _texts_of(path: Path) -> Iterator[str | bytes]:
    data = path.read_bytes()
    yield from _of_bytes(data)
    if data.startswith(b"SQLite format 3\0"):
        yield from _of_database(path)


def _of_bytes(data: bytes) -> Iterator[str | bytes]:
    """The bytes, and what is packed in them, at any depth."""
    yield data
    if data.startswith(b"PAR1"):
        yield from _of_parquet(data)
    elif data.endswith(b"LANC"):
        yield from texts_of_lance(data)
    elif data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield name
                yield from _of_bytes(archive.read(name))
    elif data.startswith(b"\x1f\x8b"):
        yield from _of_bytes(gzip.decompress(data))
    elif data.startswith(b"%PDF"):
        yield from _of_pdf(data)
    else:
        with suppress(UnicodeDecodeError):
            yield from _of_text(data.decode())


def _of_text(text: str) -> Iterator[str]:
    """A text with its JSON and HTML escapes resolved, of a string within a string, too."""
    yield _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    if "&" in text or "<" in text:
        yield html.unescape(re.sub(r"<[^>]*>", "", text))


def _of_parquet(data: bytes) -> Iterator[str | bytes]:
    """All values of all columns, the footer's statistics and metadata, and dictionaries, whose words may be unused."""
    file = pq.ParquetFile(io.BytesIO(data))
    for key, value in (file.metadata.metadata or {}).items():
        yield from (key, value)
    for group in range(file.num_row_groups):
        for column in range(file.metadata.num_columns):
            statistics = file.metadata.row_group(group).column(column).statistics
            if statistics is not None and statistics.has_min_max:
                yield str((statistics.min, statistics.max))
    for column in file.read().columns:
        for chunk in column.chunks:
            yield from _of_column(chunk)


def _of_column(values: pa.Array) -> Iterator[str | bytes]:
    if isinstance(values, pa.DictionaryArray):
        yield from _of_column(values.dictionary)
    elif pa.types.is_list(values.type) or pa.types.is_fixed_size_list(values.type):
        yield from _of_column(values.flatten())
    elif pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        yield from _of_text("\n".join(value or "" for value in values.unique().to_pylist()))
    elif pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        yield b"\n".join(value or b"" for value in values.to_pylist())


def _of_database(path: Path) -> Iterator[str | bytes]:
    """The cells of all tables, as the database with its journal shows them."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as opened:
        opened.text_factory = bytes
        for (table,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in opened.execute(f'SELECT * FROM "{table.decode()}"'):
                for cell in row:
                    if isinstance(cell, bytes):
                        yield from _of_bytes(cell)


def _of_pdf(data: bytes) -> Iterator[str]:
    import pypdfium2

    with closing(pypdfium2.PdfDocument(data)) as document:
        for page in document:
            yield page.get_textpage().get_text_bounded()
