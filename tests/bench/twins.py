"""The right edition of a document first, of two years, plans, quarters, versions, or parties of one text: how often.

Run: .venv/bin/python -m tests.bench.twins [dev|blind]

Each family is one text that two documents have but for figures. A question that names a year, plan, quarter or party is
about that one; where it names none, the newest is right, and the other is "also in" it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tests.bench.northwind import bidfolio


class Edition(NamedTuple):
    """A document of a family: its file, its first lines, and what is another in it, by slot."""

    file: str
    cover: str
    slots: Mapping[str, object]


class Family(NamedTuple):
    """Documents of one text with slots. A question belongs to the edition of that number."""

    text: str
    editions: Sequence[Edition]
    questions: Sequence[tuple[str, int]]


ACCESS = """
## Scope

This document applies to all staff, contractors and suppliers who use an information system of the company, wherever
they work. The owner is the head of information security, who answers questions about it.

## Passwords

A password has at least {length} characters and is changed every {days} days. A password that was used before is not
accepted. The help desk resets a password after it has called back on a known telephone number.

## Review of rights

Managers review the access rights of their staff every {review} months. Rights that are no longer needed are withdrawn
within {hours} hours of the review, and the withdrawal is recorded in the register of access rights.

## Leavers

The accounts of a person who leaves are closed on the last working day. Devices and badges are returned to reception.
"""
PLANS = """
## What the plan covers

The plan covers the hosted service, its interfaces, and the tools by which customers load their data. It does not cover
software that customers write themselves.

## Response times

For an incident of the highest priority an engineer responds within {response} minutes. The service desk can be reached
{desk}. An incident is closed once the customer agrees.

## Availability

The service is available {uptime} per cent of each month, maintenance announced a week before not counted. Where it is
less, the customer is credited {credit} per cent of the month's fee.

## Storage

Each customer has {storage} gigabytes of storage. More can be ordered at any time through the customer portal.
"""
REPORT = """
## Item 1. Business

The company makes pumps and valves for water utilities and sells them through its own branches and through dealers. It
competes with larger manufacturers on delivery time and on the length of its warranties.

## Item 2. Properties

The company owns {plants} plants and rents {branches} branches. The buildings are in good repair and are insured at
their replacement value.

## Item 7. Results of operations

Net sales were ${sales} million, and operating income was ${income} million. Sales of spare parts made up {parts} per
cent of net sales. Capital expenditure on machines and buildings was ${capital} million.

## Item 9. Controls

Management has assessed the controls over financial reporting and found them effective. The auditors agree.
"""
NOTICE = """
## Who is responsible

The controller of your personal data is the company. Its data protection officer can be reached by letter and by mail.

## How long data is kept

Data about enquiries is deleted after {months} months. Invoices are kept for {years} years, as the law demands. Video
recordings of entrances are overwritten after {video} days.

## Your rights

You may ask which data is held about you. The answer is given within {answer} days and costs nothing. You may also ask
that wrong data is corrected.
"""
LETTER = """
## To our partners

We thank all partners for their work. The figures below are not audited. A call in which they are explained takes place
in the week after this letter.

## Business

New contracts were signed with {contracts} customers. The number of active customers was {customers}. On average a
customer stayed for {stay} years.

## Staff

At the end of the quarter {staff} people worked for the company, {engineers} of them as engineers.
"""
AGREEMENT = """
## Subject

This agreement governs the use of the hosting service by the customer named above. Annexes are part of it.

## Fees

The customer pays a fee of {fee} euros a month, and {hour} euros for each hour of support beyond the agreed scope.

## Term and notice

The agreement runs for {term} months. Either party may end it with {notice} days' notice to the end of a month. Data is
handed over to the customer in a common format within {handover} days.
"""


def _of_years(file: str, cover: str, slots: Mapping[str, Sequence[object]], names: Sequence[str]) -> list[Edition]:
    return [
        Edition(file.format(name), cover.format(name), {slot: values[at] for slot, values in slots.items()})
        for at, name in enumerate(names)
    ]


SETS: Mapping[str, Sequence[Family]] = {
    "dev": [
        Family(
            ACCESS,
            _of_years(
                "access_control_policy_{}.md",
                "# Access control policy\n\nEdition {}\n",
                {"length": (10, 14), "days": (90, 180), "review": (12, 6), "hours": (72, 24)},
                ("2023", "2024"),
            ),
            [
                ("How long must a password be under your 2023 policy?", 0),
                ("How long must a password be under your 2024 policy?", 1),
                ("How long must a password be?", 1),
                ("How often were access rights reviewed in 2023?", 0),
                ("How often do managers review access rights?", 1),
                ("According to the 2023 edition, how soon are unneeded rights withdrawn?", 0),
            ],
        ),
        Family(
            PLANS,
            _of_years(
                "support-{}.md",
                "# Support plan {}\n",
                {
                    "response": (60, 15),
                    "desk": ("on working days", "at any time"),
                    "uptime": (99.5, 99.9),
                    "credit": (5, 10),
                    "storage": (100, 500),
                },
                ("Standard", "Plus"),
            ),
            [
                ("How fast does an engineer respond under the Standard plan?", 0),
                ("How fast does an engineer respond under the Plus plan?", 1),
                ("What availability does Support Plan Plus promise?", 1),
                ("What availability does the standard plan promise?", 0),
                ("How much storage has a customer with the Plus plan?", 1),
            ],
        ),
        Family(
            REPORT,
            _of_years(
                "{}.md",
                "# FORM 10-K\n\nANNUAL REPORT\n\nFor the fiscal year ended June 30, {}\n\nOSTERBY PUMPS, INC.\n",
                {
                    "plants": (4, 5),
                    "branches": (31, 28),
                    "sales": (412, 455),
                    "income": (38, 41),
                    "parts": (17, 21),
                    "capital": (22, 36),
                },
                ("2019", "2021"),
            ),
            [
                ("What were the net sales of Osterby Pumps in FY2019?", 0),
                ("What were the net sales of Osterby Pumps in FY21?", 1),
                ("What was the capital expenditure in fiscal 2019?", 0),
                ("What is the operating income of Osterby Pumps?", 1),
                ("How many plants does the company own?", 1),
            ],
        ),
        Family(
            AGREEMENT,
            _of_years(
                "hosting_terms_v{}.md",
                "# Hosting terms\n",
                {"fee": (800, 950), "hour": (90, 120), "term": (12, 48), "notice": (20, 60), "handover": (21, 7)},
                ("1.0", "2.1"),
            ),
            [
                ("What monthly fee did version 1.0 of the hosting terms ask for?", 0),
                ("What monthly fee do the hosting terms ask for?", 1),
                ("With what notice could the hosting terms be ended under version 1?", 0),
                ("How many months do the terms of v2.1 run?", 1),
            ],
        ),
    ],
    "blind": [
        Family(
            NOTICE,
            _of_years(
                "privacy notice {}.md",
                "# Privacy notice\n\nValid from 1 March {}\n",
                {"months": (24, 12), "years": (10, 8), "video": (30, 3), "answer": (30, 14)},
                ("2022", "2025"),
            ),
            [
                ("How long were video recordings kept under the 2022 notice?", 0),
                ("Under the privacy notice of 2025, after how many months is data about enquiries deleted?", 1),
                ("How long are invoices kept?", 1),
                ("Within how many days do you say which data you hold about a person?", 1),
                ("As of March 2022, within how many days was a request for data answered?", 0),
            ],
        ),
        Family(
            PLANS,
            _of_years(
                "service/{}/description.md",
                "# Service description\n\nThis is the service of the edition {}.\n",
                {
                    "response": (240, 30),
                    "desk": ("from nine to five", "day and night"),
                    "uptime": (99.0, 99.95),
                    "credit": (2, 25),
                    "storage": (50, 2000),
                },
                ("Basic", "Enterprise"),
            ),
            [
                ("When can the service desk be reached in the Basic edition?", 0),
                ("When can the service desk be reached in the Enterprise edition?", 1),
                ("What credit does the Enterprise edition give for missed availability?", 1),
                ("How many gigabytes of storage come with the basic edition?", 0),
                ("For the Enterprise plan, how soon does an engineer respond?", 1),
            ],
        ),
        Family(
            LETTER,
            _of_years(
                "letter_{}.md",
                "# Letter to partners\n",
                {
                    "contracts": (12, 19),
                    "customers": (840, 861),
                    "stay": (6.1, 6.3),
                    "staff": (203, 214),
                    "engineers": (88, 97),
                },
                ("2024Q1", "2024Q2"),
            ),
            [
                ("How many contracts were signed in Q1 2024?", 0),
                ("How many contracts were signed in the second quarter of 2024?", 1),
                ("How many people worked for the company at the end of the first quarter of 2024?", 0),
                ("How many engineers work for the company?", 1),
                ("How many active customers were there in 2Q24?", 1),
            ],
        ),
        Family(
            AGREEMENT,
            _of_years(
                "{}/agreement.md",
                "# Hosting agreement\n\nCustomer: {}\n",
                {"fee": (900, 1250), "hour": (95, 110), "term": (24, 36), "notice": (30, 90), "handover": (14, 5)},
                ("Harbour Bank", "Meadow Insurance"),
            ),
            [
                ("What monthly fee does Harbour Bank pay?", 0),
                ("What monthly fee does Meadow Insurance pay?", 1),
                ("With what notice can the agreement with Meadow Insurance be ended?", 1),
                ("How many months does the hosting agreement with Harbour Bank run?", 0),
            ],
        ),
        Family(
            ACCESS,
            _of_years(
                "Identity Standard rev {} final.md",
                "# Identity standard\n",
                {"length": (8, 16), "days": (30, 365), "review": (18, 3), "hours": (48, 8)},
                ("9", "10"),
            ),
            [
                ("How long is a password under the identity standard?", 1),
                ("How long was a password under revision 9 of the identity standard?", 0),
                ("How often are access rights reviewed according to rev 10?", 1),
            ],
        ),
    ],
}


def lines_of(families: Sequence[Family], folder: Path) -> Iterator[dict[str, Any]]:
    """Write the documents of the families below the folder; the questions about them as lines of a gold set."""
    for family in families:
        for edition in family.editions:
            path = folder / edition.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(edition.cover + family.text.format_map(edition.slots), encoding="utf-8")
        for question, at in family.questions:
            evidence = [{"file": family.editions[at].file, "page": None}]
            yield {"id": question, "question": question, "answer": None, "answerable": True, "evidence": evidence}


def main(name: str) -> None:
    """Print how many questions find the right edition before the other, and those that do not."""
    with tempfile.TemporaryDirectory() as made:
        folder, home, gold = Path(made, "documents"), str(Path(made, "home")), Path(made, "gold.jsonl")
        lines = list(lines_of(SETS[name], folder))
        gold.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        bidfolio(home, "refresh", str(folder))
        bidfolio(home, "evaluate", str(gold))
        hits = pl.read_parquet(f"{home}/lake/retrievals/**/*.parquet").filter(pl.col("rank") == 1)
        first = dict(hits.select("question_id", "file_name").iter_rows())
        wrong = [line for line in lines if first.get(line["id"]) != line["evidence"][0]["file"]]
        for line in wrong:
            print(f"{line['question']}  {line['evidence'][0]['file']}  not {first.get(line['id'])}")
        print(f"{name}: {len(lines) - len(wrong)} of {len(lines)} find the right edition first")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["dev"])
