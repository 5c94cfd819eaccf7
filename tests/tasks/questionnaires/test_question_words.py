"""Headers, verdicts and kinds of question as literal tables."""

from __future__ import annotations

import pytest

from tasks.questionnaires.words import (
    Role,
    character_limit,
    header_role,
    is_placeholder,
    looks_like_question,
    question_kind,
    spell_verdict,
    verdict_of,
)
from tasks.records import QuestionKind, Verdict


@pytest.mark.parametrize(
    ("header", "role"),
    [
        ("Question", "question"),
        ("Requirement details", "question"),
        ("Control description", "weak_question"),
        ("Question ID", "id"),
        ("No.", "id"),
        ("#", "id"),
        ("Ref. no", "id"),
        ("Question category", "section"),
        ("Control Domain", "section"),
        ("Supplier response", "answer"),
        ("Answer (Yes / No / Partial / NA)", "answer"),
        ("Comply Y/N", "answer"),
        ("Answer to requirement", "answer"),
        ("Comments (mandatory where the answer is No)", "comment"),
        ("Additional information", "comment"),
        ("Response comments", "comment"),
        ("Reviewer comments", None),
        ("Expected answer", None),
        ("Score", None),
        ("bidfolio status", "review"),
        ("", None),
    ],
)
def test_header_role(header: str, role: Role | None) -> None:
    assert header_role(header) == role


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Yes", "yes"),
        ("NO", "no"),
        ("N/A", "not_applicable"),
        ("Not applicable to us", "not_applicable"),
        ("Yes - fully", "yes"),
        ("Partially compliant", "partial"),
        ("Non-compliant", "no"),
        ("Compensating control", None),
        ("", None),
    ],
)
def test_verdict_of(text: str, verdict: Verdict | None) -> None:
    assert verdict_of(text) == verdict


@pytest.mark.parametrize(
    ("verdict", "choices", "spelt"),
    [
        ("yes", (), "Yes"),
        ("not_applicable", (), "N/A"),
        ("yes", ("YES", "NO"), "YES"),
        ("partial", ("Yes", "No"), None),
        ("no", ("Compliant", "Non-compliant"), "Non-compliant"),
        ("yes", ("Yes, planned", "Yes", "No"), "Yes"),
        ("no", ("Yes, in full", "No (explain)"), "No (explain)"),
    ],
)
def test_spell_verdict(verdict: Verdict, choices: tuple[str, ...], spelt: str | None) -> None:
    assert spell_verdict(verdict, choices) == spelt


@pytest.mark.parametrize(
    ("text", "choices", "kind"),
    [
        ("Do you encrypt backups?", (), "yes_no"),
        ("1.2 Is there a policy? If so, describe it.", (), "yes_no"),
        ("Aren't keys rotated?", (), "yes_no"),
        ("Can you please describe your backups?", (), "free_text"),
        ("Issue handling", (), "free_text"),
        ("How do you encrypt backups?", (), "free_text"),
        ("How do you encrypt backups?", ("Yes", "No"), "yes_no"),
        ("Is the risk high?", ("High", "Low"), "free_text"),
    ],
)
def test_question_kind(text: str, choices: tuple[str, ...], kind: QuestionKind) -> None:
    assert question_kind(text, choices, yes_no_header=False) == kind


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("Describe your backups", True),
        ("Backups are encrypted?", True),
        ("The supplier shall log access.", True),
        ("Access control", False),
        ("", False),
    ],
)
def test_looks_like_question(text: str, looks: bool) -> None:
    assert looks_like_question(text) == looks


def test_placeholders_and_limits() -> None:
    assert is_placeholder("-- Please select --") and is_placeholder("Choose an item.")
    assert not is_placeholder("Yes") and not is_placeholder("Customers select the region themselves")
    assert character_limit("Answer (max 2,000 characters)") == 2000
    assert character_limit("Answer") is None
