"""`bidfolio tune --grid`: what it measures and says, what it writes, and that it goes on after it was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from prefect.settings import PREFECT_API_URL

from configs.plans import PLANS_DIR
from tasks.storage.lake import Lake
from tasks.tuning import grid_task
from tests.made.commands import Bidfolio
from tests.made.dask_cluster import running_cluster
from tests.made.paths import ROOT
from tests.made.published import Published
from tests.made.questionnaires import GOLD_PAGES

ALWAYS = {"answering": {"confidence": None, "decline_below": 0.0, "review_below": 0.0}}
NEVER = {"answering": {"confidence": None, "verdicts": None, "decline_below": 1.0, "review_below": 1.0}}
FACTORS = {
    "answers": {"never": NEVER, "always": ALWAYS},
    "sources": {1: {"retrieval": {"top_k": 1}}, 5: {}},
}


def written(path: Path, **keys: Any) -> Path:
    path.write_text(
        yaml.safe_dump({"after": "mine", "base": "bidfolio", "factors": FACTORS} | keys, sort_keys=False),
        encoding="utf-8",
    )
    return path


def with_keys(path: Path, patch: dict[str, Any]) -> Path:
    """The plan bidfolio with other keys in its parts."""
    recipe = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump(recipe | {k: recipe[k] | v for k, v in patch.items()}), encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    lines = [
        {
            "id": f"q{number}",
            "question": question,
            "answer": "customers are told within 48 hours" if page == 2 else None,
            "answerable": True,
            "evidence": [{"file": "policy.pdf", "page": page}],
        }
        for number, (question, page) in enumerate(GOLD_PAGES.items())
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_what_beats_the_plan_in_use_is_written_and_gives_the_same_again(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    grid, out = written(tmp_path / "mine.yaml"), tmp_path / "out"
    silent = with_keys(tmp_path / "silent.yaml", NEVER)
    ran = bidfolio("--json", "tune", gold, "--grid", grid, "--plan", silent, "--out", out)
    assert ran.exit_code == 0, ran.err
    said = ran.summary
    assert (said["configurations"], said["objective"], said["questions"]) == (4, "correctness", 8)
    assert [row["factor"] for row in said["anova"]] == ["answers", "sources"]
    assert said["anova"][0]["p"] < 0.01 and said["anova"][0]["partial_eta2"] > 0.5
    best = said["best"]
    assert best["levels"]["answers"] == "always" and best["beats"] and best["correctness"] > 0.7
    assert best["held_out"]["p"] < 0.05 and best["held_out"]["n"] == 8
    assert said["to_beat"]["plan"] == "silent" and said["to_beat"]["correctness"] == 0
    assert len(said["top"]) == 4 and said["top"][0]["configuration"] == best["configuration"]

    table = pq.read_table(out / "grid.parquet")
    assert table.equals(Lake(str(published.home)).read("grid", run_id=said["run_id"]))
    rows = table.to_pylist()
    assert len(rows) == 5 * 8 and {row["configuration"] for row in rows} == {0, 1, 2, 3, 4}
    of_best = [row for row in rows if row["configuration"] == best["configuration"]]
    assert sum(row["correctness"] for row in of_best) / 8 == pytest.approx(best["correctness"])
    assert [row["rouge1_recall"] is None for row in of_best] == [page == 1 for page in GOLD_PAGES.values()]
    assert all(0 < row["embedding_triad"] <= 1 and row["groundedness"] > 0.3 for row in of_best)
    assert json.loads((out / "tuning.json").read_text(encoding="utf-8")) == said

    assert "best of a grid of 4: answers always" in yaml.safe_load((out / "best.yaml").read_text())["after"]
    again = bidfolio("--json", "evaluate", gold, "--plan", out / "best.yaml")
    assert again.exit_code == 0, again.err
    figures = again.summary["plans"]["best"]
    for name in ("page_recall_at_5", "page_mrr_at_10"):
        assert figures[name] == pytest.approx(best[name])
    assert figures["citation_page_precision"] == pytest.approx(best["correctness"]), "nothing is declined"
    assert bidfolio("ask", next(iter(GOLD_PAGES)), "--plan", out / "best.yaml").exit_code == 0

    bidfolio("tune", gold, "--grid", grid, "--plan", out / "best.yaml", "--out", out)
    assert not (out / "best.yaml").exists(), "what does not beat the plan in use is not recommended"


def test_it_is_told_in_tables_and_what_was_measured_is_not_measured_again(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = written(tmp_path / "mine.yaml")
    ran = bidfolio("tune", gold, "--grid", grid)
    assert ran.exit_code == 0, ran.err
    assert "grid mine: 4 configurations × 8 questions, by correctness" in ran.out
    lines = ran.out.splitlines()
    (head,) = (line for line in lines if line.startswith("factor"))
    assert head.split()[:4] == ["factor", "F", "df", "epsilon"] and "answers  " in ran.out
    assert any(line.startswith("answers: never 0.000") and ", always " in line for line in lines)
    assert "the triad over configurations: Pearson" in ran.out
    assert "on questions that did not choose it" in ran.out
    again = bidfolio("tune", gold, "--grid", grid)
    assert "5 configurations were measured by earlier runs" in again.out
    assert lines[1:] == [line for line in again.out.splitlines()[1:] if "measured by earlier" not in line]
    monkeypatch.setattr(grid_task, "readers_of", lambda *_: {"retrieval.reread.model": "other weights"})
    assert "measured by earlier" not in bidfolio("tune", gold, "--grid", grid).out, "the reader has other weights"
    monkeypatch.undo()
    gold.write_text(gold.read_text(encoding="utf-8").replace("q0", "q9"), encoding="utf-8")
    assert "measured by earlier" not in bidfolio("tune", gold, "--grid", grid).out, "another gold set"


def test_questions_without_answers_are_judged_by_the_triad(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_text(
        "".join(json.dumps({"id": str(n), "question": question}) + "\n" for n, question in enumerate(GOLD_PAGES)),
        encoding="utf-8",
    )
    ran = bidfolio("--json", "tune", asked, "--grid", written(tmp_path / "mine.yaml"))
    assert ran.exit_code == 0, ran.err
    said = ran.summary
    assert said["objective"] == "embedding_triad" and said["triad"] is None and said["unscored"] == 0
    triads = {(row["levels"]["answers"], row["levels"]["sources"]): row["embedding_triad"] for row in said["top"]}
    assert triads["never", "5"] == triads["always", "5"] > 0, "a draft that is held back has the same triad"
    assert {row["levels"]["answers"]: row["draft_rate"] for row in said["top"]} == {"never": 0, "always": 1}
    assert said["best"]["correctness"] is None and said["best"]["page_recall_at_5"] is None
    assert said["worth_of_triad"] is None, "nothing was ever labelled"
    labelled = bidfolio("--json", "tune", gold, "--grid", tmp_path / "mine.yaml")
    assert labelled.exit_code == 0, labelled.err
    told = bidfolio("tune", asked, "--grid", tmp_path / "mine.yaml")
    assert (
        f"over the 4 configurations of grid mine (run {labelled.summary['run_id']}) it went with correct by" in told.out
    )
    assert "it cannot say when to decline" in told.out
    refused = bidfolio("evaluate", asked)
    assert refused.exit_code == 2 and "line 1: answerable: true or false is missing, and so in 7 others" in refused.err


def test_a_configuration_of_another_index_has_it_built_and_one_without_weights_a_substitute(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path
) -> None:
    factors = {
        "chunks": {"160": {}, "80": {"chunking": {"max_tokens": 80}}},
        "rerank": {"late": {}, "pairs": {"retrieval": {"rerank": {"by": "cross_encoder"}}, **ALWAYS}},
    }
    ran = bidfolio("--json", "tune", gold, "--grid", written(tmp_path / "mine.yaml", factors=factors))
    assert ran.exit_code == 0, ran.err
    assert ran.summary["deviations"] == [
        {
            "deviation": "late interaction in the place of a cross-encoder, which has no weights here",
            "configurations": 2,
        }
    ]
    rows = Lake(str(published.home)).read("grid", run_id=ran.summary["run_id"]).to_pylist()
    assert len({row["index_version"] for row in rows}) == 2
    live = bidfolio("--json", "index", "list").summary["versions"]
    assert [row["live"] for row in live].count(True) == 1, "what was built is not published"


@pytest.mark.slow
def test_a_grid_that_was_killed_goes_on(published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path) -> None:
    trials, command = published.home / "cache" / "trials", ["tune", str(gold), "--grid", "bidfolio"]
    environment = {**os.environ, "PREFECT_API_URL": str(PREFECT_API_URL.value()), "BIDFOLIO_HOME": str(published.home)}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "flows.cli", *command],
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and len(list(trials.glob("*.parquet"))) < 3:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it had not ended by itself"
    done = len(list(trials.glob("*.parquet")))
    assert 3 <= done < 81
    (killed,) = (row for row in runs(published.home) if row["kind"] == "tune")
    assert killed["status"] == "running"

    resumed = bidfolio("--json", *command)
    assert resumed.exit_code == 0, resumed.err
    assert resumed.summary["interrupted"] == killed["run_id"]
    assert resumed.summary["kept"] in (done, done + 1), "the plan to beat is one of the grid's"
    for file in trials.glob("*"):
        file.unlink()
    afresh = bidfolio("--json", *command).summary
    assert (afresh["kept"], afresh["interrupted"]) == (0, None)
    same = resumed.summary.keys() - {"run_id", "seconds", "kept", "interrupted"}
    assert {key: afresh[key] for key in same} == {key: resumed.summary[key] for key in same}


@pytest.mark.slow
def test_a_cluster_measures_what_one_process_measures(
    published: Published, bidfolio: Bidfolio, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials, command = published.home / "cache" / "trials", ("--json", "tune", gold, "--grid", "bidfolio")
    alone = bidfolio(*command)
    assert alone.exit_code == 0, alone.err
    wanted = {file.name: pq.read_table(file) for file in trials.glob("*.parquet")}
    for file in trials.glob("*"):
        file.unlink()
    with running_cluster(tmp_path, workers=2) as cluster:
        monkeypatch.setenv("BIDFOLIO_DASK_ADDRESS", cluster.address)
        monkeypatch.setattr(grid_task, "_Bench", None)
        spread = bidfolio(*command)
    assert spread.exit_code == 0, spread.err
    assert spread.summary["kept"] == 0, "this process has measured nothing: it has nothing to measure with"
    assert {file.name: pq.read_table(file) for file in trials.glob("*.parquet")} == wanted
    same = spread.summary.keys() - {"run_id", "seconds"}
    assert {key: spread.summary[key] for key in same} == {key: alone.summary[key] for key in same}


def test_what_is_wrong_is_named(prefect_server: None, bidfolio: Bidfolio, gold: Path, tmp_path: Path) -> None:
    refused = bidfolio("tune", "--grid", "advanced")
    assert refused.exit_code == 2 and "tune GOLD.jsonl --grid FILE" in refused.err
    assert "there is no grid 'none'; choose one of advanced, bidfolio" in bidfolio("tune", gold, "--grid", "none").err
    assert "is a file: name a folder" in bidfolio("tune", gold, "--grid", "advanced", "--out", gold).err
    assert "there is no file" in bidfolio("tune", tmp_path / "none.jsonl", "--grid", "advanced").err
    wrong = written(tmp_path / "wrong.yaml", factors={"one": {"a": {}, "b": {"retrieval": {"topk": 1}}}})
    assert "with one b: retrieval.topk: there is no such key" in bidfolio("tune", gold, "--grid", wrong).err
    assert "no corpus is published yet" in bidfolio("tune", gold, "--grid", "advanced").err


def runs(home: Path) -> list[dict[str, Any]]:
    rows = []
    for path in sorted((home / "lake" / "runs").glob("*/runs.parquet")):
        rows += pq.read_table(path, partitioning=None).to_pylist()
    return rows
