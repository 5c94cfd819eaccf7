"""Past answers given again, versions and twins, from real files to the filled questionnaire."""

from __future__ import annotations

import os
from pathlib import Path

from reportlab.pdfgen import canvas

from tests.made.commands import Bidfolio

PAST = "An independent firm carries out a penetration test of the whole platform every year in spring."
PAGE = (
    "The plan pays for visits to a primary care doctor and for preventive care such as vaccines.",
    "Members pay {} dollars for each visit to a specialist who belongs to the network of the plan.",
    "Emergency rooms are covered everywhere in the country, and an ambulance is free of charge.",
)
SPECIALIST = "How many dollars do members pay for each visit to a specialist"


def write_plan(path: Path, title: str, dollars: int) -> None:
    pdf = canvas.Canvas(str(path), pagesize=(595, 842), invariant=True)
    pdf.setTitle(title)
    for at, line in enumerate(PAGE):
        pdf.drawString(60, 740 - 20 * at, line.format(dollars))
    pdf.save()


def write_past(path: Path, question: str, day: int) -> None:
    rows = (
        f"Ref,Question,Answer\n1,{question},{PAST}\n2,Where is {path.stem} kept?,In a drawer of the office in Bergen.\n"
    )
    path.write_text(rows, encoding="utf-8")
    os.utime(path, (day, day))


def test_the_same_is_said_once_and_twins_go_to_a_person(
    prefect_server: None, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    write_plan(folder / "standard.pdf", "Harbour Standard Benefits", 30)
    write_plan(folder / "plus.pdf", "Harbour Plus Benefits", 45)
    write_plan(folder / "dental-2023.pdf", "Dental plan 2023", 12)
    write_plan(folder / "dental-2025.pdf", "Dental plan 2025", 20)
    write_past(folder / "older.csv", "Do you carry out penetration tests?", 1_600_000_000)
    write_past(folder / "newer.csv", "Are penetration tests carried out?", 1_700_000_000)
    assert bidfolio("refresh", folder).exit_code == 0
    sheet = tmp_path / "customer.csv"
    asked = (
        f"{SPECIALIST} in Harbour Plus?",
        f"{SPECIALIST}?",
        f"{SPECIALIST} in the dental plan of 2023?",
        f"{SPECIALIST} in the dental plan?",
        "Do you carry out penetration tests of the platform?",
    )
    sheet.write_text("\n".join(["Question,Answer", *(f"{question}," for question in asked)]), encoding="utf-8")
    done = bidfolio("--json", "answer", sheet, "--evidence", "inline")
    assert done.exit_code == 0, done.err
    plus, either, named, newest, tests = (
        (tmp_path / "customer.answered.csv").read_text(encoding="utf-8").splitlines()[1:]
    )
    assert "45 dollars" in plus and "which is meant" not in plus
    assert "needs review" in either.replace("_", " ") and "decide which is meant" in either
    assert "standard.pdf, p. 1" in either and "plus.pdf, p. 1" in either
    assert "12 dollars" in named and "dental-2023.pdf, p. 1" in named and "which is meant" not in named
    assert "20 dollars" in newest and "dental-2023.pdf, p. 1 says it differently" in newest
    assert "newer.csv, row 2" in tests and "older.csv" not in tests
    run = done.summary["run_id"]
    kept = bidfolio(
        "--json", "sql", f"SELECT count(*) FROM retrievals WHERE run_id = '{run}' AND duplicates LIKE '%older.csv%'"
    )
    assert kept.summary["rows"][0][0] >= 1
    asked_last = bidfolio(
        "--json", "sql", f"SELECT answer_id FROM audit WHERE run_id = '{run}' ORDER BY question_index DESC LIMIT 1"
    )
    traced = bidfolio("trace", asked_last.summary["rows"][0][0])
    hits = traced.out.partition("Hits")[2].partition("Citations")[0]
    assert hits.index("newer.csv, row 2") < hits.index("the same: older.csv, row 2")
