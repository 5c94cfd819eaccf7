"""Features of a yes/no question beside a passage."""

from __future__ import annotations

import pytest

from tasks.answering.verdicts.features import FEATURES, Contrasts, Reading, cells_differ, features_of, figures_met
from tasks.answering.verdicts.statements import statements_of


def reading(question: str, quote: str, place: str = "") -> Reading:
    """A reading with nothing that a model says."""
    return Reading(question, quote, quote, place, 0.0, 0.0, 0.0, 1, 0.0, Contrasts())


@pytest.mark.parametrize(
    ("question", "quote", "met"),
    [
        ("Do you notify us within 24 hours?", "Customers are notified within 12 hours.", 1.0),
        ("Do you notify us within 24 hours?", "Customers are notified within 72 hours.", -1.0),
        ("Are logs kept for at least 90 days?", "Logs are kept for 12 months.", 1.0),
        ("Are logs kept for at least 90 days?", "Logs are kept for 30 days.", -1.0),
        ("Are penetration tests done annually?", "A test by an outside firm is made each quarter.", 1.0),
        ("Are penetration tests done annually?", "A test by an outside firm is made every two years.", -1.0),
        ("Do you hold ISO 27001?", "We hold ISO 27001.", 0.0),
        ("Do you encrypt backups?", "Backups are kept for 35 days.", 0.0),
        ("", "", 0.0),
    ],
)
def test_figures_are_met_by_what_keeps_the_bound(question: str, quote: str, met: float) -> None:
    assert figures_met(question, quote) == met


@pytest.mark.parametrize(
    ("quote", "differ"),
    [
        ("Single sign-on | Not available | Included | Included", 1.0),
        ("Encryption at rest | Yes | Yes", 0.0),
        ("Owner | CISO", 0.0),
        ("Backups are encrypted.", 0.0),
        ("", 0.0),
    ],
)
def test_cells_that_differ_make_a_row_depend_on_its_column(quote: str, differ: float) -> None:
    assert cells_differ(quote) == differ


@pytest.mark.parametrize(
    ("feature", "question", "quote", "value"),
    [
        ("polarity_differs", "Do you sell data?", "We do not sell data.", 1.0),
        ("polarity_differs", "Do you encrypt data?", "Data is encrypted.", 0.0),
        ("restricted_clause", "Is SSO offered?", "SSO is offered only in Premium.", 1.0),
        ("restricted_clause", "Is SSO only offered in Premium?", "SSO is offered only in Premium.", 0.0),
        ("possibility", "Is MFA enforced?", "We recommend MFA for all users.", 1.0),
        ("possibility", "Can we export our data?", "The customer may export its data.", 0.0),
        ("possibility", "Was it tested in May?", "It may be tested.", 1.0),
        ("alternative", "Is the test done by a third party?", "It is done by our team or a third party.", 1.0),
        ("covered_in_place", "Do you use subprocessors?", "We use six sub-processors.", 1.0),
        ("of_customer", "Do you report incidents?", "Customers must report incidents.", 1.0),
        ("clause_denies", "Is USB storage allowed?", "USB storage is blocked.", 1.0),
        ("clause_denies", "Is USB storage allowed?", "USB storage is not blocked.", 0.0),
        ("polarity_differs", "Is MFA optional for administrators?", "MFA is required for administrators.", 1.0),
        ("polarity_differs", "Is MFA required for administrators?", "MFA is mandatory for administrators.", 0.0),
        ("clause_denies", "Can staff connect to production over VPN?", "VPN access to production is prohibited.", 1.0),
        ("quote_denies", "Is USB storage allowed?", "USB storage is blocked; nobody can lift that.", 1.0),
        ("clause_denies", "Is the firm free of bank debt?", "The firm has no bank debt.", 0.0),
        ("polarity_differs", "Is the firm free of bank debt?", "The firm has no bank debt.", 0.0),
        ("polarity_differs", "Is the firm free of bank debt?", "The firm has bank debt.", 1.0),
        ("polarity_differs", "Is support free of charge?", "Support is free.", 0.0),
        ("quote_denies", "Do you report on incidents?", "Access is cut off.", 0.0),
    ],
)
def test_a_feature_tells_what_it_is_named_after(feature: str, question: str, quote: str, value: float) -> None:
    assert FEATURES[feature](reading(question, quote)) == value


def test_an_empty_reading_has_finite_features() -> None:
    features = features_of(reading("", ""))
    assert features.shape == (len(FEATURES),)
    assert abs(features).max() <= 1


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Do you encrypt backups?", "We encrypt backups.", "We do not encrypt backups."),
        ("Have you been breached?", "We have been breached.", "We have not been breached."),
        ("Are your backups encrypted?", "our backups encrypted.", "not our backups encrypted."),
        ("Data is encrypted.", "Data is encrypted.", "It is not so that Data is encrypted."),
    ],
)
def test_statements_say_what_each_verdict_would(question: str, yes: str, no: str) -> None:
    found = statements_of(question)
    assert (found.yes, found.no) == (yes, no)
    assert len(set(found)) == len(found)
