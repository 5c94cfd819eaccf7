"""Containers: zip archives and mails, unpacked to the documents in them, with limits against archive bombs.

Containers come from others, so no stated size, name or type is trusted: bytes are unpacked in blocks and counted, names
are checked, and links are not followed.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from tasks.conversion.mail.eml_reader import read_eml
from tasks.conversion.mail.mail import Attachment
from tasks.errors import ConversionError
from tasks.sources.file_types import (
    ContainerKind,
    begins_as_document,
    container_kind,
    is_document,
    is_passed_over,
    own_suffix,
    says_what_it_is,
)
from tasks.sources.mail_headers import HEAD_BYTES
from tasks.text.characters import clean_line

LOGIC_VERSION = "6"
"""Version of the unpacking, part of the members' cache key: raise it when the same container would give others."""

MAX_DEPTH = 4
"""Maximum depth of nested containers, the outermost and mails included."""
MAX_ENTRIES = 100_000
"""Maximum number of entries that an archive may list, read or not: each takes memory before anything is unpacked."""
MAX_MEMBERS = 10_000
MAX_TOTAL_BYTES = 1 << 30
"""Maximum unpacked size of all members of a file on disk; those of nested containers count on every level."""
MAX_MEMBER_BYTES = 1 << 28
MAX_RATIO = 200
"""Maximum ratio of unpacked to packed bytes of a member of more than :data:`RATIO_FREE_BYTES`.

Text has a ratio of 3 to 20, an archive bomb of 1,000.
"""
RATIO_FREE_BYTES = 1 << 24
BLOCK_BYTES = 1 << 16
"""Bytes unpacked at a time. As many packed bytes are read ahead: a larger block would hide a bomb's ratio at first."""

_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 1
_UTF8 = 0x800
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2})
"""Compression methods that are read. Not LZMA: an entry may ask for a dictionary of 4 GB before its first byte."""
_UNPACK_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,  # includes NotImplementedError: a feature of the format that is not supported
    ValueError,
    struct.error,
)


class Member(NamedTuple):
    """A file in a container, by its path there; without data where it is ``refused``, with that reason."""

    file_name: str
    data: bytes
    refused: str = ""


class _Counted(io.BytesIO):
    """A byte stream that counts the bytes read from it, as the sizes that an archive states are not trusted."""

    bytes_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        block = super().read(size)
        self.bytes_read += len(block)
        return block


class _TooMuch(ConversionError):
    """Error: the nested containers of a file have reached a limit as a whole.

    An archive is refused with all its members; a mail, which has a text of its own, loses only the attachment.
    ``reason`` is the message without the file's name.
    """

    def __init__(self, file_name: str, reason: str) -> None:
        super().__init__(f"{file_name}: {reason}")
        self.reason = reason


@dataclass(slots=True)
class _Budget:
    """The bytes and members that may still be unpacked from one file on disk, which is named ``file_name``."""

    file_name: str
    bytes_left: int
    members_left: int

    def spend(self, size_bytes: int) -> None:
        """Subtract unpacked bytes; raises _TooMuch where too few are left."""
        if self.bytes_left < size_bytes:
            raise self._too_much(f"unpacks to more than {_size(MAX_TOTAL_BYTES)}")
        self.bytes_left -= size_bytes

    def count_member(self) -> None:
        """Subtract one member; raises _TooMuch where none is left."""
        self.members_left -= 1
        if self.members_left < 0:
            raise self._too_much(f"holds more than {MAX_MEMBERS:,} documents")

    def _too_much(self, what: str) -> _TooMuch:
        return _TooMuch(self.file_name, f"refused: it {what}; unpack it and put the documents into the folder")


def expand(file_name: str, data: bytes) -> list[Member]:
    """Unpack all documents in the file, those of nested containers included; none for a file that is no container.

    All names begin with the file's own, and equal names are numbered. Hidden members, folders and members of kinds that
    are not read are left out. A nested mail is itself a document, a nested archive is not. Refused alone, with a reason
    to show to the user, are a member whose path leads out of the container, that is a link, encrypted or damaged, an
    archive without documents, and an attachment that reaches a limit. The limits hold for all levels together. Raises
    ConversionError where the file itself is a bomb, damaged or encrypted, or an archive holds no document or reaches a
    limit.
    """
    kind = container_kind(file_name, data)
    if kind is None:
        return []
    names = Names()
    members: list[Member] = []
    for member in _descend(file_name, data, kind, _Budget(file_name, MAX_TOTAL_BYTES, MAX_MEMBERS), 1):
        # A folder in the archive may have the same name as an archive next to it.
        name = names.claim(member.file_name)
        members.append(Member(name, member.data, f"{name}: {member.refused}" if member.refused else ""))
    return members


def _descend(file_name: str, data: bytes, kind: ContainerKind, budget: _Budget, depth: int) -> Iterator[Member]:
    found = _members(file_name, data, kind, budget)
    if kind == "zip" and not found:
        raise ConversionError(f"{file_name}: no document found in it")
    for member in found:
        name = f"{file_name}/{member.file_name}"
        inner = None if member.refused else container_kind(name, member.data)
        if inner != "zip":
            yield member._replace(file_name=name)
        if inner is None:
            continue
        if depth == MAX_DEPTH:
            reason = f"refused: it stands in more than {MAX_DEPTH - 1} other containers; unpack them"
            attached = [] if inner == "zip" else _members(name, member.data, inner, budget)
            yield from (Member(f"{name}/{one.file_name}", b"", reason) for one in attached)
            if inner == "zip":
                yield Member(name, b"", reason)
            continue
        try:
            yield from list(_descend(name, member.data, inner, budget, depth + 1))
        except _TooMuch as error:
            if kind == "zip":
                raise
            yield Member(name, b"", error.reason)
        except (ConversionError, RecursionError) as error:
            # A mail that cannot be opened has been yielded as a document: its conversion reports the error.
            if inner == "zip":
                yield Member(name, b"", str(error).removeprefix(f"{name}: "))


def _members(file_name: str, data: bytes, kind: ContainerKind, budget: _Budget) -> list[Member]:
    if kind == "zip":
        found = list(_zip_members(file_name, data, budget))
    elif kind == "eml":
        found = list(_mail_members(read_eml(data).attachments, budget))
    else:
        from tasks.conversion.mail.msg_reader import read_msg

        found = list(_mail_members(read_msg(file_name, data).attachments, budget))
    names = Names(member.file_name for member in found)
    return [member._replace(file_name=names.claim(member.file_name)) for member in found]


def _mail_members(attachments: Iterable[Attachment], budget: _Budget) -> Iterator[Member]:
    for attachment in attachments:
        name = clean_line(attachment.file_name)
        # Some programs attach files without a suffix: then the content decides.
        name += own_suffix(name, attachment.data)
        refused = attachment.refused or _why_refused(name)
        if not _is_wanted(name):
            continue
        try:
            budget.count_member()
        except _TooMuch:
            # A single row for this attachment and all that follow, of which there may be any number.
            reason = f"refused, with what is attached after it: the mail holds more than {MAX_MEMBERS:,} documents"
            yield Member(_plain(name) or name, b"", reason)
            return
        if len(attachment.data) > MAX_MEMBER_BYTES:
            refused = refused or f"refused: it is larger than {_size(MAX_MEMBER_BYTES)}"
        try:
            budget.spend(len(attachment.data))
        except _TooMuch:
            refused = refused or f"refused: with it the mail holds more than {_size(MAX_TOTAL_BYTES)}"
        yield Member(name, b"", refused) if refused else Member(_plain(name), attachment.data)


def _begins_as_one(name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    """Tell if a file without a telling suffix is a document by its first bytes, as for files in a folder."""
    if not is_passed_over(name) or says_what_it_is(name) or entry.flag_bits & _ENCRYPTED:
        return False
    try:
        with archive.open(entry) as file:
            return begins_as_document(file.read(HEAD_BYTES))
    except _UNPACK_ERRORS:
        return False


def _zip_members(file_name: str, data: bytes, budget: _Budget) -> Iterator[Member]:
    if data.count(_ENTRY) > MAX_ENTRIES:
        raise ConversionError(f"{file_name}: refused: it lists more than {MAX_ENTRIES:,} files")
    packed = _Counted(data)
    try:
        archive = zipfile.ZipFile(packed)
    except _UNPACK_ERRORS as error:
        raise ConversionError(f"{file_name}: damaged or truncated (the archive cannot be opened: {error})") from error
    with archive:
        entries = [(_entry_name(entry), entry) for entry in archive.infolist() if entry.filename and not entry.is_dir()]
        wanted = [(name, entry) for name, entry in entries if _is_wanted(name) or _begins_as_one(name, archive, entry)]
        if wanted and all(entry.flag_bits & _ENCRYPTED for _, entry in wanted):
            raise ConversionError(f"{file_name}: encrypted; unpack it with its password, or save it without")
        for name, entry in wanted:
            budget.count_member()
            refused = _why_refused(name)
            if stat.S_ISLNK(entry.external_attr >> 16):
                refused = "refused: it is a link to another file"
            elif entry.flag_bits & _ENCRYPTED:
                refused = "encrypted; unpack it with its password"
            elif entry.compress_type not in _METHODS:
                refused = "packed by a method that is not read; pack it anew as a plain zip"
            if refused:
                yield Member(name, b"", refused)
                continue
            try:
                unpacked = _unpack(file_name, archive, entry, packed, budget)
                yield Member(_plain(name) + own_suffix(name, unpacked), unpacked)
            except _UNPACK_ERRORS as error:
                what = str(error) or type(error).__name__
                yield Member(_plain(name), b"", f"damaged: it cannot be unpacked ({what})")


def _unpack(
    file_name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, packed: _Counted, budget: _Budget
) -> bytes:
    out = io.BytesIO()
    refusal = f"{file_name}: refused: {entry.filename} in it unpacks to more than"
    with archive.open(entry) as stream:
        before = packed.bytes_read
        while block := stream.read(BLOCK_BYTES):
            budget.spend(len(block))
            size_bytes = out.tell() + len(block)
            if size_bytes > MAX_MEMBER_BYTES:
                raise ConversionError(f"{refusal} {_size(MAX_MEMBER_BYTES)}")
            if size_bytes > max(RATIO_FREE_BYTES, MAX_RATIO * (packed.bytes_read - before)):
                raise ConversionError(f"{refusal} {MAX_RATIO} times its size, as what is made to fill a disk does")
            out.write(block)
    return out.getvalue()


def _entry_name(entry: zipfile.ZipInfo) -> str:
    """The entry's file name, as UTF-8 where it decodes as that: many programs write UTF-8 without setting its flag."""
    if entry.flag_bits & _UTF8:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _is_wanted(name: str) -> bool:
    """Tell if a member is a document by its suffix and folders; paths out of the container are refused later."""
    below = "/".join(part for part in name.replace("\\", "/").split("/") if part not in ("", ".", ".."))
    return is_document(below)


def _why_refused(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if not parts[0] or ".." in parts or (name[1:2] == ":" and name[:1].isalpha()):
        return "refused: its path leads out of the container"
    if "\\" in name:
        return "refused: its path is written with backslashes, which not every program takes for folders; pack it anew"
    return ""


def _plain(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def _size(size_bytes: int) -> str:
    return f"{size_bytes >> 20:,} MB"


class Names:
    """Maker of unique file names: later equal names get a number before the suffix.

    A name in ``taken`` is left to the file that has it: no numbered name becomes equal to it.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._given: set[str] = set()
        self._counts: dict[str, int] = {}

    def claim(self, name: str) -> str:
        """Return ``name``, or a numbered variant if it was returned before."""
        found, number = name, self._counts.get(name, 1)
        while found in self._given or (found != name and found in self._taken):
            number += 1
            path = PurePosixPath(name)
            found = f"{name[: len(name) - len(path.suffix)]} ({number}){path.suffix}"
        self._counts[name] = number
        self._given.add(found)
        return found
