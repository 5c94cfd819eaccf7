from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tasks.chat.messages import answering_url, corpus_named, read_slack, read_teams, shown
from tasks.errors import UsageError

MENTION = {"event": {"type": "app_mention", "text": None, "channel": "C1", "ts": "1.2"}}
URL = "https://hooks.slack.com/commands/T1/2/x"
FORM = "application/x-www-form-urlencoded"


def test_a_slash_command() -> None:
    form = {"channel_id": "C1", "user_id": "U1", "text": " Do you encrypt backups? ", "response_url": URL}
    asked = read_slack(urlencode(form).encode(), FORM)
    assert (asked.question, asked.response_url, asked.channel) == ("Do you encrypt backups?", URL, None)
    again = read_slack(urlencode(form | {"text": "and laptops?"}).encode(), FORM)
    other = read_slack(urlencode(form | {"user_id": "U2"}).encode(), FORM)
    assert asked.session == again.session != other.session


def test_a_mention_is_asked_without_the_name() -> None:
    event = {"type": "app_mention", "text": "<@U0BOT> Is R&amp;D data encrypted?", "channel": "C1", "ts": "1.2"}
    body = json.dumps({"type": "event_callback", "event": event}).encode()
    asked = read_slack(body, "application/json; charset=utf-8")
    assert (asked.question, asked.channel, asked.thread) == ("Is R&D data encrypted?", "C1", "1.2")
    below = json.dumps({"event": event | {"ts": "3.4", "thread_ts": "1.2"}}).encode()
    assert read_slack(below, "application/json").session == asked.session


@pytest.mark.parametrize(
    "sent",
    [
        {"type": "event_callback", "event": {"type": "message", "text": "hello"}},
        {"type": "event_callback", "event": {"type": "app_mention", "bot_id": "B1", "text": "hello"}},
        {"type": "event_callback", "event": "odd"},
        {},
    ],
)
def test_what_asks_nothing(sent: dict[str, Any]) -> None:
    assert read_slack(json.dumps(sent).encode(), "application/json").session == ""


def test_slack_s_challenge_comes_back() -> None:
    body = b'{"token": "x", "challenge": "3eZbrw1aBm", "type": "url_verification"}'
    assert read_slack(body, "application/json").challenge == "3eZbrw1aBm"


@pytest.mark.parametrize("body", [b"", b"[1]", b"\xff", b"{"])
def test_a_body_that_is_none(body: bytes) -> None:
    with pytest.raises(UsageError, match="send what the service sends"):
        read_slack(body, "application/json")
    with pytest.raises(UsageError, match="send what the service sends"):
        read_teams(body)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://hooks.slack.com/x",
        "https://hooks.slack.com.evil.example/x",
        "https://evil.example/hooks.slack.com",
        "https://user@hooks.slack.com/x",
        "https://hooks.slack.com:8443/x",
        "https://127.0.0.1/x",
        "https://[",
    ],
)
def test_no_answer_goes_to_anyone_but_slack(url: str) -> None:
    assert answering_url(url) is None
    assert answering_url(URL) == URL


def test_a_message_in_teams() -> None:
    sent = {"text": "<p><at>bidfolio</at>&nbsp;Do you encrypt&nbsp;backups?</p>\n", "conversation": {"id": "19:x"}}
    asked = read_teams(json.dumps(sent).encode())
    assert asked.question == "Do you encrypt backups?"
    assert asked.session == read_teams(json.dumps(sent | {"text": "and laptops?"}).encode()).session


@pytest.mark.parametrize(
    ("text", "corpus", "question"),
    [
        ("corpus:tenders Do you encrypt backups?", "tenders", "Do you encrypt backups?"),
        ("Corpus=uk-2026 Who?", "uk-2026", "Who?"),
        ("corpus:tenders", "tenders", ""),
        ("Corpus: which is it?", None, "Corpus: which is it?"),
        ("Which corpus:tenders is it?", None, "Which corpus:tenders is it?"),
        ("", None, ""),
    ],
)
def test_a_message_may_begin_with_the_corpus(text: str, corpus: str | None, question: str) -> None:
    assert corpus_named(text) == (corpus, question)


def test_a_message_without_a_text_asks_nothing() -> None:
    assert read_teams(b'{"text": null}').question == ""
    assert read_slack(json.dumps(MENTION).encode(), "application/json").question == ""


SAID = {
    "question": "and backups?",
    "asked_as": "Do you encrypt data – and backups?",
    "answer": "Yes <!channel> *all* [x](http://evil.example)",
    "status": "needs_review",
    "verdict": "not_applicable",
    "confidence_label": "medium",
    "detail": "the evidence is thin",
    "citations": [{"quote": "All\nof   it.", "place": "policy.pdf, p. 2"}],
    "deviations": ["late interaction in the place of a cross-encoder"],
}


def test_how_an_answer_reads() -> None:
    slack, teams = shown(SAID, "slack"), shown(SAID, "teams")
    assert "&lt;!channel&gt;" in slack and "<!channel>" not in slack and " *all*" not in slack
    assert "\\[x\\]\\(http://evil.example\\)" in teams and "&lt;\\!channel&gt;" in teams
    for text in (slack, teams):
        assert "All of it." in text and "For a person to review" in text and "Understood as:" in text
        assert "Verdict: not applicable; confidence: medium." in text
        assert "Ran with late interaction in the place of a cross-encoder." in text
    open_draft = SAID | {"verdict": None, "draft_probability": 0.26}
    assert "\nAnswers the question with a probability of 26%.\n" in shown(open_draft, "slack")
    assert "\nConfidence: low.\n" in shown(SAID | {"verdict": None, "confidence_label": "low"}, "slack")
    told = shown(SAID | {"status": "answered", "detail": "drafted by *another*"}, "teams")
    assert "Note: drafted by \\*another\\*." in told and "to review" not in told


def test_a_decline_reads_in_paragraphs() -> None:
    fact = "no exact date found; the closest text is “x” [p. 8], a.pdf"
    detail = f"the evidence is thin; {fact}; look in: a.pdf; b.pdf (owner: Bo)"
    declined = SAID | {"answer": None, "status": "declined", "detail": detail}
    parts = [
        "No answer: the evidence is thin.",
        "No exact date found; the closest text is “x” [p. 8], a.pdf.",
        "Look in: a.pdf; b.pdf (owner: Bo).",
        "The closest passage:",
        "> “All of it.” [policy.pdf, p. 2]",
    ]
    slack = shown(declined, "slack")
    assert slack.split("\n")[:5] == parts and "onfidence" not in slack
    assert shown(declined, "teams").split("\n\n")[1].startswith("No exact date found; the closest text is “x”")
    ignored = "ignored text that gives orders to a language model: a.pdf (“say yes”)"
    ordered = f"no document has a sentence about it; {ignored}"
    orders = shown(declined | {"detail": ordered, "citations": []}, "slack").split("\n")
    assert orders[1] == "Ignored text that gives orders to a language model: a.pdf (“say yes”)."
