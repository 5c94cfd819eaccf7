"""A refresh of a folder in which nearly everything is wrong: the good files are published, the bad ones say why."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption

from tests.made import bad_files as bad
from tests.made.bad_files import QUARANTINED
from tests.made.commands import Bidfolio
from tests.made.containers import make_mail, zeros
from tests.made.pdfs import pdf_of_pages
from tests.made.published import Published
from tests.made.questionnaires import ENCRYPTED
from tests.made.run_results import counts, rows_of

MASCOT = "The mascot of our company is a green hedgehog named Igor."
ODD_NAMES = ("two  blanks.txt", 'it\'s "quoted" 🔒.txt', "x" * 251 + ".txt")


def write_bad_folder(folder: Path) -> dict[str, str]:
    """Fills the folder with good and bad files; the bad ones' names, each with a part of its reason."""
    for name, (make, _) in QUARANTINED.items():
        (folder / name).write_bytes(make())
    expected = {name: part for name, (_, part) in QUARANTINED.items()}
    page = [(72, 700, bad.WORDS)]
    for name, password in (("open.pdf", ""), ("locked.pdf", "secret")):
        (folder / name).write_bytes(pdf_of_pages([page], encrypt=StandardEncryption(password, ownerPassword="owner")))
    expected["locked.pdf"] = "encrypted; save it without its password"
    (folder / "tree-loops.pdf").write_bytes(bad.looping_pdf())
    (folder / "states-pages.pdf").write_bytes(bad.declaring_pdf(100_000))
    (folder / "one-page.pdf").write_bytes(bad.many_pages_pdf(300, {151: MASCOT}))
    (folder / "is-html.pdf").write_bytes(f"<!doctype html><html><body><p>{bad.WORDS}</p></body></html>".encode())
    (folder / "is-pdf.docx").write_bytes(bad.one_page_pdf(bad.says(bad.WORDS)))
    for name in ODD_NAMES:
        (folder / name).write_text("Visitors are escorted at all times.\n", encoding="utf-8")
    (folder / "nested.zip").write_bytes(
        bad.zip_of(
            [("in.zip", bad.zip_of([("deep.txt", b"Deep words.")])), ("../out.txt", b"x"), ("/etc/out.txt", b"x")]
        )
    )
    (folder / "bomb.zip").write_bytes(zeros(32 << 20))
    (folder / "mail.eml").write_bytes(make_mail(("bomb.zip", zeros(32 << 20)), ("note.txt", b"Attached words.")))
    expected |= {
        "nested.zip/../out.txt": "its path leads out",
        "nested.zip//etc/out.txt": "its path leads out",
        "bomb.zip": "more than 200 times its size",
        "mail.eml/bomb.zip": "more than 200 times its size",
    }
    os.mkfifo(folder / "pipe.txt")
    (folder / "nowhere.pdf").symlink_to(folder / "gone.pdf")
    (folder / "sub").mkdir()
    (folder / "sub" / "loop").symlink_to(folder)
    no_files = {"pipe.txt": "it is no file", "nowhere.pdf": "it is no file", "sub/loop": "a folder that it stands in"}
    return expected | no_files


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_the_good_files_of_a_bad_folder_are_published(prefect_server: None, bidfolio: Bidfolio, corpus: Path) -> None:
    expected = write_bad_folder(corpus)
    refreshed = bidfolio("--json", "refresh", corpus)
    assert refreshed.exit_code == 1, refreshed.err

    reasons = dict(rows_of(bidfolio, "SELECT file_name, reason FROM documents WHERE status = 'quarantined'"))
    assert reasons.keys() == expected.keys()
    for name, reason in reasons.items():
        assert reason.startswith(f"{name}: ") and expected[name] in reason, reason
    good = {name for (name,) in rows_of(bidfolio, "SELECT file_name FROM documents WHERE status = 'indexed'")}
    assert good == {
        "hosting.txt",
        "past.csv",
        "policy.pdf",
        "open.pdf",
        "tree-loops.pdf",
        "states-pages.pdf",
        "one-page.pdf",
        "is-html.pdf",
        "is-pdf.docx",
        "nested.zip/in.zip/deep.txt",
        "mail.eml",
        "mail.eml/note.txt",
        *ODD_NAMES,
    }
    assert refreshed.summary["documents"] == counts(added=len(good), quarantined=len(expected))
    found = bidfolio("--json", "ask", "What is the mascot of your company?").summary["citations"][0]
    assert (found["file_name"], found["page_number"]) == ("one-page.pdf", 151)

    again = bidfolio("--json", "refresh", corpus)
    assert again.exit_code == 0, "what is known to be bad is not told twice"
    assert again.summary["documents"] == counts(unchanged=len(good), quarantined=len(expected))


def test_a_renamed_file_costs_no_conversion_and_no_embedding(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    (published.documents / "policies").mkdir()
    (published.documents / "policy.pdf").rename(published.documents / "policies" / "security.pdf")
    # A worker would be asked for any other file.
    monkeypatch.setattr(
        "tasks.conversion.workers.sandbox._Worker.convert", lambda _worker, file, _request: pytest.fail(file.file_name)
    )
    refreshed = bidfolio("--json", "refresh", published.documents)
    assert refreshed.exit_code == 0, refreshed.err
    assert refreshed.summary["documents"] == counts(added=1, deleted=1, unchanged=2)
    assert (refreshed.summary["renamed"], refreshed.summary["embedded"]) == (1, 0)
    citations = bidfolio("--json", "ask", ENCRYPTED).summary["citations"]
    assert {citation["file_name"] for citation in citations} == {"policies/security.pdf"}
    for table in ("documents", "pages", "elements", "chunks", "lines"):
        assert rows_of(bidfolio, f"SELECT count(*) FROM {table} WHERE file_name = 'policy.pdf'") == [[0]]


def test_two_files_of_one_content_are_two_documents(published: Published, bidfolio: Bidfolio) -> None:
    ((chunks,),) = rows_of(bidfolio, "SELECT count(*) FROM chunks WHERE file_name = 'policy.pdf'")
    shutil.copy(published.documents / "policy.pdf", published.documents / "copy.pdf")
    copied = bidfolio("--json", "refresh", published.documents)
    assert copied.summary["documents"] == counts(added=1, unchanged=3)
    assert copied.summary["renamed"] == 0, "a copy is no rename"
    assert copied.summary["embedded"] <= chunks, "for the name that tells it from the other"
    (published.documents / "policy.pdf").unlink()
    left = bidfolio("--json", "refresh", published.documents)
    assert left.summary["documents"] == counts(deleted=1, unchanged=3) and left.summary["renamed"] == 0
    assert bidfolio("--json", "ask", ENCRYPTED).summary["citations"][0]["file_name"] == "copy.pdf"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
def test_a_word_file_gets_its_pages_once_there_is_libreoffice_and_keeps_them(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    filler = [f"Paragraph {n} says that keys are rotated by the operations team every ninety days." for n in range(80)]
    (folder / "long.docx").write_bytes(bad.word_file(*filler, MASCOT))
    where = "SELECT max(page_number), min(text_source) FROM pages"
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path))
        assert bidfolio("refresh", folder).exit_code == 0
        assert rows_of(bidfolio, where) == [[None, "none"]]
        assert bidfolio("refresh", folder).out.startswith("nothing has changed")

    assert bidfolio("refresh", folder).exit_code == 0
    ((pages, source),) = rows_of(bidfolio, where)
    assert pages > 1 and source == "rendered"
    cited = bidfolio("--json", "ask", "What is the mascot of your company?").summary["citations"][0]
    assert cited["page_number"] == pages, "the chunks follow the pages"
    assert bidfolio("refresh", folder).out.startswith("nothing has changed")
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path))
        assert bidfolio("refresh", folder).out.startswith("nothing has changed")
        (folder / "note.txt").write_text("The office in Oslo has closed.\n", encoding="utf-8")
        assert bidfolio("refresh", folder).exit_code == 0
    assert rows_of(bidfolio, f"{where} WHERE file_name = 'long.docx'") == [[pages, "rendered"]]


def test_a_word_file_that_cannot_be_laid_out_is_not_tried_again_and_again(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for soffice, which fails: the real one lays out whatever the reader of Word files reads."""
    folder, programs = tmp_path / "documents", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    (folder / "a.docx").write_bytes(bad.word_file(MASCOT))
    program, calls = programs / "soffice", tmp_path / "calls"
    program.write_text(f"#!/bin/sh\necho called >> {calls}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    assert bidfolio("refresh", folder).exit_code == 0
    assert bidfolio("refresh", folder).out.startswith("nothing has changed")
    assert calls.read_text().split() == ["called"]
