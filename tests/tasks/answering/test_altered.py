"""Copies of a sentence in which a few words change what is said."""

from __future__ import annotations

import pytest

from tasks.answering.altered import altered
from tasks.answering.negation import pieces_of
from tasks.answering.stems import stems_of
from tests.tasks.answering.test_checks import checked, hits

NOTICE = "Acme tells the customer of a data breach without undue delay and within 48 hours of confirmation."
REGION = "Customer data is stored in the region named in the order form: Leeds with copies in York, or Oslo."
ORDER = "Basic and Plus share one recovery time of 8 hours: Plus tenants are opened before Basic tenants."
CIPHERS = "Customer data is encrypted at rest with AES-256 and in transit with TLS 1.3."


def changed(claim: str, source: str) -> str:
    return altered(claim, [text for _, text in pieces_of(source)], [source], frozenset(stems_of(source)))


@pytest.mark.parametrize(
    ("claim", "source", "told"),
    [
        ("Acme tells the customer of a suspected data breach within 48 hours of confirmation.", NOTICE, "“suspected”"),
        ("Acme tells the customer and the press of a data breach within 48 hours of confirmation.", NOTICE, "“press”"),
        ("Acme tells the customer of a data breach within 48 hours of discovery.", NOTICE, "counts from “discovery”"),
        ("Acme tells the customer of a data breach within 48 hours of the loss.", NOTICE, "counts from “loss”"),
        (REGION.replace("Leeds with copies in York", "York with copies in Leeds"), REGION, "“York” and “Leeds”"),
        ("Basic tenants are opened before Plus tenants.", ORDER, "“Basic” and “Plus” in each other's place"),
        (CIPHERS.replace(" and ", " or "), CIPHERS, "“or” in the place of “and”"),
    ],
)
def test_what_changes_a_copied_sentence_is_told(claim: str, source: str, told: str) -> None:
    assert told in changed(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (NOTICE, NOTICE),
        ("Acme also tells the customer of a data breach within 48 hours of confirmation.", NOTICE),
        ("Acme informs its customers of data breaches no later than 48 hours from their confirmation.", NOTICE),
        ("Plus and Basic share one recovery time of 8 hours.", ORDER),
        ("Plus tenants are opened before Basic tenants.", ORDER),
        ("Customer data is stored in Leeds with copies in York, or in Oslo.", REGION),
        ("Customer data is encrypted in transit with TLS 1.3 and at rest with AES-256.", CIPHERS),
        ("Backups are kept for 35 days.", CIPHERS),
        ("", CIPHERS),
        ("Customer data is encrypted.", ""),
    ],
)
def test_what_says_the_same_and_what_is_no_copy_passes(claim: str, source: str) -> None:
    assert changed(claim, source) == ""


def test_a_change_between_two_claims_of_a_sentence_is_seen() -> None:
    # "with AES-256" and "in transit with TLS 1.3" hold, each by itself.
    wrong = checked(CIPHERS.replace(" and ", " or "), hits(CIPHERS))
    assert wrong.text is None
    assert "its source lacks “or” in the place of “and”" in (wrong.detail or "")
    assert checked(CIPHERS, hits(CIPHERS)).text == CIPHERS
