"""The files of a corpus: a local folder or any fsspec URL."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, NamedTuple

import fsspec

from tasks.conversion.detect import SUPPORTED_SUFFIXES, is_document, may_hold_members
from tasks.conversion.eml_reader import HEAD_BYTES
from tasks.errors import SourceChanged, UsageError
from tasks.records import SourceFile


class Listing(NamedTuple):
    """The files of a corpus, and the names of those that may hold documents of their own."""

    files: list[SourceFile]
    containers: frozenset[str]


def list_files(source: str) -> Listing:
    """The files below ``source`` whose suffix bidfolio reads, sorted by name; hidden and lock files are ignored.

    What has such a name and is no file (a pipe, a socket, a link to nowhere) is there, refused. Raises UsageError where
    the folder is not there, cannot be read, or holds no such file.
    """
    filesystem, root = fsspec.core.url_to_fs(source)
    root = str(root).rstrip("/")
    if not filesystem.isdir(root):
        raise UsageError(f"there is no folder {source}: give the folder that holds the documents")
    try:
        entries = sorted(_entries_below(filesystem, root, frozenset()), key=itemgetter("name"))
    except PermissionError as error:
        raise UsageError(
            f"no permission to read {error.filename or source}: give this user the right to read it"
        ) from error
    wanted = [entry for entry in entries if is_document(str(entry["name"]).removeprefix(root + "/"))]
    if not wanted:
        raise UsageError(
            f"{source} holds no document ({', '.join(sorted(SUPPORTED_SUFFIXES))}): put the company's documents there"
        )
    described = [_described(filesystem, root, entry) for entry in wanted]
    containers = frozenset(file.file_name for file, head in described if may_hold_members(file.file_name, head))
    return Listing([file for file, _ in described], containers)


def _entries_below(
    filesystem: fsspec.AbstractFileSystem, folder: str, above: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """Every file below. fsspec's own `find` and `walk` pass over a folder that they may not read, at any depth but
    the first: its documents would count as deleted. A folder that is a link to one of those above is not entered."""
    real = os.path.realpath(folder) if "file" in filesystem.protocol else folder
    if real in above:
        return
    for entry in filesystem.ls(folder, detail=True):
        path = str(entry["name"]).rstrip("/")
        if entry["type"] != "directory":
            yield entry | {"name": path}
        elif path != folder:  # some object stores list a folder as in itself
            yield from _entries_below(filesystem, path, above | {real})


def full_path(source: str) -> str:
    """The folder's path or URL, the same wherever it is called from."""
    filesystem, root = fsspec.core.url_to_fs(source)
    return str(root if "file" in filesystem.protocol else filesystem.unstrip_protocol(root)).rstrip("/")


def read_file(path: str) -> bytes:
    """The bytes of a file that :func:`list_files` found. Raises OSError where it is gone or unreadable."""
    filesystem, root = fsspec.core.url_to_fs(path)
    return bytes(filesystem.cat_file(root))


def read_unchanged(file: SourceFile) -> bytes:
    """The bytes that were scanned. Raises SourceChanged where they are others now: they would be kept as these."""
    try:
        data = read_file(file.path)
    except FileNotFoundError:
        data = b""
    if hashlib.sha256(data).hexdigest() != file.content_sha256:
        raise SourceChanged(f"{file.file_name} changed while it was being read: run the same command again")
    return data


def _described(filesystem: fsspec.AbstractFileSystem, root: str, entry: dict[str, Any]) -> tuple[SourceFile, bytes]:
    """The file and its first bytes."""
    path = str(entry["name"])
    name = path.removeprefix(root + "/")
    digest, size, head = hashlib.sha256(), 0, b""
    if entry["type"] != "file":
        # To open a pipe would be to wait for ever.
        reason = f"{name}: refused: it is no file (a pipe, a socket, or a link to nowhere)"
        return SourceFile(name, "", 0, digest.hexdigest(), refused=reason), head
    try:
        with filesystem.open(path, "rb") as file:
            while block := file.read(1 << 20):
                head = head or block[:HEAD_BYTES]
                digest.update(block)
                size += len(block)
    except PermissionError as error:
        raise UsageError(f"no permission to read {path}: give this user the right to, or move it away") from error
    return SourceFile(name, filesystem.unstrip_protocol(path), size, digest.hexdigest()), head
