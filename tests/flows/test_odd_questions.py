"""Odd questions, and ones to the wrong index, by `ask`, `answer` and `evaluate`: an answer, or why there is none."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.plans import PLANS_DIR, load_plan
from tasks.embedding.models.model_files import files_fingerprint, model_fingerprint
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.embedding_models import save_bert
from tests.made.published import Published

LONG = "Are the backups of the production database encrypted, and for how long are they kept? "
ODD = {
    "operators": "backups AND NOT (restore OR",
    "an operator": "AND",
    "a colon": "title:secret:* ~^",
    "quotes": '"Do you "encrypt" backups\\"',
    "brackets": ")(",
    "Cyrillic": "Шифруются ли резервные копии данных?",
    "Japanese": "バックアップは暗号化されていますか?",
    "Arabic": "هل البيانات مشفرة؟",
    "nothing to see": "\u200b\u00ad",
    "20,000 characters": (LONG * 250)[:20_000],
    "20,000 letters": "x" * 20_000,
}


def write_plan(path: Path, **more: Any) -> Path:
    """The default plan without its confidence, which shares its index."""
    raw = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    raw["answering"] = {"decline_below": 0.3, "review_below": 0.45}
    path.write_text(yaml.safe_dump(raw | more), encoding="utf-8")
    return path


def test_whatever_is_asked_of_whichever_index(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    """``top_k`` is more than the index has chunks; of a question without a known word BM25 alone finds nothing."""
    words = write_plan(tmp_path / "words.yaml", retrieval={"lists": [{"by": "bm25"}], "top_k": 200})
    on_disk = write_plan(tmp_path / "on_disk.yaml", search={"exact_below": 1, "candidates": 10})
    gold = tmp_path / "gold.jsonl"
    lines = [{"id": name, "question": text, "answer": None, "answerable": False} for name, text in ODD.items()]
    gold.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    plans = ("bidfolio", words, on_disk)
    ran = bidfolio("--json", "evaluate", gold, *(part for plan in plans for part in ("--plan", plan)))
    assert ran.exit_code == 0, ran.err
    lake, run = Lake(str(published.home)), ran.summary["run_id"]
    chunks = published.refreshed.summary["chunks"]
    found = {}
    for name in ("bidfolio", "words", "on_disk"):
        answers = lake.read("answers", run_id=run, plan=name).to_pylist()
        assert {row["question_id"] for row in answers} == ODD.keys()
        assert all(row["status"] != "failed" and (row["text"] or row["decline_reason"]) for row in answers)
        hits = lake.read("retrievals", run_id=run, plan=name).to_pylist()
        found[name] = {(hit["question_id"], hit["rank"]): (hit["chunk_id"], round(hit["score"], 4)) for hit in hits}
        assert all(rank <= chunks for _, rank in found[name])
    assert found["on_disk"] == found["bidfolio"]
    unknown = {
        "Cyrillic",
        "Japanese",
        "Arabic",
        "brackets",
        "nothing to see",
        "20,000 letters",
        "a colon",
        "an operator",
    }
    assert {question_id for question_id, _ in found["words"]} == ODD.keys() - unknown


@pytest.mark.parametrize(
    "name", ["operators", "a colon", "quotes", "brackets", "Cyrillic", "20,000 characters", "20,000 letters"]
)
def test_one_is_answered_or_declined(published_once: Published, name: str) -> None:
    ran = run_bidfolio(published_once.home, "--json", "ask", ODD[name])
    assert ran.exit_code == 0, ran.err
    assert ran.summary["answer"] or ran.summary["decline_reason"]


def test_a_questionnaire_of_them_is_filled(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    sheet = tmp_path / "customer.csv"
    questions = [ODD[name] for name in ("operators", "quotes", "Cyrillic", "20,000 characters", "20,000 letters")]
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("Ref", "Question", "Answer"), *((at, one, "") for at, one in enumerate(questions))]
        )
    ran = bidfolio("--json", "answer", sheet)
    assert ran.exit_code == 0, ran.err
    assert ran.summary["questions"] == len(questions) and ran.summary["failed"] == 0
    with Path(ran.summary["out"]).open(encoding="utf-8", newline="") as file:
        filled = list(csv.reader(file))
    assert [row[1] for row in filled[1:]] == questions


def test_several_questions_of_a_cell_are_each_answered_and_share_it(
    published: Published, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    sheet = tmp_path / "customer.csv"
    both = "Is customer data at rest encrypted? How soon are customers told about a confirmed breach?"
    required = "Customer data must be encrypted at rest."
    why = "We ask this because our auditors want to know it. " * 60
    twice = "Is it not the case that customer data is not encrypted at rest?"
    leaning = "Is customer data at rest encrypted? With what is it encrypted?"
    cells = [both, required, f"{why}Is customer data encrypted at rest?", twice, "n/a", "Encryption", leaning]
    rows = [
        ("Ref", "Question", "Compliance (Full/Partial/None)", "Comments"),
        *((at, one) for at, one in enumerate(cells)),
    ]
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([*row, *[""] * (4 - len(row))] for row in rows)
    ran = bidfolio("--json", "answer", sheet, "--fill", "proposed", "--evidence", "inline")
    assert ran.exit_code == 0, ran.err
    assert ran.summary["questions"] == len(cells) + 2 and ran.summary["failed"] == 0
    lake, run = Lake(str(published.home)), ran.summary["run_id"]
    ids = ["0(1)", "0(2)", "1", "2", "3", "4", "5", "6(1)", "6(2)"]
    asked = lake.read("questions", run_id=run).sort_by("question_index").to_pylist()
    assert [(row["question_id"], row["question_index"]) for row in asked] == list(zip(ids, range(9), strict=True))
    assert {row["question_id"] for row in lake.read("answers", run_id=run, plan="bidfolio").to_pylist()} == set(ids)
    cited = {
        row["question_id"]: row["quote"] for row in lake.read("citations", run_id=run, plan="bidfolio").to_pylist()
    }
    assert "AES-256" in cited["0(1)"] and "48 hours" in cited["0(2)"]
    joined = "With what is it encrypted (customer, rest)?"
    assert [row["asked_as"] for row in asked] == [None] * 8 + [joined] and "AES-256" in cited["6(2)"]
    traced = lake.read("answers", run_id=run, plan="bidfolio").to_pylist()
    (answer_id,) = (row["answer_id"] for row in traced if row["question_id"] == "6(2)")
    assert f"Read as {joined}" in " ".join(bidfolio("trace", answer_id).out.split())
    again = bidfolio("--json", "replay", run)
    assert again.exit_code == 0 and again.summary["same"] == len(ids), again.out + again.err
    with Path(ran.summary["out"]).open(encoding="utf-8-sig", newline="") as file:
        filled = list(csv.DictReader(file))
    first, second = filled[0]["Comments"].split("\n")
    assert first.startswith("a) ") and "AES-256" in first and second.startswith("b) ") and "48 hours" in second
    assert [row["Compliance (Full/Partial/None)"] for row in filled[:4]] == ["Full", "Full", "Full", ""]
    assert "double negative" in filled[3]["bidfolio status"] and filled[4]["bidfolio status"].startswith("declined")
    assert f"understood as “{joined}”" in filled[6]["bidfolio status"]
    assert filled[5]["bidfolio status"].startswith("needs_review"), "a word in a column of yes and no"


def test_a_plan_without_an_index_is_told_which_command_makes_one(published_once: Published, tmp_path: Path) -> None:
    sheet = tmp_path / "customer.csv"
    sheet.write_text("Ref,Question,Answer\n1,Do you encrypt backups?,\n", encoding="utf-8")
    for command in (("ask", "Do you encrypt backups?"), ("answer", sheet)):
        ran = run_bidfolio(published_once.home, *command, "--plan", "rails")
        assert ran.exit_code == 2
        assert "run `bidfolio refresh SOURCE --plan rails` first; published are default (bidfolio)" in ran.err
    assert not (tmp_path / "customer.answered.csv").exists()


def test_an_index_of_other_model_files_is_not_asked(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    """The folder has the same name and another model, whose vectors have as many dimensions."""
    folder = Path(save_bert(tmp_path / "one"))
    other = save_bert(tmp_path / "other", pooling="cls")
    raw = yaml.safe_load((PLANS_DIR / "rails.yaml").read_text(encoding="utf-8"))
    raw["embedding"] |= {"model": str(folder), "max_length": 24}
    raw["chunking"] |= {"max_tokens": 16, "overlap_tokens": 0}
    plan = tmp_path / "own.yaml"
    plan.write_text(yaml.safe_dump(raw), encoding="utf-8")
    refreshed = bidfolio("refresh", published.documents, "--plan", plan)
    assert refreshed.exit_code == 0, refreshed.err
    assert bidfolio("ask", "Are backups kept?", "--plan", plan).exit_code == 0
    key = load_plan(str(plan)).index_key
    shutil.rmtree(folder)
    shutil.copytree(other, folder)
    for cached in (files_fingerprint, model_fingerprint):  # what a new process does not know
        cached.cache_clear()
    assert load_plan(str(plan)).index_key == key
    for command in (("ask", "Are backups kept?"), ("answer", published.documents / "past.csv")):
        refused = bidfolio(*command, "--plan", plan)
        assert refused.exit_code == 2 and "was made with other files of the model" in refused.err
        assert f"run `bidfolio refresh SOURCE --plan {plan}` first" in refused.err
