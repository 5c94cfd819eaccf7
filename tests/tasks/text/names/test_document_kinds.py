"""The kind of a document is what its title's first part ends with."""

from __future__ import annotations

import pytest

from tasks.text.names.document_kinds import any_kind, kind_of


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Information Security Policy", "policy"),
        ("Policy Management Process on Contracts", "procedure"),
        ("Policy Management", ""),
        ("SOC 2 Type II Report on the Intake Plan", "report"),
        ("Service Level Agreement (SLA)", "service level agreement"),
        ("Access Control Policy v2.1", "policy"),
        ("Response to Woodgrove's Request for Proposal", "response"),
        ("Datenschutzrichtlinie", "policy"),
        ("Rahmenvertrag für Dienstleistungen", "agreement"),
        ("Política de seguridad", "policy"),
        ("Rapport annuel 2023", "annual report"),
        ("Contrato de prestação de serviços", "agreement"),
        ("Brown fox", ""),
        ("", ""),
    ],
)
def test_kinds_of_titles(title: str, kind: str) -> None:
    assert kind_of(title) == kind


def test_any_kind_is_the_first_wherever_it_stands() -> None:
    assert any_kind("x ANNUAL REPORT PURSUANT TO A POLICY") == "annual report"
    assert any_kind("nothing") == ""
