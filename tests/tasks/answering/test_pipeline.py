"""One path from a question to an answer: each command that answers gives what `answer` gives to a customer."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

from configs.plans import Plan, load_plan
from tasks.answering import pipeline
from tasks.answering.audit.log import Settled
from tasks.records import Answer, Hit, Question
from tests.made.commands import Ran, run_bidfolio
from tests.made.paths import ROOT

PROCESSORS = "Which sub-processors receive personal data of customers?"
DISPOSAL = "How are storage media of customers disposed of?"
NETWORK = "Which firm supervises the network?"
QUESTIONS = (PROCESSORS, DISPOSAL, NETWORK)
HEADING = "Sub-processors that receive personal data of customers"
PAGE = f"""<html><head><title>Data protection</title></head><body>
<h1>Data protection</h1>
<p>The office in Bergen looks after all contracts, and the works council is heard before they change.</p>
<h2>{HEADING}</h2>
<ul><li>Alpine Hosting keeps the databases in Zurich.</li><li>Baltic Mail sends the invoices from Riga.</li></ul>
<h2>Storage media of customers that are disposed of</h2>
<ul><li>Disks are shredded by a certified firm.</li><li>Tapes are degaussed before they leave the site.</li></ul>
</body></html>"""
NETWORK_PAGE = """Network operations

Status: superseded

Fjord Networks is the firm that supervises the network at all hours.
"""


@dataclass(frozen=True)
class Home:
    """A home with a published corpus, the same questions as a customer's file and as a gold set, and a grid."""

    home: Path
    customer: Path
    gold: Path
    grid: Path

    def run(self, *arguments: object) -> Ran:
        ran = run_bidfolio(self.home, "--json", *arguments)
        assert ran.exit_code == 0, ran.err
        return ran


@pytest.fixture(scope="module")
def corpus_home(prefect_server: None, tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("pipeline")
    (folder / "documents").mkdir()
    (folder / "documents" / "protection.html").write_text(PAGE, encoding="utf-8")
    (folder / "documents" / "network.txt").write_text(NETWORK_PAGE, encoding="utf-8")
    (folder / "customer.csv").write_text(
        "Question,Answer\n" + "".join(f"{one},\n" for one in QUESTIONS), encoding="utf-8"
    )
    evidence = [{"file": "protection.html", "page": None}]
    lines = [
        {"id": f"q{at}", "question": question, "answerable": True, "evidence": evidence}
        for at, question in enumerate(QUESTIONS)
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    factors = {"sources": {"one": {"retrieval": {"top_k": 1}}, "all": {}}}
    (folder / "grid.yaml").write_text(
        yaml.safe_dump({"after": "mine", "base": "bidfolio", "factors": factors}), encoding="utf-8"
    )
    made = Home(folder / "home", folder / "customer.csv", folder / "gold.jsonl", folder / "grid.yaml")
    made.run("refresh", folder / "documents")
    return made


@dataclass(frozen=True)
class Spy:
    """The answers that were given under the plan bidfolio, by the question, whichever command gave them."""

    given: dict[str, list[Answer]]

    def taken(self) -> dict[str, list[Answer]]:
        """Those given since the last time."""
        taken = dict(self.given)
        self.given.clear()
        return taken


def recipe(plan: Plan) -> dict[str, object]:
    return plan.model_dump(mode="json", exclude={"name", "path", "after"})


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Spy:
    spy = Spy({})
    draft_and_decide, bidfolio = pipeline._draft_and_decide, recipe(load_plan("bidfolio"))

    def spied(
        questions: Sequence[Question],
        evidence: Mapping[str, Sequence[Hit]],
        documents: Mapping[str, Sequence[Hit]],
        drafting: pipeline.Drafting,
    ) -> list[Settled]:
        settled = draft_and_decide(questions, evidence, documents, drafting)
        for one in settled if recipe(drafting.answerer.plan) == bidfolio else ():
            spy.given.setdefault(one.asked.question.text, []).append(one.answer)
        return settled

    monkeypatch.setattr(pipeline, "_draft_and_decide", spied)
    return spy


def ask_each(home: Home) -> None:
    for question in QUESTIONS:
        home.run("ask", question)


def chat(home: Home) -> None:
    for at, question in enumerate(QUESTIONS):
        home.run("ask", question, "--session", f"session-{at}")


def evaluate(home: Home) -> None:
    home.run("evaluate", home.gold)


def gate(home: Home) -> None:
    home.run("index", "check")


def grid(home: Home) -> None:
    home.run("tune", home.gold, "--grid", home.grid)


def replay(home: Home) -> None:
    (((run_id,),),) = [home.run("sql", "SELECT max(run_id) FROM audit WHERE run_kind = 'answer'").summary["rows"]]
    assert home.run("replay", run_id).summary["differences"] == []


@pytest.mark.parametrize("command", [ask_each, chat, evaluate, gate, grid, replay])
def test_each_command_gives_the_answers_of_answer(
    corpus_home: Home, answers: Spy, command: Callable[[Home], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two lists answer by the heading above them, which no answer quotes; the third document does not hold."""
    monkeypatch.setenv("BIDFOLIO_GATE_GOLD", str(corpus_home.gold))
    corpus_home.run("answer", corpus_home.customer, "--overwrite")
    expected = {question: one for question, (one,) in answers.taken().items()}
    assert [(expected[question].text or "").split(".")[0] for question in QUESTIONS] == [
        "Alpine Hosting keeps the databases in Zurich",
        "Disks are shredded by a certified firm",
        "Fjord Networks is the firm that supervises the network at all hours",
    ]
    assert HEADING in expected[PROCESSORS].citations[0].section_path
    assert "superseded" in expected[NETWORK].detail

    command(corpus_home)

    given = answers.taken()
    assert set(given) == set(QUESTIONS)
    for question, every in given.items():
        for one in every:
            # A vector hangs, in its last digits, on the others of its batch.
            assert one.confidence == pytest.approx(expected[question].confidence, abs=0.02)
            like = expected[question]
            assert replace(one, question_id=like.question_id, confidence=like.confidence) == like


def test_no_other_module_goes_a_part_of_the_way() -> None:
    """Hits are handed over and given their sections in the pipeline alone, so that nobody can forget either."""
    parts = {"tasks.retrieval.context.context_window": "hand_over", "tasks.answering.quotes.sections": "with_sections"}
    found = {
        (path.relative_to(ROOT).as_posix(), alias.name)
        for folder in ("flows", "tasks")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if parts.get(node.module or "") == alias.name
    }
    assert found == {("tasks/answering/pipeline.py", name) for name in parts.values()}
