"""Claims and verdicts that say more than their source, beside those that do not."""

from __future__ import annotations

import re

import pytest

from tasks.answering.negation import Clause, pieces_of
from tasks.answering.overstatement import overstated, overstated_yes

ENCRYPTED = "Customer data at rest is encrypted with AES-256."
PLAN = "The vendor plans to obtain SOC 2 Type II certification in 2027."
SIGN_ON = "Single sign-on is available in the Enterprise edition only."
CREDITS = "The vendor credits 5% of the monthly fee if availability falls below 99.9% and 10% if it falls below 99.5%."
CLOUDS = "The vendor uses Amazon Web Services in London and Microsoft Azure in Dublin as subprocessors."
ROLES = "The Security Officer approves exceptions. The Head of Engineering reviews access rights every quarter."
KEPT = "Snapshots are taken every four hours and are kept for 35 days."
DELETED = "Customer data is deleted within 30 days of the end of the contract."


def sentences(source: str) -> list[list[Clause]]:
    return [pieces_of(sentence) for sentence in re.split(r"(?<=\.) ", source)]


@pytest.mark.parametrize(
    ("claim", "source", "lacks"),
    [
        ("The vendor holds SOC 2 Type II certification.", PLAN, "tells of a plan"),
        ("All customer data is encrypted with AES-256.", ENCRYPTED, "so of all"),
        ("Single sign-on is available in all editions.", SIGN_ON, "so of all"),
        ("Every customer's data at rest is encrypted.", ENCRYPTED, "so of all"),
        ("Any customer data is encrypted with AES-256.", ENCRYPTED, "so of all"),
        ("Every tenant of each edition is restored.", "One tenant of each edition is restored.", "so of all"),
        ("Data is deleted after 30 days.", "Data is deleted within 30 days.", "after 30"),
        ("Data is deleted before 30 days have passed.", "Data is deleted after 30 days.", "before 30 and not after"),
        ("Customers are told at all times.", "Customers are told.", "so of all"),
        ("In Dublin only search is absent.", "In Dublin search is absent until London returns.", "of nothing else"),
        ("In Dublin one function is absent.", "In Dublin three functions are absent: search, queues, mail.", "three"),
        ("Customer data is deleted immediately at the end of the contract.", DELETED, "at once"),
        ("Snapshots are kept for at least 35 days.", KEPT, "35 days is a bound"),
        ("Snapshots are kept for up to 35 days.", KEPT, "35 days is a bound"),
        (
            "In 2024 the count was 25 lamps.",
            "In 2023 the count was 25 lamps and in 2024 it was 27.",
            "25 and 2024 together",
        ),
        ("Snapshots are kept for 35 days (or more).", KEPT, "35 days is a bound"),
        ("The vendor credits 10% of the monthly fee if availability falls below 99.9%.", CREDITS, "together"),
        ("The vendor uses Amazon Web Services in Dublin.", CLOUDS, "together"),
        ("The Head of Engineering approves exceptions.", ROLES, "of the name"),
        ("Credits are paid out in cash.", "Credits may be paid out in cash.", "only that it may be"),
    ],
)
def test_what_goes_beyond_the_source_is_told(claim: str, source: str, lacks: str) -> None:
    assert lacks in overstated(claim, sentences(source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (ENCRYPTED, ENCRYPTED),
        ("The vendor plans to obtain SOC 2 Type II certification.", PLAN),
        ("Backups are tested every quarter.", "Backups are tested quarterly."),
        ("Access is reviewed each year.", "Access is reviewed once a year."),
        ("All backups are encrypted.", "Any backup that is made is encrypted."),
        ("We tell customers of any breach.", "We tell customers of a breach."),
        ("We tell customers of any serious breach.", "We tell customers of a serious breach."),
        ("One function is absent.", "One function is absent, and two functions are slow."),
        ("Search is available only in Leeds.", "Search is available in Leeds only."),
        ("We do not keep any logs.", "We keep no logs."),
        ("Damage is repaired, if any is found.", "Damage that is found is repaired."),
        ("They are not moved at all.", "They are not moved."),
        ("Data is deleted up to 30 days after the end of the contract.", DELETED),
        ("The vendor credits 5% of the monthly fee if availability falls below 99.9%.", CREDITS),
        ("10% if it falls below 99.5%.", CREDITS),
        ("The vendor uses Amazon Web Services in London.", CLOUDS),
        ("The vendor uses Microsoft Azure.", CLOUDS),
        ("The Head of Engineering reviews access rights.", ROLES),
        ("The Security Officer approves exceptions.", ROLES),
        ("Credits can be paid out in cash.", "Credits may be paid out in cash."),
        ("Customers are allowed to audit the vendor.", "Customers may audit the vendor once a year."),
        ("Snapshots are kept for 35 days.", KEPT),
        (
            "At the March 2025 count 18 sites had at least 40 lamps.",
            "In March 2025 all 18 sites had at least 40 lamps.",
        ),
        (
            "In May 2025 it bore 900 letters an hour for 3 days.",
            "The first, in May 2025, bore 900 letters an hour for 3 days.",
        ),
        ("At the May 2025 count 25 of 27 lamps shone.", "The count in May 2025 was of 27 lamps; 25 shone."),
        ("", KEPT),
        ("All of it is encrypted.", ""),
    ],
)
def test_what_the_source_says_is_left_alone(claim: str, source: str) -> None:
    assert overstated(claim, sentences(source)) == ""


@pytest.mark.parametrize(
    ("question", "source", "told"),
    [
        ("Do you hold SOC 2 Type II certification?", PLAN, "tells of a plan"),
        ("Is single sign-on available in every edition?", SIGN_ON, "asks about all"),
        ("Is single sign-on included in the Core edition?", SIGN_ON, "only for something else"),
        ("Do you test every quarter?", "A test is done once a year.", "lacks a span of time"),
        ("Is data deleted immediately at the end of the contract?", DELETED, "at once"),
        ("Do you meet WCAG 2.1 AA?", "The pages meet WCAG 2.1 AA with three known exceptions.", "makes exceptions"),
        ("Are doors locked?", "All doors are locked, except those of the fire exits.", "makes exceptions"),
        ("Is a second factor used?", "The provider is expected to ask for a second factor.", "says what should be"),
        ("Are bags checked?", "Bags should be checked.", "says what should be"),
        ("Are all doors locked?", "All doors are locked without exception.", ""),
        ("Should bags be checked?", "Bags should be checked.", ""),
        ("Do you grant exceptions?", "Exceptions are granted by the Security Officer.", ""),
        ("Is customer data at rest encrypted?", ENCRYPTED, ""),
        ("Do you plan to obtain SOC 2 Type II certification?", PLAN, ""),
        ("Is single sign-on available in the Enterprise edition?", SIGN_ON, ""),
        ("Do you delete all data at the end of the contract?", "All data is deleted at the end of the contract.", ""),
    ],
)
def test_a_yes_needs_what_the_question_adds(question: str, source: str, told: str) -> None:
    found = overstated_yes(question, source)
    assert told in found if told else found == ""
