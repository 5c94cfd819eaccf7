"""The text of an answer, read while the reply is being written."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.answering.drafts.answer_text import AnswerText, answer_so_far


@settings(max_examples=50)
@given(st.text(), st.booleans(), st.integers(1, 9))
def test_whatever_the_text_its_pieces_make_it(text: str, is_ascii: bool, step: int) -> None:
    raw = json.dumps({"answer": text, "citations": [1], "verdict": None}, ensure_ascii=is_ascii)
    told: list[str] = []
    listener = AnswerText(told.append)
    for end in range(0, len(raw) + step, step):
        listener.hear(raw[:end])
        assert text.startswith("".join(told))
    assert "".join(told) == text and "" not in told


def test_what_is_no_answer_yet_says_nothing() -> None:
    for raw in ("", "{", '{"answer"', '{"answer": nu', '{"answer": null, "citations": []}', "I think so!"):
        assert answer_so_far(raw) == ""


def test_a_reply_that_begins_anew_is_not_told_over_the_first() -> None:
    told: list[str] = []
    listener = AnswerText(told.append)
    for raw in ('{"answer": "Every four', '{"answer": "', '{"answer": "Each day'):
        listener.hear(raw)
    listener.hear('{"answer": "Every four hours.')
    assert told == ["Every four", " hours."]


def test_what_a_model_thinks_is_not_told() -> None:
    thought = '<think>Perhaps {"answer": "No backups."}'
    assert answer_so_far(thought) == ""
    assert answer_so_far(thought + '</think>{"answer": "Every day') == "Every day"
    assert answer_so_far('{"answer": "the tag <think> is left') == "the tag <think> is left"
