"""Documents that say of themselves that they do not hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tasks.answering.conflicts.document_status import doubts_of_standing, standing_in
from tasks.records import Citation
from tests.made.chunks import document_of

TODAY = date(2026, 6, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Backup Policy\nSuperseded by version 3.1 of 2025\nBackups are made.", "Superseded by version 3"),
        ("Support terms\nValid until 31 December 2024", "Valid until 31 December 2024"),
        ("Support terms\nExpiry date: 2025-03-31", "Expiry date: 2025-03-31"),
        ("Support terms\nValid until 31 December 2031", ""),
        ("Support terms\nValid until 31 June 2024", ""),
        ("Status | Draft | Owner | CISO", "Status | Draft"),
        ("This is a draft for review.", "This is a draft for review"),
        ("This policy is no longer in force.", "no longer in force"),
        ("We draft contracts, and withdrawn consent ends it. Obtain the status: active.", ""),
        ("Passwords are replaced by the user each year.", ""),
        ("Terms\nGültig bis: 31.12.2024", "Gültig bis: 31.12.2024"),
        ("Terms\nVersion 2 | Owner: CISO | Valid until 31 December 2024", "Valid until 31 December 2024"),
        ("This policy was approved in 2022 and is\nvalid until 31 December 2024.", "valid until 31 December 2024"),
        ("Backup Policy, version 2.0 (superseded by version 3)", "superseded by version 3)"),
        ("A draft report is sent first.\nFirst draft reports come by mail.", ""),
        ("Working draft for comments", "Working draft for comments"),
        ("This policy is a draft.", "a draft"),
        ("This document has been withdrawn.", "withdrawn"),
        ("The certificate was issued by DQS and is valid until 14 March 2024.", ""),
        ("Our ISO certificate was issued by DQS and is\nvalid until 14 March 2024.", ""),
        ("Certificates\nISO 27001 | DQS | valid until 14 March 2024", ""),
        ("The old certificate expired on 14 March 2024.", ""),
        ("SHA-1 was superseded by SHA-256, TLS 1.0 is no longer in use, DES is obsolete.", ""),
        ("SHA-1 was\nsuperseded by SHA-256.", ""),
        ("Obsolete media are shredded.", ""),
        ("This policy says how obsolete media are shredded.", ""),
        ("Customers get a first draft of each report.", ""),
        ("", ""),
    ],
)
def test_what_the_first_page_says(text: str, said: str) -> None:
    assert standing_in(document_of([text, "Superseded by nothing at all."]), TODAY) == said


def test_a_certificate_speaks_of_itself() -> None:
    text = "The company is certified.\nThis was issued by DQS and is valid until 14 March 2024."
    document = replace(document_of([text]), title="ISO 27001 certificate")
    assert standing_in(document, TODAY) == "valid until 14 March 2024"


def test_each_document_that_does_not_hold_is_told_once() -> None:
    cited = [
        Citation(name, f"{name}.pdf", "", 1, "Backups are made.", start, start + 17)
        for name, start in (("old", 0), ("old", 50), ("new", 0))
    ]
    said = {"old": "superseded by version 2"}
    doubts = doubts_of_standing(cited, lambda document_id: said.get(document_id, ""))
    assert doubts == ["old.pdf calls itself “superseded by version 2”: check that it holds"]
    assert doubts_of_standing([], said.__getitem__) == []
