"""What a generator wrote in its own words, held against what it cites: claims, figures, names, denials, verdicts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.entailment.claims import sentences_of
from tasks.answering.entailment.labels import JUDGE, Entailment, Label, Opinions
from tasks.answering.entailment.model import Matrix
from tasks.answering.quotes.passages import best_quote
from tasks.records import Question
from tasks.text.names.figures_and_names import figures_of, names_of
from tests.made.drafts import checked, label
from tests.made.hits import hits

PAIRS = Path(__file__).parents[2] / "data" / "entailment.jsonl"
REFUTED, BORNE_OUT = 8, 9
SNAPSHOTS = "Database snapshots are taken every four hours and are kept for 35 days."
NOTICE = "The customer is told of a change 30 minutes before it. Fees are due within 14 days. A notice costs £1,200."
TABLE = "Edition | Availability | First response\nCore | 99.5% | 4 hours\nEnterprise | 99.95% | 15 minutes"
US = "Customer data is held in London and Dublin. No customer data is held in the United States."


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Snapshots are taken every 4 hours and kept for thirty-five days.", SNAPSHOTS),
        ("Database snapshots are kept for 35 days.", SNAPSHOTS),
        ("Fees are due in 14 days; a notice costs £1200.", NOTICE),
        ("Customer data is held in London.", US),
        ("No customer data is held in the United States.", US),
        ("Enterprise has an availability of 99,95 %.", TABLE),
        ("Core has an availability of 99.5 per cent.", TABLE),
        ("The policy is of 14 April 2026.", "Version 6.2 of the policy is dated 2026-04-14."),
        ("Data at rest is encrypted with AES-256.", "All data at rest is encrypted with AES-256-GCM in each region."),
        ("Exercises are held twice a year.", "Continuity exercises are held twice each year."),
        ("Penetration tests are carried out yearly.", "An annual penetration test is carried out by a firm."),
        ("The firm Brackwell & Lund LLP audits us.", "Our auditor is the firm Brackwell & Lund LLP, which audits us."),
        ("Cyber cover is £5m.", "Cyber cover of £5 million is in place."),
        ("Guests are told of a fire by radio.", "The warden tells guests of a fire by radio."),
        ("Paper may be burnt, for instance letters.", "Paper may be burnt: letters, cards."),
        ("Copies go to Malaga and Leon.", "Copies go to Málaga and to León."),
        ("The HPO signs each letter.", "The Head Privacy Officer signs each letter."),
    ],
)
def test_what_the_passage_says_is_kept(text: str, source: str) -> None:
    draft = checked(text, hits(source))
    assert draft.text == text and draft.declined is None
    assert draft.citations and all(citation.quote in source for citation in draft.citations)


@pytest.mark.parametrize(
    ("text", "source", "told"),
    [
        ("Snapshots are kept for 90 days.", SNAPSHOTS, "lacks 90 days"),
        ("Snapshots are taken every 35 hours.", SNAPSHOTS, "35 hours"),
        ("The customer is told of a change 30 days before it.", NOTICE, "30 days"),
        ("A notice costs €1,200.", NOTICE, "1200 euros"),
        ("Snapshots are kept for 35 working days.", SNAPSHOTS, "lacks 35 working days"),
        ("Snapshots are not kept for 35 days.", SNAPSHOTS, "yes or no"),
        ("Customer data is held in the United States.", US, "yes or no"),
        ("Customer data is held in London and Paris.", US, "the name Paris"),
        ("Enterprise has an availability of 99.5%.", TABLE, "lacks 99.5%"),
        ("TLS 1.3 is enforced for all traffic.", "TLS 1.2 is enforced for all traffic.", "the figure 1.3"),
        ("ISO 9001 is held by the company.", "ISO 27001 is held by the company.", "9001"),
        ("Exercises are held once a year.", "Continuity exercises are held twice a year.", "once"),
        ("Reports are sent monthly to the board.", "Reports are sent weekly to the board.", "the span of time “month”"),
        ("Default passwords are enabled.", "Default passwords are disabled.", "enabled"),
        ("Traffic is unencrypted inside the network.", "Traffic is encrypted inside the network.", "unencrypted"),
        ("The policy is of 14 May 2026.", "The policy is dated 14 April 2026.", "the name May"),
        ("Doors close at 07:30.", "Doors close at 08:00.", "the time 07:30"),
        ("The XPO signs each letter.", "The Head Privacy Officer signs each letter.", "the name XPO"),
        (
            "Copies in Cork and Bonn are moved each week.",
            "Copies in Cork and Bonn are not moved each week.",
            "yes or no",
        ),
        ("Gas is used for light, for heat.", "Gas is used for light, not for heat.", "yes or no"),
        ("Snapshots are checked by satellite operators in orbit.", SNAPSHOTS, "says something else"),
    ],
)
def test_what_it_does_not_say_declines_and_says_why(text: str, source: str, told: str) -> None:
    draft = checked(text, hits(source))
    (failed,) = [check for check in draft.checks if check.name in ("support", "entailment") and not check.passed]
    assert told in failed.detail
    if failed.name == "entailment":
        assert draft.text == text, "it stands, and a person is told to look at it"
        return
    assert (draft.text, draft.declined, failed.name) == (None, "unsupported", "support")
    assert draft.nearest_fact is not None


def test_a_sentence_that_nothing_bears_out_goes_and_the_others_stay() -> None:
    text = "Snapshots are kept for 35 days. They are also copied to Madrid. They are taken every four hours."
    draft = checked(text, hits(SNAPSHOTS))
    assert draft.text == "Snapshots are kept for 35 days. They are taken every four hours."
    assert "Madrid" in draft.detail and "the name Madrid" in draft.detail


def test_each_part_of_a_list_is_held_against_the_passages_by_itself() -> None:
    source = hits("Data at rest is encrypted with AES-256.", "Data in transit is protected by TLS 1.3.")
    both = "Data is encrypted at rest with AES-256 and in transit with TLS 1.3."
    assert [citation.page_number for citation in checked(both, source, [1, 2]).citations] == [1, 2]
    moved = checked(both, source, [1])
    assert moved.text == both and [citation.page_number for citation in moved.citations] == [1, 2]
    assert checked(both.replace("1.3", "1.2"), source, [1, 2]).declined == "unsupported"


def test_each_sentence_is_held_against_what_it_cites_itself() -> None:
    source = hits(SNAPSHOTS, US)
    good = "Snapshots are kept for 35 days [1]. Customer data is held in London. [2]"
    draft = checked(good, source, [1, 2])
    assert draft.text == "Snapshots are kept for 35 days. Customer data is held in London."
    assert [citation.page_number for citation in draft.citations] == [1, 2]
    swapped = checked("Snapshots are kept for 36 days [2]. Customer data is held in London [2].", source, [1, 2])
    assert swapped.text == "Customer data is held in London." and "36 days" in swapped.detail
    outside = checked("Snapshots are kept for 35 days [7].", source, [1])
    assert outside.declined == "unsupported" and "passage 7, and there are 2" in outside.detail


def test_a_sentence_that_one_passage_says_cites_it_alone() -> None:
    """Its first part stands in a shorter sentence, too, which gives another time."""
    short = "The protest must be received in writing ten days before."
    whole = "The protest must be received in writing, and must come within fourteen days after notice of the award."
    draft = checked(whole.replace("fourteen", "14"), hits(f"{short} {whole}"))
    assert [citation.quote for citation in draft.citations] == [whole]


def test_a_page_that_bears_nothing_out_is_not_cited() -> None:
    draft = checked("Snapshots are kept for 35 days.", hits(SNAPSHOTS, US), [1, 2])
    assert [citation.file_name for citation in draft.citations] == ["1.pdf"]
    assert "2.pdf, p. 2" in next(check.detail for check in draft.checks if check.name == "citations")


def test_what_stands_in_another_passage_letter_by_letter_is_cited_from_there() -> None:
    role = "Bachelor's degree in Human Resources, Business Administration, or a related field"
    draft = checked(
        "Bachelor's degree in Human Resources or a related field.", hits(role, f"{role[:36]} or a related field")
    )
    assert [citation.page_number for citation in draft.citations] == [2]
    assert [check.passed for check in draft.checks if check.name == "citations"] == [False]


@pytest.mark.parametrize(
    ("text", "cited", "other"),
    [
        ("Snapshots are kept for 35 days.", US, SNAPSHOTS),
        (
            "Home health care services are only covered when they are medically necessary.",
            "Home health services must be medically necessary, so talk to your provider before they are covered.",
            "Home health care services are covered only when they are medically necessary.",
        ),
        (
            "The data of each tenant is kept in one schema.",
            "The data of each tenant is kept in one region by a key that is rotated.",
            "The data of each tenant is kept in one schema of its own.",
        ),
    ],
)
def test_what_another_passage_bears_out_is_cited_from_there_and_it_is_told(text: str, cited: str, other: str) -> None:
    draft = checked(text, hits(cited, other), [1])
    assert (draft.text, [citation.page_number for citation in draft.citations]) == (text, [2])
    (told,) = [check.detail for check in draft.checks if check.name == "citations"]
    assert f"moved: “{text}” to 2.pdf, p. 2" in told


def test_what_the_cited_passage_bears_out_wholly_stays_cited_from_there() -> None:
    text = "Database snapshots are kept for 35 days."
    draft = checked(text, hits(SNAPSHOTS, "Database snapshots are kept for 35 days in every region."), [1])
    assert [citation.page_number for citation in draft.citations] == [1]
    assert all(check.passed for check in draft.checks if check.name == "citations")


def test_a_passage_that_is_cited_and_says_the_opposite_is_not_passed_over() -> None:
    source = hits("Customer data is not held in Paris.", "Customer data is held in Paris and London.")
    assert checked("Customer data is held in Paris.", source, [1]).declined == "unsupported"


OURS = "In our own opinion the lift is no toy. If a guest writes to us, we do not answer on Sundays."


@pytest.mark.parametrize(
    "text", ["In Quillon's own opinion the lift is no toy.", "Quillon does not answer on Sundays."]
)
def test_who_says_we_in_a_document_may_be_named(text: str) -> None:
    named = "The lifts are cleaned by Quillon's own people and by Bertram."
    assert checked(text, hits(OURS, named)).text == text
    other = checked(text.replace("Quillon", "Bertram"), hits(OURS, named))
    (told,) = [check.detail for check in other.checks if check.name == "entailment"]
    assert "the name Bertram" in told, "a person is told to look at it"
    assert checked(text, hits(OURS)).declined == "unsupported", "nothing names it"


@pytest.mark.parametrize("text", ["Yes.", "No, it is not.", "", "Yes, we do so."])
def test_what_says_nothing_declines(text: str) -> None:
    assert checked(text, hits(SNAPSHOTS)).declined == "unsupported"


def test_sentences_and_their_claims() -> None:
    first, second = sentences_of("No. Data is kept for 5 and 30 days, with TLS 1.3, and copied.[1, 3] It is so [2-4].")
    assert [claim.text for claim in first.claims] == ["Data is kept for 5 and 30 days", "with TLS 1.3, and copied."]
    assert (first.cited, second.cited) == ((1, 3), (2, 3, 4))
    assert sentences_of("") == [] and sentences_of("[1]") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("thirty-five days", "a 35-day term"),
        ("99,9 %", "99.90 per cent"),
        ("1,200 users", "1200 users"),
        ("£5m", "5 million pounds"),
        ("2026-04-14", "14 April 2026"),
        ("5 to 30 minutes", "between 5 minutes and 30 minutes"),
        ("two hours", "2 h"),
    ],
)
def test_figures_that_are_the_same(one: str, other: str) -> None:
    assert figures_of(one) == figures_of(other) != frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [("30 days", "30 minutes"), ("3 days", "3 working days"), ("1.2.3", "1.2.4"), ("£5", "$5"), ("7.1", "7.10.2")],
)
def test_figures_that_are_not(one: str, other: str) -> None:
    assert figures_of(one) != figures_of(other)


def test_names() -> None:
    assert names_of("Backups go to Dublin and are held by Brackwell & Lund with AES-256.") == {
        "backups",
        "dublin",
        "brackwell",
        "lund",
        "aes",
    }
    assert names_of("Backups go to Dublin.", frozenset({"backup"})) == {"dublin"}
    assert names_of("the data is kept.") == frozenset()
    assert names_of("Non-Latin letters in Gdańsk") == {"latin", "gdansk"}


def test_tokens_that_find_their_like_speak_for_other_words_and_for_no_figure() -> None:
    reworded = "Database snapshots are kept for 35 days."

    def alike(texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        return np.ones((len(texts), 1), np.float32), [np.ones((3, 1), np.float32) for _ in texts]

    def unlike(texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        axes = np.eye(len(texts), dtype=np.float32)
        return axes, [axes[[at]] for at in range(len(texts))]

    near, far = (checked(reworded, hits(SNAPSHOTS), opinions=Opinions(tokens=one)) for one in (alike, unlike))
    assert near.text == reworded and all(check.passed for check in near.checks)
    assert far.text == reworded and [check.name for check in far.checks if not check.passed] == ["entailment"]
    wrong = checked(reworded.replace("35", "36"), hits(SNAPSHOTS), opinions=Opinions(tokens=alike))
    assert wrong.declined == "unsupported"


def test_the_pairs_are_told_apart_as_well_as_before() -> None:
    """The counts are what the shipped weights make of all pairs without vectors; fewer of either kind is a loss. The
    bench ``entailment_fit`` prints them by phenomenon.
    """
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    found = [(pair["label"] == "borne_out", label(pair["premise"], pair["claim"])) for pair in pairs]
    assert sum(is_right and one.is_refuted for is_right, one in found) <= REFUTED
    assert sum(not is_right and one.label == "entailment" for is_right, one in found) <= BORNE_OUT


def test_a_model_of_inference_speaks_for_and_against() -> None:
    def says(label: Label) -> Opinions:
        told = "its source contradicts it" if label == "contradiction" else ""
        return Opinions(further=[lambda pairs: [Entailment(label, 0.5, told, "inference")] * len(pairs)])

    plain, reworded = (
        "Snapshots are kept for 35 days.",
        "Database snapshots are kept available to operators for 35 days.",
    )
    assert checked(plain, hits(SNAPSHOTS), opinions=says("neutral")).text == plain
    assert "contradicts" in checked(plain, hits(SNAPSHOTS), opinions=says("contradiction")).detail
    assert checked(reworded, hits(SNAPSHOTS), opinions=says("entailment")).text == reworded
    wrong = reworded.replace("35", "36")
    assert checked(wrong, hits(SNAPSHOTS), opinions=says("entailment")).declined == "unsupported"


def test_a_judge_speaks_against_and_never_for() -> None:
    def says(judgement: Entailment | None) -> Opinions:
        return Opinions(further=[lambda pairs: [judgement] * len(pairs)])

    text = "Snapshots are kept for 35 days."
    unheard = checked(text, hits(SNAPSHOTS), opinions=says(Entailment("neutral", 0.5, by=JUDGE)))
    (failed,) = (check for check in unheard.checks if check.name == "judgement")
    assert unheard.text == text and not failed.passed
    assert failed.detail == f"the judge model gave no judgement: check “{text}”"
    assert (
        "judge"
        in checked(text, hits(SNAPSHOTS), opinions=says(Entailment("contradiction", 0.0, "a judge", JUDGE))).detail
    )
    assert checked(text.replace("35", "36"), hits(SNAPSHOTS), opinions=says(None)).declined == "unsupported"


def test_verbatim_and_declined_drafts_stay_as_they_are() -> None:
    found = hits(SNAPSHOTS)
    asked = Asked(Question("q", 0, "How long are snapshots kept?"), found)
    quote = best_quote(SNAPSHOTS, found[0])
    assert quote is not None
    verbatim = Draft("Anything.", "yes", (quote,), 0.7, is_verbatim=True)
    declined = Draft(None, None, (), 0.0, declined="no_evidence")
    first, second = check_drafts([asked, asked], [verbatim, declined], Opinions())
    assert replace(first, checks=()) == verbatim and second == declined
    assert check_drafts([], [], Opinions()) == []


def test_what_a_model_says_again_and_again_is_said_once() -> None:
    first, second = "Snapshots are taken every four hours.", "Fees are due within 14 days."
    draft = checked(f"{first} {second} {first} {second} {second}", hits(SNAPSHOTS, NOTICE), (1, 2))
    assert draft.text == f"{first} {second}" and len(draft.citations) == 2
    wrong = "Snapshots are kept for 99 days."
    assert checked(f"{first} {wrong} {wrong}", hits(SNAPSHOTS)).detail.count(wrong) == 1


def test_a_last_sentence_that_is_cut_before_it_says_anything_is_left_out() -> None:
    first = "Snapshots are taken every four hours."
    assert checked(f"{first} The", hits(SNAPSHOTS)).text == first
    assert checked(f"{first} They are kept for 35 days", hits(SNAPSHOTS)).text == f"{first} They are kept for 35 days"


def test_a_bare_yes_is_not_cited_from_wherever_one_stands() -> None:
    other = "Can I export my data? Yes. The export holds all records of the tenant."
    draft = checked("Yes.", hits(US, other), question="Is the service offered in French?", kind="yes_no", verdict="yes")
    assert (draft.text, draft.declined) == (None, "unsupported")


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Backups are kept for 35 days.", "Backups are kept for more than 35 days."),
        ("Employees are trained every year.", "Only employees are trained every year."),
        (
            "The recovery time objective is 4 hours and the recovery point objective is 15 minutes.",
            "The recovery time objective is 15 minutes and the recovery point objective is 4 hours.",
        ),
    ],
)
def test_what_goes_beyond_its_source_or_exchanges_its_figures_is_marked(source: str, claim: str) -> None:
    assert [check.name for check in checked(claim, hits(source)).checks if not check.passed] == ["entailment"]
    assert checked(source, hits(source)).text == source


def test_no_more_than_is_a_bound_of_within() -> None:
    source = "Requests are passed on within three working days to the customer."
    claim = "Requests are passed on in no more than three working days to the customer."
    assert checked(claim, hits(source)).text == claim
