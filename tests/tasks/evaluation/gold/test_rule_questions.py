from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.evaluation.gold.rule_questions import questions_of


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        (
            "Customers are told about a confirmed breach of personal data within 48 hours.",
            "How soon are customers told about a confirmed breach of personal data?",
            "within 48 hours",
        ),
        (
            "Security incidents must be reported within 24 hours to the service desk.",
            "How soon must security incidents be reported to the service desk?",
            "within 24 hours",
        ),
        ("Security logs are kept for 24 months.", "How long are security logs kept?", "for 24 months"),
        (
            "Public certificates are renewed by automation every 90 days.",
            "How often are public certificates renewed by automation?",
            "every 90 days",
        ),
        ("Spam filtering has three levels of care.", "How many levels does spam filtering have of care?", "three"),
        ("The plan covers glasses up to $150 a year.", "How much does the plan cover glasses?", "up to $150 a year"),
        (
            "The CISO can veto a new sub-processor at any time.",
            "Who can veto a new sub-processor at any time?",
            "The CISO",
        ),
        (
            "The list of approved tools is kept by the security team.",
            "Who is the list of approved tools kept by?",
            "the security team",
        ),
        ("Customer backups are stored in a second region.", "Where are customer backups stored?", "in a second region"),
        (
            "All customer data at rest is encrypted with AES-256.",
            "How is all customer data at rest encrypted?",
            "with AES-256",
        ),
        (
            "If a laptop is lost, the security team sends the erase command.",
            "What happens if a laptop is lost?",
            "the security team sends the erase command",
        ),
        (
            "If you are travelling abroad, you should call the help line first.",
            "What should I do if I am travelling abroad?",
            "you should call the help line first",
        ),
        (
            "SCIM is a protocol that provisions the accounts of users.",
            "What is SCIM?",
            "a protocol that provisions the accounts of users",
        ),
        ("Backups are never kept for more than 30 days.", None, None),
        ("They are told about a breach within 48 hours.", None, None),
        ("This policy is reviewed by the board every year.", None, None),
        ("Customers are told of it in the portal within 48 hours.", None, None),
        ("Visitors sign in at the front desk each day.", None, None),
    ],
)
def test_a_sentence_gives_a_question_and_the_part_that_answers_it(
    sentence: str, question: str | None, answer: str | None
) -> None:
    text = f"Before it. {sentence} After it."
    found = [(one.question, text[one.start : one.end]) for one in questions_of(text)]
    assert found == ([(question, answer)] if question else [])


def test_what_follows_from_a_case_comes_last_and_blanks_do_no_harm() -> None:
    text = "If a laptop is lost, the team erases it. Security  logs are\tkept for  24 months."
    first, last = questions_of(text)
    assert (first.question, text[first.start : first.end]) == ("How long are security logs kept?", "for  24 months")
    assert text[first.sentence_start : first.sentence_end].startswith("Security")
    assert last.question == "What happens if a laptop is lost?"


@given(st.text(alphabet=st.sampled_from(list("Thelogsarekptin 24,.;?\nIf")), max_size=200))
def test_an_answer_lies_within_its_sentence(text: str) -> None:
    for one in questions_of(text):
        assert one.sentence_start <= one.start < one.end <= one.sentence_end and one.question.endswith("?")
