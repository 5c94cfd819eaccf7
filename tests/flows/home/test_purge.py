"""`bidfolio purge` on real homes: what was named is nowhere any more, and all else works."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL

from tasks.runtime.running import LocalMarks
from tasks.storage.commits import Commits
from tasks.storage.lake import Lake
from tasks.storage.stored_file import ASIDE
from tests.made.commands import run_bidfolio
from tests.made.faults import Killed
from tests.made.file_steps import steps
from tests.made.planted_words import places_of
from tests.made.published import Published
from tests.made.questionnaires import BREACH, ENCRYPTED, write_questionnaire
from tests.made.scripted_server import scripted_url

PERSON = "Zoë Quandt"
SAID = "Wrixlesaid"
"""A word of the model's alone: neither the documents nor the questions have it."""
DECLINES: dict[str, Any] = {"answer": None, "citations": [], "verdict": None, "why": SAID}
THEIRS = "Is the Quandt account encrypted?"


@dataclass(frozen=True)
class Used:
    """A home in which two people have asked, and the ids of their runs."""

    home: Path
    documents: Path
    theirs: tuple[str, ...]
    others: str
    refresh: str

    def places_of(self, *words: str) -> list[str]:
        """The places of the home in which, decoded, one of the words stands."""
        return places_of(words, self.home)

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
                Commits(lake).drop(run)
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
    """The files of the home with their sizes, without the commit manifests."""
    sizes = {str(path.relative_to(home)): path.stat().st_size for path in home.rglob("*") if path.is_file()}
    return {path: size for path, size in sizes.items() if not path.startswith("index/commits/")}


def test_a_person_is_taken_out_everywhere(used: Used) -> None:
    found = {place.partition("/")[0] for place in used.places_of(PERSON, THEIRS, SAID)}
    assert found == {"cache", "lake", "sessions"}
    before = files_of(used.home)
    told = used("--json", "purge", "--asked-by", PERSON, "--dry-run").summary
    assert told["dry_run"] and told["runs"] == 2 and told["left_runs"] == [] and files_of(used.home) == before
    assert set(told["removed"]) == {"replies", "tables", "turns", "vectors"}

    done = used("--json", "purge", "--asked-by", PERSON).summary
    assert done == told | {"dry_run": False}
    gone = before.keys() - files_of(used.home).keys()
    assert (len(gone), sum(before[path] for path in gone)) == (done["files"], done["size_bytes"])
    assert not (used.home / "sessions" / "chat").exists(), "its name might be a customer's"
    assert used.places_of(PERSON, THEIRS, ENCRYPTED, SAID) == []
    for run in used.theirs:
        assert not list((used.home / "lake").rglob(f"run_id={run}"))
    assert used("replay", used.others).exit_code == 0 and used("ask", ENCRYPTED).exit_code == 0
    assert used.rows("SELECT kind, source, status FROM runs ORDER BY started_at")[-1] == [
        "purge",
        "--asked-by …",
        "done",
    ]
    assert used("purge", "--session", "chat").exit_code == 2
    again = used("purge", "--asked-by", PERSON)
    assert again.exit_code == 2 and f"no run names a person {PERSON!r}; there" in again.err


def copied_anew(home: Path, to: Path) -> None:
    """A copy whose files were all written now, as of a home that is restored or moved."""
    shutil.copytree(home, to, symlinks=True, copy_function=shutil.copyfile)


def test_a_copy_and_killed_runs_hide_nothing(used_once: Used, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied_anew(used_once.home, tmp_path / "home")
    used = replace(used_once, home=tmp_path / "home")
    lake = Lake(str(used.home))
    with monkeypatch.context() as patched, scripted_url(lambda _: (200, DECLINES)) as url:
        for name, value in {"OPENAI_BASE_URL": url, "OPENAI_MODEL": "scripted", "USER": PERSON}.items():
            patched.setenv(f"BIDFOLIO_{name}", value)
        patched.setattr("tasks.answering.task.append_audit", _killed)
        with pytest.raises(Killed):
            used("ask", f"{THEIRS} Today?", "--generator", "openai", "--session", "other")
    (answered, _), replied = used.theirs, {file.parts[-1] for file in lake.below("cache", "replies")}
    assert len(replied) == 3, "two runs that ended, and one of which nothing else is kept"
    # As a killed answer is: the run is open, and its answers are not written.
    for table in ("answers", "citations", "audit", "audit_steps", "quality"):
        lake.drop_folder("lake", table, f"run_id={answered}")
    opened = pa.array(["running"], pa.string())
    rows = lake.read("runs", run_id=answered)
    lake.write("runs", rows.set_column(rows.schema.get_field_index("status"), "status", opened), run_id=answered)
    # A write that was killed, and a removal.
    lake.put(f"half of {SAID}".encode(), "staging", "half")
    lake.put(f"half of {SAID}".encode(), "staging", f"{ASIDE}1", "half")

    first = used("--json", "purge", "--asked-by", PERSON).summary
    assert (first["runs"], first["left_runs"]) == (2, [answered]) and first["removed"]["staging"]["files"] == 2
    assert used.places_of(SAID), "the replies of the run that is open"
    told = used("--json", "purge", "--questionnaire", "theirs.xlsx", "--yes").summary
    assert told["runs"] == 1
    assert used.places_of(PERSON, THEIRS, ENCRYPTED, SAID) == []


def _killed(*_: object) -> None:
    raise Killed


def test_a_conversation_goes_with_its_runs(used: Used) -> None:
    told = used("--json", "purge", "--session", "chat").summary
    assert told["runs"] == 1 and set(told["removed"]) == {"replies", "tables", "turns", "vectors"}
    assert used.places_of(THEIRS) == [] and used.places_of(ENCRYPTED)


def test_one_that_is_killed_is_completed_by_the_same_command(used: Used, monkeypatch: pytest.MonkeyPatch) -> None:
    refused, rounds = None, 0
    for die_at in range(0, 1000, 4):
        with monkeypatch.context() as patched:
            begun = steps(patched, die_at)
            with suppress(Killed):
                refused = used("purge", "--run", used.theirs[0])
                break
            assert begun() > die_at
        rounds += 1
    assert rounds > 3, "it was killed in the middle of things"
    if refused is not None and refused.exit_code:  # the one before was killed when nothing was left
        assert refused.exit_code == 2 and "there is no run" in refused.err
    assert used.places_of(ENCRYPTED) == []


def test_its_flow_run_goes_from_the_homes_own_prefect_database(used: Used) -> None:
    database = used.home / "prefect" / "prefect.db"
    database.parent.mkdir(exist_ok=True)
    tested = str(PREFECT_API_DATABASE_CONNECTION_URL.value()).partition("///")[2]
    with closing(sqlite3.connect(tested)) as source, closing(sqlite3.connect(database)) as copy:
        source.backup(copy)
        (before,) = copy.execute("SELECT count(*) FROM flow_run").fetchone()
    assert [place for place in used.places_of("theirs.xlsx") if place.startswith("prefect/")]
    assert used("--json", "purge", "--run", used.theirs[0], "--dry-run").summary["flow_runs"] == 1
    assert used("--json", "purge", "--run", used.theirs[0]).summary["flow_runs"] == 1
    assert [place for place in used.places_of("theirs.xlsx") if place.startswith("prefect/")] == []
    with closing(sqlite3.connect(database)) as left:
        assert left.execute("SELECT count(*) FROM flow_run").fetchone() == (before - 1,)
        assert left.execute("SELECT count(*) FROM artifact WHERE key = 'refresh'").fetchone()[0]


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
    unknown = used("purge", "--questionnaire", "their.xlsx", "--yes")
    assert unknown.exit_code == 2 and "no run names a questionnaire 'their.xlsx'; there are theirs.xlsx" in unknown.err
    marks = LocalMarks(used.home / "index" / "running")
    marks.mark(used.theirs[0], "")  # by this process, as a run that goes on
    kept = used("--json", "purge", "--before", "2999-01-01", "--asked-by", PERSON, "--yes").summary
    assert (kept["runs"], kept["runs_in_progress"]) == (1, [used.theirs[0]])
    named = used("purge", "--run", used.theirs[0], "--yes")
    assert named.exit_code == 2 and "is in progress: stop it, or wait for its end" in named.err
    marks.unmark(used.theirs[0])
    everything = used("--json", "purge", "--before", "2999-01-01").summary
    assert everything["runs"] == 2 and everything["left_runs"][0] == used.refresh
    assert used.rows("SELECT count(*) FROM audit") == [[0]]
    assert "3 runs are left" in used("purge", "--before", "2999-01-01").out, "the refresh, and the purges before"


def test_a_corpus_goes_with_its_documents_and_its_runs(used: Used, tmp_path: Path) -> None:
    secret = "The wombat protocol is confidential."
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "wombat.txt").write_text(f"Wombats\n\n{secret}\n", encoding="utf-8")
    (tmp_path / "more" / "numbat.txt").write_text("Numbats\n\nThe numbat protocol is public.\n", encoding="utf-8")
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
    assert used.places_of("wombat") == []
    assert [row[0] for row in used.rows("SELECT DISTINCT corpus FROM documents")] == ["default"]
    answer = used("--json", "ask", ENCRYPTED).summary
    assert answer["citations"][0]["file_name"] == "policy.pdf"
    unknown = used("purge", "--corpus", "more")
    assert unknown.exit_code == 2 and "there is no corpus 'more'; there are default" in unknown.err


def test_a_deleted_document_goes_with_gc_and_from_records_when_it_is_purged(used: Used, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    shutil.copytree(used.documents, documents)
    secret = documents / "wombat.txt"
    secret.write_text("Wombats\n\nThe wombat protocol is quimble and confidential.\n", encoding="utf-8")
    unasked = documents / "quokka.txt"
    unasked.write_text("Quokkas\n\nMarsupials are kept on the island.\n", encoding="utf-8")
    assert used("refresh", documents).exit_code == 0
    asked = used("--json", "ask", "What is the wombat protocol?", "--session", "burrow").summary
    assert "quimble" in asked["citations"][0]["quote"]
    unread = used("purge", "--document", "wombat.txt")
    assert unread.exit_code == 2 and "wombat.txt is a document of the corpus 'default': delete it" in unread.err
    kept = {place.split("/")[1] for place in used.places_of("quimble") if place.startswith(("index", "cache"))}
    assert {"converted", "states", "chunks", "counts"} < kept and any(name.endswith(".lance") for name in kept)

    secret.unlink()
    unasked.unlink()
    assert used("refresh", documents).exit_code == 0
    versions = used("--json", "index", "list").summary["versions"]
    assert used("gc").exit_code == 0
    left = used("--json", "index", "list").summary["versions"]
    assert len(versions) == 2 and len(left) == 1, "the first version is live again, and that with the document is gone"
    assert {place.split("/")[0] for place in used.places_of("quimble")} == {"lake", "sessions"}, (
        "the record of an answer"
    )

    assert used("--json", "purge", "--document", "wombat.txt", "--dry-run").summary["runs"] == 1
    assert used.places_of("quimble")
    marks = LocalMarks(used.home / "index" / "running")
    marks.mark("20260102T030405-aaaaaa", "")  # by this process, as a run that has read the version before
    early = used("purge", "--document", "wombat.txt")
    assert early.exit_code == 2 and "20260102T030405-aaaaaa is in progress: stop it, or wait" in early.err
    marks.unmark("20260102T030405-aaaaaa")
    assert used("--json", "purge", "--document", "wombat.txt").summary["runs"] == 1
    assert used.places_of("quimble", "wombat.txt") == []
    assert used.rows(f"SELECT count(*) FROM audit WHERE run_id = '{used.others}'") == [[1]], "another answer's"
    assert used.places_of("quokka.txt"), "the list of what a refresh has changed"
    assert used("purge", "--document", "quokka.txt").exit_code == 0
    assert used.places_of("quokka.txt") == []
    again = used("purge", "--document", "wombat.txt")
    assert again.exit_code == 2 and "nothing names a document 'wombat.txt'" in again.err
    wrong = used("purge", "--document", "wombat.txt", "--run", used.others)
    assert wrong.exit_code == 2 and "--document goes with --corpus alone" in wrong.err
    checked = used("index", "check")
    assert checked.exit_code == 0, checked.err
    assert used("ask", ENCRYPTED).exit_code == 0
    back = used("index", "rollback")
    assert back.exit_code == 2 and "no earlier version to go back to" in back.err
