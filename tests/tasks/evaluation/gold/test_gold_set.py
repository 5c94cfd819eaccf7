from __future__ import annotations

from pathlib import Path

import pytest

from tasks.errors import UsageError
from tasks.evaluation.gold.gold_set import as_question, gold_counts, gold_text, read_gold, read_gold_lines
from tasks.records import GoldEvidence, GoldQuestion

GOOD = '{"id":"1","question":"Where?","answer":"Dublin","answerable":true,"evidence":[{"file":"x/a.pdf","page":3}]}'


def written(folder: Path, *lines: str) -> str:
    path = folder / "gold.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_a_gold_set_in_the_design_s_own_format(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        GOOD,
        '{"id":"2","question":"Encrypted?","answer":null,"verdict":"yes","answerable":true,'
        '"evidence":[{"file":"b.xlsx","page":null,"sheet":"S","row":4},{"file":"c.html","page":null}]}',
        '{"id":"3","question":"Who is the gardener?","answer":null,"answerable":false,"evidence":[]}',
    )
    assert read_gold(path) == [
        GoldQuestion("1", "Where?", True, "Dublin", None, (GoldEvidence("a.pdf", 3),)),
        GoldQuestion(
            "2", "Encrypted?", True, None, "yes", (GoldEvidence("b.xlsx", None, "S", 4), GoldEvidence("c.html", None))
        ),
        GoldQuestion("3", "Who is the gardener?", False),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 4: JSON: Expecting property name"),
        ("[]", "line 4: one JSON object is expected"),
        ('{"id":"2","answerable":true}', "line 4: question: Field required"),
        ('{"id":"2","question":" ","answerable":true}', "line 4: question: it is blank"),
        ('{"id":"","question":"A?","answerable":true}', "line 4: id: it is blank"),
        ('{"id":"2","question":"A?"}', "line 4: answerable: true or false is missing; bare questions"),
        ('{"id":"2","question":"A?","answerable":true,"verdict":"maybe"}', "line 4: verdict: "),
        ('{"id":"2","question":"A?","answerable":false,"verdict":"yes"}', "line 4: answerable is false, and yet"),
        ('{"id":"2","question":"A?","answerable":true,"evidence":[{"page":1}]}', r"line 4: evidence\.0\.file: "),
        (
            '{"id":"2","question":"A?","answerable":true,"evidence":[{"file":"a","page":0}]}',
            r"line 4: evidence\.0\.page: ",
        ),
        (GOOD, "line 4: the id '1' is there already"),
    ],
)
def test_a_wrong_line_is_named_as_an_editor_counts_it(tmp_path: Path, line: str, reason: str) -> None:
    path = written(tmp_path, GOOD, "", "", line)
    with pytest.raises(UsageError, match=reason) as refused:
        read_gold(path)
    assert path in str(refused.value)


def test_every_wrong_line_is_named_up_to_ten_and_counted(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"2 lines are wrong: line 2: JSON.*; line 4: the id '1' .* in line 1$"):
        read_gold(written(tmp_path, GOOD, "{", GOOD.replace('"1"', '"2"'), GOOD))
    with pytest.raises(UsageError, match=r"12 lines are wrong: line 2: .*; line 11: [^;]*; and 2 more$"):
        read_gold(written(tmp_path, GOOD, *["no JSON"] * 12))


def test_an_empty_answer_counts_as_not_known(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("Dublin", " "), '{"id":"3","question":"Who?","answer":"","answerable":false}')
    first, second = read_gold_lines(path)
    assert (first.question.answer, first.has_empty_answer) == (None, True)
    assert (second.question.answer, second.has_empty_answer) == (None, False)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    gold = [
        GoldQuestion(
            "1", "Wo, „bitte“?", True, "Dublin", "yes", (GoldEvidence("a.pdf", 3), GoldEvidence("c.md", None))
        ),
        GoldQuestion("2", "Rows?", True, evidence=(GoldEvidence("b.xlsx", None, "S", 4),), questionnaire="q.xlsx"),
        GoldQuestion("3", "Who?", False, held_out=("d.pdf",)),
    ]
    (tmp_path / "gold.jsonl").write_text(gold_text(gold), encoding="utf-8")
    assert read_gold(str(tmp_path / "gold.jsonl")) == gold
    assert gold_counts(gold) == {
        "questions": 3, "unanswerable": 1, "answerable": 2, "with_verdict": 1, "without_page": 0,
    }  # fmt: skip


def test_missing_empty_and_binary_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the gold set .*absent\.jsonl"):
        read_gold(str(tmp_path / "absent.jsonl"))
    with pytest.raises(UsageError, match="is empty: one JSON object a line"):
        read_gold(written(tmp_path, " ", ""))
    (tmp_path / "gold.xlsx").write_bytes(b"PK\x03\x04\xff\xfe")
    with pytest.raises(UsageError, match=r"gold\.xlsx: it is not text in UTF-8; .*`bidfolio gold import`"):
        read_gold(str(tmp_path / "gold.xlsx"))


def test_one_with_a_verdict_is_asked_as_a_yes_no_question() -> None:
    with_verdict = as_question(GoldQuestion("7", "Encryption at rest", True, verdict="yes"), 4)
    assert (with_verdict.question_id, with_verdict.ordinal, with_verdict.kind) == ("7", 4, "yes_no")
    assert as_question(GoldQuestion("8", "Where are the data centres?", True), 5).kind == "free_text"
