"""Webhooks for Slack and Teams. Each is off, and its address missing, until its secret is in the environment.

Slack waits three seconds for a slash command. An answer by then is the response; else the response announces it, and it
is posted to the address that Slack gave with the command, if that is one of Slack's own. A mention in a channel has no
such address: its answer needs a bot's token. Teams waits some seconds longer, and takes no later answer.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import httpx
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from flows.ask import Asking
from flows.web.body import MAX_QUESTION_CHARACTERS
from flows.web.counter import CORPUS_SETTING, Counter, in_one
from flows.web.guards import told
from tasks.chat.messages import Mark, SlackRequest, corpus_named, read_slack, read_teams, shown
from tasks.chat.signatures import is_from_slack, is_from_teams, is_of_now
from tasks.errors import BidfolioError, SeveralCorpora

SLACK_SECRET, SLACK_TOKEN = "BIDFOLIO_SLACK_SIGNING_SECRET", "BIDFOLIO_SLACK_BOT_TOKEN"
TEAMS_SECRET = "BIDFOLIO_TEAMS_SECRET"
SLACK_MESSAGES = "https://slack.com/api/chat.postMessage"
SLACK_WAITS_S, TEAMS_WAITS_S = 2.0, 4.0
POSTING_TIMEOUT_S = 10.0
CONNECTION_RETRIES = 2
"""Retries of a connection: the first at once, the second half a second later."""
REMEMBERED_EVENTS = 1000
"""The number of event ids kept to recognize repeats: Slack repeats an event three times at most, within an hour."""

Post = Callable[[str, dict[str, Any], dict[str, str]], Awaitable[None]]
"""Function that sends a JSON body with headers to an address."""


async def post_json(url: str, body: dict[str, Any], headers: dict[str, str]) -> None:
    """Post a body, with retries where no connection is made; a failure is printed on stderr,
    without the secret address.
    """
    again = httpx.AsyncHTTPTransport(retries=CONNECTION_RETRIES)
    try:
        async with httpx.AsyncClient(timeout=POSTING_TIMEOUT_S, transport=again) as client:
            answer = await client.post(url, json=body, headers=headers)
        reply = answer.json() if "json" in answer.headers.get("content-type", "") else None
        said = reply.get("error") if isinstance(reply, dict) else None
        if answer.is_error or said:
            print(f"bidfolio: Slack did not take an answer ({said or answer.status_code})", file=sys.stderr)
    except (httpx.HTTPError, ValueError) as error:
        print(f"bidfolio: Slack could not be told an answer ({type(error).__name__})", file=sys.stderr)


def hooks(counter: Counter, post: Post = post_json) -> APIRouter:
    """The router for the addresses ``/hooks/slack`` and ``/hooks/teams``."""
    router = APIRouter(prefix="/hooks")
    under_way: set[asyncio.Task[Any]] = set()
    taken: deque[str] = deque(maxlen=REMEMBERED_EVENTS)

    def start(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        under_way.add(task)  # the loop holds only a weak reference to it
        task.add_done_callback(under_way.discard)
        return task

    async def answer(said: str, session: str, mark: Mark) -> str:
        corpus, question = corpus_named(said)
        if not question:
            return "Ask a question behind the command or the name."
        if len(question) > MAX_QUESTION_CHARACTERS:
            return f"The question has more than {MAX_QUESTION_CHARACTERS} characters: ask a shorter one."
        try:
            asking = Asking(question, corpus=corpus, session=session, asked_by=session)
            return shown(await counter.ask(asking), mark)
        except SeveralCorpora as error:
            remedy = f"begin your question with corpus:{error.corpora[0]}, say, or have {CORPUS_SETTING} set"
            return f"{error.told}: {remedy}"
        except BidfolioError as error:
            return in_one(error)
        except Exception as error:
            print(f"bidfolio: a question by {mark} failed ({type(error).__name__})", file=sys.stderr)
            return "This should not have happened: tell who runs bidfolio."

    async def answer_later(asked: SlackRequest, answering: asyncio.Task[str]) -> None:
        text = await answering
        if asked.response_url:
            await post(asked.response_url, {"response_type": "in_channel", "text": text}, {})
        elif asked.channel is None:
            print(
                "bidfolio: an answer to Slack has nowhere to go: its command names no address of Slack", file=sys.stderr
            )
        elif token := os.environ.get(SLACK_TOKEN):
            message = {"channel": asked.channel, "thread_ts": asked.thread, "text": text}
            await post(SLACK_MESSAGES, message, {"Authorization": f"Bearer {token}"})
        else:
            print(f"bidfolio: an answer to Slack has nowhere to go: set {SLACK_TOKEN}", file=sys.stderr)

    @router.post("/slack")
    async def slack(request: Request) -> Response:
        """A slash command, a mention, or Slack's challenge."""
        secret = os.environ.get(SLACK_SECRET)
        if not secret:
            return told(404, "Slack is not configured", f"set {SLACK_SECRET}")
        body = await request.body()
        given = request.headers
        signed = given.get("x-slack-request-timestamp", ""), given.get("x-slack-signature", "")
        if not is_from_slack(secret, *signed, body, time.time()):
            return told(401, "the signature is not Slack's, or older than five minutes", f"check {SLACK_SECRET}")
        asked = read_slack(body, given.get("content-type", ""))
        if asked.challenge is not None:
            return JSONResponse({"challenge": asked.challenge})
        # A repeat from Slack means that its first try was taken, or lost: Slack does not know which.
        if not asked.session or asked.event_id in taken:
            return Response(status_code=200)
        if asked.event_id:
            taken.append(asked.event_id)
        answering = start(answer(asked.question, asked.session, "slack"))
        if asked.channel is None and (await asyncio.wait({answering}, timeout=SLACK_WAITS_S))[0]:
            return JSONResponse({"response_type": "in_channel", "text": answering.result()})
        start(answer_later(asked, answering))
        if asked.channel is not None:
            return Response(status_code=200)
        return JSONResponse({"response_type": "ephemeral", "text": "Looking it up …"})

    @router.post("/teams")
    async def teams(request: Request) -> Response:
        """A message that mentions the outgoing webhook."""
        secret = os.environ.get(TEAMS_SECRET)
        if not secret:
            return told(404, "Teams is not configured", f"set {TEAMS_SECRET}")
        body = await request.body()
        if not is_from_teams(secret, request.headers.get("authorization", ""), body):
            return told(401, "the signature is not that of the Teams webhook", f"check {TEAMS_SECRET}")
        asked = read_teams(body)
        # Every message of Teams has the time of sending, which the signature covers, too.
        if not is_of_now(asked.sent_at or "", time.time()):
            return told(401, "the message is not of the last five minutes", "ask again; check this machine's clock")
        answering = start(answer(asked.question, asked.session, "teams"))
        if (await asyncio.wait({answering}, timeout=TEAMS_WAITS_S))[0]:
            return JSONResponse({"type": "message", "text": answering.result()})
        return JSONResponse({"type": "message", "text": "It takes longer than Teams waits: ask again in a minute."})

    return router
