"""The files of a corpus with what is in them: each container's members become files of their own.

Their bytes are kept by content, so that they are read like any file, and an unchanged container is not unpacked
again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple, Protocol

from tasks.conversion.containers import LOGIC_VERSION, MAX_TOTAL_BYTES, Names, expand
from tasks.conversion.detect import container_kind
from tasks.errors import ConversionError, SourceChanged
from tasks.records import SourceFile, content_id


class Opened(NamedTuple):
    """What a container gave: its members, each with a path where its bytes lie for now.

    Not ``is_final`` is what another try may give otherwise: it took too long, or crashed who opened it.
    """

    files: list[SourceFile]
    is_final: bool = True


class MemberStore(Protocol):
    """Where the members of containers are kept."""

    def put_members(self, key: str, files: Iterable[SourceFile], /) -> None:
        """Keeps what a container gave. What has no path has no bytes of its own here."""
        ...

    def members(self, key: str, /) -> list[SourceFile] | None:
        """What a container gave, each with its path in this store; None where that, or a member's bytes, are gone."""
        ...

    def put_member(self, data: bytes, content_sha256: str, /) -> str:
        """Keeps a member's bytes; gives the path by which they are read."""
        ...


class WithMembers(NamedTuple):
    """The files of a corpus and those in them; ``kept`` are the containers of which the documents of before stay."""

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
    """``files`` in their order, each of those named in ``containers`` followed by the documents in it.

    An archive gives way to its documents, and stays, refused, where it is refused as a whole. A refused member has
    the hash of the file that holds it. ``open_`` gives what is in a file, ``read`` the bytes at a path of that. Where
    the container is written to meanwhile, what ``before`` gives for its name stays of it; where that is nothing, it is
    refused. Raises what ``open_`` and ``read`` do but SourceChanged.
    """
    worth = frozenset(containers)
    found: list[SourceFile] = []
    kept: list[str] = []
    files = list(files)
    # In a store, `a.zip` may be an archive and a folder, too: what lies in the folder keeps its name.
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
    """The documents in ``file``, whose bytes are ``data``; ``put`` is given a member's bytes and their hash, and gives
    the path where they lie. What has no path has no bytes of its own, or is ``file`` itself.
    """
    is_archive = container_kind(file.file_name, data) == "zip"
    try:
        members, refused = expand(file.file_name, data)
    except ConversionError as error:
        # An archive that is refused as a whole; a mail that cannot be opened has nothing to read either.
        return [replace(file, path="", refused=str(error))]
    except RecursionError:
        return [replace(file, path="", refused=f"{file.file_name}: refused: it is nested too deeply to read")]
    opened = [] if is_archive else [replace(file, path="")]
    for member in members:
        content_sha256 = hashlib.sha256(member.data).hexdigest()
        path = put(member.data, content_sha256)
        opened.append(SourceFile(member.file_name, path, len(member.data), content_sha256))
    return opened + [SourceFile(one.file_name, "", 0, file.content_sha256, refused=one.reason) for one in refused]
