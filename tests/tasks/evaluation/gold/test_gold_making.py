from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tasks.errors import UsageError
from tasks.evaluation.gold.gold_making import MadeGold, make_gold
from tasks.evaluation.gold.rule_questions import Asked, questions_of
from tasks.records import Chunk, GoldEvidence, PageSpan
from tests.made.chunks import chunk_of

LOGS = "Security logs are kept for 24 months."
RISKS = "Open risks are reviewed by the audit committee every quarter."
LAPTOPS = "If a laptop is lost, the security desk sends the erase command."
OTHERS = [chunk_of(f"Of {word} nothing is said that anybody asks for.", file_name="b.pdf") for word in "xyzuvw"]


def by_rules(chunks: Sequence[Chunk]) -> list[list[Asked] | str]:
    return [questions_of(chunk.text) or "nothing to ask" for chunk in chunks]


def made(*chunks: Chunk, count: int = 10, held_out: float = 0.0, seed: int = 0) -> MadeGold:
    return make_gold([*chunks, *OTHERS], by_rules, count, held_out, seed)


def test_the_answer_is_verbatim_and_on_the_page_where_it_stands() -> None:
    text = f"Of the logs. {LOGS}"
    chunk = replace(chunk_of(text, start=100), page_spans=(PageSpan(1, 100, 115), PageSpan(2, 115, 100 + len(text))))
    (question,) = made(chunk).questions
    assert (question.question, question.answer) == ("How long are security logs kept?", "for 24 months")
    assert question.evidence == (GoldEvidence("made.pdf", 2),) and question.answerable


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (chunk_of(LOGS, file_name="c.pdf"), "another passage is about the same"),
        (
            chunk_of("The security of the kept records: 24 months.", file_name="c.pdf"),
            "the answer stands elsewhere too",
        ),
        (chunk_of("The security desk kept its chairs for 30 weeks.", file_name="c.pdf", page_number=3), ""),
        (chunk_of(LOGS), ""),
    ],
)
def test_a_question_that_another_passage_may_answer_is_dropped_and_counted(other: Chunk, reason: str) -> None:
    """The last one is the same place, cut a second time."""
    found = made(chunk_of(LOGS), other)
    if reason:
        assert not [one for one in found.questions if one.evidence[0].file_name == "made.pdf"]
        assert found.dropped[reason] >= 1
    else:
        assert [one.question for one in found.questions] == ["How long are security logs kept?"]


def test_a_question_says_what_it_is_about() -> None:
    found = made(
        *(chunk_of(f"Results {word} are kept for 24 months.", start=90 * at) for at, word in enumerate("abcd"))
    )
    assert not found.questions and found.dropped["too few words of its own"] == 4


def test_the_same_seed_draws_the_same_and_never_more_than_wanted() -> None:
    chunks = [chunk_of(text, start=100 * at) for at, text in enumerate((LOGS, RISKS, LAPTOPS))]
    assert made(*chunks) == made(*chunks)
    assert len(made(*chunks).questions) == 3
    drawn = {made(*chunks, count=1, seed=seed).questions[0].question for seed in range(20)}
    assert len(drawn) == 3
    assert made(*chunks, count=1).sampled <= len(chunks) + len(OTHERS)


def test_rows_are_not_asked_of() -> None:
    assert made(chunk_of(LOGS, row_number=3, page_number=None)).questions == ()


def test_questions_about_documents_that_are_held_out_cannot_be_answered() -> None:
    texts = (LOGS, RISKS, LAPTOPS, "Spare keys are stored in the harbour office.")
    chunks = [chunk_of(text, file_name=f"{at}.pdf") for at, text in enumerate(texts)]
    found = made(*chunks, held_out=0.5, count=4)
    assert len(found.held_out) == 2
    for one in found.questions:
        if one.answerable:
            assert one.evidence[0].file_name not in found.held_out and not one.held_out
        else:
            assert set(one.held_out) <= set(found.held_out) and one.evidence == () and one.answer is None
    answerable = sum(one.answerable for one in found.questions)
    assert 0 < len(found.questions) - answerable <= answerable


@pytest.mark.parametrize(
    ("count", "held_out", "unanswerable"),
    [(10, 0.3, 3), (10, 0.25, 2), (10, 0.05, 1), (4, 0.875, 3), (2, 0.01, 1), (1, 0.6, 0)],
)
def test_no_more_questions_are_made_than_asked_for_and_some_can_be_answered(
    count: int, held_out: float, unanswerable: int
) -> None:
    words = [f"{one}{other}ling" for one in "bdfgklmnprst" for other in ("a", "e", "i", "o", "u", "ee", "oo", "ai")]
    chunks = [
        chunk_of(f"The {word} records are kept for {at + 2} months.", file_name=f"{at % 12}.pdf")
        for at, word in enumerate(words)
    ]
    found = made(*chunks, count=count, held_out=held_out)
    assert len(found.questions) == count
    assert sum(not one.answerable for one in found.questions) == unanswerable


def test_who_makes_no_question_in_a_row_is_asked_no_more() -> None:
    chunks, told = [chunk_of(f"Text {at}.", file_name=f"{at}.pdf") for at in range(20)], list[int]()
    found = make_gold(chunks, lambda some: ["no question" for _ in some], 5, 0, 0, patience=7, advance=told.append)
    assert (found.gave_up, found.sampled, found.dropped, told) == (True, 7, {"no question": 7}, [])
    found = make_gold([*OTHERS, chunk_of(LOGS)], by_rules, 5, 0, 0, patience=7, advance=told.append)
    assert (found.gave_up, len(found.questions), told) == (False, 1, [1]), "six of seven chunks at most are in vain"


def test_held_out_is_what_questions_can_be_made_of() -> None:
    chunks = [chunk_of(text, file_name=f"{at}.pdf") for at, text in enumerate((LOGS, RISKS, LAPTOPS))]
    for seed in range(10):
        found = made(*chunks, held_out=0.25, seed=seed)
        assert len(found.held_out) == 1 and found.held_out != ("b.pdf",), "nothing can be asked about b.pdf"
        assert sum(not one.answerable for one in found.questions) == 1
    with pytest.raises(UsageError, match="questions can be made of no document"):
        made(chunk_of("Text.", file_name="a.pdf"), held_out=0.5)
    with pytest.raises(UsageError, match=r"questions can be made of made\.pdf alone"):
        made(chunk_of(LOGS), held_out=0.5)


def test_however_much_is_held_out_a_document_is_left_to_ask_about() -> None:
    chunks = [chunk_of(text, file_name=f"{at}.pdf") for at, text in enumerate((LOGS, RISKS, LAPTOPS))]
    for seed in range(10):
        found = made(*chunks, held_out=0.7, seed=seed)  # of four documents three, and b.pdf answers nothing
        assert len(found.held_out) == 2
        assert sum(one.answerable for one in found.questions) == 1


def test_one_document_cannot_be_held_out() -> None:
    with pytest.raises(UsageError, match="of 1 documents"):
        make_gold([chunk_of(LOGS)], by_rules, 5, 0.5, 0)
