"""Members of containers as files of the corpus: each archive or mail is followed by the documents in it.

The members' bytes are stored by content hash, so that they are read like any file and an unchanged container is not
unpacked again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple, Protocol

from tasks.conversion.files.containers import LOGIC_VERSION, MAX_TOTAL_BYTES, Names, expand
from tasks.errors import ConversionError, SourceChanged
from tasks.records import SourceFile, content_id
from tasks.sources.file_types import container_kind


class Opened(NamedTuple):
    """An opened container: its members, each with a path where its bytes lie for now.

    ``is_final`` is False where another try may succeed: it took too long, or crashed the process that opened it.
    """

    files: list[SourceFile]
    is_final: bool = True


class MemberStore(Protocol):
    """Protocol of a store for the members of containers."""

    def put_members(self, key: str, files: Iterable[SourceFile], /) -> None:
        """Store the list of a container's members. A file without a path has no bytes of its own here."""
        ...

    def members(self, key: str, /) -> list[SourceFile] | None:
        """A container's members with their paths in this store; None where the list or a member's bytes are missing."""
        ...

    def put_member(self, data: bytes, content_sha256: str, /) -> str:
        """Store a member's bytes and return the path by which they are read."""
        ...


class WithMembers(NamedTuple):
    """The files of a corpus and their members. ``kept`` names the containers whose earlier members stay in use."""

    files: list[SourceFile]
    kept: tuple[str, ...]


def with_members(
    files: Iterable[SourceFile],
    containers: Iterable[str],
    open_: Callable[[SourceFile], AbstractContextManager[Opened]],
    read: Callable[[str], bytes],
    store: MemberStore,
    before: Callable[[str], list[SourceFile]],
) -> WithMembers:
    """Add the members of containers to the files of a corpus: each file in ``containers`` is followed by its members.

    An archive is replaced by its documents; where it is refused as a whole, it stays in the list as refused. A refused
    member has the hash of the file that holds it. ``open_`` opens a container, and ``read`` returns the bytes at a
    member's path. Where a container changes while it is opened, the members that ``before`` returns for its name stay
    in use; where there are none, it is refused. Raises all errors of ``open_`` and ``read`` but SourceChanged.
    """
    worth = frozenset(containers)
    found: list[SourceFile] = []
    kept: list[str] = []
    files = list(files)
    # In an object store, `a.zip` may be both an archive and a folder: the files in the folder keep their names.
    names = Names()
    for file in files:
        names.claim(file.file_name)
    for file in files:
        if file.file_name not in worth:
            found.append(file)
            continue
        if file.size_bytes > MAX_TOTAL_BYTES:
            limit = f"larger than {MAX_TOTAL_BYTES >> 20} MB, and not opened"
            found.append(replace(file, path="", refused=f"{file.file_name}: refused: {limit}: unpack it"))
            continue
        key = content_id("members", LOGIC_VERSION, file.document_id)
        inside = store.members(key)
        if inside is None:
            try:
                with open_(file) as opened:
                    inside = [_kept(one, read, store) for one in opened.files]
            except SourceChanged as error:
                if stays := before(file.file_name):
                    kept.append(file.file_name)
                    found += [replace(one, path=file.path) for one in stays]
                else:
                    found.append(replace(file, path="", refused=str(error)))
                continue
            if opened.is_final:
                store.put_members(key, inside)
        for one in inside:
            name = one.file_name if one.file_name == file.file_name else names.claim(one.file_name)
            found.append(replace(one, file_name=name, path=one.path or file.path, written_on=file.written_on))
    return WithMembers(found, tuple(kept))


def _kept(file: SourceFile, read: Callable[[str], bytes], store: MemberStore) -> SourceFile:
    return replace(file, path=store.put_member(read(file.path), file.content_sha256)) if file.path else file


def open_container(file: SourceFile, data: bytes, put: Callable[[bytes, str], str]) -> list[SourceFile]:
    """Open a container whose bytes are ``data`` and list its members, after ``file`` itself where it is a mail.

    ``put`` stores a member's bytes under their hash and returns their path. A listed file without a path is ``file``
    itself, or refused. A container that cannot be opened is listed as refused.
    """
    is_archive = container_kind(file.file_name, data) == "zip"
    try:
        members = expand(file.file_name, data)
    except ConversionError as error:
        # An archive that is refused as a whole, or a mail that cannot be opened: neither has anything to read.
        return [replace(file, path="", refused=str(error))]
    except RecursionError:
        return [replace(file, path="", refused=f"{file.file_name}: refused: it is nested too deeply to read")]
    opened = [] if is_archive else [replace(file, path="")]
    refused: list[SourceFile] = []
    for name, member, reason in members:
        if reason:
            refused.append(SourceFile(name, "", 0, file.content_sha256, refused=reason))
            continue
        content_sha256 = hashlib.sha256(member).hexdigest()
        opened.append(SourceFile(name, put(member, content_sha256), len(member), content_sha256))
    return opened + refused
