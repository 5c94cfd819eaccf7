"""Headers, verdicts and kinds of question as literal tables."""

from __future__ import annotations

import pytest

from tasks.questions.wording import (
    Role,
    begins_with_verdict,
    character_limit,
    header_role,
    is_placeholder,
    limit_of_cell,
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
        ("Supplier comments (max. 60 characters)", "comment"),
        ("Supplier comments (where the answer is No)", "comment"),
        ("Bidder's comments (if any)", "comment"),
        ("Vendor remarks [500]", "comment"),
        ("Supplier comments - max 60 characters", "comment"),
        ("Supplier comments: max 60 characters", "comment"),
        ("Vendor comments\noptional", "comment"),
        ("Supplier comments (internal)", None),
        ("Compliance (Yes/No) - comments", "answer"),
        ("Reviewer comments", None),
        ("Customer comments (max. 60 characters)", None),
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
    ("text", "verdict"),
    [
        ("Yes. It is.", "yes"),
        ("No, they are not.", "no"),
        ("Partially – in Dublin.", "partial"),
        ("N/A", "not_applicable"),
        ("No backups are kept.", None),
        ("They are, yes.", None),
        ("", None),
    ],
)
def test_begins_with_verdict(text: str, verdict: Verdict | None) -> None:
    assert begins_with_verdict(text) == verdict


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
        ("yes", ("Yes - partly", "Yes - fully", "No"), "Yes - fully"),
        ("partial", ("Yes - fully", "Yes - partly", "No"), "Yes - partly"),
        ("yes", ("Yes (in part)", "Yes (in full)", "No"), "Yes (in full)"),
        ("yes", ("Yes, with modifications", "Yes, out of the box", "No"), None),
        ("no", ("Yes", "No - planned", "No"), "No"),
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
        ("Will the supplier please list its subcontractors?", (), "free_text"),
        ("Could you provide a copy of your last audit report?", (), "free_text"),
        ("Can you provide 24/7 support?", (), "yes_no"),
        ("Will you provide a report each month?", (), "yes_no"),
        ("Do you share customer data with subcontractors?", (), "yes_no"),
        ("Does the vendor provide encryption at rest?", (), "yes_no"),
        ("Do you list your subcontractors in public?", (), "yes_no"),
        ("Will you tell us about planned work beforehand?", (), "yes_no"),
        ("If a contract ends, is our data deleted?", (), "yes_no"),
        ("For test systems, do you use live data?", (), "yes_no"),
        ("When a laptop is lost: can it be wiped?", (), "yes_no"),
        ("Our staff work at night. Is your help desk open?", (), "yes_no"),
        ("However small, is each fault logged?", (), "yes_no"),
        ("If a contract ends, what is deleted?", (), "free_text"),
        ("Describe your keys. Are they rotated?", (), "free_text"),
        ("Which keys do you hold, are they rotated?", (), "free_text"),
        ("How is data kept, is it encrypted?", (), "free_text"),
        ("In which regions, and with whose keys, is data kept?", (), "free_text"),
        ("Under which law, if any, is the contract?", (), "free_text"),
        ("In an emergency, can you please list whom we call?", (), "free_text"),
        ("Do you have insurance? If so, can you provide a certificate?", (), "yes_no"),
        ("Do you use subcontractors, and if so, can you list them?", (), "yes_no"),
        ("Can you describe your backups, are they encrypted?", (), "free_text"),
        ("Can you describe your backups, how often they run?", ("Yes", "No"), "yes_no"),
        ("Where, within the EU, is data stored?", (), "free_text"),
        ("When, if at all, are keys rotated?", (), "free_text"),
        ("If an incident occurs, within what time, at most, will you notify us?", (), "free_text"),
        ("In an outage, by when, at the latest, will service be restored?", (), "free_text"),
        ("If data is lost, what will you do, will you notify us?", (), "free_text"),
        ("Data retention: how long is data kept, can it be changed?", (), "free_text"),
        ("SEC-04: How is data segregated, is it logical or physical?", (), "free_text"),
        ("Tell us about your key management. Are keys rotated?", (), "free_text"),
        ("Please share your SOC 2 report. Is it Type II?", (), "free_text"),
        ("SEC-05: Are keys rotated?", (), "yes_no"),
        ("Issue handling", (), "free_text"),
        ("How do you encrypt backups?", (), "free_text"),
        ("How do you encrypt backups?", ("Yes", "No"), "free_text"),
        ("1.2 How is log data stored", ("Yes", "No"), "free_text"),
        ("However small, is each fault logged?", ("Yes", "No"), "yes_no"),
        ("Do you describe how keys are rotated?", ("Yes", "No"), "yes_no"),
        ("Is it said for how long logs are kept?", ("Yes", "No"), "yes_no"),
        ("Training for how many users is included?", ("Yes", "No"), "free_text"),
        ("If logs are kept, how are they protected?", ("Yes", "No"), "free_text"),
        ("Backups are kept where?", ("Yes", "No"), "free_text"),
        ("Backups are kept for how long?", ("Yes", "No"), "free_text"),
        ("A policy says how long backups are kept?", ("Yes", "No"), "yes_no"),
        ("Where is customer data stored?", ("Yes", "No"), "free_text"),
        ("3. In which country are backups kept?", ("Compliant", "Non-compliant"), "free_text"),
        ("How long are backups kept?", ("Yes", "No"), "free_text"),
        ("When a file is stored, is it scanned?", ("Yes", "No"), "yes_no"),
        ("Where applicable, data shall be encrypted.", ("Yes", "No"), "yes_no"),
        ("Is the risk high?", ("High", "Low"), "free_text"),
        ("Within how many hours are customers notified?", ("Yes", "No"), "free_text"),
        ("For how long are logs kept?", ("Yes", "No"), "free_text"),
        ("At what age may persons use the product?", ("Yes", "No"), "free_text"),
        ("By when will the fault be mended?", ("Yes", "No"), "free_text"),
        ("Under which law is the contract?", ("Yes", "No"), "free_text"),
        ("To what extent is data encrypted", ("Yes", "No"), "free_text"),
        ("In which regions, and with whose keys, is data kept?", ("Yes", "No"), "free_text"),
        ("On what basis, if any, is data shared?", ("Yes", "No"), "free_text"),
        ("Since when are you certified?", ("Yes", "No"), "free_text"),
        ("Up to how many users may sign in?", ("Yes", "No"), "free_text"),
        ("After about how many failures is an account locked?", ("Yes", "No"), "free_text"),
        ("For customers who ask, is a copy provided?", ("Yes", "No"), "yes_no"),
        ("Under the contract, what is logged, is it kept?", ("Yes", "No"), "yes_no"),
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


PLACEHOLDERS = (
    "-- Please select --|Choose an item.|TBD|TBC|T.B.D.|[TBD]|n/t|-|–|…|...|___|?|[enter response]|<response>|[Answer]"
    "|please answer|Please respond|Please provide your answer below.|To be completed|to be confirmed"
    "|To be completed by the supplier|Enter your answer here|Type here|Your response|[insert text]|Bidder's response"
)
ANSWERS = (
    "Yes|n/a|N/A|None|x|0|Complete|Response|Customers select the region themselves|To be completed by May 2027"
    "|Please see the policy|TBD by the board in May|Answer the phone|Enter the building by card|-5|Type 2"
)


@pytest.mark.parametrize("text", PLACEHOLDERS.split("|"))
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["", *ANSWERS.split("|")])
def test_what_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    ("header", "limit"),
    [
        ("Answer (max 2,000 characters)", 2000),
        ("Response (500 characters max)", 500),
        ("Response (500 character limit)", 500),
        ("Answer (up to 250 characters)", 250),
        ("Answer (no more than 250 chars)", 250),
        ("Maximum length: 500 characters", 500),
        ("Answer (max: 500 characters)", 500),
        ("Answer (maximum 100 words)", 500),
        ("Supplier comments (max. 60 characters)", 60),
        ("Supplier comments - max 60 characters", 60),
        ("Your answer, ≤ 300 characters", 300),
        ("Answer, limited to 1 200 characters", 1200),
        ("Answer", None),
        ("Answer in characters of your own", None),
        ("Answer (300 employees at most)", None),
    ],
)
def test_limits_in_a_header(header: str, limit: int | None) -> None:
    assert character_limit(header) == limit


@pytest.mark.parametrize(
    ("header", "cell", "limit"),
    [
        ("Maximum length", "40", 40),
        ("Character limit", " 300 ", 300),
        ("Max. words", "20", 100),
        ("Maximum length", "as you like", None),
        ("Maximum length", "", None),
        ("Answer", "40", None),
        ("Limits of liability", "40", None),
    ],
)
def test_limits_in_a_column(header: str, cell: str, limit: int | None) -> None:
    assert limit_of_cell(header, cell) == limit
