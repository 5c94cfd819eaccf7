"""Figures that a claim gives to another thing than its source does."""

from __future__ import annotations

import pytest

from tasks.answering.mixing import mixed
from tasks.answering.negation import pieces_of

KEPT = "Metrics are kept 13 months, traces 14 days, technical logs 90 days; security logs are kept 24 months."
LOGS = "Security logs are kept 24 months and the tenants' audit log 13 months online."
PLACES = "Customer data is stored in London with backups in Dublin."
LEAVERS = "A leaver's accounts are disabled within one working day of the last day. Access is cut within two hours."
UPTIME = "Monthly availability of 99.5% in Core, 99.9% in Plus and 99.95% in Enterprise."
PRIORITY = "Priority 1 is answered within 1 hour in Core, 30 minutes in Plus and 15 minutes in Enterprise."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Technical logs are kept 14 days.", KEPT),
        ("Traces are kept 90 days.", KEPT),
        ("Traces are kept 13 months.", KEPT),
        ("The tenants' audit log is kept 24 months online.", LOGS),
        ("Security logs are kept 13 months.", LOGS),
        ("Core: 99.95%.", UPTIME),
        ("Plus: 99.5%.", UPTIME),
        ("Enterprise: 99.5%.", UPTIME),
        ("Plus 99.95%, Core 99.5%.", UPTIME),
        ("Customer data is stored in Dublin with backups in London.", PLACES),
        ("A leaver's accounts are disabled within two hours of the last day.", LEAVERS),
        ("Priority 1 is answered within 4 hours.", "Priority 1 within 1 hour and priority 2 within 4 hours."),
    ],
)
def test_a_figure_of_another_thing_of_the_list_is_told(claim: str, source: str) -> None:
    assert mixed(claim, [pieces_of(source)])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Traces are kept 14 days.", KEPT),
        ("Metrics are kept 13 months.", KEPT),
        ("Logs of security are kept for 24 months.", KEPT),
        ("Technical logs stay for 90 days.", KEPT),
        ("The audit log is kept 13 months.", LOGS),
        ("Logs are kept 24 months.", LOGS),
        ("Enterprise: 99.95%.", UPTIME),
        ("Monthly availability is 99.9% in Plus.", UPTIME),
        ("Core 99.5%, Plus 99.9%.", UPTIME),
        ("Priority 1 is answered within 15 minutes in Enterprise.", PRIORITY),
        ("Priority 1: 30 minutes in Plus.", PRIORITY),
        ("A restore takes 4 hours and a failover 8.", "A failover takes 8 hours and a restore 4 hours."),
        ("With backups in Dublin, customer data is stored in London.", PLACES),
        ("London holds customer data, Dublin the backups.", PLACES),
        ("Access is cut within two hours.", LEAVERS),
        ("", KEPT),
    ],
)
def test_a_figure_with_what_it_is_of_is_let_be(claim: str, source: str) -> None:
    assert mixed(claim, [pieces_of(source)]) == ""


def test_no_source_has_nothing_mixed() -> None:
    assert mixed("Traces are kept 14 days.", []) == ""
