"""Where the sentences that may be quoted are read by a cross-encoder: it moves the choice, under the document's title,
and a plan that has no such model is refused. The model that reads here is a stand-in; the real one answers in
``tests/flows``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from configs.plans import PLANS_DIR, load_plan
from tasks.answering.drafts.draft import Asked
from tasks.answering.generators.extractive import PASSAGES_A_QUESTION, ExtractiveGenerator
from tasks.errors import UsageError
from tasks.records import Chunk, Hit, PageSpan, Question

ASKED = "Is the backup of our data encrypted?"
NEAR = "The fields of our data that are marked are encrypted in the backup of each form."
RIGHT = "Copies kept for recovery are enciphered with keys of their own."


def hit(text: str, rank: int) -> Hit:
    chunk = Chunk(
        f"c{rank}",
        f"d{rank}",
        "policy.pdf",
        "0" * 64,
        "pdf",
        rank,
        0,
        len(text),
        text,
        "Policy",
        12,
        (PageSpan(1, 0, len(text)),),
    )
    return Hit("q", rank, chunk, 1.0, 0.5, 0.5, 0.5)


class Reader:
    """Likes the text that names recovery, and keeps what it was asked."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.pairs += pairs
        return np.array([6.0 if "recovery" in text else -9.0 for _, text in pairs], np.float32)


def all_alike(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.ones((len(texts), 1), np.float32)


def quoted(*hits: Hit, reader: Reader | None) -> str:
    generator = ExtractiveGenerator(all_alike, all_alike, 1, reader)
    (draft,) = generator.draft([Asked(Question("q", 0, ASKED), hits)])
    return draft.citations[0].quote


def test_the_sentence_that_reads_as_an_answer_is_quoted_before_one_with_the_same_words() -> None:
    hits = hit(NEAR, 1), hit(RIGHT, 2)
    assert quoted(*hits, reader=None) == NEAR
    assert quoted(*hits, reader=Reader()) == RIGHT


def test_each_sentence_is_read_below_its_title() -> None:
    reader = Reader()
    quoted(hit(NEAR, 1), hit(RIGHT, 2), reader=reader)
    assert reader.pairs == [(ASKED, f"Policy\n{NEAR}"), (ASKED, f"Policy\n{RIGHT}")]


def test_no_more_sentences_are_read_than_are_compared() -> None:
    reader = Reader()
    many = [hit(f"Sentence number {n} says something about our backups. ", n) for n in range(1, 40)]
    quoted(*many, reader=reader)
    assert len(reader.pairs) == PASSAGES_A_QUESTION


def test_a_sentence_in_several_documents_is_read_once() -> None:
    reader = Reader()
    quoted(hit(NEAR, 1), hit(RIGHT, 2), hit(RIGHT.upper(), 3), reader=reader)
    assert [text for _, text in reader.pairs] == [f"Policy\n{NEAR}", f"Policy\n{RIGHT}"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Customer data is encrypted at rest: ☐ Yes ☒ No", "Customer data is encrypted at rest: ☒ Yes ☐ No"),
        ("The recovery time objective is 15 hours.", "The recovery time objective is 1.5 hours."),
        ("Availability of the backups is > 99.9 %.", "Availability of the backups is < 99.9 %."),
    ],
)
def test_what_differs_by_a_mark_or_a_column_is_read_twice(one: str, other: str) -> None:
    reader = Reader()
    quoted(hit(one, 1), hit(other, 2), reader=reader)
    assert len(reader.pairs) == 2


def test_the_better_ranked_is_quoted_of_what_reads_alike() -> None:
    first, second = hit(RIGHT, 1), hit(RIGHT.replace("Copies", "All copies"), 2)
    assert quoted(first, second, reader=Reader()) == RIGHT


def test_a_question_without_a_sentence_beside_one_that_has_some() -> None:
    generator = ExtractiveGenerator(all_alike, all_alike, 1, Reader())
    nothing, found = generator.draft(
        [Asked(Question("a", 0, ASKED), []), Asked(Question("b", 1, ASKED), [hit(NEAR, 1)])]
    )
    assert nothing.declined == "no_evidence" and found.citations[0].quote == NEAR


def test_a_plan_that_reads_sentences_without_a_model_is_refused(tmp_path: Path) -> None:
    raw = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    raw["retrieval"]["reread"] = raw["answering"]["confidence"] = raw["answering"]["verdicts"] = None
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"selection needs the cross-encoder .*leave selection out"):
        load_plan(str(file))
    raw["answering"]["selection"] = None
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    assert load_plan(str(file)).answering.selection is None


def test_an_earlier_plan_that_weighs_read_sentences_selects_them(tmp_path: Path) -> None:
    raw = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    del raw["answering"]["selection"]
    file = tmp_path / "mine.yaml"
    for weight, selects in ((0.2, True), (0, False)):
        raw["answering"]["read_sentences"] = weight
        file.write_text(yaml.safe_dump(raw), encoding="utf-8")
        assert (load_plan(str(file)).answering.selection is not None) is selects
