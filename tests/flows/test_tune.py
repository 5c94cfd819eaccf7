"""`bidfolio tune`, and what becomes of an adapter: a version has it, a refresh keeps it, a rollback drops it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from configs.plans import PLANS_DIR, load_plan
from configs.settings import load_settings
from tasks.index.store import IndexStore
from tasks.retrieval.version_loading import live_version
from tasks.storage.lake import Lake
from tasks.tuning.task import with_adapter
from tests.made.commands import Bidfolio
from tests.made.published import Published

QUESTION = "Do you support single sign-on?"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    evidence = [{"file": "past.csv", "page": None}]
    line = {"id": "1", "question": QUESTION, "answer": None, "answerable": True, "evidence": evidence}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def off(tmp_path: Path) -> Path:
    """The plan bidfolio that leaves adapters off."""
    path = tmp_path / "off.yaml"
    text = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    path.write_text(text.replace("retrieval:\n", "retrieval:\n  adapter: off\n"), encoding="utf-8")
    return path


def similarity(bidfolio: Bidfolio, home: Path, gold: Path, plan: str = "bidfolio") -> float:
    """The cosine of the question and the past row that has it word for word, as `evaluate` records it."""
    ran = bidfolio("--json", "evaluate", gold, "--plan", plan)
    assert ran.exit_code == 0, ran.err
    rows = Lake(str(home)).read("retrievals", run_id=ran.summary["run_id"], plan=Path(plan).stem).to_pylist()
    (found,) = {row["dense_similarity"] for row in rows if row["row_number"] == 3}
    return float(found)


def publish_mirrored(bidfolio: Bidfolio, home: Path) -> str:
    """Makes a version live whose adapter turns every question to its opposite, and gives its id."""
    store = IndexStore(str(home))
    live = live_version(store, load_plan("bidfolio"), None)
    mirrored = with_adapter(live, -np.eye(384, dtype=np.float32), load_plan("bidfolio"), load_settings(home=str(home)))
    published = bidfolio("index", "publish", mirrored.index_version)
    assert published.exit_code == 0, published.err
    return mirrored.index_version


def live_manifest(home: Path) -> str:
    live = IndexStore(str(home)).live("default", load_plan("bidfolio").index_key)
    assert live is not None
    return live.adapter_key


def test_a_version_has_its_adapter_a_refresh_keeps_it_and_a_rollback_drops_it(
    published: Published, bidfolio: Bidfolio, gold: Path, off: Path
) -> None:
    before = similarity(bidfolio, published.home, gold)
    assert before > 0.5
    publish_mirrored(bidfolio, published.home)
    key = live_manifest(published.home)
    assert similarity(bidfolio, published.home, gold) == pytest.approx(-before, abs=1e-5)
    assert similarity(bidfolio, published.home, gold, str(off)) == pytest.approx(before, abs=1e-5)

    assert bidfolio("refresh", published.documents).out.startswith("nothing has changed")
    (published.documents / "new.txt").write_text("Visitors are escorted at all times.\n", encoding="utf-8")
    refreshed = bidfolio("--json", "refresh", published.documents)
    assert refreshed.exit_code == 0 and refreshed.summary["adapter"] == "kept"
    assert live_manifest(published.home) == key
    assert similarity(bidfolio, published.home, gold) == pytest.approx(-before, abs=1e-5)

    for left in (key, ""):
        assert bidfolio("index", "rollback").exit_code == 0
        assert live_manifest(published.home) == left
    (published.documents / "new.txt").unlink()
    assert bidfolio("refresh", published.documents).exit_code == 0
    assert live_manifest(published.home) == ""
    assert similarity(bidfolio, published.home, gold) == before


def test_what_is_answered_from_is_the_versions_own(published: Published, bidfolio: Bidfolio, tmp_path: Path) -> None:
    publish_mirrored(bidfolio, published.home)
    (tmp_path / "asked.csv").write_text(f"Ref,Question,Answer\n1,{QUESTION},\n", encoding="utf-8")
    ran = bidfolio("--json", "answer", tmp_path / "asked.csv")
    assert ran.exit_code == 0, ran.err
    rows = Lake(str(published.home)).read("retrievals", run_id=ran.summary["run_id"], plan="bidfolio").to_pylist()
    assert rows and min(row["dense_similarity"] for row in rows) < -0.5


def test_a_plan_that_an_adapter_was_not_judged_with_goes_without_and_that_is_said(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path, off: Path
) -> None:
    before = similarity(bidfolio, published.home, gold)
    version = publish_mirrored(bidfolio, published.home)
    six = tmp_path / "six.yaml"
    text = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    six.write_text(text.replace("top_k: 5", "top_k: 6"), encoding="utf-8")
    (tmp_path / "asked.csv").write_text(f"Ref,Question,Answer\n1,{QUESTION},\n", encoding="utf-8")
    assert similarity(bidfolio, published.home, gold, str(six)) == pytest.approx(before, abs=1e-5)
    for arguments in (["evaluate", gold], ["answer", tmp_path / "asked.csv"], ["ask", QUESTION]):
        ran = bidfolio(*arguments, "--plan", six)
        assert f"the adapter of index version {version} was judged with another retrieval" in ran.err
        assert f"tune GOLD.jsonl --adapter --plan {six}` puts another in its place" in ran.err
        for plan in ("bidfolio", off):
            assert (
                "adapter" not in bidfolio(*arguments, "--plan", plan, *["--overwrite"][: arguments[0] == "answer"]).err
            )


def test_an_adapter_of_another_model_is_dropped_and_that_is_said(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_mirrored(bidfolio, published.home)
    live = IndexStore.live

    def of_another_model(self: IndexStore, corpus: str, index_key: str) -> object:
        found = live(self, corpus, index_key)
        return found and replace(found, model_fingerprint="another")

    monkeypatch.setattr(IndexStore, "live", of_another_model)
    (published.documents / "new.txt").write_text("Visitors are escorted at all times.\n", encoding="utf-8")
    refreshed = bidfolio("refresh", published.documents)
    assert refreshed.exit_code == 0 and "adapter dropped (the model is another)" in refreshed.out
    monkeypatch.undo()
    monkeypatch.setenv("BIDFOLIO_HOME", str(published.home))
    assert live_manifest(published.home) == ""


OWN_NAMES = {
    "Thistle": "the backup system",
    "Quarrel": "the identity provider",
    "Bramble": "the ticket system",
    "Osprey": "the payroll software",
    "Lantern": "the customer portal",
    "Cobalt": "the document archive",
    "Juniper": "the network monitor",
    "Marlin": "the source code host",
}
"""What a company calls its systems, and what whoever asks does."""
SAID_OF_EACH = {
    "{} is checked for faults every {} days.": "How often is {} checked for faults?",
    "Records of {} are kept for {} months.": "For how many months are records of {} kept?",
    "The contract for {} ends in {} weeks.": "When does the contract for {} end?",
    "{} had {} hours of outage last year.": "How many hours of outage did {} have last year?",
    "{} is used by {} members of staff.": "How many members of staff use {}?",
}


def test_an_adapter_that_learns_the_companys_own_names_is_published_and_ranks_better(
    home: Path, prefect_server: None, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    (tmp_path / "documents").mkdir()
    gold = []
    for number, (name, asked_as) in enumerate(OWN_NAMES.items()):
        for kind, (statement, question) in enumerate(SAID_OF_EACH.items()):
            file = f"note-{len(SAID_OF_EACH) * number + kind:02}.txt"
            (tmp_path / "documents" / file).write_text(statement.format(name, 11 + number) + "\n", encoding="utf-8")
            evidence = [{"file": file, "page": None}]
            asked = {"id": file, "question": question.format(asked_as), "answerable": True, "evidence": evidence}
            gold.append(asked | {"answer": str(11 + number)})
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in gold), encoding="utf-8")
    assert bidfolio("refresh", tmp_path / "documents").exit_code == 0

    ran = bidfolio("--json", "tune", path, "--adapter")
    assert ran.exit_code == 0, ran.err
    figure = ran.summary["differences"]["page_mrr_at_10"]
    assert ran.summary["wins"] and ran.summary["adapter"] == "published"
    assert figure["n"] == len(gold) and figure["interval"][0] > 0.2
    assert live_manifest(home)
    measured = bidfolio("--json", "evaluate", path)
    assert measured.summary["plans"]["bidfolio"]["page_mrr_at_10"] > figure["without"] + 0.2
    assert f"has learnt from {len(gold)} of the {len(gold)} questions" in measured.err
    assert ", with an adapter" in bidfolio("index", "list").out


def test_too_few_questions_are_told(published: Published, bidfolio: Bidfolio, gold: Path) -> None:
    for arguments, count in ((["tune", "--adapter"], 0), (["tune", gold, "--adapter"], 1)):
        ran = bidfolio(*arguments)
        assert ran.exit_code == 2
        assert f"there are {count} questions with known answers" in ran.err and "it takes 30" in ran.err
        assert "name files" not in ran.err
    elsewhere = gold.read_text(encoding="utf-8").replace("past.csv", "gone.csv")
    gold.write_text(elsewhere, encoding="utf-8")
    ran = bidfolio("tune", gold, "--adapter")
    assert ran.exit_code == 2
    assert "1 of the gold set's 1 name files, pages or rows that the corpus has not; there are 0" in ran.err


def test_what_is_tuned_has_to_be_said_and_to_be_there(
    prefect_server: None, bidfolio: Bidfolio, gold: Path, off: Path
) -> None:
    assert "one of the arguments --adapter --cross-encoder --confidence --grid is required" in bidfolio("tune").err
    refused = bidfolio("tune", "--adapter")
    assert refused.exit_code == 2 and "run `bidfolio refresh SOURCE --plan bidfolio` first" in refused.err
    assert "there is no file" in bidfolio("tune", gold.parent / "none.jsonl", "--adapter").err
    assert "set retrieval.adapter: auto" in bidfolio("tune", "--adapter", "--plan", off).err
    assert "say with --out DIR" in bidfolio("tune", "--cross-encoder").err
