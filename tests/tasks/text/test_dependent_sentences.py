"""Which sentences lean on the one before, and where a chunk's text may go on in the next."""

from __future__ import annotations

import pytest

from tasks.text.dependent_sentences import leans, may_lack_after, may_lack_before


@pytest.mark.parametrize(
    "sentence",
    [
        "They are rotated every 90 days by the vault itself.",
        "Neither is end-to-end encryption.",
        "The 35 days of the backups cannot, for any customer or court, because the copies are locked.",
        "Copies on paper are not.",
        "• It goes before every retention rule.",
        "However, access from Gdansk cannot be excluded.",
        "This does not apply to partners.",
        "This means that members pay nothing.",
        "Those are kept for a year.",
        "Both are tested once a year.",
        "None was found.",
        "The same applies to copies on paper.",
        "In that case the customer is told.",
        "In two the police were sent on to the customer.",
        "Three were closed within a day.",
        "The others are kept for a year.",
        "Proposals priced at more than this amount are not considered.",
        "If not, the account is closed.",
        "Nem são cifradas as cópias em papel.",
        "Elas são renovadas a cada 90 dias.",
    ],
)
def test_it_leans(sentence: str) -> None:
    assert leans(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "It is important to note that backups are kept for 35 days.",
        "It was also necessary that keys be changed.",
        "This plan covers dental care.",
        "Backups cannot be shortened, for any customer.",
        "Those who do not, must ask first.",
        "Both plans cover dental care.",
        "In two regions the police are told.",
        "In one year the keys are rotated twice.",
        "Two people must agree.",
        "The fee is £500 a day, and this amount does not rise.",
        "At this time no other region is planned.",
        "IT services are provided by the parent company.",
        "Its-a-word is no word of ours.",
        "Items are kept for 35 days.",
        "When it comes to backups, 35 days are kept.",
        "Customer data is encrypted at rest.",
    ],
)
def test_it_stands_alone(sentence: str) -> None:
    assert not leans(sentence)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("", False, False),
        ("They are rotated. Keys are kept in the vault.", True, False),
        ("Keys are kept in the vault. They are rotated.", False, False),
        ("kept in the vault. Keys are rotated.", True, False),
        ("The exceptions include:", False, True),
        ("The exceptions include:\n• Emergency care\n• Maternity", False, True),
        ("The exceptions include:\n1. Emergency care", False, True),
        ("The exceptions include:\n• Emergency care\nAll else needs consent.", False, False),
        ("Note: keys are kept in the vault.\nThey are rotated.", False, False),
        ("• Emergency care\n• Maternity", True, False),
        ("3. Emergency care\n4. Maternity", True, False),
    ],
)
def test_what_a_chunk_may_lack(text: str, before: bool, after: bool) -> None:
    assert (may_lack_before(text), may_lack_after(text)) == (before, after)
