"""Items of a review as the page shows them."""

from __future__ import annotations

from tasks.review.view import reasons_of


def test_two_texts_of_a_reason_are_labelled_and_other_reasons_stay_in_a_line() -> None:
    detail = (
        "the page changed: trust.html read “We do not; not yet.”, it reads now: “We do.”; the approved answer and the "
        "documents contradict each other: library:second.xlsx, row 9 says no: “Not: yet.”, trust.html says “We do.”: "
        "decide which is right; probably no (50%): check the quote"
    )
    changed, contradicted, unsure = reasons_of(detail)
    assert changed == {
        "title": "the page changed",
        "sides": [
            {"label": "trust.html read", "text": "We do not; not yet."},
            {"label": "it reads now", "text": "We do."},
        ],
        "said": "",
    }
    assert contradicted["title"] == "the approved answer and the documents contradict each other"
    assert [side["label"] for side in contradicted["sides"]] == [
        "approved answer in second.xlsx, row 9 says no",
        "trust.html says",
    ]
    assert contradicted["said"] == "decide which is right"
    assert unsure == {"said": "probably no (50%): check the quote"}
    assert reasons_of("") == []


def test_quotes_within_quotes_lose_no_word() -> None:
    detail = "a.pdf read “one “two” three”, nothing like it stands there now"
    assert reasons_of(detail) == [{"said": detail}]
