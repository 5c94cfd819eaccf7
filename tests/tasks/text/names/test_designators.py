"""Designators: which texts name another thing of the series that is asked about."""

from __future__ import annotations

import pytest

from tasks.text.names.designators import Designator, designators_of, names_another


@pytest.mark.parametrize(
    ("question", "text", "is_another"),
    [
        ("Do you have a SOC 2 report?", "A SOC 3 report is not produced either.", True),
        ("Do you have a SOC 2 report?", "A SOC 1 or SOC 2 report is sent under NDA.", False),
        ("Is TLS 1.0 enabled?", "TLS 1.2 or 1.3 is used; 1.0 and 1.1 are disabled.", False),
        ("Are you ISO 27001 certified?", "ISO/IEC 42001 is not held.", True),
        ("Are you ISO 27001 certified?", "ISO/IEC 27001:2022, held since 2019", False),
        ("Do you follow NIST SP 800-53?", "Controls are mapped to NIST SP 800-171.", True),
        ("Is AES-128 or stronger used?", "Data is encrypted with AES-256.", False),
        ("Is TLS used?", "TLS 1.2 is used.", False),
        ("Do you have a SOC 2 report?", "Reports are sent within 3 days.", False),
    ],
)
def test_another_thing_of_a_series(question: str, text: str, is_another: bool) -> None:
    assert names_another(question, text) is is_another


def test_a_designator_has_the_letters_of_all_issuers() -> None:
    expected = [Designator(frozenset({"ISO", "IEC"}), "27001"), Designator(frozenset({"SOC"}), "2")]
    assert list(designators_of("ISO/IEC 27001:2022 and SOC2")) == expected
    assert list(designators_of("no name")) == []
