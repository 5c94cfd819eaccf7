"""Planted words that are left in a home, decoded, after purge and gc: of killed, copied and restored homes.

Run: .venv/bin/python -m tests.bench.deletion

Real processes refresh, answer, converse and are killed by SIGKILL; a scripted server stands for the model. Words are
planted in documents (a text, a page, an archive, and one of which the refresh was killed), in questions, a tender, a
model's replies, a conversation, and names. Each row is a home, what was done to it, and the files in which one of the
words stands before and after; the last column is to be 0 everywhere. A home is searched in every byte: Parquet with its
statistics, NumPy, Lance with its deleted rows and token sets, JSON, SQLite, ZIP and HTML.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from openpyxl import Workbook

from tests.made.planted_words import places_of
from tests.made.published import write_corpus
from tests.made.scripted_server import Odd, Reply, completion, scripted_url

DOCUMENT, KILLED, NAME = "Quixvorbdoc", "Quixvorbkilled", "Quixvorbfile"
ASKED, SAID, SPOKEN, TENDER = "Quixvorbask", "Quixvorbsaid", "Quixvorbchat", "Quixvorbtender"
PERSON, SESSION, CUSTOMER = "Quixvorbperson", "Quixvorbsession", "Quixvorbcustomer"
OF_RUNS = (ASKED, SAID, SPOKEN, TENDER, PERSON, SESSION, CUSTOMER)
OF_DOCUMENTS = (DOCUMENT, KILLED, NAME)
TOMORROW = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}"
POLL_S, MOST_S = 0.01, 600.0
KILLS = 3
FILLERS = 12


@dataclass
class Server:
    """The scripted model: each reply comes after ``after_s``."""

    after_s: float = 0.0
    asked: int = field(default=0)

    def __call__(self, body: dict[str, Any]) -> Reply:
        """A reply that fits any of our prompts."""
        self.asked += 1
        said = {"verdict": "yes", "answer": f"Yes, {SAID} is encrypted.", "citations": [1]}
        if "Last question" in json.dumps(body["messages"]):
            said = {"question": f"Is the {SPOKEN} {SAID} backed up?"}
        if body.get("stream"):
            return Odd(content=json.dumps(said), after_s=self.after_s)
        return Odd(body=completion(said), after_s=self.after_s)


def begun(home: Path, *arguments: object) -> subprocess.Popen[bytes]:
    """A command of its own process group."""
    command = [sys.executable, "-P", "-m", "flows.cli", "--home", str(home), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def done(home: Path, *arguments: object, codes: Sequence[int] = (0, 1)) -> str:
    """Run a command to its end; returns what it printed. Another exit code than those is the end of the measurement."""
    process = begun(home, *arguments)
    printed, told = (said.decode() for said in process.communicate())
    if process.returncode not in codes:
        raise SystemExit(f"{arguments} gave {process.returncode}:\n{printed}{told}")
    return printed


def killed(home: Path, when: Callable[[], bool], *arguments: object) -> bool:
    """Run a command and kill it with its children as soon as ``when`` holds; tells if it was still running."""
    process = begun(home, *arguments)
    end = time.monotonic() + MOST_S
    while process.poll() is None and not when() and time.monotonic() < end:
        time.sleep(POLL_S)
    was_running = process.poll() is None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return was_running


def files(home: Path, *folders: str) -> int:
    """The number of files below those folders of the home, or in all of it."""
    found = [home / folder for folder in folders] or [home]
    return sum(len(names) for folder in found for _, _, names in os.walk(folder))


def plant_documents(folder: Path) -> None:
    """The tiny corpus, and documents with planted words in texts and names."""
    write_corpus(folder)
    for number in range(FILLERS):  # so that the gate lets the planted ones be deleted
        text = f"Rule {number}\n\nTeam {number} reviews its part of the rules in month {number} of each year.\n"
        (folder / f"rule{number}.txt").write_text(text, encoding="utf-8")
    told = f"The {DOCUMENT} protocol is confidential. The {DOCUMENT} vault is in Leeds."
    (folder / f"{NAME}.txt").write_text(f"About {DOCUMENT}\n\n{told}\n", encoding="utf-8")
    (folder / f"{NAME}.html").write_text(f"<h1>{DOCUMENT} vaults</h1><p>{told} It is locked.</p>", encoding="utf-8")
    with zipfile.ZipFile(folder / f"{NAME}.zip", "w") as archive:
        archive.writestr("inner.txt", f"Inner {DOCUMENT}\n\n{told} It has two keys.\n")


def write_questions(path: Path, *questions: str) -> Path:
    """A questionnaire."""
    book = Workbook()
    book.active.append(("No.", "Question", "Answer"))
    for number, question in enumerate(questions, start=1):
        book.active.append((number, question, None))
    book.save(path)
    return path


def build(scratch: Path, server: Server) -> Path:
    """A home that was used and killed."""
    home, documents = scratch / "home", scratch / "documents"
    plant_documents(documents)
    done(home, "refresh", documents)
    sheet = write_questions(
        scratch / f"{CUSTOMER}.xlsx",
        f"Is the {ASKED} data at rest encrypted?",
        f"Where is the {DOCUMENT} vault?",
        f"Does {ASKED} support single sign-on?",
    )
    done(home, "answer", sheet, "--generator", "openai")
    tender = scratch / f"{CUSTOMER}-tender.md"
    tender.write_text(f"# Tender\n\n1.1 The supplier shall encrypt the {TENDER} data at rest.\n", encoding="utf-8")
    done(home, "answer", tender)
    done(home, "ask", f"Is the {SPOKEN} encrypted?", "--session", SESSION, "--generator", "openai")
    server.after_s, before = 0.5, files(home, "cache/replies")
    many = (f"Is {ASKED} number {number} of the backups encrypted?" for number in range(40))
    other = write_questions(scratch / f"{CUSTOMER}-2.xlsx", *many)
    is_asked = killed(home, lambda: files(home, "cache/replies") > before + 2, "answer", other, "--generator", "openai")
    report("an answer, killed with replies kept", home, is_asked)
    before, server.after_s = files(home, "cache/replies"), 2.0
    follow_up = ("ask", "and is it backed up?", "--session", SESSION, "--generator", "openai")
    is_rewritten = killed(home, lambda: files(home, "cache/replies") > before, *follow_up)
    report("a follow-up, killed after its first reply", home, is_rewritten)
    (documents / "killed.txt").write_text(f"Killed\n\nThe {KILLED} protocol is secret.\n", encoding="utf-8")
    before, server.after_s = files(home, "cache/chunks"), 0.0
    is_begun = killed(home, lambda: files(home, "cache/chunks") > before, "refresh", documents)
    report("a refresh, killed with chunks kept", home, is_begun)
    return home


def report(what: str, home: Path, was_running: bool) -> None:
    """Print where a kill has come."""
    print(f"{what}: {'in the middle' if was_running else 'it had ended'}; {files(home)} files", flush=True)


def row(home: str, what: str, before: int, left: Sequence[str]) -> int:
    """Print a row of the table, and the places that are left; returns their number."""
    print(f"| {home} | {what} | {before} | {len(left)} |", flush=True)
    for place in left:
        print(f"  left: {place}")
    return len(left)


def copied(home: Path, to: Path) -> Path:
    """A copy whose files were all written now."""
    return Path(shutil.copytree(home, to, symlinks=True, copy_function=shutil.copyfile))


def restored(home: Path, to: Path) -> Path:
    """A copy whose files say that they were written years ago."""
    shutil.copytree(home, to, symlinks=True)
    for path in to.rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path, (1_577_836_800, 1_577_836_800))
    return to


def purge_all(name: str, home: Path) -> int:
    """Purge all runs of a home."""
    before = len(places_of(OF_RUNS, home))
    done(home, "purge", "--before", TOMORROW, "--yes")
    return row(name, "purge --before", before, places_of(OF_RUNS, home))


def purge_killed(home: Path) -> int:
    """Purge all runs of a home, killed again and again, then to its end."""
    before = len(places_of(OF_RUNS, home))
    for kill in range(KILLS):
        there, gone = files(home, "lake", "cache", "sessions"), 1 + 4 * kill

        def has_begun(there: int = there, gone: int = gone) -> bool:
            return files(home, "lake", "cache", "sessions") <= there - gone

        is_killed = killed(home, has_begun, "purge", "--before", TOMORROW, "--yes")
        report(f"purge, killed after {gone} files", home, is_killed)
    done(home, "purge", "--before", TOMORROW, "--yes")
    return row("restored", f"purge --before, killed {KILLS} times and repeated", before, places_of(OF_RUNS, home))


def purge_by_name(home: Path) -> int:
    """Purge by questionnaire and conversation."""
    words = (ASKED, TENDER, SPOKEN, SESSION, CUSTOMER, SAID)
    before = len(places_of(words, home))
    for name in (f"{CUSTOMER}.xlsx", f"{CUSTOMER}-tender.md", f"{CUSTOMER}-2.xlsx"):
        done(home, "purge", "--questionnaire", name, "--yes")
    done(home, "purge", "--session", SESSION)
    done(home, "purge", "--asked-by", PERSON, "--yes")  # the follow-up that was killed: it had no turn yet
    return row("restored", "purge --questionnaire, --session, --asked-by", before, places_of(words, home))


def forget_documents(name: str, home: Path, documents: Path) -> int:
    """Delete the documents, refresh, gc; then purge them from the records of runs."""
    before = len(places_of(OF_DOCUMENTS, home))
    done(home, "refresh", documents)
    done(home, "gc")
    records = ("lake/", "sessions/", "prefect/", "cache/replies/")
    texts = [place for place in places_of((DOCUMENT, KILLED), home) if not place.startswith(records)]
    left = row(name, "documents deleted, refresh, gc; but records of runs", before, texts)
    before = len(places_of(OF_DOCUMENTS, home))
    for suffix in ("txt", "html", "zip"):
        # 2 where no record names it, since no answer rested on it: what is left decides.
        done(home, "purge", "--document", f"{NAME}.{suffix}", codes=(0, 2))
    # A question that names the document is the customer's.
    rest = [place for place in places_of(OF_DOCUMENTS, home) if "lake/questions" not in place]
    return left + row(name, "purge --document, three times", before, rest)


def while_writing(home: Path, scratch: Path, server: Server) -> None:
    """Purge while a run is writing."""
    server.after_s, before = 0.5, files(home, "cache/replies")
    many = (f"Is part {number} of the backups encrypted?" for number in range(24))
    file = write_questions(scratch / "now.xlsx", *many)
    writing = begun(home, "answer", file, "--generator", "openai")
    while writing.poll() is None and files(home, "cache/replies") <= before:
        time.sleep(POLL_S)
    left = len(json.loads(done(home, "--json", "purge", "--before", TOMORROW))["left_runs"])
    printed = writing.communicate()[1].decode()
    print(f"a purge while a run writes: {left} runs are left, and that run ends with {writing.returncode}")
    server.after_s = 0.0
    if writing.returncode:
        print(printed)


def main() -> int:
    """Print the table; returns 1 if a word is left."""
    server = Server()
    with tempfile.TemporaryDirectory() as folder, scripted_url(server) as url:
        scratch = Path(folder)
        os.environ |= {
            "BIDFOLIO_OPENAI_BASE_URL": url,
            "BIDFOLIO_OPENAI_MODEL": "scripted",
            "BIDFOLIO_OPENAI_MAX_IN_FLIGHT": "2",
            "BIDFOLIO_USER": PERSON,
        }
        home = build(scratch, server)
        print("| home | what was done | files with a word before | after |\n|---|---|---|---|")
        copies = [copied(home, scratch / "copied")]
        copies += [restored(home, scratch / name) for name in ("killed", "named", "restored")]
        while_writing(home, scratch, server)
        for path in [*(scratch / "documents").glob(f"{NAME}.*"), scratch / "documents" / "killed.txt"]:
            path.unlink()
        left = forget_documents("as it was", home, scratch / "documents")
        left += purge_all("copied", copies[0])
        left += purge_killed(copies[1])
        left += purge_by_name(copies[2])
        left += forget_documents("restored", copies[3], scratch / "documents")
    print(f"{left} places left")
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main())
