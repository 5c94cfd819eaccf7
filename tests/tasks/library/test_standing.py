"""Standing of entries: a quote that moves stays good, and one that is gone is shown beside what stands there now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from tasks.library.entries import EntryEvidence, LibraryEntry
from tasks.library.standing import Standing, standing_of
from tasks.records import Document
from tests.made.chunks import document_of

QUOTE = "We tell customers of a breach within 48 hours."
TODAY = date(2026, 5, 4)


def _standing(
    document: Document | None, quote: str = QUOTE, page: int | None = 1, *, until: date | None = None, words: str = ""
) -> Standing:
    evidence = (EntryEvidence("made.pdf", quote, "another", page),)
    entry = LibraryEntry("How soon?", "Within 48 hours.", owner="Legal", valid_until=until, evidence=evidence)
    return standing_of(entry, lambda name: document, lambda document_id: words, TODAY)


@pytest.mark.parametrize(
    ("pages", "quote"),
    [
        ([f"Breaches. {QUOTE} So it is."], QUOTE),
        (["A new first page.", f"Breaches. {QUOTE}"], QUOTE),
        (["We tell  customers of\na breach within 48 hours."], QUOTE),
    ],
    ids=["there", "on another page", "broken into lines"],
)
def test_a_quote_that_still_stands_is_cited_where_it_is_now(pages: list[str], quote: str) -> None:
    document = document_of(pages)
    found = _standing(document, quote)
    assert found.faults == ()
    (citation,) = found.citations
    assert document.text[citation.start : citation.end] == citation.quote
    assert citation.page_number == len(pages)


def test_a_page_that_changed_is_shown_with_the_old_and_the_new_quote() -> None:
    (fault,) = _standing(
        document_of(["Breaches.", "We tell customers of a breach within 24 hours. We are quick."])
    ).faults
    assert (fault.kind, fault.old_quote) == ("page_changed", QUOTE)
    assert fault.new_quote == "We tell customers of a breach within 24 hours."
    now = "it reads now: “We tell customers of a breach within 24 hours.”"
    assert fault.told == f"the page changed: made.pdf, p. 1 read “{QUOTE}”, {now}"
    assert "nothing like it" in _standing(document_of(["Gardens are green."])).faults[0].told


@pytest.mark.parametrize(
    ("standing", "kind"),
    [
        (lambda: _standing(None), "document_gone"),
        (lambda: _standing(document_of([QUOTE]), words="superseded by version 2"), "superseded"),
        (lambda: _standing(document_of([QUOTE]), until=date(2026, 5, 3)), "expired"),
    ],
)
def test_other_faults(standing: Callable[[], Standing], kind: str) -> None:
    assert [fault.kind for fault in standing().faults] == [kind]


def test_the_last_day_counts_and_no_evidence_is_no_fault() -> None:
    assert _standing(document_of([QUOTE]), until=TODAY).faults == ()
    entry = LibraryEntry("How soon?", "Within 48 hours.")
    assert standing_of(entry, lambda name: None, lambda document_id: "", TODAY) == Standing()
