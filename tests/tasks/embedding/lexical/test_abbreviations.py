"""Abbreviations that a corpus defines, or for which it has a phrase with their initials."""

from __future__ import annotations

import pytest

from tasks.embedding.lexical.abbreviations import Abbreviations, count_abbreviations, fit_abbreviations


def learned(*texts: str) -> Abbreviations:
    return fit_abbreviations([count_abbreviations(texts, "english")])


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("The recovery time objective (RTO) is 8 hours.", "RTO", "recovery time objective"),
        ("Staff use multi-factor\nauthentication. We ask for multi-factor authentication (MFA).", "MFA", None),
        ("RPO: recovery point objective, the age of what may be lost.", "RPO", "recovery point objective"),
        ("• BIA | Business impact analysis, done each year", "BIA", "business impact analysis"),
        ("It runs in the European Economic Area (“EEA”).", "EEA", "european economic area"),
        ("endpoint detection and response (EDR)", "EDR", "endpoint detection and response"),
        ("We sign business associate agreements (BAAs).", "BAA", "business associate agreements"),
        ("MTPD is the maximum tolerable period of disruption", "MTPD", ""),
        ("Send it to the office (PDF or TIFF).", "PDF", ""),
        ("", "RTO", ""),
    ],
)
def test_a_definition_stands_before_a_parenthesis_or_behind_a_term(text: str, short: str, long: str | None) -> None:
    assert learned(text).long_forms.get(short, "") == ("multi-factor authentication" if long is None else long)


def test_of_several_definitions_that_of_most_texts_counts_before_any_phrase() -> None:
    texts = ["Data Protection Agency rules", "the data processing addendum (DPA)"]
    assert learned(*texts, *["our data processing agreement (DPA)"] * 2, *texts[:1] * 5).long_forms == {
        "DPA": "data processing agreement"
    }


def test_a_title_or_a_compound_is_the_long_form_of_what_nobody_writes() -> None:
    often = ["The Data Protection Officer and single sign-on"] * 4
    found = learned(*often, "we sell personal data", "sell personal data", *["the on-call rota"] * 3)
    assert found.long_forms == {"DPO": "data protection officer", "SSO": "single sign-on"}
    assert not found.written
    assert not learned(*often, *["a text"] * 400).long_forms, "too few of so many texts"


def test_common_words_are_the_long_form_of_what_is_written_about_as_often() -> None:
    phrase, other = "recovery time objective | 8 hours", "The RTO of Core"
    assert learned(phrase, other, phrase).long_forms == {"RTO": "recovery time objective"}
    assert learned(phrase, other).long_forms == {}
    assert learned(phrase, phrase, *[other] * 9).long_forms == {}


def test_what_a_number_follows_is_a_name() -> None:
    assert learned("a security operations centre", "its security operations centre", "SOC 2").long_forms == {}


def test_parts_count_together_and_the_state_comes_back() -> None:
    parts = [count_abbreviations([text], "english") for text in ("recovery time objective", "the RTO") * 2]
    found = fit_abbreviations(parts)
    assert found == Abbreviations({"RTO": "recovery time objective"}, frozenset({"RTO"}))
    assert Abbreviations.from_bytes(found.to_bytes()) == found
    assert Abbreviations.from_bytes(learned().to_bytes()) == Abbreviations()
