"""Questions that are put to some documents alone, by the command line, over a real index."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.made.commands import Bidfolio
from tests.made.published import Published

QUESTIONS = ("Is all customer data at rest encrypted with AES-256?", "Do you support single sign-on?")
OLD = 1_600_000_000
"""A day of September 2020, in seconds."""


def sheet_of(folder: Path) -> Path:
    path = folder / "customer.csv"
    path.write_text("\n".join(["Question,Answer", *(f"{question}," for question in QUESTIONS)]), encoding="utf-8")
    return path


def test_a_questionnaire_is_answered_from_one_document(
    published: Published, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = sheet_of(tmp_path)
    done = bidfolio("--json", "answer", sheet, "--file", "PAST.csv")
    assert done.exit_code == 0, done.err
    assert done.summary["scope"] == {"file": ["PAST.csv"], "documents": 1, "undated": 0}
    run = done.summary["run_id"]
    shown = bidfolio("--json", "sql", f"SELECT DISTINCT file_name FROM retrievals WHERE run_id = '{run}'").summary
    assert shown["rows"] == [["past.csv"]]
    recorded = bidfolio("--json", "sql", f"SELECT scope FROM runs WHERE run_id = '{run}'").summary
    assert recorded["rows"] == [["--file PAST.csv"]]
    filled = (tmp_path / "customer.answered.csv").read_text(encoding="utf-8")
    assert "SAML 2.0" in filled and "AES-256 in every region" not in filled
    again = bidfolio("--json", "answer", sheet, "--kind", "pdf")
    assert again.exit_code == 2 and "--overwrite" in again.err, "another scope is not the same run's own work"

    monkeypatch.setenv("BIDFOLIO_TAGS", '{"written": ["*.txt", "policy.pdf"]}')
    asked = bidfolio("--json", "ask", QUESTIONS[1], "--tag", "written").summary
    assert {cited["file_name"] for cited in asked["citations"]} <= {"policy.pdf", "hosting.txt"}
    assert asked["scope"] == {"tag": ["written"], "documents": 2, "undated": 0}
    assert bidfolio("--json", "ask", QUESTIONS[1]).summary["scope"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--file", "polcy.pdf"], "policy.pdf"),
        (["--folder", "past"], "names no document"),
        (["--tag", "past"], "there is no tag 'past'"),
        (["--kind", "docx"], "there are csv, pdf, sheet, txt"),
        (["--since", "tomorrow"], "YYYY-MM-DD"),
    ],
    ids=str,
)
def test_a_scope_of_nothing_is_wrong_usage(
    published_once: Published, tmp_path: Path, options: list[str], said: str
) -> None:
    from tests.made.commands import run_bidfolio

    for command in (["ask", QUESTIONS[0]], ["answer", sheet_of(tmp_path)]):
        refused = run_bidfolio(published_once.home, *command, *options)
        assert refused.exit_code == 2 and said in refused.err, refused.err
    assert not (tmp_path / "customer.answered.csv").exists()


def test_days_are_the_documents_own_or_their_files(prefect_server: None, bidfolio: Bidfolio, corpus: Path) -> None:
    """The policy tells a day of 2000; the others are as old as their files."""
    os.utime(corpus / "past.csv", (OLD, OLD))
    assert bidfolio("refresh", corpus).exit_code == 0
    days = bidfolio("--json", "sql", "SELECT file_name, document_date, file_date FROM documents ORDER BY 1").summary
    assert [row[1] for row in days["rows"]] == [None, None, "2000-01-01"]
    assert days["rows"][1][2] == "2020-09-13" and days["rows"][0][2] > "2020-09-13"
    found = bidfolio("--json", "ask", QUESTIONS[1], "--since", "2020-09-13", "--until", "2020-09-13")
    assert found.summary["scope"]["documents"] == 1 and found.summary["citations"][0]["file_name"] == "past.csv"
    assert bidfolio("ask", QUESTIONS[1], "--until", "1999-12-31").exit_code == 2


def test_an_index_of_before_has_no_days_and_says_so(published: Published, bidfolio: Bidfolio) -> None:
    path = next((published.home / "lake" / "documents").rglob("*.parquet"))
    rows = pq.read_table(path, partitioning=None)
    at = rows["file_name"].to_pylist().index("past.csv")
    days = [None if number != at else day for number, day in enumerate(rows["file_date"].to_pylist())]
    older = rows.drop_columns(["document_date", "file_date"])
    pq.write_table(older, path)
    refused = bidfolio("ask", QUESTIONS[1], "--since", "2001-01-01")
    assert refused.exit_code == 2 and "refresh" in refused.err
    pq.write_table(older.append_column(rows.schema.field("file_date"), [days]), path)
    warned = bidfolio("ask", QUESTIONS[1], "--since", "2001-01-01")
    assert warned.exit_code == 0 and "nobody knows the day of 2 documents" in warned.err
    assert "past.csv" in warned.out
