"""Questions that lean on those before them, by the rule and by a model server that says what a test has written."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tasks.answering.drafting import Asked, Draft, Generator, OnText
from tasks.answering.streaming.drafts import streamed
from tasks.chat.follow_ups import leaning
from tasks.chat.query_rewriting import MAX_CHARACTERS, Condensed, Heedful, Turn, by_rule, condense
from tasks.errors import ServiceAway
from tasks.questionnaires.limits import without_limit
from tasks.records import Citation, Hit, Question
from tests.scripted_server import scripted_server
from tests.tasks.answering.conversations import DEVELOPED_ON, JUDGED_BY, Said
from tests.tasks.made import chunk_of

AT = "2026-01-01T00:00:00+00:00"


def turn(question: str, asked_as: str = "", answer: str | None = "Yes, with AES-256.") -> Turn:
    return Turn(question, asked_as or question, "answered", answer, AT)


REST = turn("Do you encrypt customer data at rest?")
KEPT = turn("How long are backups kept?", answer="Backups are kept for 35 days.")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Do you encrypt customer data at rest?", "alone"),
        ("Is MFA enforced for administrators?", "alone"),
        ("What is your RPO?", "alone"),
        ("Do employees confirm their duties?", "alone"),
        ("How long does it take to restore a backup?", "alone"),
        ("Do you have a policy that covers backups?", "alone"),
        ("And do you encrypt laptops?", "alone"),
        ("Please describe the incident response process.", "alone"),
        ("Data retention schedule for customer content and logs", "alone"),
        ("and for backups?", "elliptical"),
        ("What about laptops?", "elliptical"),
        ("For laptops?", "elliptical"),
        ("How often?", "elliptical"),
        ("Why not?", "elliptical"),
        ("same for the staging environment?", "elliptical"),
        ("Is it encrypted?", "pointing"),
        ("Are they tested every year?", "pointing"),
        ("and where are they kept?", "pointing"),
        ("How is that done?", "pointing"),
        ("Who tests it?", "pointing"),
        ("What about it?", "pointing"),
        ("Do you do this?", "pointing"),
        ("who carries them out?", "pointing"),
        ("How are customers told when these change?", "pointing"),
        ("how often does that happen?", "pointing"),
        ("how quickly do you tell us?", "elliptical"),
        ("How quickly do you restore a database?", "alone"),
        ("Which protocols does it support?", "pointing"),
        ("Which steps does it take to restore a backup?", "alone"),
        ("Which suppliers are told when they miss a deadline?", "alone"),
        ("What is SAML?", "alone"),
        ("Do you keep logs, and who reviews them?", "alone"),
        ("Are laptops wiped when employees leave and is this logged?", "alone"),
        ("Is it technically impossible to run an unsigned build?", "alone"),
        ("Do those who maintain the plan hold a certificate?", "alone"),
        ("How large is the IT organisation?", "alone"),
        ("Will this project be paid by the hour?", "alone"),
        ("Is the running configuration compared with the approved one?", "alone"),
        ("Are the results of internal audits published?", "alone"),
        ("Is multi-factor authentication different for administrators?", "alone"),
        ("Which regions?", "elliptical"),
        ("Why so long?", "elliptical"),
        ("What if a check fails?", "elliptical"),
        ("Is the same true for contractors?", "elliptical"),
        ("Even when working from the office network?", "elliptical"),
        ("Please elaborate.", "elliptical"),
        ("Who decides?", "elliptical"),
        ("Do temporary workers too?", "elliptical"),
        ("and who sees the results?", "pointing"),
        ("and who holds the keys?", "pointing"),
        ("Are the results shared with customers?", "pointing"),
        ("Are there any exceptions?", "pointing"),
        ("When was the last one tested?", "pointing"),
        ("Who approves that policy?", "pointing"),
        ("Do auditors check them every year?", "pointing"),
        ("Is it mandatory?", "pointing"),
        ("What comes after it?", "pointing"),
        ("How does the cloud version compare?", "pointing"),
    ],
)
def test_which_questions_lean(question: str, expected: str) -> None:
    assert leaning(question) == expected


@pytest.mark.parametrize("said", [DEVELOPED_ON, JUDGED_BY], ids=["developed on", "judged by"])
def test_conversations(said: list[Said]) -> None:
    """Nineteen of twenty: a rule that is mended for one of them may not cost others."""
    asked = [(one, by_rule(one.now, [turn(one.before)]).text) for one in said]
    condensed = [all(word in text.lower() for word in one.leans_on) for one, text in asked if one.leans_on]
    alone = [text == one.now for one, text in asked if not one.leans_on]
    assert min(len(condensed), len(alone)) >= 17
    assert sum(condensed) >= 0.95 * len(condensed) and sum(alone) >= 0.95 * len(alone)


@pytest.mark.parametrize(
    ("question", "history", "asked"),
    [
        ("and for backups?", [REST], "Do you encrypt customer data at rest – and for backups?"),
        ("Are they tested?", [KEPT], "Are they tested (backups kept)?"),
        ("Is it encrypted?", [KEPT, REST], "Is it encrypted (customer data rest)?"),
        ("and how long are they kept?", [turn("Do you encrypt backups?")], "and how long are they kept (backups)?"),
        ("Who holds the keys for them?", [turn("Are backups encrypted?")], "Who holds the keys for them (backups)?"),
        ("Who can see them?", [turn("How do you store logs?")], "Who can see them (logs)?"),
        ("Are they tested?", [turn("Do you rehearse?")], "Are they tested (rehearse)?"),
        ("Do you support SAML?", [KEPT], "Do you support SAML?"),
        ("and for backups?", [], "and for backups?"),
        ("What about it?", [turn("And you?")], "What about it?"),
    ],
)
def test_the_rule(question: str, history: list[Turn], asked: str) -> None:
    found = by_rule(question, history)
    assert (found.text, found.by) == (asked, "nobody" if asked == question else "rule")


def test_a_chain_goes_back_to_what_stood_alone() -> None:
    between = turn("and for backups?", "Do you encrypt customer data at rest – and for backups?")
    assert (
        by_rule("and for laptops?", [REST, between]).text == "Do you encrypt customer data at rest – and for laptops?"
    )
    assert by_rule("Are they tested?", [REST, between]).text == "Are they tested (customer data rest backups)?"


def test_a_chain_goes_on_from_what_took_a_place() -> None:
    first, between = (
        turn("Do you have an office in Germany?"),
        turn("and in Ireland?", "Do you have an office in Ireland?"),
    )
    assert by_rule("and in Spain?", [first, between]).text == "Do you have an office in Spain?"
    assert by_rule("and how many?", [first, between]).text == "Do you have an office in Ireland – and how many?"


def test_what_is_cited_is_about_the_follow_up_where_that_took_a_place_too() -> None:
    asked = by_rule("and SOC 2?", [turn("Do you have ISO 27001?")])
    assert asked == Condensed("Do you have SOC 2?", "rule", own_words=("SOC", "2"))


def test_a_verb_that_stands_for_another_and_a_degree_are_looked_for_in_no_document() -> None:
    trained = turn("Do employees get security training?")
    assert by_rule("how often does that happen?", [trained]).own_words == ()
    assert by_rule("how quickly do you tell us?", [trained]).own_words == ()
    assert by_rule("who carries them out?", [trained]).own_words == ("carries",)


def test_a_model_writes_the_question_and_sees_the_last_turns_as_data() -> None:
    history = [turn(f"Question {number}?") for number in range(9)]
    with scripted_server((200, {"question": "Is question 8 encrypted?"})) as (server, requests):
        found = condense("Is it encrypted?", history, server)
        first = condense("Is it encrypted?", [], server)
    assert (found.text, found.by, found.reason) == ("Is question 8 encrypted?", "model", None)
    assert (first.text, first.by, len(requests)) == ("Is it encrypted?", "nobody", 1)
    prompt = requests[0]["messages"][1]["content"]
    shown = json.loads(prompt.partition("\n")[2].rpartition("\n\nLast question: ")[0])
    assert [one["question"] for one in shown] == [f"Question {number}?" for number in range(3, 9)]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"question": " "}, "0 characters"),
        ({"question": "x" * (MAX_CHARACTERS + 1)}, "characters"),
        ({"question": "Are backups kept for 90 days?"}, "a figure that the conversation has not"),
        ({"query": "backups"}, "not of the asked shape"),
        ("no JSON", "not of the asked shape"),
    ],
)
def test_a_reply_of_no_use_leaves_it_to_the_rule(reply: object, reason: str) -> None:
    with scripted_server((200, reply)) as (server, requests):
        found = condense("Are they tested?", [KEPT], server)
    assert (found.text, found.by) == ("Are they tested (backups kept)?", "rule")
    assert reason in (found.reason or "") and len(requests) == 2, "it is asked once more with what was wrong"


def test_how_long_an_answer_may_be_is_of_its_question_alone() -> None:
    first = turn("In at most 20 words, do you have ISO 27001?")
    assert condense("and SOC 2?", [first], None).text == "Do you have SOC 2?"
    found = condense("and SOC 2 (max. 50 words)?", [first], None)
    assert (found.text, found.own_words) == ("Do you have SOC 2? (answer in max. 250 characters)", ("SOC", "2"))
    assert without_limit(found.text) == ("Do you have SOC 2?", 250)
    alone = "Is MFA required? (max. 50 words)"
    assert condense(alone, [first], None) == Condensed(alone, "nobody")


def test_a_server_that_is_away_leaves_it_to_the_rule() -> None:
    class Away:
        def ask(self, *_: object, **__: object) -> list[str]:
            raise ServiceAway("no model server answers")

    found = condense("Are they tested?", [KEPT], Away())  # type: ignore[arg-type]
    assert (found.by, found.reason) == ("rule", "no model server answers")


def draft_citing(quote: str) -> Draft:
    citation = Citation("d", "policy.pdf", "0", 1, quote, 0, len(quote), section_path="Retention > Backups")
    return Draft(quote, "yes", (citation,), 0.9)


@pytest.mark.parametrize(
    ("own_words", "quote", "is_yes_no", "stays"),
    [
        ((), "Copies are kept for 35 days.", False, True),
        (("logs",), "Copies are kept for 35 days.", False, False),
        (("logs",), "Each log is kept for 35 days.", True, True),
        (("backups",), "Copies are kept for 35 days.", False, True),
        (("backups",), "Copies are kept for 35 days.", True, False),
        (("tested", "year"), "They are tested each quarter.", False, True),
        (("tested", "restored", "year"), "They are tested.", False, False),
    ],
)
def test_what_is_cited_must_be_about_the_question_itself(
    own_words: tuple[str, ...], quote: str, is_yes_no: bool, stays: bool
) -> None:
    class Drafting:
        name, questions_a_batch = "fixed", 1

        def draft(self, asked: Sequence[Asked]) -> list[Draft]:
            return [draft_citing(quote) for _ in asked]

        def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
            return draft_citing(quote)

    question = Question("ask", 0, "and logs?", kind="yes_no" if is_yes_no else "free_text")
    asked, heedful = Asked(question, []), Heedful(Drafting(), own_words)
    (draft,) = heedful.draft([asked])
    assert heedful.stream_draft(asked, lambda text: None) == draft
    if stays:
        assert draft == draft_citing(quote)
    else:
        assert (draft.text, draft.verdict, draft.citations, draft.declined) == (None, None, (), "weak_evidence")
        assert draft.nearest_fact == draft_citing(quote).citations[0] and own_words[0] in draft.detail


@pytest.mark.parametrize(("row_number", "stays"), [(14, True), (15, False)])
def test_the_question_that_a_cited_past_answer_was_given_to_says_what_it_is_about(row_number: int, stays: bool) -> None:
    row = "Do you hold a SOC 2 Type II report?\nAnswer: Yes\nComments: 1 July 2023 to 30 June 2024, no exceptions"
    chunk = chunk_of(row, page_number=None, row_number=14)
    begin = row.index("Answer")
    quote = row[begin:]
    cited = Citation(chunk.document_id, "made.pdf", "0", None, quote, begin, len(row), row_number=row_number)

    class Quoting:
        name, questions_a_batch = "fixed", 1

        def draft(self, asked: Sequence[Asked]) -> list[Draft]:
            return [Draft(quote, "yes", (cited,), 0.9) for _ in asked]

        def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
            return self.draft([asked])[0]

    hit = Hit("ask", 1, chunk, 1.0, 1.0, 0.0, 0.0)
    (draft,) = Heedful(Quoting(), ("SOC", "2")).draft([Asked(Question("ask", 0, "?", kind="yes_no"), [hit])])
    assert (draft.text is not None) == stays


def test_a_generator_that_tells_is_listened_to() -> None:
    heard: list[str] = []

    class Telling:
        name, questions_a_batch = "telling", 1

        def draft(self, asked: Sequence[Asked]) -> list[Draft]:
            raise AssertionError("it can tell what it writes")

        def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
            for piece in ("Yes, ", "it is."):
                on_text(piece)
            return draft_citing("Yes, it is.")

    asked = Asked(Question("ask", 0, "Is it?"), [])
    assert streamed(Telling(), heard.append).draft([asked]) == [draft_citing("Yes, it is.")]
    assert heard == ["Yes, ", "it is."]
    silent: Generator = Telling()
    assert streamed(silent, None) is silent
