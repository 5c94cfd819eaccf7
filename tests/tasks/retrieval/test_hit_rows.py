from __future__ import annotations

from tasks.questions.rows import question_rows, questions_of
from tasks.records import Hit, Question
from tasks.retrieval.hit_rows import expansion_rows, expansions_of, hit_rows, hits_of
from tasks.retrieval.queries.query_expansion import Expansion
from tasks.schemas import to_table
from tests.made.chunks import chunk_of

RUN = {"run_id": "20260101T000000-abcdef"}


def test_questions_come_back_from_the_lake_as_they_were() -> None:
    questions = [
        Question("1.1", 0, "Do you encrypt?", kind="yes_no", section="Security", sheet_name="S", row_number=4),
        Question("1.2", 1, "How?"),
    ]
    assert questions_of(to_table("questions", question_rows(RUN, reversed(questions)))) == questions
    assert questions_of(to_table("questions", [])) == []


def test_hits_come_back_from_the_lake_as_they_were() -> None:
    chunks = [chunk_of("one", ordinal=0), chunk_of("two", ordinal=1, page_number=None, sheet_name="S", row_number=3)]
    found = [
        [
            Hit("q1", 1, chunks[1], 0.75, 0.5, 0.25, 0.125, lead=0.5, relevance=-2.5, known_words=0.75),
            Hit("q1", 2, chunks[0], 0.5, 0.5, 0.25, 0.0),
        ],
        [],
        [Hit("q3", 1, chunks[0], 0.5, 0.5, 0.25, 0.0)],
    ]
    rows = to_table("retrievals", hit_rows(RUN | {"plan": "bidfolio"}, found))
    assert hits_of(rows.sort_by([("rank", "descending")]), chunks) == {"q1": found[0], "q3": found[2]}


def test_a_question_that_nothing_is_asked_beside_has_a_row_of_its_own() -> None:
    asked = [Question(str(number), number, "How?") for number in range(3)]
    expanded = [Expansion(("rest^0.500", "key^0.250")), Expansion(), Expansion(reason="the index is empty")]
    rows = to_table("expansions", expansion_rows(RUN | {"plan": "p", "expanded_by": "feedback"}, asked, expanded))
    assert [(row["question_id"], row["query"], row["reason"]) for row in rows.to_pylist()] == [
        ("0", "rest^0.500", None),
        ("0", "key^0.250", None),
        ("1", None, None),
        ("2", None, "the index is empty"),
    ]
    assert expansions_of(asked, rows, []) == expanded
