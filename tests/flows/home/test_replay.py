"""`bidfolio replay`, `trace` and the audit log, on real runs: over a server that is gone by then, and without one."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from configs.plans import PLANS_DIR, load_plan
from configs.settings import load_settings
from flows.ask import Desk
from flows.web.body import read_body
from tasks.answering.pipeline import SAID_AGAIN
from tasks.embedding.models.model_files import files_fingerprint, model_folder
from tasks.schemas import TABLES
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio, Ran, run_bidfolio
from tests.made.published import Published
from tests.made.questionnaires import BREACH, ENCRYPTED, GARDENER, SIGN_ON, write_questionnaire
from tests.made.run_results import all_strings, rows_of
from tests.made.scripted_server import Reply, scripted_url

KEY, PASSWORD = "sk-planted-0123456789", "planted-password"
AES = "All customer data at rest is encrypted with AES-256 in every region that we operate."
SAID = {
    ENCRYPTED: (AES, "AES-256", "yes"),
    BREACH: ("Customers are told about a confirmed breach of personal data within 48 hours.", "48 hours", None),
}


def says(question: str, prompt: str) -> Any:
    """What the scripted model answers: two of the questions, from the passage that says it."""
    if question not in SAID:
        return {"answer": None, "citations": [], "verdict": None}
    text, mark, verdict = SAID[question]
    passages = re.split(r"\n(?=\[\d+\] )", prompt)
    number = next(number for number, passage in enumerate(passages) if mark in passage)
    return {"answer": text, "citations": [number], "verdict": verdict}


class Model:
    """Answers as :func:`says`, one question only at the second try, and one never."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.asked += 1
        prompt = body["messages"][-1]["content"]
        question = next((one for one in (ENCRYPTED, BREACH, SIGN_ON, GARDENER) if f"Question: {one}" in prompt), "")
        if question == SIGN_ON:
            return 200, f"I was told the key {KEY}"
        if question == BREACH and "refused" not in prompt:
            return 200, "within 48 hours, I think"
        return 200, says(question, prompt)


@dataclass(frozen=True)
class Answered:
    """A home with a run whose drafts came of a server that is no more."""

    home: Path
    ran: Ran

    @property
    def run_id(self) -> str:
        return str(self.ran.summary["run_id"])


@pytest.fixture(scope="module")
def answered(published_once: Published, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answered]:
    """Its environment stays: the address is there, and nobody at it."""
    folder = tmp_path_factory.mktemp("answered")
    home = folder / "home"
    shutil.copytree(published_once.home, home, symlinks=True)
    file, model = write_questionnaire(folder / "customer.xlsx"), Model()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BIDFOLIO_OPENAI_API_KEY", KEY)
        patched.setenv("BIDFOLIO_OPENAI_MODEL", "scripted")
        patched.setenv("BIDFOLIO_USER", "Ada")
        with scripted_url(model) as url:
            patched.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
            ran = run_bidfolio(home, "--json", "answer", file, "--generator", "openai")
        assert ran.exit_code == 1 and ran.summary["failed"] == 1, ran.err
        assert model.asked >= 6
        shutil.rmtree(home / "cache" / "replies")
        yield Answered(home, ran)


def changed(home: Path, table: str, run_id: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Writes the rows of a run anew, each as ``change`` gives it."""
    for path in (home / "lake" / table / f"run_id={run_id}").rglob("*.parquet"):
        rows = pq.ParquetFile(path).read().to_pylist()
        pq.write_table(pa.Table.from_pylist([change(row) for row in rows], schema=TABLES[table]), path)


def copied(answered: Answered, tmp_path: Path) -> Answered:
    shutil.copytree(answered.home, tmp_path / "home", symlinks=True)
    return Answered(tmp_path / "home", answered.ran)


def test_a_run_over_a_server_that_is_gone_gives_the_same_answers(answered: Answered) -> None:
    again = run_bidfolio(answered.home, "--json", "replay", answered.run_id)
    assert (again.exit_code, again.err) == (0, "")
    summary = again.summary
    assert summary["differences"] == [] and (summary["answers"], summary["same"]) == (4, 4)
    said = run_bidfolio(answered.home, "replay", answered.run_id)
    assert said.out == f"run {answered.run_id}: all 4 answers are as they were recorded\n"


def test_the_log_has_one_row_a_question_and_all_that_led_to_it(answered: Answered) -> None:
    def rows(query: str) -> list[list[Any]]:
        ran = run_bidfolio(answered.home, "--json", "sql", query.replace("RUN", f"run_id = '{answered.run_id}'"))
        assert ran.exit_code == 0, ran.err
        found: list[list[Any]] = ran.summary["rows"]
        return found

    logged = rows(
        "SELECT question, status, asked_by, plan, plan_fingerprint, index_version, model, attempts, hits, corpus "
        "FROM audit WHERE RUN ORDER BY question_index"
    )
    fingerprint = load_plan("bidfolio").fingerprint()
    assert [row[0] for row in logged] == [ENCRYPTED, BREACH, SIGN_ON, GARDENER]
    assert [row[1] for row in logged][2:] == ["failed", "declined"]
    for _, _, who, plan, hashed, version, model, attempts, hits, corpus in logged:
        assert (who, plan, version, model, corpus) == (
            "Ada",
            "bidfolio",
            answered.ran.summary["index_version"],
            "scripted",
            "default",
        )
        assert hashed != fingerprint, "of the plan as it ran: its generator was another"
        assert attempts >= 1 and hits >= 1
    assert rows("SELECT count(*) FROM audit a JOIN answers b USING (answer_id, text) WHERE a.RUN")[0][0] == len(
        [row for row in logged if row[1] in ("answered", "needs_review")]
    )
    (said,) = rows(
        "SELECT s.raw FROM audit_steps s JOIN audit a USING (run_id, answer_id) WHERE s.RUN AND step = 'attempt' "
        f"AND question = '{ENCRYPTED}'"
    )
    assert json.loads(said[0])["answer"] == AES
    assert (
        rows(
            "SELECT count(*), count(DISTINCT prompt_sha256), count(DISTINCT step_index) > 0 FROM audit_steps "
            "WHERE RUN AND step = 'attempt' AND length(prompt_sha256) = 64"
        )[0][1]
        >= 4
    )
    times = rows(
        "SELECT min(finished_at - started_at) >= INTERVAL 0 SECOND, min(retrieval_ms) > 0, min(drafting_ms) > 0, "
        "max(drafting_ms) < 60000 FROM audit WHERE RUN"
    )
    assert times == [[True, True, True, True]]
    quoted = "SELECT file_name, page_number, quote, start_offset FROM {} WHERE RUN ORDER BY answer_id, 4"
    assert rows(quoted.format("citations")) == rows(
        quoted.format("audit_steps").replace("WHERE", "WHERE step = 'citation' AND")
    )


def test_no_secret_reaches_the_lake(answered: Answered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key stands in the environment, a model repeats it, and a password stands in the server's address."""
    home = copied(answered, tmp_path).home
    file = write_questionnaire(tmp_path / "customer.xlsx")
    away = run_bidfolio(home, "--json", "answer", file, "--generator", "openai")
    assert away.exit_code == 4
    monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", f"http://somebody:{PASSWORD}@127.0.0.1:9/v1?api_key={KEY}")
    refused = run_bidfolio(home, "--json", "answer", file, "--generator", "openai")
    assert refused.exit_code in (2, 4) and PASSWORD not in refused.err and KEY not in refused.err
    texts = list(all_strings(home))
    assert any("I was told the key …" in text for _, text in texts), "it was said, and is not kept"
    for path, text in texts:
        assert KEY not in text and PASSWORD not in text, path


@pytest.mark.parametrize(
    ("table", "column", "of", "field"),
    [
        ("audit", "text", "question", "text"),
        ("audit", "confidence", "question", "confidence"),
        ("audit_steps", "quote", "citation", "citation 1 quote"),
        ("audit_steps", "chunk_id", "hit", "hit 1 chunk_id"),
        ("audit_steps", "raw", "attempt", "verdict_probability"),
    ],
    ids=["answer", "figure", "citation", "hit", "raw output"],
)
def test_one_thing_that_was_changed_is_named(
    answered: Answered, tmp_path: Path, table: str, column: str, of: str, field: str
) -> None:
    other = copied(answered, tmp_path)
    (question_id,) = {
        row["question_id"]
        for path in (other.home / "lake" / "audit").rglob("*.parquet")
        for row in pq.ParquetFile(path).read().to_pylist()
        if row["question"] == ENCRYPTED and row["run_id"] == other.run_id
    }

    def change(row: dict[str, Any]) -> dict[str, Any]:
        if row["question_id"] != question_id or (of != "question" and (row["step"], row["step_index"]) != (of, 0)):
            return row
        old = row[column]
        new = (
            old - 0.01
            if isinstance(old, float)
            else "x"
            if column == "chunk_id"
            else old.replace('"verdict": "yes"', '"verdict": "no"').replace("AES-256 in", "AES-256, in")
        )
        assert new != old
        return row | {column: new}

    changed(other.home, table, other.run_id, change)
    again = run_bidfolio(other.home, "--json", "replay", other.run_id)
    assert again.exit_code == 1 and again.summary["differing"] == 1
    named = {found["field"]: found for found in again.summary["differences"]}
    assert field in named and {found["question_id"] for found in named.values()} == {question_id}
    assert named[field]["recorded"] != named[field]["now"]
    said = run_bidfolio(other.home, "replay", other.run_id)
    assert f"{field} was" in said.out and said.out.endswith("1 of 4 answers differ\n")


def test_the_plan_is_the_one_of_then_and_so_are_the_wordings(
    answered: Answered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan's file is another by now, and the server that wrote the wordings is gone."""
    home = copied(answered, tmp_path).home
    plan = tmp_path / "ours.yaml"
    text = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    expanding = text.replace("retrieval:\n", "retrieval:\n  expand: {by: generator, count: 2}\n")
    assert expanding != text
    plan.write_text(expanding, encoding="utf-8")
    with scripted_url(lambda body: (200, {"queries": ["cipher of stored data", "encryption at rest"]})) as url:
        monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", url)
        asked = run_bidfolio(home, "--json", "ask", ENCRYPTED, "--plan", plan)
    assert asked.exit_code == 0 and asked.summary["asked_beside"], asked.err
    shutil.rmtree(home / "cache" / "replies")
    plan.write_text(text.replace("top_k: ", "top_k: 1"), encoding="utf-8")
    again = run_bidfolio(home, "--json", "replay", asked.summary["run_id"])
    assert again.exit_code == 0 and again.summary["same"] == 1, again.out + again.err


def test_a_version_is_replayed_while_it_is_kept(
    published: Published, bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        '{"id":"1","question":"Do you support single sign-on?","answerable":true,'
        '"evidence":[{"file":"past.csv","page":null,"row":3}]}',
        encoding="utf-8",
    )
    measured = bidfolio("--json", "evaluate", gold)
    scoped = bidfolio("--json", "ask", SIGN_ON, "--kind", "csv", "--file", "past*")
    runs = [measured.summary["run_id"], scoped.summary["run_id"]]
    (published.documents / "hosting.txt").write_text("Hosting\n\nSingle sign-on is by SAML.\n", encoding="utf-8")
    assert bidfolio("refresh", published.documents).exit_code == 0
    for run in runs:
        again = bidfolio("--json", "replay", run)
        assert again.exit_code == 0 and again.summary["same"] == 1, again.out + again.err
    monkeypatch.setenv("BIDFOLIO_INDEX_KEEP_VERSIONS", "1")
    assert bidfolio("gc").exit_code == 0
    gone = bidfolio("--json", "replay", runs[0])
    assert (gone.exit_code, gone.out) == (2, "")
    assert published.refreshed.summary["index_version"] in gone.err and "BIDFOLIO_INDEX_KEEP_VERSIONS" in gone.err
    assert bidfolio("trace", scoped.summary["answer_id"]).exit_code == 0, "what was recorded is there all the same"


def test_an_upgrade_leaves_what_documents_tell_of_themselves(published: Published, bidfolio: Bidfolio) -> None:
    """A later version of the conversion has not converted the documents yet, and nobody has refreshed."""
    terms = "Telescopes\n\nValid until 31 December 2024\n\nTickets about telescopes are closed within 90 minutes.\n"
    (published.documents / "terms.txt").write_text(terms, encoding="utf-8")
    assert bidfolio("refresh", published.documents).exit_code == 0
    question = "How soon are tickets about telescopes closed?"
    before = bidfolio("--json", "ask", question).summary
    assert "terms.txt calls itself “Valid until 31 December 2024”" in before["detail"]
    converted = sorted((published.home / "index" / "converted").iterdir())
    earlier = [path.with_name(f"{path.stem.rpartition('-')[0]}-1.json") for path in converted]
    lake = Lake(str(published.home))
    for path, older in zip(converted, earlier, strict=True):
        lake.put(lake.get("index", "converted", path.name) or b"", "index", "converted", older.name)
        path.unlink()
        os.utime(older, (0, 0))
    assert bidfolio("gc", "--days", 0).exit_code == 0 and all(path.exists() for path in earlier)
    assert bidfolio("--json", "ask", question).summary["detail"] == before["detail"]
    again = bidfolio("--json", "replay", before["run_id"])
    assert again.exit_code == 0 and again.summary["same"] == 1, again.out + again.err


def test_a_follow_up_that_is_told_the_same_again_goes_to_a_person(published_once: Published) -> None:
    def ask(question: str) -> dict[str, Any]:
        return run_bidfolio(published_once.home, "--json", "ask", question, "--session", "again").summary

    first, second = ask("How is customer data at rest encrypted?"), ask("With what is it encrypted?")
    assert second["asked_as"] != second["question"] and second["answer"] == first["answer"]
    assert (second["status"], SAID_AGAIN in second["detail"]) == ("needs_review", True)
    again = run_bidfolio(published_once.home, "--json", "replay", second["run_id"])
    assert again.exit_code == 0 and again.summary["same"] == 1, again.out + again.err
    for _ in range(2):
        alone = ask("How is customer data at rest encrypted?")
    assert alone["answer"] == first["answer"] and SAID_AGAIN not in alone["detail"], "it asked for nothing else"


def test_a_plan_of_another_bidfolio_is_named(answered: Answered, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(answered.home, home)
    for file in (home / "lake" / "audit" / f"run_id={answered.run_id}").rglob("*.parquet"):
        rows = pq.read_table(file, partitioning=None)
        plans = [plan.replace('"relevance"', '"lead"') for plan in rows["plan_json"].to_pylist()]
        at = rows.schema.get_field_index("plan_json")
        pq.write_table(rows.set_column(at, rows.schema.field(at), pa.array(plans)), file)
    again = run_bidfolio(home, "--json", "replay", answered.run_id)
    assert (again.exit_code, again.out) == (2, "")
    assert f"run '{answered.run_id}' had a plan that this bidfolio does not know" in again.err
    assert "answering.confidence: lead is no longer weighed" in again.err


def test_other_weights_of_what_reads_hits_again_are_told(answered: Answered, tmp_path: Path) -> None:
    home, weights, plan = copied(answered, tmp_path).home, tmp_path / "weights", tmp_path / "ours.yaml"
    ours = load_plan("bidfolio").retrieval.reread
    assert ours is not None
    shutil.copytree(model_folder(ours.model), weights)
    text = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    plan.write_text(text.replace(ours.model, str(weights)), encoding="utf-8")
    asked = run_bidfolio(home, "--json", "ask", ENCRYPTED, "--plan", plan)
    run_id = asked.summary["run_id"]
    assert run_bidfolio(home, "replay", run_id).exit_code == 0
    with (weights / "tokenizer.json").open("a") as file:
        file.write("\n")
    files_fingerprint.cache_clear()
    again = run_bidfolio(home, "--json", "replay", run_id)
    assert (again.exit_code, again.out) == (2, "")
    assert f"run {run_id!r} was made with other files of the model under retrieval.reread.model" in again.err
    shutil.rmtree(weights)
    model_folder.cache_clear()
    assert "retrieval.reread.model" in run_bidfolio(home, "replay", run_id).err
    changed(home, "audit", run_id, lambda row: row | {"readers_json": None})
    shutil.copytree(model_folder(ours.model), weights)
    model_folder.cache_clear()
    assert run_bidfolio(home, "replay", run_id).exit_code == 0, "a log of before says nothing of it"


def test_another_back_end_is_told_with_the_one_that_was_used(answered: Answered, tmp_path: Path) -> None:
    home = copied(answered, tmp_path).home
    run_id = run_bidfolio(home, "--json", "ask", ENCRYPTED, "--backend", "openvino_int8").summary["run_id"]
    other = run_bidfolio(home, "replay", run_id, "--backend", "openvino")
    did = "used openvino_int8 to embed (now openvino) and openvino_int8 to read hits again (now openvino)"
    assert did in other.err and "figures differ a little; --backend openvino_int8 takes the same" in other.err
    same = run_bidfolio(home, "replay", run_id, "--backend", "openvino_int8")
    assert same.exit_code == 0 and "figures differ" not in same.err
    mixed = {"embedding.backend": "openvino_bf16", "retrieval.reread.backend": "openvino_int8"}

    def mixed_row(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"readers_json": json.dumps(json.loads(row["readers_json"]) | mixed)}

    changed(home, "audit", run_id, mixed_row)
    half = run_bidfolio(home, "replay", run_id, "--backend", "openvino_int8")
    assert "used openvino_bf16 to embed (now openvino_int8): figures differ" in half.err
    assert "to read hits again" not in half.err and "--backend" not in half.err


def test_who_asks_over_http_is_who_the_request_names(answered: Answered) -> None:
    asking = read_body(json.dumps({"question": SIGN_ON, "user": "Zoë", "generator": "extractive"}).encode())
    said = Desk(load_settings(home=str(answered.home))).ask(asking)
    found = run_bidfolio(answered.home, "--json", "trace", said["answer_id"]).summary
    assert (found["asked_by"], found["run_kind"], found["source"]) == ("Zoë", "ask", None)


def test_a_run_that_is_not_there(answered: Answered) -> None:
    ran = run_bidfolio(answered.home, "--json", "replay", "20200101T000000-abcdef")
    assert (ran.exit_code, ran.out) == (2, "")
    assert "the audit log has no run '20200101T000000-abcdef'" in ran.err and answered.run_id in ran.err


def test_an_answer_is_traced_from_its_question_to_its_pages(answered: Answered) -> None:
    rows = run_bidfolio(
        answered.home, "--json", "sql", f"SELECT answer_id, question FROM audit WHERE run_id = '{answered.run_id}'"
    ).summary["rows"]
    ids = {question: answer_id for answer_id, question in rows}
    found = run_bidfolio(answered.home, "--json", "trace", ids[ENCRYPTED][:10]).summary
    assert found["answer_id"] == ids[ENCRYPTED] and found["run_id"] == answered.run_id
    question = found["question"]
    assert (question["question"], question["sheet_name"], question["row_number"]) == (ENCRYPTED, "Security", 2)
    assert Path(found["source"]).name == "customer.xlsx" and found["asked_by"] == "Ada"
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    assert found["attempts"][-1]["model"] == "scripted" and found["answer"]["text"] == AES
    (citation,) = found["citations"]
    assert (citation["file_name"], citation["page_number"], citation["quote"]) == ("policy.pdf", 1, AES)
    assert citation["document_today"] == "unchanged"
    versions = run_bidfolio(answered.home, "--json", "sql", "SELECT published_at FROM index_versions").summary["rows"]
    assert [datetime.fromisoformat(at) for (at,) in versions] == [datetime.fromisoformat(found["live_since"])]
    assert len(citation["content_sha256"]) == 64 and citation["end_offset"] - citation["start_offset"] == len(AES)
    said = run_bidfolio(answered.home, "trace", ids[ENCRYPTED]).out
    labels = ("Question", "Asked", "Plan", "Hits", "Attempts", "Answer", "Citations")
    places = [said.index(f"\n{label}" if label != "Question" else label) for label in labels]
    assert f"live since {found['live_since'][:10]}" in " ".join(said.split())
    assert places == sorted(places) and "policy.pdf, p. 1" in said and "by Ada" in said
    two = run_bidfolio(answered.home, "--json", "trace", ids[BREACH]).summary["attempts"]
    assert [bool(one["failure"]) for one in two] == [True, False], "the first reply was refused"


@pytest.mark.parametrize(
    ("wanted", "message"),
    [("nonsense!", "is no id of an answer"), ("0123456789abcdef", "has no answer '0123456789abcdef'")],
)
def test_an_answer_that_is_not_there(answered: Answered, wanted: str, message: str) -> None:
    ran = run_bidfolio(answered.home, "--json", "trace", wanted)
    assert (ran.exit_code, ran.out) == (2, "") and message in ran.err


def test_a_prefix_of_several_answers_wants_more_digits(answered: Answered) -> None:
    ids = [row[0] for row in rows_of(lambda *a: run_bidfolio(answered.home, *a), "SELECT answer_id FROM audit")]
    while len({one[0] for one in ids}) == len(ids):
        ids.append(run_bidfolio(answered.home, "--json", "ask", GARDENER).summary["answer_id"])
    digit = next(one[0] for one in ids if [other[0] for other in ids].count(one[0]) > 1)
    ran = run_bidfolio(answered.home, "trace", digit)
    assert ran.exit_code == 2 and f"answers begin with '{digit}'" in ran.err and "more of its digits" in ran.err
