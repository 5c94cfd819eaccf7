"""Source files of a corpus: list and read them in a local folder or at any fsspec URL."""

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

from tasks.errors import BidfolioError, SourceChanged, UsageError
from tasks.records import SourceFile
from tasks.sources.file_types import (
    SUPPORTED_SUFFIXES,
    begins_as_document,
    is_document,
    is_passed_over,
    may_hold_members,
    says_what_it_is,
    suffix_of,
)
from tasks.sources.mail_headers import HEAD_BYTES
from tasks.sources.object_fingerprints import Seen, stamp, written_on
from tasks.sources.patterns import EVERYTHING, Patterns
from tasks.storage.store_errors import explained
from tasks.storage.urls import joined, require_no_secret

if TYPE_CHECKING:
    import fsspec

IN_FLIGHT = 8
"""Number of objects of a store read at a time: each waits for the network more than it works."""
ATTEMPTS = 3
"""Number of times that an object is read when it is overwritten while it is read."""

Entry = dict[str, Any]
_LOOP = "loop"
"""Entry type of a link to a folder that the link stands in."""


class Listing(NamedTuple):
    """The files of a corpus, and the names of those that may hold documents of their own.

    ``left_out`` are the names of documents that the patterns keep out; ``seen`` has the fingerprint of each object of a
    store, by name, and nothing of local files. ``passed_over`` counts by suffix, the most first, the files that the
    patterns let in but that are no documents.
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
        """The URL by which any process opens ``path``."""
        return str(self.filesystem.unstrip_protocol(path)) if self.is_local else joined(self.source, self.root, path)


def list_files(source: str, patterns: Patterns = EVERYTHING, seen: Mapping[str, Seen] | None = None) -> Listing:
    """List the files below ``source`` that bidfolio reads and ``patterns`` let in, sorted by name; hidden and lock
    files are ignored.

    A file is recognised by its suffix or, where that tells nothing, by its content. An object with the same stamp as in
    ``seen`` is not read again. An entry that is no file (a pipe, a socket, a link to nowhere or to a folder that it
    stands in), or a local file that cannot be read, is listed as refused; files that go away meanwhile are not listed.
    Raises UsageError where the folder is not there, cannot be read, or holds no document; ServiceAway where its store
    does not answer; SourceChanged where an object is overwritten each time it is read, or all go away.
    """
    require_no_secret(source)
    folder = _open(source)
    # fsspec keeps an instance for the whole process, with its earlier listings.
    folder.filesystem.invalidate_cache()
    try:
        with _explaining(folder):
            entries = sorted(_entries(folder), key=itemgetter("name"))
    except FileNotFoundError as error:
        raise UsageError(f"there is no folder {source}: give the folder that holds the documents") from error
    # A byte of a name that is not UTF-8 is shown as \x.. .
    names = [
        (entry, name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
        for entry in entries
        for name in [str(entry["name"]).removeprefix(folder.root + "/")]
    ]
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
        described = list(
            filter(None, threads.map(lambda one: _described(folder, one[0], one[1], known.get(one[1])), wanted))
        )
    if wanted and not described:
        # All gone at once means that the store was taken away, not that each document was deleted.
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
    """Tell if a file without a telling suffix begins as a document does; its reader finds the format."""
    try:
        with folder.filesystem.open(str(entry["name"]), "rb") as file:
            return begins_as_document(file.read(HEAD_BYTES))
    except OSError as error:
        if folder.is_local or isinstance(error, FileNotFoundError):
            # A file that cannot be read is not known to be a document.
            return False
        raise


def full_path(source: str) -> str:
    """The absolute path or URL of the folder, the same wherever it is called from. Raises UsageError for a URL that is
    wrong.
    """
    folder = _open(source)
    return (folder.root if folder.is_local else folder.url(folder.root)).rstrip("/")


def read_file(path: str) -> bytes:
    """Read the bytes of a file that :func:`list_files` found.

    Raises FileNotFoundError where it is gone, another OSError where a local file cannot be read (:func:`why_unreadable`
    has the message), and the errors of :func:`list_files` for a file in a store.
    """
    if (local := path.removeprefix("file://")).startswith("/"):
        # Without fsspec, which every process that converts would take a fifth of its start to import.
        return Path(local).read_bytes()
    folder = _open(path)
    with nullcontext() if folder.is_local else _explaining(folder), folder.filesystem.open(folder.root, "rb") as file:
        return bytes(file.read())


def why_unreadable(file_name: str, error: OSError) -> str:
    """The message for a local file that cannot be read, with the remedy."""
    if isinstance(error, PermissionError):
        return f"{file_name}: refused: no permission to read it: give this user the right to, and refresh again"
    said = error.strerror or error
    return f"{file_name}: refused: it cannot be read ({said}): mend the disk, or copy the file anew, and refresh again"


def read_unchanged(file: SourceFile) -> bytes:
    """Read the bytes that were scanned.

    Raises SourceChanged where the bytes differ now, since they would be stored under the hash of the scanned ones, or
    where the file is gone.
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
    """Open the file system of a path or URL. ``::`` in it is a part of a name and chains nothing."""
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
        # Some file systems connect at once, each with its own errors.
        raise explained(error, source) from error


@contextmanager
def _explaining(folder: _Folder) -> Iterator[None]:
    """Turn errors of a store, and missing permission, into errors with a remedy; FileNotFoundError passes."""
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
    """Yield every file below the folder. Raises FileNotFoundError where there is no such folder."""
    filesystem, root = folder.filesystem, folder.root
    if "s3" in filesystem.protocol:
        # Listing folder by folder would take a call for each, and miss `a//b.txt`.
        found = filesystem.find(root, detail=True)
        # The cached listing would make an object with a folder's name look empty.
        filesystem.invalidate_cache()
        if root in found or (not found and "/" in root):
            raise FileNotFoundError(root)
        # The name of an object that stands for a folder ends with a slash.
        yield from (entry for name, entry in found.items() if not name.endswith("/"))
        return
    if not filesystem.isdir(root):
        raise FileNotFoundError(root)
    yield from _entries_below(filesystem, root, frozenset())


def _entries_below(filesystem: fsspec.AbstractFileSystem, folder: str, above: frozenset[str]) -> Iterator[Entry]:
    """Yield every file below, links followed; a folder that is a link to one above it comes as an entry of type _LOOP.

    fsspec's own `find` and `walk` skip a folder that they may not read, at any depth but the first: its documents would
    count as deleted.
    """
    from fsspec.implementations.local import LocalFileSystem

    real = os.path.realpath(folder) if isinstance(filesystem, LocalFileSystem) else folder
    if real in above:
        yield {"name": folder, "type": _LOOP}
        return
    for entry in filesystem.ls(folder, detail=True):
        path = str(entry["name"]).rstrip("/")
        if entry.get("islink"):
            # fsspec lists links unresolved; `info` resolves a single link, and fails for broken ones.
            with suppress(OSError):
                entry = filesystem.info(path)
        if entry["type"] != "directory":
            yield entry | {"name": path}
        elif path != folder:  # some object stores list a folder as in itself
            yield from _entries_below(filesystem, path, above | {real})


def _described(folder: _Folder, entry: Entry, name: str, known: Seen | None) -> tuple[SourceFile, Seen] | None:
    """Hash the file and describe it as it is now; None where it went away since it was listed."""
    path, now = str(entry["name"]), stamp(entry)
    if known is not None and now and known.stamp == now:
        size = int(entry["size"])
        return SourceFile(name, folder.url(path), size, known.content_sha256, written_on=written_on(entry)), known
    if entry["type"] == _LOOP:
        return _refused(name, f"{name}: refused: it is a link to a folder that it stands in: remove it")
    if entry["type"] != "file":
        # Opening a pipe would wait for ever.
        return _refused(name, f"{name}: refused: it is no file (a pipe, a socket, or a link to nowhere)")
    if not path.endswith(name):
        return _refused(name, f"{name}: refused: its name is not written in UTF-8: rename it")
    for attempt in range(ATTEMPTS):
        digest, size, head = hashlib.sha256(), 0, b""
        try:
            with folder.filesystem.open(path, "rb") as file:
                # If the object was overwritten since it was listed, the listed stamp does not fit these bytes.
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
    # Without bytes, hash the reason: with another reason it counts as another document.
    return SourceFile(name, "", 0, hashlib.sha256(reason.encode()).hexdigest(), refused=reason), Seen("", "", False)
