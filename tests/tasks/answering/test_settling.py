"""What settles a question of yes or no, and what only has its words."""

from __future__ import annotations

import pytest

from tasks.answering.drafting import Asked
from tasks.answering.entailment.settling import unsettled
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.verdicts.written import verdict_fault
from tasks.records import Hit, Question, Verdict
from tests.tasks.answering.test_answering import words_as_vectors
from tests.tasks.made import chunk_of

SETTLED: list[tuple[str, Verdict, str]] = [
    ("Are backups encrypted?", "yes", "All backups are encrypted with AES-256."),
    ("Do you encrypt customer data at rest?", "yes", "We encrypt customer data at rest and in transit."),
    ("Do you encrypt customer data in transit?", "yes", "Customer data is encrypted at rest and in transit."),
    ("Is customer data stored outside the EU?", "no", "No customer data is stored outside the EU."),
    ("Can users export data as CSV?", "yes", "Users can export data as CSV."),
    ("Are breaches reported within three days?", "yes", "Breaches are reported within 3 days."),
    ("Was the last audit free of findings?", "yes", "The last audit was free of findings."),
    ("Are backups kept for 35 days?", "yes", "Backups are kept for 35 days and then deleted."),
    ("Are scans run each year?", "yes", "Scans are run each year in May."),
    ("Are backups encrypted?", "yes", "All backups are encrypted in every region that we operate."),
    ("Is training included in the price?", "yes", "Training is included in the price for all users."),
    ("Are shared accounts prohibited?", "yes", "The use of shared accounts is prohibited."),
    ("Do you have a visitor policy?", "yes", "We maintain a visitor policy."),
    ("Do you hold a SOC 2 report?", "no", "We do not currently hold a SOC 2 report."),
    ("Is customer data used to train models?", "no", "Customer data is never used to train models."),
    ("Are visitors to Leeds escorted?", "yes", "Visitors to Leeds are escorted in Leeds."),
    ("Are backups encrypted?", "no", "Backups are stored in two sites and are not encrypted."),
    ("Is access by staff reviewed each quarter?", "yes", "Access by staff is reviewed each quarter."),
    ("Do you require a badge for all visitors?", "yes", "A badge is required for all visitors."),
]
UNSETTLED: list[tuple[str, Verdict, str]] = [
    ("Is failover started by a person?", "no", "Failover is started by a person and never automatically."),
    ("Does the customer notify regulators?", "no", "We do not notify regulators; the customer does that."),
    ("Do notices hold a link?", "no", "Notices hold the document's reference and a link, and never the title."),
    ("Can staff delete the area?", "no", "Staff can then delete the area, and not the rest."),
    ("Are backups encrypted at rest?", "yes", "Backups are exempt from encryption at rest."),
    ("Is customer data encrypted in transit?", "no", "Customer data is not encrypted at rest and in transit."),
    ("Is customer data encrypted in transit?", "yes", "Customer data is encrypted at rest, and in part in transit."),
    ("Is remote access open to contractors?", "yes", "Remote access is open to employees."),
    ("Are visitors escorted?", "yes", "Until last year visitors were escorted."),
    ("Are visitors escorted?", "yes", "From 2031 on visitors are escorted."),
    ("Are visitors escorted?", "yes", "Visitors may be escorted."),
    ("Are visitors escorted?", "yes", "Visitors must be escorted."),
    ("Are visitors escorted?", "yes", "Visitors are usually escorted."),
    ("Are visitors escorted?", "yes", "Visitors are escorted unless they are known."),
    ("Are visitors escorted?", "yes", "Visitors are escorted in the Leeds office."),
    ("Are visitors escorted?", "yes", "Suppliers' visitors are escorted."),
    ("Are visitors escorted?", "yes", "Visitors in Leeds are escorted by the guards."),
    ("Are visitors escorted?", "yes", "Visitors are escorted between the gate and the lift."),
    ("Are visitors escorted?", "yes", "Visitors of the archive are escorted."),
    ("Do guards escort visitors?", "yes", "Visitors are escorted by staff on behalf of guards."),
    ("Is there a visitor policy?", "yes", "A visitor policy is being written by the guards."),
    ("Are visitors escorted at night?", "yes", "Visitors are escorted."),
    ("Are scans run twice a month?", "yes", "Scans are run once a month."),
    ("Do you require customers to sign the terms?", "yes", "Customers are required to sign the terms."),
    ("Are visitors escorted?", "yes", "Visitors are required to be escorted."),
    ("Are scans run before a release?", "yes", "Scans are run after a release."),
    ("Are scans kept for at least 30 days?", "yes", "Scans are kept for at most 30 days."),
    (
        "Is the Core tier limited to 150 queues?",
        "yes",
        "The Core tier is limited to 30 queues, and Plus to 150 queues.",
    ),
    ("Is a deputy needed?", "partial", "A deputy is needed only at night."),
    ("Do you have a guarantee?", "no", "The guarantee does not cover travel."),
    ("Do you have a guarantee?", "yes", ""),
]


@pytest.mark.parametrize(("question", "verdict", "said"), SETTLED)
def test_what_says_all_that_is_asked_settles_it(question: str, verdict: Verdict, said: str) -> None:
    assert unsettled(question, verdict, [said]) == ""
    assert verdict_fault(question, verdict, said, [said]) == ""


@pytest.mark.parametrize(("question", "verdict", "said"), UNSETTLED)
def test_what_speaks_of_less_or_something_else_does_not(question: str, verdict: Verdict, said: str) -> None:
    assert unsettled(question, verdict, [said])
    asked = Asked(Question("q", 0, question, kind="yes_no"), [Hit("q", 1, chunk_of(said), 1.0, 0.9, 0.9, 0.9)])
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft([asked])
    assert draft.verdict is None, draft


def test_several_quotes_may_settle_it_together() -> None:
    question = "Is data encrypted at rest and in transit?"
    both = ["Data at rest is encrypted.", "Data in transit is encrypted."]
    assert unsettled(question, "yes", both) == "" and unsettled(question, "yes", both[:1])
    assert unsettled(question, "yes", [*both, "Doors are shut at night."]) == "", "what has none of its words is idle"
    assert unsettled(question, "yes", []) == "it does not say “data”"
