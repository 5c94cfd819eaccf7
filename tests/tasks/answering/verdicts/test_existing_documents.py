"""Documents that answer by being there: which are asked for, which titles name them, and what is quoted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from tasks.answering.drafts.draft import Asked
from tasks.answering.verdicts.existing_documents import asked_document, drafts_of_documents, is_named
from tasks.records import Chunk, Hit, Question
from tasks.retrieval.context.context_window import Numbered
from tasks.retrieval.ranking.told_documents import Told
from tests.made.chunks import chunk_of

COVER = (
    "Acme Ltd\nInformation Security Policy\nVersion | 6.2\nDate | 14 April 2026\n\nContents\n1 Purpose and scope … 5"
)
TOLD = {"policy.pdf": Told("Acme Information Security Policy", None, entity="Acme")}


class FirstChunks:
    """The first chunks of documents, as a version gives them."""

    def __init__(self, *chunks: Chunk) -> None:
        self.chunks, self.reads = chunks, 0

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        self.reads += 1
        return [one for one in self.chunks if (one.file_name, one.ordinal) in places]


def asked(question: str, *file_names: str) -> Asked:
    """A yes/no question that found a later chunk of each file."""
    hits = [
        Hit("q", at, chunk_of("Later text.", file_name=name, ordinal=7), 1.0, 0.5, 0.5, 0.5)
        for at, name in enumerate(file_names, 1)
    ]
    return Asked(Question("q", 0, question, kind="yes_no"), hits)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Do you have an information security policy?", "information security policy"),
        (
            "Does your organisation maintain a formal, documented incident response plan in place?",
            "incident response plan",
        ),
        ("Is there an employee handbook?", "employee handbook"),
        ("Has the supplier established a disaster recovery plan (DRP)?", "disaster recovery plan"),
        ("Do you have an information security policy approved by the board?", ""),
        ("Do you have an information security policy that covers suppliers?", ""),
        ("Do you have a SOC 2 report, and may we see it?", ""),
        ("Do you test your disaster recovery plan?", ""),
        ("Do you have data centres in Norway?", ""),
        ("What is in your information security policy?", ""),
        ("", ""),
    ],
)
def test_asked_document(question: str, named: str) -> None:
    assert asked_document(question) == named


@pytest.mark.parametrize(
    ("named", "title", "expected"),
    [
        ("disaster recovery plan", "Business Continuity and Disaster Recovery Plan", True),
        ("business continuity plan", "Business Continuity and Disaster Recovery Plan", True),
        ("information security policy", "Acme Information Security Policy v3", True),
        ("SOC 2 report", "SOC 2 Type II Report on Acme Desk", True),
        ("service level agreement", "Service Level Agreement", True),
        ("terms of service", "Terms of Service", True),
        ("data policy", "Privacy and Data Protection Policy", False),
        ("SOC 2 report", "Cloudhost SOC 2 Report", False),
        ("SOC 3 report", "SOC 2 Report", False),
        ("information security plan", "Information Security Policy", False),
        ("policy", "Information Security Policy", False),
        ("privacy policy", "", False),
    ],
)
def test_titles(named: str, title: str, expected: bool) -> None:
    assert is_named(named, title, company={"acm"}) is expected


def test_title_is_quoted_with_what_stands_below_it() -> None:
    chunks = FirstChunks(chunk_of(COVER, file_name="policy.pdf", start=0))

    item = asked("Do you have an information security policy?", "other.pdf", "policy.pdf")
    (draft,) = drafts_of_documents([item], chunks, TOLD)

    assert draft is not None
    assert draft.text == "Information Security Policy; Version: 6.2; Date: 14 April 2026"
    assert draft.proposal is not None and (draft.proposal.verdict, draft.proposal.probability) == ("yes", 1.0)
    (citation,) = draft.citations
    assert COVER[citation.start : citation.end] == citation.quote
    assert (citation.file_name, citation.page_number) == ("policy.pdf", 1)


@pytest.mark.parametrize(
    ("question", "cover", "found"),
    [
        ("Do you have a privacy policy?", COVER, "policy.pdf"),
        ("Do you have an information security policy?", COVER, "other.pdf"),
        ("Do you have an information security policy?", "Acme Ltd\n1 Purpose\nWe protect information.", "policy.pdf"),
    ],
    ids=["another document", "not among the hits", "title not printed"],
)
def test_nothing_is_drafted_without_the_document(question: str, cover: str, found: str) -> None:
    chunks = FirstChunks(chunk_of(cover, file_name="policy.pdf"))

    assert drafts_of_documents([asked(question, found)], chunks, TOLD) == [None]


def test_other_questions_cost_no_read() -> None:
    chunks = FirstChunks()

    assert drafts_of_documents([asked("Are backups encrypted?", "policy.pdf")], chunks, TOLD) == [None]
    assert chunks.reads == 0
