"""Documents whose titles and file names say nothing are found by content and named by what tells them apart."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.made.commands import Bidfolio

LETTER = (
    "{sender}\n\nDear customer,\n\nthe lift in the building at {street} is inspected every {months} months. "
    "The next inspection is announced by a notice beside the door.\n"
)
LETTERS = {
    "Scan0001.txt": {"sender": "Vasko Services Ltd", "street": "Pine Street", "months": 6},
    "Scan0002.txt": {"sender": "Roth Aufzuege AG", "street": "Elm Road", "months": 12},
}
SWAHILI = (
    "# Mwongozo wa wafanyakazi\n\nKila mfanyakazi hupata siku ishirini na nane za likizo kwa mwaka. Maombi ya likizo "
    "hutumwa kwa msimamizi wiki mbili kabla.\n"
)
JAPANESE = "# 情報セキュリティ規程\n\nパスワードは十二文字以上とし、九十日ごとに変更する。\n"


def hashed(name: str) -> str:
    """A file's name as a store of documents gives it."""
    return f"{hashlib.sha256(name.encode()).hexdigest()[:20]}.md"


ASKED = {
    "How often is the lift at Pine Street inspected?": "Scan0001.txt",
    "How often is the lift at Elm Road inspected?": "Scan0002.txt",
    "When may visitors enter the Alder site?": hashed("Alder"),
    "Wie viele Tage Urlaub, I mean annual leave, do employees get in the Bergen office?": "bergen/handbook.md",
    "How many days of annual leave do employees get in the Lisbon office?": "lisbon/handbook.md",
    "パスワードは何文字以上ですか?": "kitei.md",
    "Kila mfanyakazi hupata siku ngapi za likizo kwa mwaka?": "mwongozo.md",
}
TREES = "Alder Aspen Beech Birch Cedar Cherry Chestnut Cypress Fir Hazel Juniper Larch Linden Maple Oak Poplar".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Letters named by a scanner, site rules of one title named by hashes, handbooks of one name in two folders."""
    made = tmp_path_factory.mktemp("odd")
    for name, letter in LETTERS.items():
        (made / name).write_text(LETTER.format(**letter))
    for hour, tree in enumerate(TREES):
        rules = f"# Site rules\n\nVisitors may enter the {tree} site from {5 + hour} o'clock and sign at the gate.\n"
        (made / hashed(tree)).write_text(rules)
    for office, days in (("bergen", 30), ("lisbon", 25)):
        (made / office).mkdir()
        text = f"# Handbook\n\nEmployees in the {office.title()} office get {days} days of annual leave.\n"
        (made / office / "handbook.md").write_text(text)
    (made / "mwongozo.md").write_text(SWAHILI)
    (made / "kitei.md").write_text(JAPANESE, encoding="utf-8")
    return made


def test_odd_corpora_are_named_apart_and_found_by_content(
    prefect_server: None, bidfolio: Bidfolio, folder: Path, tmp_path: Path
) -> None:
    assert bidfolio("refresh", folder).exit_code == 0
    rows = bidfolio("--json", "sql", "SELECT file_name, name FROM documents").summary["rows"]
    names = dict(rows)
    assert len(names) == len(set(names.values())) == len(TREES) + len(ASKED) - 1
    assert names["Scan0001.txt"] == "Vasko Services Ltd" and names["Scan0002.txt"] == "Roth Aufzuege AG"
    assert names["bergen/handbook.md"] == "Handbook \N{EN DASH} Bergen"
    assert names["mwongozo.md"] == "Mwongozo wa wafanyakazi"
    sheet = tmp_path / "asked.csv"
    sheet.write_text("\n".join(["Question,Answer", *(f'"{question}",' for question in ASKED)]), encoding="utf-8")
    run = bidfolio("--json", "answer", sheet).summary["run_id"]
    found = bidfolio(
        "--json",
        "sql",
        "SELECT question, file_name FROM retrievals JOIN questions USING (run_id, question_id) "
        f"WHERE rank = 1 AND run_id = '{run}'",
    ).summary["rows"]
    assert dict(found) == ASKED
    declined = bidfolio(
        "--json", "sql", f"SELECT question_id FROM answers WHERE run_id = '{run}' AND status = 'declined'"
    ).summary["rows"]
    assert declined == []
    asked = bidfolio("--json", "ask", "How many days of annual leave do employees get in the Lisbon office?").summary
    traced = bidfolio("trace", asked["answer_id"]).out
    assert "the question names this document" in traced
