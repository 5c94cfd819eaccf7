"""A corpus that is searched by LanceDB's indexes, as large ones are, from the folder to the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from configs.plans import PLANS_DIR
from tests.made.commands import Bidfolio
from tests.made.published import Published

QUESTIONS = (
    "Is all customer data at rest encrypted with AES-256?",
    "Do you support single sign-on?",
    "Who is the mayor?",
)


def test_a_version_with_indexes_answers_as_one_in_memory(
    published: Published, bidfolio: Bidfolio, tmp_path: Path
) -> None:
    plan, sheet = tmp_path / "indexed.yaml", tmp_path / "customer.csv"
    recipe = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    plan.write_text(f"{recipe}search: {{exact_below: 2, nprobes: 2, candidates: 10}}\n", encoding="utf-8")
    sheet.write_text("\n".join(["Question,Answer", *(f"{question}," for question in QUESTIONS)]), encoding="utf-8")

    def answers(name: object) -> tuple[dict[str, Any], bytes]:
        asked = bidfolio("--json", "ask", QUESTIONS[0], "--plan", name).summary
        filled = bidfolio("--json", "answer", sheet, "--plan", name, "--out", tmp_path / "filled.csv", "--overwrite")
        assert filled.exit_code == 0, filled.err
        assert filled.summary["answered"] and filled.summary["declined"]
        return asked | dict.fromkeys(("index_version", "run_id", "answer_id")), (tmp_path / "filled.csv").read_bytes()

    in_memory = answers("bidfolio")
    again = bidfolio("--json", "refresh", published.documents, "--plan", plan)
    assert again.exit_code == 0, again.err
    assert again.summary["embedded"] == 0 and again.summary["reused"] == 4
    assert again.summary["index_version"] != published.refreshed.summary["index_version"]
    assert answers(plan) == in_memory
