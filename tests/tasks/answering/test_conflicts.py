"""Places that say different things to one question are found, and places that speak of different things are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.answering.conflicts.contradictions import conflict_of
from tasks.answering.decision.decide import decide
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.entailment.labels import Opinions
from tasks.answering.quotes.passages import best_quote
from tasks.records import Hit, PageSpan, Question
from tests.made.chunks import chunk_of
from tests.made.drafts import PLAN

KEPT = "Database snapshots are kept for 35 days in the second region."

REMOVED = "Training records of staff are removed after 30 days."


def drafted(question: str, *texts: str, rows: bool = False, is_yes_no: bool = False) -> tuple[Asked, Draft]:
    """A verbatim draft from the first text, beside the others, each a page or a row of a document of its own."""
    chunks = [
        chunk_of(text, file_name=f"{at}.pdf", page_number=None if rows else at, row_number=at if rows else None)
        for at, text in enumerate(texts, 1)
    ]
    found = [Hit("q", at, chunk, 1 / at, 0.9, 0.5, 0.9) for at, chunk in enumerate(chunks, 1)]
    quote = best_quote(texts[0], found[0])
    assert quote is not None
    asked = Asked(Question("q", 0, question, kind="yes_no" if is_yes_no else "free_text"), found)
    return asked, Draft(quote.quote, None, (quote,), 0.9, is_verbatim=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (KEPT, "Database snapshots are kept for 30 days in the second region."),
        (
            "The policy was approved on 14 April 2026 by the board.",
            "The policy was approved on 2 May 2026 by the board.",
        ),
        ("Customer backups are copied to a third country.", "Customer backups are not copied to a third country."),
        ("Default passwords of devices are enabled at first.", "Default passwords of devices are disabled at first."),
        ("The uptime of the hosted platform is 99.5% a month.", "The uptime of the hosted platform is 99,9 % a month."),
        (KEPT, "Database snapshots are kept for 35 weeks in the second region."),
        ("Old keys are kept for 30 days and logs for 90 days.", "Old keys are kept for 30 days and logs for 60 days."),
        ("Firewall rules are reviewed annually by the board.", "Firewall rules are reviewed quarterly by the board."),
        ("Visitors must wear a badge at all times.", "Visitors may wear a badge at all times."),
        ("Audit logs of staff are kept for 12 months.", "Audit logs of staff are kept for 400 days."),
        ("Access rights are reviewed quarterly.", "Access rights are reviewed every six months."),
        ("The fee for support is 10 EUR a user.", "The fee for support is 10 USD a user."),
        ("User access to servers is reviewed every quarter.", "We review user access to servers annually."),
        (
            "Critical patches of servers are installed within 14 days.",
            "We install critical patches of servers within 30 days.",
        ),
        ("The fee for support is EUR 10 a user.", "The fee for support is $10 a user."),
        ("Keys are rotated every two years.", "Keys are rotated every 12 months."),
        (
            "A customer cannot choose the level, and we do not read the file.",
            "A customer cannot choose the level, and we do read the file.",
        ),
    ],
)
def test_what_contradicts_is_shown_with_both_pages_to_a_person(one: str, other: str) -> None:
    asked, draft = drafted("How long are snapshots kept?", one, "Doors are guarded.", other)
    (checked,) = check_drafts([asked], [draft], Opinions())
    answer = decide(asked, checked, PLAN, "extractive")
    assert (answer.status, answer.decline_reason, answer.text) == ("needs_review", None, one)
    assert (
        "1.pdf, p. 1" in answer.detail and "3.pdf, p. 3" in answer.detail and "decide which is right" in answer.detail
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (KEPT, KEPT),
        (KEPT, "Database snapshots are kept for thirty-five days in the second region."),
        (KEPT, "Database snapshots are kept in the second region for 5 weeks."),
        ("Audit logs of staff are kept for 12 months.", "Audit logs of staff are kept for one year."),
        ("Access rights are reviewed quarterly.", "Access rights are reviewed every three months."),
        (KEPT, "Audit logs are kept for 13 months in the first region."),
        (
            "In Plus the first response takes 1 hour at most.",
            "In Enterprise the first response takes 15 minutes at most.",
        ),
        ("Plus is available 99.9% of each month.", "Enterprise is available 99.95% of each month."),
        (
            "High risks are mended within 14 days of the report.",
            "Medium risks are mended within 60 days of the report.",
        ),
        ("Customers are told without undue delay of a breach.", "Customers are told of a breach."),
        (
            "For out-of-network emergency services the copayment is $150.",
            "For in-network emergency services the copayment is $100.",
        ),
        (REMOVED, "For contractors, training records of staff are removed after 60 days."),
        (REMOVED, "Training records of staff are removed after 60 days in the test environment."),
        ("Training records of staff are removed after 30 days, and not kept on paper.", REMOVED),
        ("A test is made in March 2026 of the whole platform.", "A test is made of the platform as a whole each year."),
    ],
)
def test_what_speaks_of_something_else_is_let_be(one: str, other: str) -> None:
    asked, draft = drafted("How long are snapshots kept?", one, other)
    assert conflict_of(asked, draft) is None


TWINS = ("Northwind Health Plus Benefits", "Northwind Standard Benefits")


@pytest.mark.parametrize(
    ("question", "titles", "is_told"),
    [
        ("How long are snapshots kept in Health Plus?", TWINS, False),
        ("How long are snapshots kept in the Standard plan?", TWINS, True),
        ("How long are snapshots kept in Plus and in Standard?", TWINS, True),
        ("How long are snapshots kept?", TWINS, True),
        ("How long does the retention policy of 2026 keep snapshots?", ("Retention 2026", "Retention 2025"), False),
        ("How long is data kept in snapshots?", ("Data Processing Agreement", "Service Level Agreement"), True),
        ("How long are snapshots kept?", ("", ""), True),
        ("How long are security snapshots kept?", ("Corvane Security Policy", "Corvane Privacy Policy"), True),
        ("How long does the Security Policy keep them?", ("Corvane Security Policy", "Corvane Privacy Policy"), False),
        ("Plus or not, how long are snapshots kept?", TWINS, True),
    ],
)
def test_a_twin_that_the_question_does_not_name_contradicts_nothing(
    question: str, titles: tuple[str, str], is_told: bool
) -> None:
    asked, draft = drafted(question, KEPT, "Database snapshots are kept for 30 days in the second region.")
    hits = [
        replace(hit, chunk=replace(hit.chunk, context=f"{title} > 4 Copies" if title else ""))
        for hit, title in zip(asked.hits, titles, strict=True)
    ]
    assert (conflict_of(Asked(asked.question, hits), draft) is not None) == is_told


def test_without_titles_twins_are_told_by_their_files_names() -> None:
    asked, draft = drafted("How long does Harbour Plus keep snapshots?", KEPT, KEPT.replace("35", "30"))
    files = ("plans/Harbour_Plus.pdf", "plans/Harbour_Basic.pdf")
    hits = [
        replace(hit, chunk=replace(hit.chunk, file_name=name, context=""))
        for hit, name in zip(asked.hits, files, strict=True)
    ]
    assert conflict_of(Asked(asked.question, hits), draft) is None


def test_yes_and_no_to_the_same_question_is_nobodys_to_choose() -> None:
    texts = (
        "Do you encrypt backups of customer data?\nAnswer: Yes\nComments: With AES-256.",
        "Do you encrypt the backups of customer data?\nAnswer: No\nComments: Planned.",
    )
    asked, draft = drafted("Are backups encrypted?", *texts, rows=True, is_yes_no=True)
    (checked,) = check_drafts([asked], [draft], Opinions())
    answer = decide(asked, checked, PLAN, "extractive")
    assert (answer.status, answer.decline_reason, answer.text) == ("declined", "conflict", None)
    assert "1.pdf, row 1 says yes, 2.pdf, row 2 says no" in answer.detail and answer.nearest_fact is not None


def test_past_answers_with_other_figures() -> None:
    texts = (
        "How long do you keep the audit log?\nAnswer: 13 months, online.",
        "For how long do you keep the audit log?\nAnswer: For 12 months.",
        "How many people work in support?\nAnswer: 18 months ago there were 9.",
    )
    asked, draft = drafted("How long is the audit log kept?", *texts, rows=True)
    conflict = conflict_of(asked, draft)
    assert conflict is not None and (conflict.says, conflict.other_says) == ("13 months", "12 months")
    asked, draft = drafted("How long is the audit log kept?", texts[0], texts[2], rows=True)
    assert conflict_of(asked, draft) is None


SEALED = "We encrypt all customer data at rest with AES-128, under keys that our own security team rotates every year."


@pytest.mark.parametrize(
    ("answer", "question", "is_told"),
    [
        (SEALED.replace("128", "256"), "What of keys?", True),
        (SEALED, "What of keys?", False),
        ("Yes, in 30 days.", "How fast do you mend high risks?", False),
        ("No. Data of customers is not encrypted in transit.", "Do you rotate keys?", False),
    ],
)
def test_long_past_answers_that_are_alike_speak_of_the_same_whatever_was_asked(
    answer: str, question: str, is_told: bool
) -> None:
    texts = (f"How do you encrypt at rest?\nAnswer: {SEALED}", f"{question}\nAnswer: {answer}")
    conflict = conflict_of(*drafted("How is data of customers encrypted at rest?", *texts, rows=True))
    assert (conflict is not None) == is_told
    assert conflict is None or (conflict.says, conflict.other_says) == ("128", "256")


@pytest.mark.parametrize(
    ("past", "policy", "says"),
    [
        ("How long are snapshots kept?\nAnswer: They are in Cork. " + KEPT, KEPT.replace("35", "30"), "35 days"),
        (f"How long are snapshots kept?\nAnswer: {KEPT}", "Snapshots of sheep are kept for 30 days in a region.", None),
        (
            "How long are backups of customer data kept?\nAnswer: Backups of customer data are kept for 30 days.",
            "Backups of customer data are kept for 35 days and then deleted.",
            "30 days",
        ),
        ("How long is the audit log kept?\nAnswer: 13 months.", "The audit log is kept for 12 months.", "13 months"),
        ("Do you keep the audit log for 12 months?\nAnswer: No.", "The audit log is kept for 6 months.", None),
        ("Do you encrypt customer backups?\nAnswer: Yes.", "We do not encrypt customer backups.", "Answer: Yes."),
        ("Do you encrypt customer backups?\nAnswer: Yes.", "We encrypt customer backups.", None),
        ("Do you sell customer data abroad?\nAnswer: Yes.", "We do not encrypt customer backups.", None),
    ],
)
def test_what_was_answered_once_is_held_against_the_documents_of_today(
    past: str, policy: str, says: str | None
) -> None:
    asked, draft = drafted(past.partition("\n")[0], past, policy, rows=True, is_yes_no=past.startswith("Do"))
    first, second = asked.hits
    page = replace(second.chunk, row_number=None, page_spans=(PageSpan(2, second.chunk.start, second.chunk.end),))
    conflict = conflict_of(Asked(asked.question, [first, replace(second, chunk=page)]), draft)
    assert says == (conflict and conflict.says.strip("“”"))


def test_a_past_answer_that_tells_more_dates_contradicts_none() -> None:
    certified = "Is your security management certified to ISO 27001?\nAnswer: Yes\nComments:"
    texts = (
        f"{certified} To the 2022 edition since April 2024; next visit in June 2025.",
        "Is the security management certified to ISO 27001?\nAnswer: Fully\nComments: Valid until 18 June 2028.",
        f"{certified} To the 2022 edition since May 2024; next visit in June 2025.",
    )
    asked, draft = drafted("Do you hold ISO 27001 certification?", *texts[:2], rows=True)
    assert conflict_of(asked, draft) is None
    asked, draft = drafted("Do you hold ISO 27001 certification?", texts[0], texts[2], rows=True)
    assert conflict_of(asked, draft) is not None, "April or May"


def test_a_sentence_does_not_contradict_a_part_of_itself() -> None:
    """Of one document, cut in two places: the second hit begins in the middle of the first's sentence."""
    whole = "Customers who have not signed an order pay at once for all the licences that they use."
    asked, draft = drafted("Who pays at once?", whole)
    first = asked.hits[0].chunk
    at = whole.index("signed")
    pages = (PageSpan(1, first.start + at, first.end),)
    rest = replace(
        first,
        chunk_id="rest",
        start=first.start + at,
        text=whole[at:],
        page_spans=pages,
    )
    hits = [*asked.hits, replace(asked.hits[0], rank=2, chunk=rest)]
    assert conflict_of(Asked(asked.question, hits), draft) is None


@pytest.mark.parametrize(
    ("question", "one", "other", "is_told"),
    [
        (
            "Within how many days are critical patches installed?",
            "Patches that are critical are applied within 30 days.",
            "Critical patches are installed within 14 days.",
            True,
        ),
        (
            "How long are logs of access kept?",
            "Logs of access stay for 12 months.",
            "We keep the logs of any access for one year.",
            False,
        ),
        (
            "How long are logs of access kept?",
            "Logs of access stay for 12 months.",
            "In the Starter plan logs of access are kept for 30 days.",
            False,
        ),
        (
            "How long are logs of access kept?",
            "Logs of access stay for 12 months.",
            "Backups are kept for 30 days.",
            False,
        ),
        (
            "How long are logs of access kept?",
            "Logs of access stay for 12 months.",
            "Metrics are kept for 90 days, logs of access for 12 months.",
            False,
        ),
        (
            "What happens to data at the end of the contract?",
            "At the end of the contract data can be exported for 30 days.",
            "What happens to data at the end of the contract is told, and backups expire in 35 days.",
            False,
        ),
        (
            "What happens to customer data after the contract ends?",
            "Customer data is deleted 60 days after the contract ends.",
            "For 30 days after the contract ends customer data can be exported.",
            True,
        ),
        (
            "What happens to customer data after the contract ends?",
            "Customer data is deleted 60 days after the contract ends.",
            "For 30 days after the contract ends customer data can be exported. On day 60 the tenant is deleted.",
            False,
        ),
    ],
)
def test_another_figure_to_the_same_question_is_told(question: str, one: str, other: str, is_told: bool) -> None:
    found = conflict_of(*drafted(question, one, other))
    assert (found is not None) is is_told


def test_whose_documents_they_are_hides_no_contradiction() -> None:
    asked, draft = drafted(
        "How often is user access to servers reviewed?",
        "User access to servers is reviewed every quarter.",
        "Acme reviews user access to servers annually.",
    )
    named = [replace(hit, chunk=replace(hit.chunk, context="Acme Policy")) for hit in asked.hits]
    assert conflict_of(Asked(asked.question, named), draft) is not None


@pytest.mark.parametrize(
    ("said", "is_told"),
    [("Single documents are not restored from backup.", False), ("Single documents are restored from backup.", True)],
)
def test_an_item_below_a_heading_that_denies_is_read_as_denied(said: str, is_told: bool) -> None:
    asked, draft = drafted("Are single documents restored?", said, "• Restore of single documents from backup.")
    listed = replace(asked.hits[1].chunk, section_path="Guide > What is not supported")
    found = conflict_of(Asked(asked.question, [asked.hits[0], replace(asked.hits[1], chunk=listed)]), draft)
    assert (found is not None) is is_told
