"""Messages of Slack and Teams: parse their requests, and write an answer in their markup."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qs, urlsplit

import orjson

from tasks.answering.decision.decline_advice import no_answer
from tasks.errors import UsageError
from tasks.records import content_id

Mark = Literal["slack", "teams"]
NEAREST_QUOTE = "The closest passage:"
"""The line above the quote of a decline: without it, the quote would pass for an answer."""
SLACK_ANSWERS_AT = "hooks.slack.com"
_CORPUS = re.compile(r"\s*corpus[:=](?P<corpus>[\w.-]{1,100})(?:\s+|$)", re.IGNORECASE)
_MENTION = re.compile(r"<@[^>]*>")
_TAG = re.compile(r"<at>.*?</at>|<[^>]+>", re.IGNORECASE | re.DOTALL)


class SlackRequest(NamedTuple):
    """A request from Slack: its ``challenge`` to answer, or a question.

    The answer goes to ``response_url``, or else into ``channel``, below the message ``thread``. Without a question,
    there is nothing to answer. ``event_id`` is the same where Slack sends an event again; None for a slash command.
    """

    question: str = ""
    session: str = ""
    challenge: str | None = None
    response_url: str | None = None
    channel: str | None = None
    thread: str | None = None
    event_id: str | None = None


def read_slack(body: bytes, content_type: str) -> SlackRequest:
    """Parse a slash command, a mention, or the challenge of an address; any other request has no question.

    Raises UsageError for a body that is not of its kind.
    """
    if "json" not in content_type:
        form = {name: values[0] for name, values in parse_qs(body.decode(errors="replace")).items()}
        session = content_id("slack", form.get("channel_id", ""), form.get("user_id", ""))
        return SlackRequest(
            form.get("text", "").strip(), f"slack-{session}", response_url=answering_url(form.get("response_url", ""))
        )
    sent = _object_of(body)
    if sent.get("type") == "url_verification":
        return SlackRequest(challenge=str(sent.get("challenge", "")))
    event = sent.get("event")
    if not isinstance(event, dict) or event.get("type") != "app_mention" or event.get("bot_id"):
        return SlackRequest()
    channel = str(event.get("channel", ""))
    thread = str(event.get("thread_ts") or event.get("ts", ""))
    question = html.unescape(_MENTION.sub(" ", str(event.get("text") or ""))).strip()
    return SlackRequest(
        question,
        f"slack-{content_id('slack', channel, thread)}",
        channel=channel or None,
        thread=thread or None,
        event_id=str(sent.get("event_id", "")) or None,
    )


def answering_url(url: str) -> str | None:
    """``url`` where it is an address at which Slack takes answers, else None: answers are sent nowhere else."""
    try:
        parts = urlsplit(url)
        is_slack = parts.scheme == "https" and parts.netloc == SLACK_ANSWERS_AT
    except ValueError:
        return None
    return url if is_slack else None


class TeamsRequest(NamedTuple):
    """A question from a Teams channel's outgoing webhook, its session, and when it was sent, if known."""

    question: str
    session: str
    sent_at: str | None = None


def read_teams(body: bytes) -> TeamsRequest:
    """Parse a Teams message without the mention of the bot. Raises UsageError for a body of another kind."""
    sent = _object_of(body)
    conversation, sent_at = sent.get("conversation"), sent.get("timestamp")
    named = str(conversation.get("id", "")) if isinstance(conversation, dict) else ""
    text = " ".join(html.unescape(_TAG.sub(" ", str(sent.get("text") or ""))).split())
    return TeamsRequest(text, f"teams-{content_id('teams', named)}", None if sent_at is None else str(sent_at))


def corpus_named(text: str) -> tuple[str | None, str]:
    """The corpus that a message begins with (``corpus:tenders Do you …?``), and its question."""
    found = _CORPUS.match(text)
    return (found["corpus"], text[found.end() :].strip()) if found else (None, text)


def shown(said: Mapping[str, Any], mark: Mark) -> str:
    """The result of ``ask`` as a message; words of documents stay text: they make no link, mention or format."""
    bold, break_ = ("*", "\n") if mark == "slack" else ("**", "\n\n")
    if said["answer"]:
        lines = [escaped(said["answer"], mark), standing(said)]
    else:
        lines = [escaped(part, mark) for part in no_answer(said["detail"])]
    if said["status"] == "needs_review":
        lines.append(f"{bold}For a person to review:{bold} {escaped(ended(said['detail']), mark)}")
    elif said["answer"] and said["detail"]:
        lines.append(f"Note: {escaped(ended(said['detail']), mark)}")
    if said["citations"] and not said["answer"]:
        lines.append(NEAREST_QUOTE)
    lines += [
        f"> “{escaped(' '.join(cited['quote'].split()), mark)}” [{escaped(cited['place'], mark)}]"
        for cited in said["citations"]
    ]
    lines += [f"Ran with {deviation}." for deviation in said["deviations"]]
    if said["asked_as"] != said["question"]:
        lines.append(f"Understood as: {escaped(said['asked_as'], mark)}")
    return break_.join(lines)


def ended(text: str) -> str:
    """``text`` with a full stop at its end, where it has no stop yet."""
    return text if text.endswith(("?", ".", "!")) else f"{text}."


def standing(said: Mapping[str, Any]) -> str:
    """The line with an answer's verdict, or else the proposed one, or how probable it is that the text answers, or its
    confidence.
    """
    proposed = said.get("proposed_verdict")
    if not said["verdict"] and proposed:
        return f"Proposed: {proposed.replace('_', ' ')}, probably right ({said['verdict_probability']:.0%})."
    if not said["verdict"] and said.get("draft_probability") is not None:
        return f"Answers the question with a probability of {said['draft_probability']:.0%}."
    if not said["verdict"]:
        return f"Confidence: {said['confidence_label'] or 'unknown'}."
    return f"Verdict: {said['verdict'].replace('_', ' ')}; confidence: {said['confidence_label'] or 'unknown'}."


def escaped(text: str, mark: Mark) -> str:
    """``text`` with the characters escaped that the service would read as markup."""
    safe = html.escape(text, quote=False)
    if mark == "slack":
        return re.sub(r"([*_~`])", "\u200b\\1", safe)
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", safe)


def _object_of(body: bytes) -> dict[str, Any]:
    try:
        sent = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"the body is no JSON ({error}): send what the service sends") from error
    if not isinstance(sent, dict):
        raise UsageError("the body is no JSON object: send what the service sends")
    return sent
