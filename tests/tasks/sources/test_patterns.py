"""Which names a pattern matches, and what becomes of archives."""

from __future__ import annotations

from pathlib import Path

import pytest

from configs.settings import Settings, SourceSettings, load_settings
from tasks.conversion import task
from tasks.errors import UsageError
from tasks.references import Scan
from tasks.sources.patterns import Patterns
from tasks.sources.scan_cache import ScanCache
from tasks.storage.lake import Lake
from tests.made.containers import WORDS, make_mail, make_zip


@pytest.mark.parametrize(
    ("pattern", "matched", "others"),
    [
        ("*.pdf", ["a.pdf", "x/y/A.PDF", "z.zip/in/a.pdf"], ["a.pdf.txt", "apdf"]),
        ("/*.pdf", ["a.pdf"], ["x/a.pdf"]),
        ("drafts", ["drafts/a.txt", "x/Drafts/b/a.txt"], ["drafts.txt", "x/mydrafts/a.txt"]),
        ("drafts/", ["drafts/a.txt", "x/drafts/a.txt"], ["drafts.txt"]),
        ("drafts/**", ["drafts/a.txt", "drafts/b/c/a.txt"], ["x/drafts/a.txt", "drafts.txt"]),
        ("**/drafts/**", ["drafts/a.txt", "x/y/drafts/b/a.txt"], ["drafts.txt"]),
        ("20??/*.md", ["2024/a.md"], ["2024/x/a.md", "x/2024/a.md"]),
        ("[ab]*.txt", ["a1.txt", "x/b.txt"], ["c.txt"]),
        ("offers.zip", ["offers.zip", "offers.zip/in.txt", "x/offers.zip/y.zip/in.txt"], ["offers.zip.txt"]),
        ("!important.txt", ["!important.txt"], ["important.txt"]),
        ("{a,b}.txt", ["{a,b}.txt"], ["a.txt"]),
        ("Gr\u00fc\u00dfe*", ["Gru\u0308\u00dfe an alle.txt"], ["Gruesse.txt"]),
        ("*.txt", ["folder//a.txt", "z.zip/../out.txt", "two\nlines.txt"], ["a.txt.md"]),
        ("./a b.txt", ["a b.txt"], ["x/a b.txt"]),
    ],
)
def test_what_a_pattern_matches(pattern: str, matched: list[str], others: list[str]) -> None:
    only, but = Patterns(include=(pattern,)), Patterns(exclude=(pattern,))
    for name in matched:
        assert only.lets_in(name) and not but.lets_in(name), name
    for name in others:
        assert not only.lets_in(name) and but.lets_in(name), name
    assert only.idle([*others, *matched]) == () and only.idle(others) == (pattern,)


@pytest.mark.parametrize(
    ("include", "exclude", "opened"),
    [
        ((), (), True),
        (("*.pdf",), (), True),
        (("x/**",), (), True),
        (("x/offers.zip/2024/*.pdf",), (), True),
        (("X/Off*",), (), True),
        (("y/**",), (), False),
        (("x/offers",), (), False),
        ((), ("*.zip",), False),
        (("*.pdf",), ("x",), False),
    ],
)
def test_an_archive_is_opened_where_something_in_it_may_be_wanted(
    include: tuple[str, ...], exclude: tuple[str, ...], opened: bool
) -> None:
    assert Patterns(include, exclude).may_let_in_from("x/offers.zip") is opened
    assert not Patterns(include, exclude).may_let_in_from("x/offers.pdf")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    for name, data in {
        "a.txt": b"Plain words.",
        "notes.md": b"# Notes\n\nWords.",
        "drafts/a.txt": b"Not yet.",
        "offers.zip": make_zip(("2024/b.txt", b"More words."), ("c.md", b"# C\n\nWords."), ("../out.txt", b"x")),
        "old/cut.zip": make_zip(("a.txt", WORDS))[:50],
        "mail.eml": make_mail(("offer.md", b"# Offer\n\nWords of it.")),
    }.items():
        (documents / name).parent.mkdir(parents=True, exist_ok=True)
        (documents / name).write_bytes(data)
    return documents


def scan(folder: Path, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> tuple[Scan, list[str]]:
    home = str(folder.parent / "home")
    settings = Settings(home=home, source=SourceSettings(include=include, exclude=exclude))
    found = task.scan_corpus.fn(str(folder), "default", settings)
    return found, [file.file_name for file in ScanCache(Lake(home)).files(found.key) or []]


@pytest.mark.parametrize(
    ("include", "exclude", "names"),
    [
        (
            (),
            ("drafts/**", "mail.eml", "old"),
            ["a.txt", "notes.md", "offers.zip/2024/b.txt", "offers.zip/c.md", "offers.zip/../out.txt"],
        ),
        (("*.md",), (), ["mail.eml/offer.md", "notes.md", "offers.zip/c.md", "old/cut.zip"]),
        (("*.eml",), (), ["mail.eml", "mail.eml/offer.md", "old/cut.zip"]),
        (("/offers.zip",), ("*.txt",), ["offers.zip/c.md"]),
        (("offers.zip/2024/**", "/a.txt"), (), ["a.txt", "offers.zip/2024/b.txt"]),
    ],
)
def test_patterns_hold_in_archives_and_mails_too(
    folder: Path, include: tuple[str, ...], exclude: tuple[str, ...], names: list[str]
) -> None:
    found, there = scan(folder, include, exclude)
    assert there == names and found.idle_patterns == ()


def test_a_pattern_that_matches_nothing_is_told(folder: Path) -> None:
    assert scan(folder, ("*.md", "*.pdf"), ("draft/**", "drafts/**"))[0].idle_patterns == ("*.pdf", "draft/**")
    for include, exclude in ((("*.pdf",), ("x",)), ((), ("**",)), (("offers.zip/*.csv",), ())):
        with pytest.raises(UsageError) as told:
            scan(folder, include, exclude)
        for option, patterns in (("include", include), ("exclude", exclude)):
            assert all(f"--{option} {pattern!r}" in str(told.value) for pattern in patterns)


def test_patterns_come_from_the_command_line_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIDFOLIO_SOURCE_INCLUDE", '["*.pdf", "*.md"]')
    monkeypatch.setenv("BIDFOLIO_SOURCE_EXCLUDE", '["drafts/**"]')
    assert load_settings().source == SourceSettings(include=("*.pdf", "*.md"), exclude=("drafts/**",))
    assert load_settings(include=["a*"], exclude=[]).source == SourceSettings(include=("a*",), exclude=("drafts/**",))
    for wrong in ("drafts/**", '["/"]', '[""]', "3"):
        monkeypatch.setenv("BIDFOLIO_SOURCE_EXCLUDE", wrong)
        with pytest.raises(UsageError, match=r"exclude|source"):
            load_settings()
