"""The application in this process, for what a real server cannot show in a test: answers that come late, and a crowd.

Slack is out of reach, so what would be posted to it is written down instead.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import hmac
import json
import re
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from configs.settings import AskSettings, OpenAISettings, Settings
from flows.ask import Asking, Desk
from flows.web import hooks
from flows.web.app import make_app
from flows.web.counter import Busy, Counter, in_parts, status_of
from tasks.errors import GeneratorFailed, ServiceAway, SeveralCorpora, SourceChanged, UsageError
from tasks.pages.pictures.page_lookup import NoSuchPage, PageGone
from tests.made.commands import Bidfolio
from tests.made.published import Published
from tests.made.scripted_server import Odd, Reply, scripted_url

SECRET, URL = "a signing secret", "https://hooks.slack.com/commands/T1/2/x"
QUESTION = "Is all customer data at rest encrypted with AES-256?"
Posted = tuple[str, dict[str, Any], dict[str, str]]


def signed(body: str) -> dict[str, str]:
    stamp = str(int(time.time()))
    digest = hmac.new(SECRET.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


async def posts(
    settings: Settings, body: str, content_type: str, count: int, retries: int = 0
) -> tuple[httpx.Response, list[Posted]]:
    """What Slack is told at once, last, and what is posted to it later: ``count`` messages."""
    late: list[Posted] = []

    async def post(url: str, message: dict[str, Any], headers: dict[str, str]) -> None:
        late.append((url, message, headers))

    transport = httpx.ASGITransport(make_app(settings, Desk(settings), post))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        headers = signed(body) | {"Content-Type": content_type}
        for again in range(1, retries + 1):
            await client.post("/hooks/slack", content=body, headers=headers | {"X-Slack-Retry-Num": str(again)})
        answer = await client.post("/hooks/slack", content=body, headers=headers)
        while len(late) < count:
            await asyncio.sleep(0.05)
        # A first answer takes as long as its models take to load.
        if retries and (pending := asyncio.all_tasks() - {asyncio.current_task()}):
            await asyncio.wait(pending, timeout=60)
    return answer, late


@pytest.fixture
def settings(published_once: Published, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv(hooks.SLACK_SECRET, SECRET)
    monkeypatch.setattr(hooks, "SLACK_WAITS_S", 0.0)
    return Settings(home=str(published_once.home))


def test_a_late_answer_goes_where_slack_wants_it(settings: Settings) -> None:
    form = httpx.QueryParams({"channel_id": "C", "user_id": "U", "text": QUESTION, "response_url": URL})
    answer, late = asyncio.run(posts(settings, str(form), "application/x-www-form-urlencoded", 1))
    assert answer.json() == {"response_type": "ephemeral", "text": "Looking it up …"}
    ((url, message, headers),) = late
    assert (url, message["response_type"], headers) == (URL, "in_channel", {})
    assert "AES-256" in message["text"]


def test_a_late_answer_goes_to_nobody_else(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    form = httpx.QueryParams({"channel_id": "C", "text": QUESTION, "response_url": "https://evil.example/"})
    answer, late = asyncio.run(posts(settings, str(form), "application/x-www-form-urlencoded", 0))
    assert answer.status_code == 200 and late == []
    assert SECRET not in capsys.readouterr().err


def test_a_command_without_an_address_is_posted_to_no_channel(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(hooks.SLACK_TOKEN, "xoxb-secret")
    form = httpx.QueryParams({"channel_id": "C", "user_id": "U", "text": QUESTION})
    answer, late = asyncio.run(posts(settings, str(form), "application/x-www-form-urlencoded", 0, retries=1))
    assert answer.status_code == 200 and not late
    assert "its command names no address" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Odd(body=b"[1]"), ""),
        (Odd(body=b"[1"), "Slack could not be told an answer (JSONDecodeError)"),
        (Odd(500), "Slack could not be told an answer (JSONDecodeError)"),
        (Odd(500, content_type="text/html"), "Slack did not take an answer (500)"),
        (Odd(body=b'{"error": "expired_url"}'), "Slack did not take an answer (expired_url)"),
    ],
)
def test_whatever_slack_says_to_an_answer_is_told_in_a_line(
    reply: Reply, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted_url(lambda body: reply) as url:
        asyncio.run(hooks.post_json(url, {"text": "Yes."}, {}))
    assert capsys.readouterr().err == (f"bidfolio: {told}\n" if told else "")


def test_a_mention_is_answered_in_its_thread(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(hooks.SLACK_TOKEN, "xoxb-token")
    event = {"type": "app_mention", "text": f"<@U0> {QUESTION}", "channel": "C1", "ts": "1.2"}
    body = json.dumps({"type": "event_callback", "event": event})
    answer, late = asyncio.run(posts(settings, body, "application/json", 1))
    assert (answer.status_code, answer.content) == (200, b"")
    ((url, message, headers),) = late
    assert (url, headers) == (hooks.SLACK_MESSAGES, {"Authorization": "Bearer xoxb-token"})
    assert (message["channel"], message["thread_ts"]) == ("C1", "1.2") and "AES-256" in message["text"]


def test_a_mention_that_slack_sends_again_is_answered_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where its first delivery never came: what comes first may be a second try."""
    monkeypatch.setenv(hooks.SLACK_TOKEN, "xoxb-token")
    event = {"type": "app_mention", "text": f"<@U0> {QUESTION}", "channel": "C1", "ts": "1.2"}
    body = json.dumps({"type": "event_callback", "event_id": "Ev1", "event": event})
    answer, late = asyncio.run(posts(settings, body, "application/json", 1, retries=2))
    assert answer.status_code == 200 and len(late) == 1


class OfTwo(Desk):
    """A desk over the corpora a and b, which says from which it answers."""

    def __init__(self, settings: Settings) -> None:
        self._of_settings = settings.ask.corpus

    def ask(self, asking: Asking, on_text: Any = None) -> dict[str, Any]:
        corpus = asking.corpus or self._of_settings
        if corpus is None:
            raise SeveralCorpora(["a", "b"])
        raise UsageError(f"{corpus} is asked {asking.question}: leave --file or `bidfolio refresh --file x` away")


@pytest.mark.parametrize(
    ("of_settings", "said", "told"),
    [
        (None, "Who?", "there are several corpora (a, b): begin your question with corpus:a, say, or have"),
        (None, "corpus:b Who?", "b is asked Who?"),
        ("a", "Who?", 'a is asked Who?: leave "files" or `bidfolio refresh --file x` away'),
        ("a", "corpus:b Who?", "b is asked Who?"),
    ],
)
def test_slack_says_of_which_corpus_or_the_settings_do(
    monkeypatch: pytest.MonkeyPatch, of_settings: str | None, said: str, told: str
) -> None:
    monkeypatch.setenv(hooks.SLACK_SECRET, SECRET)
    settings = Settings(ask=AskSettings(corpus=of_settings))
    form = str(httpx.QueryParams({"channel_id": "C", "user_id": "U", "text": said}))
    headers = signed(form) | {"Content-Type": "application/x-www-form-urlencoded"}

    async def answers() -> tuple[str, dict[str, str]]:
        transport = httpx.ASGITransport(make_app(settings, OfTwo(settings)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            text = (await client.post("/hooks/slack", content=form, headers=headers)).json()["text"]
            return text, (await client.post("/ask", json={"question": "Who?"})).json()

    text, over_http = asyncio.run(answers())
    assert told in text
    if of_settings is None:
        assert over_http == {
            "error": "there are several corpora (a, b)",
            "remedy": 'name one as "corpus" in the request, or set BIDFOLIO_ASK_CORPUS',
        }
    else:
        assert over_http["remedy"] == 'leave "files" or `bidfolio refresh --file x` away'


def test_the_corpus_of_the_settings_is_asked(settings: Settings) -> None:
    elsewhere = settings.model_copy(update={"ask": AskSettings(corpus="tenders")})
    with pytest.raises(UsageError, match="nothing of the corpus 'tenders' is published"):
        Desk(elsewhere).ask(Asking(QUESTION))
    assert Desk(elsewhere).ask(Asking(QUESTION, corpus="default"))["citations"]


@pytest.mark.parametrize("path", ["/hooks/slack", "/hooks/teams"])
def test_without_a_secret_there_is_no_hook(settings: Settings, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.delenv(hooks.SLACK_SECRET)

    async def status() -> int:
        transport = httpx.ASGITransport(make_app(settings, Desk(settings)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return (await client.post(path, content=b"{}")).status_code

    assert asyncio.run(status()) == 404


class Slow(Desk):
    """A desk that answers when it is let to, and fails as it is told."""

    def __init__(self, error: Exception | None = None) -> None:
        self.let = threading.Event()
        self.at_once = self.most = 0
        self._error = error

    def ask(self, asking: Asking, on_text: Any = None) -> dict[str, Any]:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        assert self.let.wait(60)
        self.at_once -= 1
        if self._error is not None:
            raise self._error
        return {"citations": []}


def test_who_names_neither_plan_nor_generator_is_answered_by_those_of_the_settings(settings: Settings) -> None:
    requests = list[dict[str, Any]]()

    def declines(body: dict[str, Any]) -> Reply:
        requests.append(body)
        return 200, {"answer": None, "citations": [], "verdict": None}

    with scripted_url(declines) as url:
        said = settings.model_copy(
            update={
                "openai": OpenAISettings(base_url=url, model="m"),
                "ask": AskSettings(generator="openai"),
            }
        )
        desk = Desk(said)
        declined = desk.ask(Asking(QUESTION))
        assert (declined["generator"], declined["status"], len(requests)) == ("openai", "answered", 1)
        assert declined["verdict"] == "yes", "a quote says more than a small model"
        assert "the model replies: not settled" in declined["detail"]
        quoted = desk.ask(Asking(QUESTION, generator="extractive"))
        assert (quoted["generator"], len(requests)) == ("extractive", 1), "who names one gets that"
    with pytest.raises(UsageError, match="--plan naive"):
        Desk(settings.model_copy(update={"ask": AskSettings(plan="naive")})).ask(Asking(QUESTION))


def test_some_are_answered_at_a_time_some_wait_and_the_rest_are_sent_away() -> None:
    desk = Slow()
    counter = Counter(Settings(ask=AskSettings(at_once=2, waiting=3)), desk)

    async def crowd() -> list[Any]:
        asking = [asyncio.create_task(counter.ask(Asking("q"))) for _ in range(9)]
        await asyncio.sleep(0.2)
        desk.let.set()
        found: list[Any] = await asyncio.gather(*asking, return_exceptions=True)
        return found

    found = asyncio.run(crowd())
    assert sum(isinstance(one, Busy) for one in found) == 4 and desk.most == 2
    assert sum(isinstance(one, dict) for one in found) == 5


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (UsageError("no scope: name one"), {"error": "no scope", "remedy": "name one"}),
        (
            RuntimeError("a bug"),
            {"error": "this should not have happened", "remedy": "see what `bidfolio serve` printed"},
        ),
    ],
)
def test_a_stream_ends_with_what_went_wrong(error: Exception, told: dict[str, str]) -> None:
    desk = Slow(error)
    desk.let.set()

    async def events() -> list[str]:
        return [event async for event in Counter(Settings(), desk).stream(Asking("q"))]

    (event,) = asyncio.run(events())
    assert event == f"event: error\ndata: {json.dumps(told)}\n\n"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NoSuchPage("x"), 404),
        (PageGone("x"), 410),
        (SourceChanged("x"), 409),
        (Busy("x"), 503),
        (ServiceAway("x"), 503),
        (GeneratorFailed("x"), 502),
        (UsageError("x"), 400),
    ],
)
def test_statuses(error: Any, status: int) -> None:
    assert status_of(error) == status
    assert in_parts(error) == {"error": "x", "remedy": ""}


@pytest.mark.parametrize(
    ("message", "error", "remedy"),
    [
        ("a: b: c", "a: b", "c"),
        ('the question is empty: send {"question": "…"}', "the question is empty", 'send {"question": "…"}'),
        ("needs a server: set X, or y.z: true in the plan", "needs a server", "set X, or y.z: true in the plan"),
        ('key {"a": 1} is wrong: set X, \'{"b": 2}\'', 'key {"a": 1} is wrong', "set X, '{\"b\": 2}'"),
    ],
)
def test_an_example_in_a_remedy_is_not_cut_at_its_colon(message: str, error: str, remedy: str) -> None:
    assert in_parts(UsageError(message)) == {"error": error, "remedy": remedy}


def test_who_hangs_up_before_an_error_leaves_no_complaint() -> None:
    """Asyncio tells its handler of an error that nobody has looked at."""
    desk, complaints = Slow(UsageError("the server is away: start it")), list[dict[str, Any]]()

    async def hang_up() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        stream = Counter(Settings(), desk).stream(Asking("q"))
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.1)
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
        assert isinstance(stream, AsyncGenerator)
        await stream.aclose()
        desk.let.set()
        while desk.at_once:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.1)
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(hang_up())
    assert complaints == []


def test_who_listens_beyond_this_machine_says_by_what_name() -> None:
    with pytest.raises(ValueError, match=r"ask\.hosts"):
        AskSettings(listen="0.0.0.0")
    assert not AskSettings(listen="0.0.0.0", hosts=("bids.example.com",)).is_local
    with pytest.raises(ValueError, match="hosts"):
        AskSettings(hosts=("https://bids.example.com",))


def test_damage_is_named_and_what_was_mended_is_loaded_again(published: Published, bidfolio: Bidfolio) -> None:
    settings = Settings(home=str(published.home))
    app = make_app(settings, Desk(settings))

    async def asked() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return [await client.post("/ask", json={"question": QUESTION}), await client.get("/healthz")]

    assert [one.status_code for one in asyncio.run(asked())] == [200, 200]
    for manifest in (published.home / "index").glob("*.rows-*.lance/_versions/*.manifest"):
        manifest.write_bytes(manifest.read_bytes()[:100])
    for one in asyncio.run(asked()):
        assert one.status_code == 503 and f"{published.home}/index/" in one.json()["error"]
        assert re.match(r"run `bidfolio refresh \S+ --corpus default`", one.json()["remedy"])
    assert bidfolio("refresh", published.documents).exit_code == 0
    first, state = asyncio.run(asked())
    assert "AES-256" in first.json()["answer"] and state.json()["live"] == published.refreshed.summary["index_version"]
