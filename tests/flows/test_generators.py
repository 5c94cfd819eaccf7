"""Questionnaires answered through model servers that die or want a key: what is kept, and what is shown."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tasks.records import Question
from tasks.retrieval.finding import Found, find_hits
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.paths import ROOT
from tests.made.published import Published
from tests.made.run_results import rows_of
from tests.made.scripted_server import Reply, scripted_url

AWAY = "http://127.0.0.1:9/v1"
KEY = "sk-planted-0123456789"
BREACH = "How soon are customers told about a confirmed breach of personal data?"
TOPICS = ("encryption", "backups", "breaches", "uptime", "regions", "penetration tests")
PLAIN = [BREACH, *(f"What do you say about {topic}?" for topic in TOPICS[1:])]
QUESTIONS = [*PLAIN, *(f"What do you say about {topic}, in many words?" for topic in TOPICS)]


class Faithful:
    """A model that repeats its first passage. Questions may be refused, and wait for leave where there is any."""

    def __init__(self, refuses: str = "\0") -> None:
        self.refuses, self.asked = refuses, list[str]()
        self.lock = threading.Lock()
        self.leave: threading.Semaphore | None = None

    def __call__(self, body: dict[str, Any]) -> Reply:
        told = body["messages"][1]["content"]
        with self.lock:
            self.asked.append(told.split("Question: ")[1].split("\n")[0])
        if self.leave is not None:
            self.leave.acquire()
        passage = told.split("\n\n")[1].split("\n", 1)[1]
        said = {"answer": " ".join(passage.split())[:600].rpartition(".")[0] + ".", "citations": [1], "verdict": None}
        return (400, {}) if self.refuses in self.asked[-1] else (200, said)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "customer.csv"
    path.write_text("Question,Answer\n" + "".join(f'"{question}",\n' for question in QUESTIONS), encoding="utf-8")
    return path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Faithful]:
    model = Faithful()
    with scripted_url(lambda body: model(body), key=KEY) as url:
        set_server(monkeypatch, url)
        monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", KEY)
        yield model


def set_server(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
    monkeypatch.setenv("BIDFOLIO_OPENAI_MODEL", "m")


def answers_of(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row["Answer"] for row in csv.DictReader(file)]


def holding(text: str, folder: Path) -> list[Path]:
    """The files that hold it, tables by their values, as what is packed would not be found."""
    found = []
    for path in filter(Path.is_file, folder.rglob("*")):
        raw = path.read_bytes()
        if path.suffix == ".parquet":
            raw += repr(pq.ParquetFile(path).read().to_pylist()).encode()
        if text.encode() in raw:
            found.append(path)
    return found


def test_what_a_killed_run_was_told_is_not_asked_again(
    published: Published, bidfolio: Bidfolio, sheet: Path, server: Faithful, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.settings import PREFECT_API_URL

    out = sheet.with_name("customer.answered.csv")
    monkeypatch.setenv("BIDFOLIO_OPENAI_MAX_IN_FLIGHT", "2")
    server.leave = threading.Semaphore(5)
    environment = os.environ | {"PREFECT_API_URL": str(PREFECT_API_URL.value()), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "flows.cli", "--home", str(published.home), "answer", str(sheet)]
    process = subprocess.Popen(
        [*command, "--generator", "openai"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    replies = published.home / "cache" / "replies"
    while len(list(replies.rglob("*.json"))) < 5:
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not out.exists() and len(server.asked) <= 7, "five were answered, two more were under way"

    server.asked.clear()
    server.leave = None
    ran = bidfolio("answer", sheet, "--generator", "openai", "--json")
    assert ran.exit_code == 0, ran.err
    assert len(server.asked) == len(set(server.asked)) == len(QUESTIONS) - 5
    assert ran.summary["answered"] + ran.summary["needs_review"] + ran.summary["declined"] == len(QUESTIONS)


SUBJECTS = (
    "parking canteen holidays furniture printing cycling heating lighting cleaning gardening laundry music".split()
)


def test_when_one_document_changed_only_questions_with_other_hits_are_asked_again(
    published: Published, bidfolio: Bidfolio, server: Faithful, tmp_path: Path
) -> None:
    for at, subject in enumerate(SUBJECTS):
        text = f"The rules of {subject} are set by the office of {subject} and are looked at every {at + 2} months.\n"
        (published.documents / f"{subject}.txt").write_text(text, encoding="utf-8")
    questions = [f"How often are the rules of {subject} looked at?" for subject in SUBJECTS]
    sheet = tmp_path / "rules.csv"
    sheet.write_text("Question,Answer\n" + "".join(f"{question},\n" for question in questions), encoding="utf-8")

    def asked_with_hits() -> tuple[set[str], dict[str, list[list[Any]]]]:
        assert bidfolio("refresh", published.documents).exit_code == 0
        server.asked.clear()
        ran = bidfolio("--json", "answer", sheet, "--generator", "openai", "--overwrite")
        assert ran.exit_code == 0, ran.err
        of_run = f"r.run_id = '{ran.summary['run_id']}' AND q.run_id = r.run_id AND q.question_id = r.question_id"
        query = f"SELECT q.question, r.rank, r.chunk_id FROM retrievals r, questions q WHERE {of_run} ORDER BY 1, 2"
        hits: dict[str, list[list[Any]]] = {question: [] for question in questions}
        for question, *hit in rows_of(bidfolio, query):
            hits[question].append(hit)
        return set(server.asked), hits

    first, before = asked_with_hits()
    changed = published.documents / "music.txt"
    changed.write_text(changed.read_text(encoding="utf-8").replace("13 months", "26 months"), encoding="utf-8")
    again, after = asked_with_hits()
    others = {question for question in questions if before[question] != after[question]}
    assert first == set(questions) and all(before.values())
    assert "How often are the rules of music looked at?" in again <= others < first


def test_no_run_loses_an_answer_that_was_there(
    published: Published, bidfolio: Bidfolio, sheet: Path, server: Faithful, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = sheet.with_name("customer.answered.csv")
    server.refuses = "in many words"
    first = bidfolio("--json", "answer", sheet, "--generator", "openai")
    assert first.exit_code == 1 and first.summary["failed"] == 6, first.err
    before, asked = out.read_bytes(), len(server.asked)

    # The server is gone: what it said before stays in the file, and stays known.
    monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", "sk-expired")
    refused = bidfolio("answer", sheet, "--generator", "openai")
    assert refused.exit_code == 2 and "refused the key: set BIDFOLIO_OPENAI_API_KEY" in refused.err
    assert out.read_bytes() == before
    told = ("--generator", "chain", "--evidence", "inline", "--out", sheet.with_name("chain.csv"))
    chained = bidfolio("--json", "answer", sheet, *told)
    assert chained.exit_code == 0, chained.err
    kept, again = (answers_of(path)[: len(PLAIN)] for path in (out, sheet.with_name("chain.csv")))
    (warning,) = chained.summary["warnings"]
    assert "openai did not draft 6 of " in warning and "refused the key: set BIDFOLIO_OPENAI_API_KEY" in warning
    filled = sheet.with_name("chain.csv").read_text(encoding="utf-8")
    assert "the model server refused the key" in filled and "http://" not in filled and "BIDFOLIO_" not in filled
    assert kept == again and any(kept) and len(server.asked) == asked

    monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", KEY)
    server.refuses = "\0"
    done = bidfolio("--json", "answer", sheet, "--generator", "openai")
    assert done.exit_code == 0 and done.summary["failed"] == 0, done.err
    assert len(server.asked) == asked + 6

    shown = first.out + first.err + refused.out + refused.err + chained.out + chained.err + done.out + done.err
    assert KEY not in shown and "sk-expired" not in shown
    assert not holding(KEY, sheet.parent) and not holding("sk-expired", sheet.parent)
    assert holding("refused the key", published.home), "the reason is there, and would be found"


def test_a_server_drafts_what_is_found_while_the_next_is_being_found(
    published: Published, bidfolio: Bidfolio, sheet: Path, server: Faithful, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [f"What do you say about {topic} in part {number}?" for number in range(7) for topic in TOPICS]
    sheet.write_text("Question,Answer\n" + "".join(f"{question}\n" for question in asked), encoding="utf-8")
    parts, is_drafting = list[int](), list[bool]()

    def find(part: Sequence[Question], *known: Any) -> Found:
        # Before the second part is found, the server has to be asked about the first.
        by = time.monotonic() + 60
        while parts and not server.asked and time.monotonic() < by:
            time.sleep(0.01)
        parts.append(len(part))
        is_drafting.append(bool(server.asked))
        return find_hits(part, *known)

    monkeypatch.setattr("tasks.answering.pipeline.find_hits", find)
    ran = bidfolio("--json", "answer", sheet, "--generator", "openai")
    assert ran.exit_code == 0, ran.err
    assert (parts, is_drafting) == ([16, 26], [False, True])
    assert len(server.asked) == len(asked), "each question once"
    for table in ("questions", "audit"):
        rows = bidfolio("--json", "sql", f"SELECT question FROM {table} ORDER BY question_index").summary["rows"]
        assert [text for (text,) in rows] == asked
    counts = "SELECT count(DISTINCT question_id) FROM retrievals", "SELECT count(DISTINCT question_id) FROM answers"
    assert [bidfolio("--json", "sql", query).summary["rows"] for query in counts] == [[[42]], [[42]]]

    parts.clear()
    again = bidfolio("--json", "replay", ran.summary["run_id"])
    assert again.exit_code == 0 and again.summary["differences"] == [], again.err
    assert parts == [16, 26], "a vector hangs on its batch"


def test_what_a_server_drafted_of_the_first_questions_is_kept_where_it_fails_at_the_next(
    published: Published, bidfolio: Bidfolio, sheet: Path, server: Faithful, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [f"What do you say about {topic} in part {number}?" for number in range(6) for topic in TOPICS]
    sheet.write_text("Question,Answer\n" + "".join(f"{question}\n" for question in asked), encoding="utf-8")
    parts = list[int]()

    def find(part: Sequence[Question], *known: Any) -> Found:
        found = find_hits(part, *known)
        while parts and len(list((published.home / "cache" / "replies").rglob("*.json"))) < 16:
            time.sleep(0.01)
        if parts:
            monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", "sk-expired")
        parts.append(len(part))
        return found

    with monkeypatch.context() as patched:
        patched.setattr("tasks.answering.pipeline.find_hits", find)
        refused = bidfolio("--json", "answer", sheet, "--generator", "openai")
    assert refused.exit_code == 2 and "refused the key" in refused.err
    assert (parts, len(server.asked)) == ([16, 20], 16)

    monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", KEY)
    ran = bidfolio("--json", "answer", sheet, "--generator", "openai")
    assert ran.exit_code == 0 and len(server.asked) == len(asked), ran.err


def test_a_chain_says_who_answered_and_why(
    published_once: Published, sheet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_server(monkeypatch, AWAY)
    asked = run_bidfolio(published_once.home, "--json", "ask", BREACH, "--generator", "chain")
    assert asked.exit_code == 0, asked.err
    assert asked.summary["generator"] == "extractive" and "48 hours" in asked.summary["answer"]
    assert "drafted by the fallback extractive, as openai: no model server answers" in asked.summary["detail"]
    assert asked.summary["warnings"] == [f"openai did not draft 1 of 1 questions: no model server answers at {AWAY}"]
    with scripted_url(Faithful()) as url:
        monkeypatch.setenv("BIDFOLIO_SERVERS", f'{{"backup": {{"base_url": "{url}", "model": "small"}}}}')
        monkeypatch.setenv("BIDFOLIO_CHAIN_ORDER", '["openai", "backup", "extractive"]')
        asked = run_bidfolio(published_once.home, "--json", "ask", BREACH, "--generator", "chain")
    assert asked.exit_code == 0 and asked.summary["generator"] == "backup", asked.err
    monkeypatch.setenv("BIDFOLIO_CHAIN_ORDER", '["openai", "bakcup"]')
    refused = run_bidfolio(published_once.home, "ask", BREACH, "--generator", "chain")
    assert refused.exit_code == 2 and "there is no server 'bakcup'" in refused.err
