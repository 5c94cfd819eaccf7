"""From a filled copy among the documents to answers that a person has approved, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.made.commands import Bidfolio

KEYS = "Do you rotate the keys of customer backups every year?"
DRAFT = "Yes. Keys are rotated on every full moon."
APPROVED = "Yes. Keys of backups are rotated every January:\n- by two people\n- on the same day."


def test_drafts_are_no_evidence_and_what_is_approved_is(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    def cited() -> list[str]:
        assert bidfolio("refresh", folder).exit_code == 0
        said: dict[str, Any] = bidfolio("--json", "ask", KEYS).summary
        return [said["answer"] or "", *(one["file_name"] for one in said["citations"])]

    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "policy.txt").write_text(
        "Customers\n\nCustomers are told of changes to the service by mail.\n", encoding="utf-8"
    )
    copy = folder / "customer.answered.csv"
    copy.write_text(f"Question,Answer,bidfolio status\n{KEYS},{DRAFT},needs review: thin\n", encoding="utf-8")
    assert "customer.answered.csv" not in cited()

    past = tmp_path / "past.csv"
    past.write_text(f'Question,Answer\n{KEYS},"{APPROVED}"\n', encoding="utf-8")
    imported = bidfolio("library", "import", past)
    assert imported.exit_code == 0 and f"bidfolio refresh {folder}" in imported.out
    (folder / "the same.csv").write_bytes(past.read_bytes())
    assert cited() == [APPROVED, "library:past.csv"]
    rows = bidfolio("--json", "sql", "SELECT file_name FROM documents ORDER BY 1").summary["rows"]
    assert rows == [["customer.answered.csv"], ["library:past.csv"], ["policy.txt"]]
    assert bidfolio("--json", "library", "list").summary["answers"][0]["question"] == KEYS

    (folder / "the same.csv").unlink()
    assert bidfolio("library", "remove", "past.csv").exit_code == 0
    assert "library:past.csv" not in cited()


def test_of_two_answers_that_an_archive_brings_the_newer_is_quoted(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    """Whichever is imported first, and another day that is told later is taken over by the next refresh."""

    def cited() -> list[str]:
        assert bidfolio("refresh", folder).exit_code == 0
        said: dict[str, Any] = bidfolio("--json", "ask", KEYS).summary
        return [one["file_name"] for one in said["citations"]]

    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "policy.txt").write_text("Customers\n\nThey are told of changes to the service by mail.\n", "utf-8")
    for name, year in (("new", 2025), ("old", 2022)):
        past = tmp_path / f"{name}.csv"
        past.write_text(f'Ref,Question,Answer\n{name},{KEYS},"{APPROVED}"\n', encoding="utf-8")
        imported = bidfolio("library", "import", past, "--date", f"{year}-03-01")
        assert imported.exit_code == 0 and f"of {year}-03-01" in imported.out
    assert cited() == ["library:new.csv"]
    assert bidfolio("library", "import", past, "--date", "2026-03-01").exit_code == 0
    assert cited() == ["library:old.csv"]
    assert bidfolio("library", "import", past, "--date", "1.3.2026").exit_code == 2


NOTICE = "Within how many hours do you tell customers of a security incident?"
AGREED = "The supplier tells its customers of a security incident within {} hours of becoming aware of it.\n"


def test_an_approved_answer_that_the_documents_now_contradict_is_shown_with_both_texts(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    """From a draft over its approval to a changed agreement: the answer is no longer given as sure."""

    def answered() -> dict[str, Any]:
        said = bidfolio("--json", "answer", asked, "--overwrite")
        assert said.exit_code == 0
        sql = f"SELECT status, text, detail, generator FROM answers WHERE run_id = '{said.summary['run_id']}'"
        rows = bidfolio("--json", "sql", sql).summary["rows"]
        assert rows[0] == rows[1], "the same question twice"
        return dict(zip(("status", "text", "detail", "generator"), rows[0], strict=True))

    folder, asked, past = tmp_path / "documents", tmp_path / "asked.csv", tmp_path / "past.csv"
    folder.mkdir()
    (folder / "agreement.md").write_text(f"# Incidents\n\n{AGREED.format(48)}", encoding="utf-8")
    asked.write_text(f"No,Question,Answer\n1,{NOTICE},\n2,1.2 {NOTICE.upper()},\n", encoding="utf-8")
    assert bidfolio("refresh", folder, "--corpus", "tenders").exit_code == 0
    drafted = answered()
    answer = f"{drafted['text']} [§ Incidents]"
    past.write_text(f'Question,Answer,Valid until\n{NOTICE},"{answer}",2999-12-31\n', encoding="utf-8")
    imported = bidfolio("library", "import", past)
    assert imported.exit_code == 0 and "in the library of tenders" in imported.out
    assert bidfolio("refresh", folder, "--corpus", "tenders").exit_code == 0
    reused = answered()
    assert (reused["status"], reused["text"], reused["generator"]) == ("answered", AGREED.format(48).strip(), "library")
    assert "[§" not in (tmp_path / "asked.answered.csv").read_text(encoding="utf-8"), "as it was approved"
    assert bidfolio("--json", "library", "stale").summary["stale"] == []

    (folder / "agreement.md").write_text(f"# Incidents\n\n{AGREED.format(24)}", encoding="utf-8")
    assert bidfolio("refresh", folder, "--corpus", "tenders").exit_code == 0
    doubted = answered()
    assert doubted["status"] == "needs_review" and doubted["text"] == AGREED.format(48).strip()
    assert "the page changed" in doubted["detail"] and "contradict each other" in doubted["detail"]
    assert "within 24 hours" in doubted["detail"] and "within 48 hours" in doubted["detail"]
    assert "48 hours" not in (tmp_path / "asked.answered.csv").read_text(encoding="utf-8")
    (stale,) = bidfolio("--json", "library", "stale").summary["stale"]
    assert "within 24 hours" in stale["faults"][0]["new_quote"] and "within 48 hours" in stale["faults"][0]["old_quote"]
