"""Archives and mails: what is in them comes out, or is refused with a reason."""

from __future__ import annotations

import stat
import struct
import time
import zipfile
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.conversion.files import containers
from tasks.conversion.files.containers import Member
from tasks.errors import ConversionError
from tasks.sources.file_types import container_kind, detect_kind
from tests.made.containers import WORDS, make_mail, make_zip, zeros
from tests.made.outlook_messages import make_msg


class Expansion(NamedTuple):
    """The members of a container, and its refusals."""

    members: list[Member]
    refused: list[Member]


def expand(name: str, data: bytes) -> Expansion:
    found = containers.expand(name, data)
    assert all(member.data == b"" for member in found if member.refused)
    return Expansion([one for one in found if not one.refused], [one for one in found if one.refused])


def names(expansion: Expansion) -> list[str]:
    return [member.file_name for member in expansion.members]


def reason(data: bytes) -> str:
    with pytest.raises(ConversionError) as error:
        expand("a.zip", data)
    assert str(error.value).startswith("a.zip: ")
    return str(error.value)


def test_documents_come_out_and_the_rest_is_left_aside() -> None:
    aside = ("logo.png", "run.exe", ".hidden.pdf", ".git/a.txt", "__MACOSX/._a.pdf", "~$b.docx", "folder/")
    data = make_zip(("a.txt", WORDS), ("deep/er/b.md", b"b"), ("old.doc", b"c"), *((name, b"x") for name in aside))
    assert [member.data for member in expand("in/a.zip", data).members] == [WORDS, b"b", b"c"]
    assert names(expand("in/a.zip", data)) == ["in/a.zip/a.txt", "in/a.zip/deep/er/b.md", "in/a.zip/old.doc"]


def test_a_member_whose_name_does_not_say_what_it_is_is_what_its_bytes_are() -> None:
    pdf, word = b"%PDF-1.7 ...", make_zip(("[Content_Types].xml", b""), ("word/document.xml", b"x"))
    entries = [("PDF without suffix", pdf), ("Contract.signed", pdf), ("Policy v2.1", word), ("logo.png", pdf)]
    data = make_zip(*entries, ("Makefile", WORDS), (".hidden", pdf), ("broken", b"%PD"), ("a.bak", pdf))
    assert names(expand("a.zip", data)) == [
        "a.zip/PDF without suffix.pdf",
        "a.zip/Contract.signed.pdf",
        "a.zip/Policy v2.1.docx",
    ]


def test_what_is_no_container_holds_nothing() -> None:
    office = make_zip(("[Content_Types].xml", b""), ("word/document.xml", b"x"))
    for name, data in (("a.docx", office), ("a.zip", office), ("a.txt", WORDS), ("a.zip", WORDS), ("a.zip", b"")):
        assert container_kind(name, data) is None
        assert expand(name, data) == ([], [])


def test_an_archive_with_a_folder_named_word_is_no_word_file() -> None:
    data = make_zip(("word/offer.txt", WORDS), ("xl/b.txt", WORDS))
    assert names(expand("a.zip", data)) == ["a.zip/word/offer.txt", "a.zip/xl/b.txt"]


def test_a_stored_pdf_does_not_make_its_archive_a_pdf() -> None:
    data = make_zip(("a.pdf", b"%PDF-1.7"), method=zipfile.ZIP_STORED)
    assert names(expand("a.zip", data)) == ["a.zip/a.pdf"]
    with pytest.raises(ConversionError, match="a zip archive"):
        detect_kind("a.pdf", data)


def test_an_archive_in_a_mail_in_an_archive() -> None:
    inner = make_zip(("policy.txt", WORDS), ("b.txt", b"b"))
    mail = make_mail(("offer.zip", inner), ("inline.png", b"x"), ("c.docx", b"c"))
    got = expand("outer.zip", make_zip(("mails/mail.eml", mail), ("d.txt", b"d")))
    assert names(got) == [
        "outer.zip/mails/mail.eml",
        "outer.zip/mails/mail.eml/offer.zip/policy.txt",
        "outer.zip/mails/mail.eml/offer.zip/b.txt",
        "outer.zip/mails/mail.eml/c.docx",
        "outer.zip/d.txt",
    ]
    assert got.members[1].data == WORDS and got.refused == []


def test_an_attachment_without_a_suffix_is_what_its_bytes_are() -> None:
    pdf = b"%PDF-1.7 ..."
    mail = make_mail(("Our policy v1.2", pdf), ("policy.pdf", pdf), ("signature.asc", b"-----BEGIN"), ("notes", WORDS))
    assert names(expand("m.eml", mail)) == ["m.eml/Our policy v1.2.pdf", "m.eml/policy.pdf"]
    saved = make_msg(subject="x", attachments=[("policy", pdf)])
    assert names(expand("m.msg", saved)) == ["m.msg/policy.pdf"]


def test_an_attachment_without_a_name_is_a_document_of_its_mail() -> None:
    part = b"Content-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\n%s\r\n"
    head = b"From: a@b.example\r\nDate: Mon, 2 Mar 2026 09:30:00 +0100\r\n"
    head += b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    mail = head + b"--b\r\n" + (part % WORDS) + b"--b\r\n" + (part % b"More words.") + b"--b--\r\n"
    got = expand("m.eml", mail)
    assert names(got) == ["m.eml/attachment.txt", "m.eml/attachment (2).txt"] and got.members[0].data == WORDS
    saved = make_msg(subject="x", attachments=[("", b"%PDF-1.7 ..."), ("", b"\x89PNG")])
    assert names(expand("m.msg", saved)) == ["m.msg/attachment.pdf"]


def test_an_outlook_mail_holds_its_attachments() -> None:
    inner = make_msg(subject="Inner", body="x", attachments=[("deep.txt", b"deep")])
    data = make_msg(subject="x", attachments=[("a.txt", WORDS), ("logo.png", b"x")], inner=[inner])
    assert names(expand("m.msg", data)) == ["m.msg/a.txt", "m.msg/Inner.eml", "m.msg/Inner.eml/deep.txt"]


@pytest.mark.parametrize(
    "name", ["../a.txt", "x/../../a.txt", "/etc/a.txt", "C:/a.txt", "C:a.txt", "..\\a.txt", "x\\a.txt"]
)
def test_a_member_that_climbs_out_is_refused_alone(name: str) -> None:
    got = expand("a.zip", make_zip((name, b"x"), ("good.txt", WORDS)))
    assert names(got) == ["a.zip/good.txt"]
    why = "is written with backslashes" if name == "x\\a.txt" else "leads out of the container"
    assert len(got.refused) == 1 and got.refused[0].refused.startswith(f"a.zip/{name}: refused: its path {why}")
    attached = expand("m.eml", make_mail((name, b"x"), ("good.txt", WORDS)))
    assert names(attached) == ["m.eml/good.txt"] and len(attached.refused) == 1


def test_a_link_is_refused_alone() -> None:
    link = zipfile.ZipInfo("passwords.txt")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    got = expand("a.zip", make_zip((link, b"/etc/passwd"), ("good.txt", WORDS)))
    assert names(got) == ["a.zip/good.txt"] and "link" in got.refused[0].refused


def test_members_of_one_name_are_numbered() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = make_zip(*((n, n.encode() + bytes([i])) for i, n in enumerate(["a.txt", "a (2).txt", "a.txt", "a.txt"])))
    assert [(m.file_name, m.data[-1]) for m in expand("a.zip", data).members] == [
        ("a.zip/a.txt", 0),
        ("a.zip/a (2).txt", 1),
        ("a.zip/a (3).txt", 2),
        ("a.zip/a (4).txt", 3),
    ]


def test_a_folder_named_as_an_archive_beside_it() -> None:
    data = make_zip(("x.zip/a.txt", b"1"), ("x.zip", make_zip(("a.txt", b"2"))))
    assert [(m.file_name, m.data) for m in expand("o.zip", data).members] == [
        ("o.zip/x.zip/a.txt", b"1"),
        ("o.zip/x.zip/a (2).txt", b"2"),
    ]


@pytest.mark.parametrize("name", ['🔒 it\'s "safe".txt', "Größe/日本.txt", "x" * 251 + ".txt", "a\nb.txt", "$(rm).txt"])
def test_odd_names_survive(name: str) -> None:
    assert names(expand("a.zip", make_zip((name, b"x")))) == [f"a.zip/{name}"]


def test_an_entry_without_a_name_is_left_aside() -> None:
    data = bytearray(make_zip(("b.txt", WORDS), ("x", WORDS)))
    one, none = b"\x01\x00\x00\x00", b"\x00\x00\x01\x00"  # lengths: of the name, of what else is said
    for header, lengths_at in ((b"PK\x03\x04", 26), (b"PK\x01\x02", 28)):
        at = data.rindex(header) + lengths_at
        assert data[at : at + 4] == one
        data[at : at + 4] = none
    assert names(expand("a.zip", bytes(data))) == ["a.zip/b.txt"]


def test_names_without_the_flag_for_utf8() -> None:
    def written_as(encoding: str) -> bytes:
        raw = "Größe.txt".encode(encoding)
        data = make_zip(("x" * len(raw) + ".txt"[:0], b"x"))
        return data.replace(b"x" * len(raw), raw)

    for encoding in ("cp437", "utf-8"):
        assert names(expand("a.zip", written_as(encoding))) == ["a.zip/Größe.txt"]


def flagged(data: bytes, only: bytes = b"") -> bytes:
    """The archive with its entries, or that of one name, marked as encrypted."""
    raw = bytearray(data)
    for magic, flags, name in ((b"PK\x01\x02", 8, 46), (b"PK\x03\x04", 6, 30)):
        at = raw.find(magic)
        while at >= 0:
            if raw[at + name :].startswith(only):
                raw[at + flags] |= 1
            at = raw.find(magic, at + 4)
    return bytes(raw)


def test_an_encrypted_archive_is_refused_and_a_member_alone() -> None:
    data = make_zip(("a.txt", WORDS), ("b.txt", WORDS))
    assert "encrypted" in reason(flagged(data))
    got = expand("a.zip", flagged(data, b"b.txt"))
    assert names(got) == ["a.zip/a.txt"] and "a.zip/b.txt: encrypted" in got.refused[0].refused


def test_a_damaged_archive_says_so_and_a_damaged_member_is_refused_alone() -> None:
    data = make_zip(("a.txt", WORDS * 9), ("b.txt", b"b"), method=zipfile.ZIP_STORED)
    assert "damaged" in reason(data[:60])
    got = expand("a.zip", data.replace(WORDS, WORDS[::-1], 1))
    assert names(got) == ["a.zip/b.txt"] and "damaged" in got.refused[0].refused


def test_an_archive_that_holds_no_document() -> None:
    for data in (make_zip(), make_zip(("a.png", b"x"))):
        assert "no document found in it" in reason(data)
    nested = expand("o.zip", make_zip(("a.zip", make_zip()), ("a.txt", WORDS)))
    assert names(nested) == ["o.zip/a.txt"]
    assert nested.refused[0].refused == "o.zip/a.zip: no document found in it"


def test_a_method_that_is_not_read() -> None:
    got = expand("a.zip", make_zip(("a.txt", WORDS), method=zipfile.ZIP_LZMA))
    assert got.members == [] and "packed by a method" in got.refused[0].refused
    assert names(expand("a.zip", make_zip(("a.txt", WORDS), method=zipfile.ZIP_BZIP2))) == ["a.zip/a.txt"]


# Bombs


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = zeros(2 << 30)
    assert len(bomb) < 20 << 20
    start = time.process_time()
    assert "200 times its size" in reason(bomb)
    assert time.process_time() - start < 5


def test_a_bomb_within_is_refused_alone() -> None:
    got = expand("o.zip", make_zip(("bomb.zip", zeros(64 << 20)), ("m.eml", make_mail(("b.zip", zeros(64 << 20))))))
    assert names(got) == ["o.zip/m.eml"]
    assert [one.file_name for one in got.refused] == ["o.zip/bomb.zip", "o.zip/m.eml/b.zip"]


def test_a_size_that_lies_is_not_believed() -> None:
    raw = bytearray(make_zip(("a.txt", bytes(40 << 20)), ("b.txt", WORDS)))
    struct.pack_into("<I", raw, raw.find(b"PK\x01\x02") + 24, 10)
    got = expand("a.zip", bytes(raw))
    assert names(got) == ["a.zip/b.txt"] and "damaged" in got.refused[0].refused


def test_a_stated_size_of_packed_bytes_is_not_believed() -> None:
    raw = bytearray(make_zip(("a.txt", bytes(40 << 20))))
    assert struct.unpack_from("<I", raw, raw.find(b"PK\x01\x02") + 20)[0] < 1 << 20
    struct.pack_into("<I", raw, raw.find(b"PK\x01\x02") + 20, 0x7FFFFFFF)
    got = expand("a.zip", bytes(raw))
    assert got.members == [] and got.refused[0].refused == "a.zip/a.txt: damaged: it cannot be unpacked (EOFError)"


def test_the_limits_hold_for_the_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    level = make_zip(*((f"{n}.txt", bytes(range(256)) * 400) for n in range(5)))
    tree = make_zip(*((f"{n}.zip", level) for n in range(5)))
    assert len(expand("a.zip", tree).members) == 25
    monkeypatch.setattr(containers, "MAX_TOTAL_BYTES", 2 << 20)
    assert len(expand("a.zip", level).members) == 5
    assert "unpacks to more than 2 MB" in reason(tree)
    monkeypatch.undo()
    monkeypatch.setattr(containers, "MAX_MEMBERS", 20)
    assert "more than 20 documents" in reason(tree)
    monkeypatch.undo()
    monkeypatch.setattr(containers, "MAX_MEMBER_BYTES", 1 << 16)
    assert "0.txt in it unpacks to more than" in reason(level)
    monkeypatch.setattr(containers, "MAX_ENTRIES", 4)
    assert "lists more than 4 files" in reason(level)


def test_containers_stand_in_one_another_to_a_depth() -> None:
    data = make_zip(("deepest.txt", WORDS))
    for _ in range(containers.MAX_DEPTH - 1):
        data = make_zip(("in.zip", data), ("beside.txt", b"x"))
    assert len(names(expand("a.zip", data))) == containers.MAX_DEPTH
    got = expand("a.zip", make_zip(("in.zip", data)))
    assert got.refused[0].file_name == "a.zip" + "/in.zip" * containers.MAX_DEPTH
    assert "stands in more than 3 other containers" in got.refused[0].refused
    mail = make_mail(("last.txt", WORDS))
    for _ in range(containers.MAX_DEPTH):
        mail = make_mail(("in.eml", mail))
    last = expand("a.eml", mail)
    assert len(last.members) == containers.MAX_DEPTH and last.refused[0].file_name.endswith("in.eml/last.txt")


# Whatever goes in comes out, or is refused with a reason


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00/\\:"), min_size=1, max_size=12).map(
    lambda stem: f"{stem.lstrip('.~') or 'x'}.txt"
)
PATHS = st.one_of(NAMES, st.tuples(NAMES, NAMES).map("/".join), NAMES.map("../{}".format))
Tree = dict[str, "bytes | Tree"]
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.dictionaries(PATHS, st.binary(max_size=40), min_size=1, max_size=4),
    lambda inner: st.dictionaries(NAMES, st.one_of(st.binary(max_size=40), inner), min_size=1, max_size=3),
    max_leaves=12,
)


def packed(tree: Tree) -> bytes:
    return make_zip(
        *((name + ".zip", packed(value)) if isinstance(value, dict) else (name, value) for name, value in tree.items())
    )


def leaves(tree: Tree, depth: int = 1) -> list[tuple[bytes | None, bool]]:
    """Each leaf's bytes and whether it is refused; a container that stands too deep is one leaf of None."""
    found: list[tuple[bytes | None, bool]] = []
    for name, value in tree.items():
        if isinstance(value, dict):
            found += leaves(value, depth + 1) if depth < containers.MAX_DEPTH else [(None, True)]
        else:
            found.append((value, name.startswith("../")))
    return found


@given(TREES)
def test_whatever_goes_in_comes_out_or_is_refused(tree: Tree) -> None:
    got = expand("a.zip", packed(tree))
    expected = leaves(tree)
    assert sorted(m.data for m in got.members) == sorted(
        data for data, lost in expected if data is not None and not lost
    )
    assert len(got.refused) == sum(lost for _, lost in expected)
    assert all(one.refused.startswith(one.file_name + ": ") for one in got.refused)
    everything = [*names(got), *(one.file_name for one in got.refused)]
    assert len(everything) == len(set(everything)) and all(name.startswith("a.zip/") for name in everything)


@given(st.binary(max_size=60), st.integers(0, 400))
def test_no_bytes_make_an_archive_raise_anything_else(rubbish: bytes, at: int) -> None:
    data = make_zip(("a.txt", WORDS), ("b/c.md", WORDS * 3))
    try:
        expand("a.zip", data[:at] + rubbish + data[at + len(rubbish) :])
    except ConversionError as error:
        assert str(error).startswith("a.zip: ")
