"""Quotes that are longer than the customer takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.answering.conflicts.past_answers import without_verdict
from tasks.answering.drafts.draft import Asked, Draft, longest_text
from tasks.answering.quotes.passages import passages_of
from tasks.answering.quotes.shortening import shortened
from tasks.records import Hit, Question, Verdict
from tests.made.chunks import chunk_of

LONG = "Database snapshots are taken every four hours by the scheduler that the platform team runs in Dublin."
SHORT = "Database snapshots are taken by night."
PAST = (
    "Do you hold ISO 27001?\nAnswer: Yes\n"
    "Comments: Since 2019 under the roof of the group. The certificate is ISO 27001 of 2022; it ends in June 2027"
)


def drafted(
    text: str, question: Question, row_number: int | None = None, verdict: Verdict | None = None
) -> tuple[Asked, Draft]:
    """A draft that quotes the first passage of the text."""
    page = None if row_number else 1
    hit = Hit("q", 1, chunk_of(text, row_number=row_number, page_number=page), 1.0, 1.0, 0.0, 0.0)
    passage = next(passages_of(hit))
    draft = Draft(passage.text, verdict, passage.citations(), 0.9, is_verbatim=True, compared_text=text)
    return Asked(question, [hit]), draft


SNAPSHOTS = Question("q", 0, "When are database snapshots taken?", max_characters=60)


def test_a_shorter_sentence_that_says_as_much_is_taken() -> None:
    asked, draft = drafted(f"{LONG} Visitors sign in. {SHORT}", SNAPSHOTS)
    fits = shortened(asked, draft)
    assert (fits.text, [one.quote for one in fits.citations], fits.compared_text) == (SHORT, [SHORT], SHORT)
    assert str(len(LONG)) in fits.detail


@pytest.mark.parametrize(
    "beside",
    ["Snapshots of the media store are kept.", "They are database snapshots that are taken by night.", ""],
)
def test_one_that_says_less_or_leans_is_not(beside: str) -> None:
    asked, draft = drafted(f"{LONG} {beside}", SNAPSHOTS)
    assert shortened(asked, draft) == draft


def test_what_fits_or_is_in_own_words_stays() -> None:
    asked, draft = drafted(f"{LONG} {SHORT}", SNAPSHOTS)
    assert shortened(Asked(replace(SNAPSHOTS, max_characters=None), asked.hits), draft) == draft
    assert shortened(Asked(replace(SNAPSHOTS, max_characters=len(LONG)), asked.hits), draft) == draft
    own = replace(draft, is_verbatim=False)
    assert shortened(asked, own) == own


def test_a_text_that_says_the_verdict_itself_may_fill_its_cell() -> None:
    question = Question("q", 0, "Are file backups encrypted?", kind="yes_no", max_characters=40)
    text = "No. File backups are not encrypted."
    assert longest_text(question, text) == longest_text(replace(question, verdict_apart=True)) == 40
    assert longest_text(question, "None of them is.") == longest_text(question) == 31
    assert longest_text(replace(question, max_characters=None), text) is None


def test_a_shorter_sentence_keeps_the_verdict_or_is_not_taken() -> None:
    question = Question("q", 0, "Are database snapshots taken?", kind="yes_no", max_characters=80)
    asked, draft = drafted(f"{LONG} {SHORT}", question, verdict="yes")
    assert (shortened(asked, draft).text, shortened(asked, draft).verdict) == (SHORT, "yes")
    asked, draft = drafted(f"{LONG} No database snapshots are taken by night.", question, verdict="yes")
    assert shortened(asked, draft) == draft


@pytest.mark.parametrize(
    ("text", "limit", "said"),
    [
        ("Which certificate is there?", 70, "The certificate is ISO 27001 of 2022; it ends in June 2027."),
        ("Do you hold any?", 70, "Yes."),
        ("Which certificate is there?", 40, "Yes."),
    ],
)
def test_of_a_past_answer_a_line_or_a_sentence_is_taken(text: str, limit: int, said: str) -> None:
    asked, draft = drafted(PAST, Question("q", 0, text, max_characters=limit), row_number=3)
    fits = shortened(asked, draft)
    assert fits.text == said and fits.citations[0].quote in PAST and len(fits.citations) == 1
    assert fits.compared_text == PAST


def test_a_yes_that_was_left_out_of_a_past_answer_does_not_come_back() -> None:
    asked, draft = drafted(PAST, Question("q", 0, "Which group is it?", max_characters=60), row_number=3)
    passage = without_verdict(next(passages_of(asked.hits[0])))
    assert passage is not None
    cut = replace(draft, text=passage.text, citations=passage.citations())
    assert shortened(asked, cut).text == "Since 2019 under the roof of the group."
    assert shortened(Asked(replace(asked.question, max_characters=20), asked.hits), cut) == cut


def test_of_a_past_answer_the_line_is_taken_that_has_the_figure_asked_for() -> None:
    text = "Are logs kept for five years?\nAnswer: 13 months online. Export or stream the log to keep it for longer."
    asked, draft = drafted(text, Question("q", 0, "How long is the log kept?", max_characters=60), row_number=3)
    quoted = replace(draft, text="13 months online. Export or stream the log to keep it for longer.")
    assert shortened(asked, quoted).text == "13 months online."
