"""What is held out for a question, how declines are counted, and what is planted as a contradiction."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tasks.records import GoldEvidence, GoldQuestion, Verdict
from tests.bench.contradictions import CONTRADICTIONS, HARMLESS
from tests.bench.declining import interval, keeping, questions_left_out, separation
from tests.bench.held_out import documents_to_hold_out, twins_of

KEPT = "Backups of customer files are kept for 35 days in a second region."


def gold(answer: str | None = "35 days", verdict: Verdict | None = None, answerable: bool = True) -> GoldQuestion:
    """How long backups are kept, by page 2 of a.pdf."""
    evidence = (GoldEvidence("a.pdf", 2, None, None),) if answerable else ()
    return GoldQuestion("q", "How long are backups kept?", answerable, answer, verdict, evidence)


def row(text: str, page: int | None = 1) -> dict[str, object]:
    """A row of the table of chunks."""
    return {"text": text, "page_number": page, "row_number": None}


def test_documents_that_say_the_same_sentence_are_held_out_with_it() -> None:
    chunks = {
        "set/a.pdf": [row("Doors are guarded by two people at night."), row(KEPT, 2)],
        "b.pdf": [row(f"Summary of our service. {KEPT} Doors are locked.")],
        "c.pdf": [row("Doors are guarded by two people at night."), row("We keep backups for more than a month.")],
    }
    evidence = [{"file": "a.pdf", "page": 2}]
    assert documents_to_hold_out(gold(), evidence, chunks) == {"set/a.pdf", "b.pdf"}
    quoted = [{"file": "a.pdf", "page": None, "quote": "Doors are guarded by two people at night."}]
    assert documents_to_hold_out(gold(), quoted, chunks) == {"set/a.pdf", "c.pdf"}


def test_twins_speak_of_another_thing_in_much_the_same_words() -> None:
    said = "covers surgery, therapy, imaging, vaccines, dental injuries, ambulances, blood products and home care"
    texts = {
        "standard": f"Plan Standard {said}.",
        "plus": f"Plan Plus {said}.",
        "roles": "A manager leads a team of five.",
    }
    assert twins_of(texts) == {
        "standard": {"standard", "plus"},
        "plus": {"standard", "plus"},
        "roles": {"roles"},
    }


def test_a_threshold_is_judged_by_the_questions_that_it_was_not_taken_from() -> None:
    scores = np.random.default_rng(0).random(400)
    assert (scores < keeping(scores, 0.9)).mean() <= 0.1
    mine, others = questions_left_out(scores, 0.9, np.array([-1.0, 2.0]))
    assert mine.mean() == pytest.approx(0.1, abs=0.02)
    assert others.tolist() == pytest.approx([1.0, 0.0])


def test_an_interval_draws_documents_and_not_questions() -> None:
    values = np.repeat([0.0, 1.0, 0.0, 1.0], 50)
    together = [f"document {at // 50}" for at in range(200)]
    wide = interval(together, lambda at: float(values[at].mean()), 500)
    narrow = interval([str(at) for at in range(200)], lambda at: float(values[at].mean()), 500)
    assert wide[1] - wide[0] > 3 * (narrow[1] - narrow[0])
    assert np.isnan(interval(["one"] * 200, lambda at: float(values[at].mean()))).all()
    assert separation(np.array([0.9, 0.5]), np.array([0.5, 0.1])) == pytest.approx(0.875)
    assert np.isnan(separation(np.array([0.9]), np.array([])))


def test_each_contradiction_changes_what_it_is_named_after_and_nothing_else() -> None:
    sentence = "All staff of Corvane must report within 3 days, as agreed on 4 May 2026, and are trained annually."
    for kind, change in CONTRADICTIONS.items():
        made = change(sentence, random.Random(1))
        assert made is not None, kind
        assert len(set(sentence.split()) ^ set(made.split())) <= 2, kind
        assert change("It is so" if kind != "denied" else "Thus", random.Random(1)) is None, kind
    assert HARMLESS["a number in letters"](sentence, random.Random(1)) == sentence.replace("3 days", "three days")
    scoped = HARMLESS["of another scope"](sentence, random.Random(1))
    assert scoped is not None and scoped.endswith("annually.") and scoped != sentence
