"""Sentences are searched and their neighbours answer: by `ask`, `answer` and `evaluate`, in memory and on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.plans import PLANS_DIR
from tests.made.commands import Bidfolio

QUESTION = "How soon do you report a breach to your customers?"
REPLY = "Within two days, by mail to whoever is named in the contract."
OTHERS = ("payroll", "printers", "parking", "canteen", "furniture", "holidays", "badges", "plants", "lifts", "bicycles")


@pytest.fixture(scope="module")
def faq(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions on the first page; the last one's reply begins the second."""
    from reportlab.pdfgen import canvas

    folder = tmp_path_factory.mktemp("faq")
    pdf = canvas.Canvas(str(folder / "faq.pdf"), pagesize=(595, 842), invariant=True)
    height = 790
    for other in OTHERS:
        for line in (
            f"Who looks after the {other} in your office?",
            f"The {other} are looked after by the facilities.",
        ):
            pdf.drawString(60, height := height - 30, line)
    pdf.drawString(60, height - 30, QUESTION)
    pdf.showPage()
    pdf.drawString(60, 790, REPLY)
    pdf.drawString(60, 740, "Other matters are set out in the handbook of the office.")
    pdf.showPage()
    pdf.save()
    return folder


def write_plan(path: Path, after: int, **more: Any) -> Path:
    raw = yaml.safe_load((PLANS_DIR / "sentence_window.yaml").read_text(encoding="utf-8"))
    raw["retrieval"] |= {"top_k": 1, "hand_over": {"after": after}}
    raw["answering"] |= {"decline_below": 0.0, "review_below": 0.0}
    path.write_text(yaml.safe_dump(raw | more), encoding="utf-8")
    return path


@pytest.mark.usefixtures("prefect_server")
def test_the_reply_behind_the_question_that_was_found(faq: Path, bidfolio: Bidfolio, tmp_path: Path) -> None:
    """A question is nothing to quote, so alone it answers nothing."""
    alone, window = write_plan(tmp_path / "alone.yaml", 0), write_plan(tmp_path / "window.yaml", 1)
    on_disk = write_plan(tmp_path / "on_disk.yaml", 1, search={"exact_below": 1})

    refreshed = bidfolio("--json", "refresh", faq, "--plan", window)
    assert refreshed.exit_code == 0, refreshed.err

    assert bidfolio("--json", "ask", QUESTION, "--plan", alone).summary["decline_reason"] == "no_evidence"
    answer = bidfolio("--json", "ask", QUESTION, "--plan", window).summary
    assert (answer["status"], answer["answer"]) == ("answered", REPLY)
    assert [(one["page_number"], one["quote"]) for one in answer["citations"]] == [(2, REPLY)]

    file = tmp_path / "customer.csv"
    file.write_text(f"Ref,Question,Answer\n1,{QUESTION},\n", encoding="utf-8")
    filled = bidfolio("--json", "answer", file, "--plan", window)
    assert filled.exit_code == 0, filled.err
    assert REPLY in Path(filled.summary["out"]).read_text(encoding="utf-8")

    gold = tmp_path / "gold.jsonl"
    evidence = [{"file": "faq.pdf", "page": 2}]
    gold.write_text(
        json.dumps({"id": "1", "question": QUESTION, "answer": REPLY, "answerable": True, "evidence": evidence}),
        encoding="utf-8",
    )
    ran = bidfolio("--json", "evaluate", gold, "--plan", alone, "--plan", window, "--plan", on_disk)
    assert ran.exit_code == 0, ran.err
    for name, precision in (("alone", None), ("window", 1), ("on_disk", 1)):
        figures = ran.summary["plans"][name]
        assert figures["page_recall_at_1"] == 0, "a hit's page is that of what was found"
        assert figures["citation_page_precision"] == precision
