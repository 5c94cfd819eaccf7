"""Places that are held against those of a gold set."""

from __future__ import annotations

import pytest

from tasks.evaluation.gold.outcomes import Outcome, Place, place
from tasks.records import GoldEvidence, GoldQuestion


def outcome(evidence: GoldEvidence, cited: Place) -> Outcome:
    """A question with that evidence, answered from one place."""
    gold = GoldQuestion("q", "Where is the data?", True, "In Dublin.", evidence=(evidence,))
    return Outcome(gold, [place("other.docx", 1), cited], "answered", cited=cited)


@pytest.mark.parametrize(
    ("evidence", "cited", "is_right"),
    [
        (GoldEvidence("a.docx", None), place("docs/a.docx", 3), True),
        (GoldEvidence("a.docx", None), place("a.docx", None), True),
        (GoldEvidence("a.docx", 2), place("a.docx", 3), False),
        (GoldEvidence("a.docx", None), place("b.docx", 3), False),
        (GoldEvidence("a.xlsx", None, "Sheet", 4), place("a.xlsx", None, "Sheet", 4), True),
    ],
)
def test_evidence_without_a_page_is_the_whole_file(evidence: GoldEvidence, cited: Place, is_right: bool) -> None:
    found = outcome(evidence, cited)
    assert found.cites_gold_page() is is_right
    assert found.is_gold(cited) is is_right
    assert (found.first_rank, found.first_place_rank) == ((2, 2) if is_right else (None, None))


def test_evidence_in_a_pdf_whose_page_nobody_has_said_is_not_scored() -> None:
    found = outcome(GoldEvidence("a.pdf", None), place("a.pdf", 3))
    assert found.cites_gold_page() is None and found.gold_pages == set()
