"""The files of a corpus with what is in its archives and mails."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NoReturn

import docx
import pytest

from configs.plans import Plan, load_plan
from configs.settings import ConversionSettings, Settings
from tasks.conversion import task
from tasks.conversion.files import containers
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.conversion.files.member_cache import MemberCache
from tasks.conversion.files.members import Opened, open_container, with_members
from tasks.conversion.workers.sandbox import Sandbox
from tasks.records import SourceFile
from tasks.references import FileCounts
from tasks.sources.listing import list_files, read_file
from tasks.sources.patterns import Patterns
from tasks.sources.scan_cache import ScanCache
from tasks.storage.document_rows import DocumentRows
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake
from tests.made.containers import WORDS, make_mail, make_zip, zeros
from tests.made.pdfs import MakePdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a text, an archive with an archive, and a mail with attachments."""
    documents = tmp_path / "documents"
    documents.mkdir()
    inner = make_zip(("policy.txt", WORDS), ("../out.txt", b"x"))
    (documents / "a.txt").write_bytes(b"Plain words.")
    (documents / "offers.zip").write_bytes(make_zip(("inner.zip", inner), ("b.txt", b"More words.")))
    (documents / "mail.eml").write_bytes(make_mail(("offer.md", b"# Offer\n\nWords of it.")))
    return documents


def scanned(folder: Path, home: Path, plan: Plan) -> dict[str, SourceFile]:
    scan = task.scan_corpus.fn(str(folder), "default", Settings(home=str(home)))
    files = ScanCache(Lake(str(home))).files(scan.key)
    assert files is not None
    return {file.file_name: file for file in files}


@pytest.fixture
def plan() -> Plan:
    return load_plan("bidfolio")


def test_members_are_files_of_the_corpus(folder: Path, tmp_path: Path, plan: Plan) -> None:
    files = scanned(folder, tmp_path / "home", plan)
    assert list(files) == [
        "a.txt",
        "mail.eml",
        "mail.eml/offer.md",
        "offers.zip/inner.zip/policy.txt",
        "offers.zip/b.txt",
        "offers.zip/inner.zip/../out.txt",
    ]
    policy = files["offers.zip/inner.zip/policy.txt"]
    assert read_file(policy.path) == WORDS and policy.size_bytes == len(WORDS)
    assert policy.path.endswith(f"/home/cache/members/{policy.content_sha256}")
    assert read_file(files["mail.eml"].path) == (folder / "mail.eml").read_bytes()
    refused = files["offers.zip/inner.zip/../out.txt"]
    assert refused.refused == f"{refused.file_name}: refused: its path leads out of the container"
    assert len({file.document_id for file in files.values()}) == 6


def test_files_of_the_library_are_files_of_their_corpus(folder: Path, tmp_path: Path, plan: Plan) -> None:
    past = b"Question,Answer\nWhere do you host?,In Cork.\n"
    lake = Lake(str(tmp_path / "home"))
    lake.put(past, "library", "corpus=default", "past.csv")
    lake.put(past, "library", "corpus=another", "others.csv")
    (folder / "the same.csv").write_bytes(past)
    files = scanned(folder, tmp_path / "home", plan)
    assert read_file(files["library:past.csv"].path) == past
    assert not {"the same.csv", "past.csv", "others.csv", "library:others.csv"} & files.keys()


def test_converting_them_quarantines_what_was_refused(folder: Path, tmp_path: Path, plan: Plan) -> None:
    (folder / "empty.zip").write_bytes(make_zip(("logo.png", b"x")))
    (folder / "bomb.zip").write_bytes(zeros(32 << 20))
    (folder / "cut.zip").write_bytes(make_zip(("a.txt", WORDS))[:50])
    settings = Settings(home=str(tmp_path / "home"))
    scan = task.scan_corpus.fn(str(folder), "default", settings)
    converted = task.convert_documents.fn(scan, settings)
    assert converted.counts == FileCounts(added=5, changed=0, deleted=0, unchanged=0, quarantined=4)
    assert len(converted.newly_quarantined) == 4
    assert "empty.zip: no document found in it" in converted.newly_quarantined
    cache = ConvertedCache(Lake(settings.home))
    rows = DocumentRows(Lake(settings.home)).document_rows("default", converted.key) or []
    reasons = {row["file_name"]: row["reason"] for row in rows if row["status"] == "quarantined"}
    assert reasons["empty.zip"] == "empty.zip: no document found in it"
    assert "200 times" in reasons["bomb.zip"] and "damaged" in reasons["cut.zip"]
    assert all(cache.document(row["document_id"]) is not None for row in rows)
    kinds = {row["file_name"]: row["kind"] for row in rows if row["status"] == "indexed"}
    assert kinds["mail.eml"] == "eml" and kinds["mail.eml/offer.md"] == "md"

    Lake(settings.home).write("documents", rows, corpus="default")
    again = task.scan_corpus.fn(str(folder), "default", settings)
    assert again.counts == FileCounts(added=0, changed=0, deleted=0, unchanged=5, quarantined=4)
    assert again.key == scan.key
    (folder / "offers.zip").write_bytes(make_zip(("b.txt", b"Other words."), ("c.txt", WORDS)))
    changed = task.scan_corpus.fn(str(folder), "default", settings)
    assert changed.counts == FileCounts(added=1, changed=1, deleted=2, unchanged=3, quarantined=3)
    assert task.convert_documents.fn(changed, settings).newly_quarantined == ()


def test_an_unchanged_container_is_not_opened_again(
    folder: Path, tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    first = scanned(folder, home, plan)
    opened: list[str] = []
    usual = Sandbox.opened

    def watch(sandbox: Sandbox, file: SourceFile) -> AbstractContextManager[Opened]:
        opened.append(file.file_name)
        return usual(sandbox, file)

    monkeypatch.setattr(Sandbox, "opened", watch)
    assert scanned(folder, home, plan) == first and opened == []

    # A home that has moved still finds what it kept.
    shutil.move(home, tmp_path / "moved")
    moved = scanned(folder, tmp_path / "moved", plan)
    assert opened == [] and list(moved) == list(first)
    assert read_file(moved["offers.zip/b.txt"].path) == b"More words."

    (tmp_path / "moved" / "cache" / "members" / moved["offers.zip/b.txt"].content_sha256).unlink()
    assert scanned(folder, tmp_path / "moved", plan) == moved and opened == ["offers.zip"]
    assert read_file(moved["offers.zip/b.txt"].path) == b"More words."


def test_a_container_that_changes_during_the_scan_is_told(
    folder: Path, tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = list_files(str(folder))
    assert listing.containers == {"mail.eml", "offers.zip"}
    monkeypatch.setattr(task, "list_files", lambda *_: listing)
    (folder / "offers.zip").write_bytes(make_zip(("x.txt", b"x")))
    refused = scanned(folder, tmp_path / "home", plan)["offers.zip"]
    assert refused.refused == "offers.zip changed while it was being read: run the same command again"


@pytest.fixture
def opening_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers are opened in this process, where a test can lower what they may hold."""
    folder = tmp_path / "opened"
    folder.mkdir()

    def put(data: bytes, content_sha256: str) -> str:
        (folder / content_sha256).write_bytes(data)
        return (folder / content_sha256).as_uri()

    def opened(_: Sandbox, file: SourceFile) -> AbstractContextManager[Opened]:
        return nullcontext(Opened(open_container(file, read_file(file.path), put)))

    monkeypatch.setattr(Sandbox, "opened", opened)


@pytest.mark.usefixtures("opening_here")
@pytest.mark.parametrize(
    ("limit", "allowed", "reason"),
    [
        ("MAX_MEMBERS", 1, "refused, with what is attached after it: the mail holds more than 1 documents"),
        ("MAX_MEMBER_BYTES", 1 << 20, "refused: it is larger than 1 MB"),
        ("MAX_TOTAL_BYTES", 1 << 20, "refused: with it the mail holds more than 1 MB"),
    ],
)
def test_a_mail_keeps_its_text_where_an_attachment_is_too_much(
    folder: Path,
    tmp_path: Path,
    plan: Plan,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    allowed: int,
    reason: str,
) -> None:
    monkeypatch.setattr(containers, limit, allowed)
    (folder / "mail.eml").write_bytes(make_mail(("a.txt", WORDS), ("b.txt", b"x" * (2 << 20)), ("c.txt", WORDS)))
    settings = Settings(home=str(tmp_path / "home"))
    converted = task.convert_documents.fn(task.scan_corpus.fn(str(folder), "default", settings), settings)
    rows = DocumentRows(Lake(settings.home)).document_rows("default", converted.key) or []
    mail = {row["file_name"]: row for row in rows if row["file_name"].startswith("mail.eml")}
    assert mail["mail.eml"]["status"] == "indexed" and mail["mail.eml/a.txt"]["status"] == "indexed"
    reasons = {name: row["reason"] for name, row in mail.items() if row["status"] == "quarantined"}
    assert reasons == {"mail.eml/b.txt": f"mail.eml/b.txt: {reason}"}
    assert ("mail.eml/c.txt" in mail) is (limit != "MAX_MEMBERS"), "what comes after one too many has no row"


@pytest.mark.usefixtures("opening_here")
def test_an_archive_that_is_too_much_costs_its_mail_alone_that_attachment(
    folder: Path, tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "MAX_TOTAL_BYTES", 3 << 20)
    large = make_zip(*((f"{n}.txt", bytes(range(256)) * 4096) for n in range(4)))
    (folder / "mail.eml").write_bytes(make_mail(("large.zip", large), ("note.txt", WORDS)))
    files = scanned(folder, tmp_path / "home", plan)
    assert files["mail.eml"].refused == "" and files["mail.eml/note.txt"].refused == ""
    assert files["mail.eml/large.zip"].refused.startswith("mail.eml/large.zip: refused: it unpacks to more than 3 MB")
    assert not any(name.startswith("mail.eml/large.zip/") for name in files)


def test_a_file_that_was_too_much_is_tried_again_under_other_limits(tmp_path: Path, plan: Plan) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_bytes(WORDS)
    home = str(tmp_path / "home")
    tight = Settings(home=home, conversion=ConversionSettings(seconds=0.01))
    scan = task.scan_corpus.fn(str(folder), "default", tight)
    (reason,) = task.convert_documents.fn(scan, tight).newly_quarantined
    assert reason == "a.txt: refused: reading it takes more than 0.01 s (BIDFOLIO_CONVERSION_SECONDS)"
    rows = DocumentRows(Lake(home)).document_rows("default", scan.key) or []
    Lake(home).write("documents", rows, corpus="default")
    assert not task.scan_corpus.fn(str(folder), "default", tight).is_readable_now
    usual = Settings(home=home)
    scan = task.scan_corpus.fn(str(folder), "default", usual)
    assert scan.is_readable_now
    assert task.convert_documents.fn(scan, usual).counts == FileCounts(0, 1, 0, 0, 0)


def test_a_name_that_is_not_utf_8_costs_that_file(tmp_path: Path, plan: Plan) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.txt").write_bytes(WORDS)
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_bytes(WORDS)
    except OSError:
        pytest.skip("this file system has no such names")
    settings = Settings(home=str(tmp_path / "home"))
    converted = task.convert_documents.fn(task.scan_corpus.fn(str(folder), "default", settings), settings)
    assert converted.counts == FileCounts(added=1, changed=0, deleted=0, unchanged=0, quarantined=1)
    assert converted.newly_quarantined == (r"caf\xe9.txt: refused: its name is not written in UTF-8: rename it",)


def test_a_container_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    cache = MemberCache(Lake(str(tmp_path)))
    large = SourceFile("large.zip", "file:///large.zip", containers.MAX_TOTAL_BYTES + 1, "0")

    def never(what: object) -> NoReturn:
        raise AssertionError(what)

    (refused,) = with_members([large], ["large.zip"], never, never, cache, never).files
    assert refused.refused == "large.zip: refused: larger than 1024 MB, and not opened: unpack it"


def refused_under(folder: Path, home: Path, plan: Plan, **limits: Any) -> dict[str, str]:
    settings = Settings(home=str(home), conversion=ConversionSettings(**limits))
    scan = task.scan_corpus.fn(str(folder), "default", settings)
    assert task.convert_documents.fn(scan, settings).counts == FileCounts(0, 0, 0, 0, 1)
    return {file.file_name: file.refused for file in ScanCache(Lake(str(home))).files(scan.key) or []}


def test_a_container_is_opened_within_the_limits_of_any_file(
    tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, home, temporary = tmp_path / "documents", tmp_path / "home", tmp_path / "temporary"
    for path in (folder, temporary):
        path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (folder / "mail.eml").write_bytes(make_mail(("offer.md", b"# Offer")))
    said = "mail.eml: refused: reading it takes more than 0.01 s (BIDFOLIO_CONVERSION_SECONDS)"
    assert refused_under(folder, home, plan, seconds=0.01) == {"mail.eml": said}
    settings = Settings(home=str(home), conversion=ConversionSettings(workers=1))
    # What was too much then is opened, and read, where there is more of it.
    scan = task.scan_corpus.fn(str(folder), "default", settings)
    assert task.convert_documents.fn(scan, settings).counts == FileCounts(2, 0, 0, 0, 0)

    (folder / "mail.eml").rename(tmp_path / "mail.eml")
    (folder / "large.zip").write_bytes(make_zip(*((f"{number}.txt", bytes(15 << 20)) for number in range(30))))
    said = "large.zip: refused: reading it takes more than 512 MB of memory (BIDFOLIO_CONVERSION_MEMORY_MB)"
    assert refused_under(folder, home, plan, memory_mb=512) == {"large.zip": said}
    assert not list(temporary.iterdir()), "no folder stays"


def test_a_file_whose_name_says_nothing_is_told_by_its_content(tmp_path: Path, make_pdf: MakePdf) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    pdf, package = make_pdf([[(72, 700, "Backups are kept for 35 days.")]]), io.BytesIO()
    docx.Document().save(package)
    for name, data in {
        "Policy v2.1": pdf,
        "Terms of Acme Inc. final": pdf,
        "Annex": package.getvalue(),
        "README": b"Backups",
        "archive": b"PK\x03\x04 with nothing of Office in it",
        "old.bak": pdf,
        "Offer.signed": pdf,
        "notes.final": b"Backups",
        "logo.PNG": b"\x89PNG",
        "photo.png": b"\x89PNG",
        ".hidden": pdf,
    }.items():
        (folder / name).write_bytes(data)
    found = list_files(str(folder))
    assert [file.file_name for file in found.files] == [
        "Annex",
        "Offer.signed",
        "Policy v2.1",
        "Terms of Acme Inc. final",
    ]
    assert found.passed_over == {".png": 2, "": 2, ".final": 1, ".bak": 1}
    kept_out = list_files(str(folder), Patterns(exclude=("Annex", "*.png")))
    assert [file.file_name for file in kept_out.files] == ["Offer.signed", "Policy v2.1", "Terms of Acme Inc. final"]
    assert kept_out.passed_over == {"": 2, ".final": 1, ".bak": 1}


def test_what_bidfolio_wrote_itself_is_no_document(folder: Path, tmp_path: Path, plan: Plan) -> None:
    copies = FilledCopies(Lake(str(tmp_path / "home")))
    for name, record in (("a.answered.csv", {}), ("b.evidence.csv", {}), ("c.answered.csv", {"evidence": "inline"})):
        (folder / name).write_text("Question,Answer\nWhere are you?,In Leeds.\n", encoding="utf-8")
        copies.record(folder / name, record, b"")
    files = scanned(folder, tmp_path / "home", plan)
    assert {"a.txt", "c.answered.csv"} <= files.keys() and not {"a.answered.csv", "b.evidence.csv"} & files.keys()
    scan = task.scan_corpus.fn(str(folder), "default", Settings(home=str(tmp_path / "home")))
    assert (task.OWN, 2) in scan.passed_over


def test_a_folder_goes_into_the_corpus_that_came_from_there(tmp_path: Path) -> None:
    settings, documents = Settings(home=str(tmp_path / "home")), tmp_path / "documents"
    assert task.corpus_of(str(documents), settings) == "default"

    row = {"corpus": "demo", "document_id": "d", "file_name": "a.txt", "content_sha256": "0", "status": "indexed"}
    Lake(settings.home).write("documents", [row | {"source": str(documents)}], corpus="demo")

    assert task.corpus_of(f"{documents}/", settings) == "demo"
    assert task.corpus_of(str(tmp_path / "other"), settings) == "default"
