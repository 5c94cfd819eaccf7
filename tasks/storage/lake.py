"""The lake: Parquet tables that any reader may glob, because each file there is complete.

A file is written to ``staging/``, flushed to disk, and renamed into ``lake/<table>/<partition>/``; a reader of
``lake/<table>/**/*.parquet`` sees it whole or not at all. ``home`` is a folder or any fsspec URL.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.errors import UNWRITABLE, Damaged, ReadOnly, ServiceAway, SourceChanged
from tasks.progress import tell
from tasks.schemas import TABLES, to_table
from tasks.storage.commits import remedy_of
from tasks.storage.seals import PATH, is_sealed, with_seal, without_seal
from tasks.storage.store_errors import error_codes, explained
from tasks.storage.stored_file import ASIDE, Stored

READ_WHOLE_BYTES = 8 << 20
"""Size up to which an object is fetched in one request, even if only some of its columns are read."""
_MOST_BYTES = 1 << 40
_FOUND_AGAIN = (("index", "requirements"), ("index", "scanned"))
"""Folders beside the cache whose files are found again by the command that needs them."""
_WRITING = frozenset({"pipe_file", "put", "rm", "rm_file"})
_WRITTEN = ("LastModified", "last_modified", "mtime", "created")
"""The names under which the file systems list when a file was written."""


class Lake:
    """Storage of a home: the lake's tables, and beside them the content-addressed cache of the stages."""

    def __init__(self, home: str) -> None:
        files, root = fsspec.core.url_to_fs(home)
        self._root = str(root).rstrip("/")
        self._local = "file" in (files.protocol if isinstance(files.protocol, tuple) else (files.protocol,))
        self._fs: Any = files if self._local else _Remote(files, home)

    @property
    def is_local(self) -> bool:
        """Tell if the home is a folder of this machine."""
        return self._local

    def path(self, *parts: str) -> str:
        """The path of ``parts`` below the home, as its file system names it."""
        return "/".join((self._root, *parts))

    def shown(self, *parts: str) -> str:
        """The path of ``parts`` as a person is told it: below a local home as the system names it, else the URL."""
        return self.path(*parts) if self._local else self.url(*parts)

    def url(self, *parts: str) -> str:
        """The path of ``parts`` below the home, with its protocol: it can be opened without the home's settings."""
        return str(self._fs.unstrip_protocol(self.path(*parts)))

    def put(self, raw: bytes, *parts: str) -> None:
        """Write ``raw`` to a file of the home, completely or not at all, with its seal where it has one.

        A home that cannot be written keeps nothing in its cache. Raises ReadOnly for any other file of it, and the
        errors of :func:`explained` for an object store.
        """
        if is_sealed(parts):
            raw = with_seal(raw, parts)
        if self._local:
            self._replace(lambda file: file.write(raw), parts)
        else:
            self._fs.pipe_file(self.path(*parts), raw)  # an object is there whole or not at all

    def _replace(self, write: Callable[[BinaryIO], object], parts: tuple[str, ...]) -> None:
        """Put what ``write`` writes, whole, in the place of that local file."""
        staged, final = self.path("staging", uuid.uuid4().hex), self.path(*parts)
        try:
            for path in (staged, final):
                self._fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
            with self._fs.open(staged, "wb") as file:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX)  # for abandoned()
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(staged, final)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            if parts[0] != "cache":
                raise ReadOnly(final) from error

    def create(self, raw: bytes, *parts: str) -> bool:
        """Write ``raw``, unlike that of any other writer, as a new object; returns False where there is one already.

        Of several writers at once, one succeeds. For object stores alone.
        """
        try:
            self._fs.pipe_file(self.path(*parts), raw, mode="create")
        except FileExistsError:
            return self.get(*parts) == raw  # it is ours where the reply to an earlier try was lost
        except ServiceAway as error:
            if "ConditionalRequestConflict" not in error_codes(error):
                raise
            return self.get(*parts) == raw
        return True

    def get(self, *parts: str) -> bytes | None:
        """The content stored under ``parts``, or None where there is nothing.

        A damaged file of the cache, or one that is found again, is removed, with a word about it, and gives None.
        Raises Damaged for any other.
        """
        try:
            path = self.path(*parts)
            raw = bytes(self._fs.cat_file(path)) if self._local else self._beginning(*parts, length=_MOST_BYTES)
            return without_seal(raw, parts) if raw is not None and is_sealed(parts) else raw
        except FileNotFoundError:
            return None
        except ValueError as error:
            self._give_up(error, parts)
            return None

    def doubt(self, *parts: str) -> None:
        """Give a damaged file another time, so that the next refresh reads it, though its size is as it was recorded.

        An object of a store has another time by itself, and a home that cannot be written stays as it is.
        """
        if self._local:
            with contextlib.suppress(OSError):
                os.utime(self.path(*parts))

    def _give_up(self, why: Exception, parts: tuple[str, ...]) -> None:
        path = self.shown(*parts)
        if parts[0] != "cache" and parts[:2] not in _FOUND_AGAIN:
            self.doubt(*parts)
            raise Damaged(path, why, remedy_of(parts)) from why
        with contextlib.suppress(OSError):
            self.drop(*parts)
        tell(f"{path} is damaged ({str(why).splitlines()[0]}): it is made anew")

    def digest(self, *parts: str) -> str:
        """The SHA-256 of the file stored under ``parts``, seal and all. Raises FileNotFoundError where it is gone."""
        if not self._local:
            raw = self._beginning(*parts, length=_MOST_BYTES)
            if raw is None:
                raise FileNotFoundError(self.path(*parts))
            return hashlib.sha256(raw).hexdigest()
        with open(self.path(*parts), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def has(self, *parts: str) -> bool:
        """Tell if something is stored under ``parts``."""
        return bool(self._fs.exists(self.path(*parts)))

    def drop(self, *parts: str) -> None:
        """Remove the file stored under ``parts``; a missing file is no error."""
        with contextlib.suppress(FileNotFoundError):
            self._fs.rm_file(self.path(*parts))

    def names(self, *parts: str, suffix: str) -> list[str]:
        """The names directly below ``parts`` with that suffix, sorted; none where the folder is missing."""
        try:
            found = self._fs.ls(self.path(*parts), detail=False, refresh=True)
        except FileNotFoundError:
            return []
        return sorted(name for path in found if (name := path.rstrip("/").rsplit("/", 1)[-1]).endswith(suffix))

    def below(self, *parts: str) -> list[Stored]:
        """Every file below ``parts``, at any depth, sorted by path; none where the folder is missing.

        Targets of links are not included. A file that is deleted meanwhile may be.
        """
        self._fs.invalidate_cache(self.path(*parts))
        found = self._fs.find(self.path(*parts), detail=True)
        return [
            _stored(path.removeprefix(f"{self._root}/"), info)
            for path, info in sorted(found.items())
            if path != self.path(*parts) and info["type"] == "file"
        ]

    def drop_folder(self, *parts: str) -> None:
        """Remove the folder ``parts``, in one step for readers; a missing folder is no error.

        If the run is killed in here, the rest of the folder stays in ``staging/``, under a name with ASIDE. An object
        store deletes up to 1,000 files in one step, and keeps the rest where it was.
        """
        aside = self.path("staging", f"{ASIDE}{uuid.uuid4().hex}")
        if not self._local:
            with contextlib.suppress(FileNotFoundError):
                self._fs.rm(self.path(*parts), recursive=True)
            return
        with contextlib.suppress(FileNotFoundError):
            self._fs.makedirs(self.path("staging"), exist_ok=True)
            self._fs.mv(self.path(*parts), aside, recursive=True)
            self._fs.rm(aside, recursive=True)

    def abandoned(self) -> list[Stored]:
        """The files in ``staging/`` that killed processes left; empty for an object store, which has no locks.

        A file that is being written is locked; one without bytes is not locked yet.
        """
        found = self.below("staging") if self._local else []
        return [file for file in found if file.size_bytes and self._is_abandoned(file)]

    def _is_abandoned(self, file: Stored) -> bool:
        try:
            with open(self.path(*file.parts), "rb") as opened:
                fcntl.flock(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (FileNotFoundError, BlockingIOError):
            return False
        return True

    @contextlib.contextmanager
    def folder(self, *parts: str) -> Iterator[Path]:
        """A local folder whose files are the content of the folder ``parts`` after the block.

        In a local home it is that folder, with its earlier files; otherwise it is empty, and takes its place.
        """
        if self._local:
            yield Path(self.path(*parts))
            return
        with TemporaryDirectory() as scratch:
            yield Path(scratch)
            self.drop_folder(*parts)
            self._fs.put(f"{scratch}/", f"{self.path(*parts)}/", recursive=True)

    def put_table(self, table: pa.Table, *parts: str) -> None:
        """Write ``table`` as one Parquet file of the home, with its path and checksums."""
        named = table.replace_schema_metadata({**(table.schema.metadata or {}), PATH: "/".join(parts)})
        write = partial(pq.write_table, named, compression="zstd", write_page_checksum=True)
        if self._local:  # without the bytes of the file in memory
            self._replace(write, parts)
            return
        buffer = io.BytesIO()
        write(buffer)
        self.put(buffer.getvalue(), *parts)

    def get_table(self, *parts: str, columns: list[str] | None = None) -> pa.Table | None:
        """The table of the Parquet file stored under ``parts``, or None where there is none.

        With ``columns``, only these are read. What is damaged is treated as by :meth:`get`.
        """
        try:
            found = self._read_table(parts, columns)
        except FileNotFoundError:
            return None
        except (pa.ArrowInvalid, OSError) as error:
            if getattr(error, "errno", None) is not None:  # an error of the system, about a disk or a permission
                raise
            self._give_up(error, parts)
            return None
        if found is None:
            return None
        told = dict(found.schema.metadata or {})
        if told.pop(PATH, "/".join(parts).encode()) != "/".join(parts).encode():
            self._give_up(ValueError("its content is that of another file"), parts)
            return None
        return found.replace_schema_metadata(told or None)

    def _read_table(self, parts: tuple[str, ...], columns: list[str] | None) -> pa.Table | None:
        read = partial(pq.read_table, columns=columns, partitioning=None, page_checksum_verification=True)
        if columns is None or not self._local:
            raw = self.get(*parts) if columns is None else self._beginning(*parts, length=READ_WHOLE_BYTES)
            if columns is None or len(raw or b"") < READ_WHOLE_BYTES:
                return None if raw is None else read(io.BytesIO(raw))
        with self._fs.open(self.path(*parts), "rb") as file:
            return read(file)

    def _beginning(self, *parts: str, length: int) -> bytes | None:
        """The first bytes of an object, in one request: in several, another writer's might be mixed with them."""
        try:
            return bytes(self._fs.cat_file(self.path(*parts), start=0, end=length))
        except FileNotFoundError:
            return None
        except SourceChanged:  # an empty object has no such range
            return bytes(self._fs.cat_file(self.path(*parts)))

    def write(self, table: str, rows: Iterable[Mapping[str, Any]] | pa.Table, **partition: str) -> None:
        """Write ``rows`` as the whole content of that partition of the lake's ``table``, with the table's metadata."""
        data = rows if isinstance(rows, pa.Table) else to_table(table, rows)
        told = data.cast(TABLES[table]).replace_schema_metadata(data.schema.metadata)
        self.put_table(told, "lake", table, *_folders(partition), f"{table}.parquet")

    def read(self, table: str, **partition: str) -> pa.Table:
        """The rows of that partition; an empty table of the schema where there is none.

        A column that is missing in an older file is null.
        """
        found = self.get_table("lake", table, *_folders(partition), f"{table}.parquet")
        return TABLES[table].empty_table() if found is None else _with_new_columns(found, TABLES[table])

    def values(self, table: str, key: str, **partition: str) -> list[str]:
        """The values of the partition key ``key`` in the lake's ``table``, directly below that ``partition``,
        sorted.
        """
        names = self.names("lake", table, *_folders(partition), suffix="")
        return [name.removeprefix(f"{key}=") for name in names if name.startswith(f"{key}=")]


class _Remote:
    """The file system of an object store; its errors have a remedy, but for files that are missing or there already."""

    def __init__(self, files: fsspec.AbstractFileSystem, home: str) -> None:
        self._files, self._home = files, home
        if hasattr(files, "retries"):  # of s3fs: each is one more round of botocore's own
            files.retries = 2

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._files, name)

        def call(*arguments: Any, **options: Any) -> Any:
            try:
                return method(*arguments, **options)
            except (FileNotFoundError, FileExistsError):
                raise
            except Exception as error:
                raise explained(error, self._home, "write" if name in _WRITING else "read") from error

        return call


def _folders(partition: Mapping[str, str]) -> list[str]:
    return [f"{key}={value}" for key, value in partition.items()]


def _stored(path: str, info: Mapping[str, Any]) -> Stored:
    written = next(info[name] for name in _WRITTEN if info.get(name) is not None)
    at = written if isinstance(written, datetime) else datetime.fromtimestamp(written, UTC)
    return Stored(tuple(path.split("/")), int(info["size"]), at)


def _with_new_columns(found: pa.Table, schema: pa.Schema) -> pa.Table:
    for field in schema:
        if field.name not in found.column_names:
            found = found.append_column(field, pa.nulls(found.num_rows, field.type))
    return found.select(schema.names)
