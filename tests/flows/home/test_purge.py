"""`bidfolio purge` on real homes: what was named is nowhere any more, and all else works."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tasks.storage.lake import Lake
from tests.made.commands import run_bidfolio
from tests.made.published import Published
from tests.made.questionnaires import BREACH, ENCRYPTED, write_questionnaire
from tests.made.run_results import all_strings
from tests.made.scripted_server import scripted_url

PERSON = "Zoë Quandt"
DECLINES: dict[str, Any] = {"answer": None, "citations": [], "verdict": None}
THEIRS = "Is the Quandt account encrypted?"


@dataclass(frozen=True)
class Used:
    """A home in which two people have asked, and the ids of their runs."""

    home: Path
    documents: Path
    theirs: tuple[str, ...]
    others: str
    refresh: str

    def __call__(self, *arguments: object) -> Any:
        return run_bidfolio(self.home, *arguments)

    def rows(self, query: str) -> list[list[Any]]:
        ran = self("--json", "sql", query)
        assert ran.exit_code == 0, ran.err
        found: list[list[Any]] = ran.summary["rows"]
        return found


@pytest.fixture(scope="module")
def used_once(published_once: Published, tmp_path_factory: pytest.TempPathFactory) -> Used:
    """Built once; each test takes a copy."""
    own = tmp_path_factory.mktemp("used")
    home = own / "home"
    shutil.copytree(published_once.home, home, symlinks=True)
    # Other tests ask of the same home: what they left is taken out of the copy.
    lake = Lake(str(home))
    for table in lake.names("lake", suffix=""):
        for run in lake.names("lake", table, suffix=""):
            if run.startswith("run_id=") and run != f"run_id={published_once.refreshed.summary['run_id']}":
                lake.drop_folder("lake", table, run)
    for folder in ("cache/replies", "sessions"):
        shutil.rmtree(home / folder, ignore_errors=True)
    with pytest.MonkeyPatch.context() as patched, scripted_url(lambda _: (200, DECLINES)) as url:
        patched.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
        patched.setenv("BIDFOLIO_OPENAI_MODEL", "scripted")
        patched.setenv("BIDFOLIO_USER", PERSON)
        file = write_questionnaire(own / "theirs.xlsx")
        answered = run_bidfolio(home, "--json", "answer", file, "--generator", "openai")
        asked = run_bidfolio(home, "--json", "ask", THEIRS, "--generator", "openai", "--session", "chat")
        patched.setenv("BIDFOLIO_USER", "somebody else")
        other = run_bidfolio(home, "--json", "ask", BREACH)
    assert (answered.exit_code, asked.exit_code, other.exit_code) == (0, 0, 0), answered.err + asked.err
    theirs = (answered.summary["run_id"], asked.summary["run_id"])
    refreshed = published_once.refreshed.summary["run_id"]
    return Used(home, published_once.documents, theirs, other.summary["run_id"], refreshed)


@pytest.fixture
def used(used_once: Used, tmp_path: Path) -> Used:
    shutil.copytree(used_once.home, tmp_path / "home", symlinks=True)
    return Used(tmp_path / "home", used_once.documents, used_once.theirs, used_once.others, used_once.refresh)


def files_of(home: Path) -> dict[str, int]:
    return {str(path.relative_to(home)): path.stat().st_size for path in home.rglob("*") if path.is_file()}


def test_a_person_is_taken_out_everywhere(used: Used) -> None:
    replies = list((used.home / "cache" / "replies").iterdir())
    assert replies and any(PERSON in text for _, text in all_strings(used.home / "lake"))
    before = files_of(used.home)
    told = used("--json", "purge", "--asked-by", PERSON, "--dry-run").summary
    assert told["dry_run"] and told["runs"] == 2 and told["left_runs"] == [] and files_of(used.home) == before
    assert set(told["removed"]) == {"questions", "replies", "tables", "turns"}

    done = used("--json", "purge", "--asked-by", PERSON).summary
    assert done == told | {"dry_run": False}
    gone = before.keys() - files_of(used.home).keys()
    assert (len(gone), sum(before[path] for path in gone)) == (done["files"], done["size_bytes"])
    assert not list((used.home / "cache" / "replies").iterdir())
    assert not list((used.home / "sessions" / "chat").iterdir())
    for path, text in all_strings(used.home / "lake"):
        assert PERSON not in text and THEIRS not in text and ENCRYPTED not in text, path
    for run in used.theirs:
        assert not list((used.home / "lake").rglob(f"run_id={run}"))
    assert used("replay", used.others).exit_code == 0 and used("ask", ENCRYPTED).exit_code == 0
    assert used.rows("SELECT kind, source, status FROM runs ORDER BY started_at")[-1] == [
        "purge",
        "--asked-by …",
        "done",
    ]
    again = used("purge", "--asked-by", PERSON)
    assert again.exit_code == 0 and again.out.startswith("       0.0 MB        0 files  removed, 0 runs\n")


def test_one_run_goes_and_what_published_stays(used: Used) -> None:
    refused = used("purge", "--run", used.others, "--run", used.refresh)
    assert refused.exit_code == 2 and f"the run {used.refresh} is of the kind refresh" in refused.err
    assert used.rows(f"SELECT count(*) FROM audit WHERE run_id = '{used.others}'") == [[1]], "nothing was removed"
    assert used("--json", "purge", "--run", used.others).summary["runs"] == 1
    unknown = used("purge", "--run", used.others)
    assert unknown.exit_code == 2 and used.theirs[1] in unknown.err, "the last ones are named"
    assert used("purge", "--run", used.refresh, "--yes").exit_code == 0
    assert used("ask", ENCRYPTED).exit_code == 0, "the record went, the index did not"


def test_what_is_old_or_over_a_file(used: Used) -> None:
    assert used("--json", "purge", "--before", "2020-01-01").summary["files"] == 0
    future = used("--json", "purge", "--before", "2999-01-01", "--source", "theirs.xlsx", "--dry-run").summary
    assert future["runs"] == 1
    everything = used("--json", "purge", "--before", "2999-01-01").summary
    assert everything["runs"] == 3 and everything["left_runs"] == [used.refresh]
    assert used.rows("SELECT count(*) FROM audit") == [[0]]
    assert "2 runs are left" in used("purge", "--before", "2999-01-01").out, "the refresh, and the purge before"


def test_a_corpus_goes_with_its_documents_and_its_runs(used: Used, tmp_path: Path) -> None:
    secret = "The wombat protocol is confidential."
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "wombat.txt").write_text(f"Wombats\n\n{secret}\n", encoding="utf-8")
    (tmp_path / "past.csv").write_text("Question,Answer\nWho keeps wombats?,We do.\n", encoding="utf-8")
    assert used("library", "import", tmp_path / "past.csv", "--corpus", "more").exit_code == 0
    refreshed = used("refresh", tmp_path / "more", "--corpus", "more")
    assert refreshed.exit_code == 0, refreshed.err
    asked = used("--json", "ask", "What is the wombat protocol?", "--corpus", "more").summary
    assert asked["citations"][0]["quote"] == secret
    refused = used("purge", "--corpus", "more")
    assert refused.exit_code == 2 and "is published" in refused.err and "give --yes" in refused.err
    assert used("ask", "What is the wombat protocol?", "--corpus", "more").exit_code == 0
    told = used("--json", "purge", "--corpus", "more", "--yes", "--dry-run").summary
    done = used("--json", "purge", "--corpus", "more", "--yes").summary
    assert done == told | {"dry_run": False} and done["runs"] == 4
    assert not (used.home / "library" / "corpus=more").exists()
    for path in (used.home / "lake", used.home / "index", used.home / "cache"):
        for file in path.rglob("*"):
            if file.is_file() and not file.is_relative_to(used.home / "cache" / "models"):
                assert b"wombat" not in file.read_bytes().lower(), file
    for file, text in all_strings(used.home):
        assert "wombat" not in text.lower(), file
    assert [row[0] for row in used.rows("SELECT DISTINCT corpus FROM documents")] == ["default"]
    answer = used("--json", "ask", ENCRYPTED).summary
    assert answer["citations"][0]["file_name"] == "policy.pdf"
    unknown = used("purge", "--corpus", "more")
    assert unknown.exit_code == 2 and "there is no corpus 'more'; there are default" in unknown.err
