"""The files of a corpus: a local folder or any fsspec URL."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tasks.conversion.detect import (
    SUPPORTED_SUFFIXES,
    begins_as_document,
    is_document,
    is_passed_over,
    may_hold_members,
    says_what_it_is,
    suffix_of,
)
from tasks.conversion.eml_reader import HEAD_BYTES
from tasks.conversion.patterns import EVERYTHING, Patterns
from tasks.conversion.seen import Seen, stamp, written_on
from tasks.conversion.store_errors import explained
from tasks.conversion.urls import joined, require_no_secret
from tasks.errors import BidfolioError, SourceChanged, UsageError
from tasks.records import SourceFile

if TYPE_CHECKING:
    import fsspec

IN_FLIGHT = 8
"""How many objects of a store are read at a time: each waits for the network more than it works."""
ATTEMPTS = 3
"""How often an object that is overwritten while it is read is read anew."""

Entry = dict[str, Any]
_LOOP = "loop"
"""The type of an entry that is a link to a folder that it stands in."""


class Listing(NamedTuple):
    """The files of a corpus, and the names of those that may hold documents of their own.

    ``left_out`` are the names of documents that the patterns keep out; ``seen`` says of each object of a store, by
    name, what it was. Of local files it says nothing. ``passed_over`` counts by suffix, the most first, the files that
    the patterns let in and whose suffix is none of a document.
    """

    files: list[SourceFile]
    containers: frozenset[str]
    left_out: tuple[str, ...]
    seen: dict[str, Seen]
    passed_over: dict[str, int]


class _Folder(NamedTuple):
    filesystem: fsspec.AbstractFileSystem
    root: str
    source: str
    is_local: bool

    def url(self, path: str) -> str:
        """By which anyone opens ``path``."""
        return str(self.filesystem.unstrip_protocol(path)) if self.is_local else joined(self.source, self.root, path)


def list_files(source: str, patterns: Patterns = EVERYTHING, seen: Mapping[str, Seen] | None = None) -> Listing:
    """The files below ``source`` that bidfolio reads, by their suffix or, where it says nothing, by their content, and
    ``patterns`` let in, sorted by name; hidden and lock files are ignored.

    An object that has the stamp that it has in ``seen`` is not read again. What is no file (a pipe, a socket, a link to
    nowhere or to a folder that it stands in), and a local one that cannot be read, is there, refused; what goes away
    meanwhile is not. Raises UsageError where the folder is not there, cannot be read, or holds no document; ServiceAway
    where its store does not answer; SourceChanged where an object is overwritten each time it is read, or all go away.
    """
    require_no_secret(source)
    folder = _open(source)
    # An instance is kept for the whole process, with the listings of before.
    folder.filesystem.invalidate_cache()
    try:
        with _explaining(folder):
            entries = sorted(_entries(folder), key=itemgetter("name"))
    except FileNotFoundError as error:
        raise UsageError(f"there is no folder {source}: give the folder that holds the documents") from error
    names = [(entry, _shown(str(entry["name"]).removeprefix(folder.root + "/"))) for entry in entries]
    others = [(entry, name) for entry, name in names if is_passed_over(name) and patterns.lets_in(name)]
    with _explaining(folder):
        told = {
            name
            for entry, name in others
            if entry["type"] != "file" or (not says_what_it_is(name) and _is_by_content(folder, entry))
        }
    documents = [(entry, name) for entry, name in names if is_document(name) or name in told]
    if not documents:
        raise UsageError(
            f"{source} holds no document ({', '.join(sorted(SUPPORTED_SUFFIXES))}): put the company's documents there"
        )
    wanted = [(entry, name) for entry, name in documents if patterns.lets_in(name) or patterns.may_let_in_from(name)]
    known = seen or {}
    with _explaining(folder), ThreadPoolExecutor(1 if folder.is_local else IN_FLIGHT) as threads:
        found = threads.map(lambda one: _described(folder, one[0], one[1], known.get(one[1])), wanted)
        described = [one for one in found if one is not None]
    if wanted and not described:
        # A store that is taken away is no corpus whose documents were deleted one by one.
        raise SourceChanged(f"all files of {source} went away while they were read: run the same command again")
    names_in = {name for _, name in wanted}
    return Listing(
        [file for file, _ in described],
        frozenset(file.file_name for file, found in described if found.is_container),
        tuple(name for _, name in documents if name not in names_in),
        {file.file_name: found for file, found in described if found.stamp},
        dict(Counter(suffix_of(name) for _, name in others if name not in told).most_common()),
    )


def _is_by_content(folder: _Folder, entry: Entry) -> bool:
    """Whether a file whose name says nothing begins as a document does; its reader says what it is."""
    try:
        with folder.filesystem.open(str(entry["name"]), "rb") as file:
            return begins_as_document(file.read(HEAD_BYTES))
    except FileNotFoundError:
        return False
    except OSError:
        if folder.is_local:
            # One that cannot be read is none that is known to be a document.
            return False
        raise


def full_path(source: str) -> str:
    """The folder's path or URL, the same wherever it is called from. Raises UsageError for a URL that is wrong."""
    folder = _open(source)
    return (folder.root if folder.is_local else folder.url(folder.root)).rstrip("/")


def read_file(path: str) -> bytes:
    """The bytes of a file that :func:`list_files` found.

    Raises FileNotFoundError where it is gone, another OSError where a local one cannot be read (:func:`why_unreadable`
    says it in words), and what :func:`list_files` does for one in a store.
    """
    if (local := path.removeprefix("file://")).startswith("/"):
        # Without fsspec, which every process that converts would take a fifth of its start to import.
        return Path(local).read_bytes()
    folder = _open(path)
    with nullcontext() if folder.is_local else _explaining(folder), folder.filesystem.open(folder.root, "rb") as file:
        return bytes(file.read())


def why_unreadable(file_name: str, error: OSError) -> str:
    """Why the local file of that name has no text, as a person understands it."""
    if isinstance(error, PermissionError):
        return f"{file_name}: refused: no permission to read it: give this user the right to, and refresh again"
    said = error.strerror or error
    return f"{file_name}: refused: it cannot be read ({said}): mend the disk, or copy the file anew, and refresh again"


def read_unchanged(file: SourceFile) -> bytes:
    """The bytes that were scanned. Raises SourceChanged where they are others now, which would be kept as these, or are
    gone.
    """
    try:
        data = read_file(file.path)
    except FileNotFoundError as error:
        said = f"{file.file_name} went away while it was being read: run the same command again"
        raise SourceChanged(said) from error
    if hashlib.sha256(data).hexdigest() != file.content_sha256:
        raise SourceChanged(f"{file.file_name} changed while it was being read: run the same command again")
    return data


def _open(source: str) -> _Folder:
    """The file system of a path or URL. ``::`` in it is a part of a name and chains nothing."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    protocol = source.partition("://")[0] if "://" in source else "file"
    try:
        kind = fsspec.get_filesystem_class(protocol)
    except ValueError as error:
        raise UsageError(f"{source}: nothing reads {protocol}://; give a folder, or a URL such as s3://") from error
    except ImportError as error:
        raise UsageError(
            f"{source}: {protocol}:// needs a package that is not installed ({error}): install it beside bidfolio"
        ) from error
    root = str(kind._strip_protocol(source)).rstrip("/")
    if "s3" in kind.protocol and not root:
        raise UsageError(f"{source} names no bucket: give s3://BUCKET/FOLDER")
    try:
        filesystem = fsspec.filesystem(protocol, **kind._get_kwargs_from_urls(source))
        return _Folder(filesystem, root, source, isinstance(filesystem, LocalFileSystem))
    except Exception as error:
        # Some connect here and now, each with errors of its own.
        raise explained(error, source) from error


@contextmanager
def _explaining(folder: _Folder) -> Iterator[None]:
    """Says in our words what goes wrong in a store, and what may not be read here; not that something is gone."""
    try:
        yield
    except (BidfolioError, FileNotFoundError):
        raise
    except Exception as error:
        if not folder.is_local:
            raise explained(error, folder.source) from error
        if isinstance(error, PermissionError):
            raise UsageError(
                f"no permission to read {error.filename or folder.source}: give this user the right to, or move it away"
            ) from error
        raise


def _entries(folder: _Folder) -> Iterator[Entry]:
    """Every file below the folder. Raises FileNotFoundError where there is none of that name."""
    filesystem, root = folder.filesystem, folder.root
    if "s3" in filesystem.protocol:
        # Folder by folder it would be a call for each, and `a//b.txt` would be passed over.
        found = filesystem.find(root, detail=True)
        # It would take an object for empty that is named as a folder is.
        filesystem.invalidate_cache()
        if root in found or (not found and "/" in root):
            raise FileNotFoundError(root)
        # An object that stands for a folder is named so.
        yield from (entry for name, entry in found.items() if not name.endswith("/"))
        return
    if not filesystem.isdir(root):
        raise FileNotFoundError(root)
    yield from _entries_below(filesystem, root, frozenset())


def _entries_below(filesystem: fsspec.AbstractFileSystem, folder: str, above: frozenset[str]) -> Iterator[Entry]:
    """Every file below. fsspec's own `find` and `walk` pass over a folder that they may not read, at any depth but
    the first: its documents would count as deleted. A folder that is a link to one of those above is listed itself."""
    from fsspec.implementations.local import LocalFileSystem

    real = os.path.realpath(folder) if isinstance(filesystem, LocalFileSystem) else folder
    if real in above:
        yield {"name": folder, "type": _LOOP}
        return
    for entry in filesystem.ls(folder, detail=True):
        path = str(entry["name"]).rstrip("/")
        if entry.get("islink"):
            # fsspec lists a link as what it is, and tells of one by one what they lead to; nothing, for some.
            with suppress(OSError):
                entry = filesystem.info(path)
        if entry["type"] != "directory":
            yield entry | {"name": path}
        elif path != folder:  # some object stores list a folder as in itself
            yield from _entries_below(filesystem, path, above | {real})


def _shown(name: str) -> str:
    """The name as it can be written, with a ``\\x..`` for each byte of it that is not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _described(folder: _Folder, entry: Entry, name: str, known: Seen | None) -> tuple[SourceFile, Seen] | None:
    """The file as it is now; None where it went away since it was listed."""
    path, now = str(entry["name"]), stamp(entry)
    if known is not None and now and known.stamp == now:
        size = int(entry["size"])
        return SourceFile(name, folder.url(path), size, known.content_sha256, written_on=written_on(entry)), known
    reason = ""
    if entry["type"] == _LOOP:
        reason = f"{name}: refused: it is a link to a folder that it stands in: remove it"
    elif entry["type"] != "file":
        # To open a pipe would be to wait for ever.
        reason = f"{name}: refused: it is no file (a pipe, a socket, or a link to nowhere)"
    elif not path.endswith(name):
        reason = f"{name}: refused: its name is not written in UTF-8: rename it"
    if reason:
        return _refused(name, reason)
    for attempt in range(ATTEMPTS):
        digest, size, head = hashlib.sha256(), 0, b""
        try:
            with folder.filesystem.open(path, "rb") as file:
                # Where it was overwritten since it was listed, what was listed is no sign of these bytes.
                now = now if now and file.details["ETag"] == entry["ETag"] else ""
                while block := file.read(1 << 20):
                    head = head or block[:HEAD_BYTES]
                    digest.update(block)
                    size += len(block)
            break
        except FileNotFoundError:
            return None
        except Exception as error:
            if folder.is_local and isinstance(error, OSError):
                return _refused(name, why_unreadable(name, error))
            if attempt + 1 == ATTEMPTS or not isinstance(explained(error, path), SourceChanged):
                raise
            folder.filesystem.invalidate_cache()
    found = Seen(now, digest.hexdigest(), may_hold_members(name, head))
    return SourceFile(name, folder.url(path), size, found.content_sha256, written_on=written_on(entry)), found


def _refused(name: str, reason: str) -> tuple[SourceFile, Seen]:
    # For want of bytes the hash is that of the reason: with another one, it is another document.
    return SourceFile(name, "", 0, hashlib.sha256(reason.encode()).hexdigest(), refused=reason), Seen("", "", False)
