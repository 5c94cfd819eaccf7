"""The files of a corpus: a local folder or any fsspec URL."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import fsspec

from tasks.conversion.detect import SUPPORTED_SUFFIXES, is_document, may_hold_members
from tasks.conversion.eml_reader import HEAD_BYTES
from tasks.errors import UsageError
from tasks.records import SourceFile


class Listing(NamedTuple):
    """What a folder holds: the files of the corpus, and how many were left aside for their suffix.

    ``containers`` are the names of those that may hold documents of their own.
    """

    files: list[SourceFile]
    ignored: int
    containers: frozenset[str]


def list_files(source: str) -> Listing:
    """The files below ``source`` whose suffix bidfolio reads, sorted by name; hidden and lock files are ignored.

    Raises UsageError where the folder is not there, cannot be read, or holds no such file.
    """
    filesystem, root = fsspec.core.url_to_fs(source)
    root = str(root).rstrip("/")
    if not filesystem.isdir(root):
        raise UsageError(f"there is no folder {source}: give the folder that holds the documents")
    try:
        paths = sorted(_paths_below(filesystem, root))
    except PermissionError as error:
        raise UsageError(
            f"no permission to read {error.filename or source}: give this user the right to read it"
        ) from error
    wanted = [path for path in paths if is_document(path.removeprefix(root + "/"))]
    if not wanted:
        raise UsageError(
            f"{source} holds no document ({', '.join(sorted(SUPPORTED_SUFFIXES))}): put the company's documents there"
        )
    described = [_described(filesystem, root, path) for path in wanted]
    containers = frozenset(file.file_name for file, head in described if may_hold_members(file.file_name, head))
    return Listing([file for file, _ in described], len(paths) - len(wanted), containers)


def _paths_below(filesystem: fsspec.AbstractFileSystem, folder: str) -> Iterator[str]:
    """Every file below. fsspec's own `find` and `walk` pass over a folder that they may not read, at any depth but
    the first: its documents would count as deleted."""
    for entry in filesystem.ls(folder, detail=True):
        path = str(entry["name"]).rstrip("/")
        if entry["type"] != "directory":
            yield path
        elif path != folder:  # some object stores list a folder as in itself
            yield from _paths_below(filesystem, path)


def full_path(source: str) -> str:
    """The folder's path or URL, the same wherever it is called from."""
    filesystem, root = fsspec.core.url_to_fs(source)
    return str(root if "file" in filesystem.protocol else filesystem.unstrip_protocol(root)).rstrip("/")


def read_file(path: str) -> bytes:
    """The bytes of a file that :func:`list_files` found. Raises OSError where it is gone or unreadable."""
    filesystem, root = fsspec.core.url_to_fs(path)
    return bytes(filesystem.cat_file(root))


def _described(filesystem: fsspec.AbstractFileSystem, root: str, path: str) -> tuple[SourceFile, bytes]:
    """The file and its first bytes."""
    digest, size, head = hashlib.sha256(), 0, b""
    try:
        with filesystem.open(path, "rb") as file:
            while block := file.read(1 << 20):
                head = head or block[:HEAD_BYTES]
                digest.update(block)
                size += len(block)
    except PermissionError as error:
        raise UsageError(f"no permission to read {path}: give this user the right to, or move it away") from error
    name = path.removeprefix(root + "/")
    return SourceFile(name, filesystem.unstrip_protocol(path), size, digest.hexdigest()), head
