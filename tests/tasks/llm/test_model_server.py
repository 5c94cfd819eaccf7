"""A model server that is away, slow, busy, broken or full of nonsense, on real sockets; what a good one says is told
by the tests of who asks it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.utils import formatdate
from itertools import pairwise
from time import monotonic, sleep, time
from typing import Any

import pytest

from configs.settings import OpenAISettings
from tasks.answering.generators.server_faults import shown_fault
from tasks.errors import BidfolioError, GeneratorFailed, ServiceAway, UsageError
from tasks.llm import retries
from tasks.llm.circuit_breaker import Breaker
from tasks.llm.completions import Outcome
from tasks.llm.model_server import MAX_BYTES, ModelServer
from tasks.llm.server_errors import reason_of, without_secret
from tests.made.hearing import lines_heard
from tests.made.model_requests import SAID, request
from tests.made.scripted_server import Kept, Odd, Reply, completion, refusal, scripted_server, scripted_url

AWAY = "http://127.0.0.1:9/v1"


def outcome_of(*replies: Reply, **settings: Any) -> tuple[Outcome, int]:
    """What comes of one request to a server of such replies, and how many it got."""
    with scripted_server(*replies, **settings) as (server, requests):
        (outcome,) = server.exchange([request()], instead="tea")
    return outcome, len(requests)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.llm.retries.FIRST_WAIT_S", 0.01)


# What goes wrong


@pytest.mark.parametrize(
    ("reply", "kind", "message", "asked"),
    [
        (Odd(body=completion(SAID), after_s=0.6), ServiceAway, "gave no reply within 0.3 s: set BIDFOLIO_OPENAI", 1),
        ((200, "<html>Sign in</html>"), ServiceAway, "BASE_URL, which often ends in /v1", 1),
        (
            Odd(body=completion(SAID)[:40], promised=900),
            ServiceAway,
            "broke off its reply: look into its log for why, or take tea",
            3,
        ),
        (Odd(body=b"\x00\xff{]garbage"), GeneratorFailed, "said what is no chat completion", 1),
        (Odd(body=b'{"choices": "none"}'), GeneratorFailed, "no chat completion: look into its log", 1),
        (Odd(body=b"[1, 2]"), ServiceAway, "does not answer as an OpenAI-compatible server does", 1),
        (Odd(body=b" " * (10 << 20)), GeneratorFailed, "1 MB, and is not read on: look into its log", 1),
        (Odd(body=b" " * 65536, is_endless=True), GeneratorFailed, "1 MB, and is not read on: look into its log", 1),
        (Odd(500, b"x" * 65536, is_endless=True), GeneratorFailed, "1 MB, and is not read on: look into its log", 1),
        (Odd(404, refusal("The model `m` does not exist.")), UsageError, "the model 'm': set BIDFOLIO_OPENAI_MODEL", 1),
        (Odd(404, b'{"detail":"Not Found"}'), UsageError, "has no /chat/completions: set BIDFOLIO_OPENAI_BASE_URL", 1),
        (Odd(400, refusal("model m not found")), UsageError, "does not serve the model 'm'", 1),
        (
            Odd(400, refusal("no such thing")),
            GeneratorFailed,
            "answered with status 400, saying “no such thing”: take tea",
            1,
        ),
        (Odd(400), GeneratorFailed, "answered with status 400: look into its log for why, or take tea", 1),
        (
            Odd(422, b'{"detail": [{"msg": "not\\nthis"}]}'),
            GeneratorFailed,
            "status 422, saying “not this”: take tea",
            1,
        ),
        (Odd(307, headers={"Location": "http://127.0.0.1:9/"}), GeneratorFailed, "answered with status 307", 1),
        (Odd(500), GeneratorFailed, "answered with status 500", 3),
    ],
    ids=[
        "slow",
        "a page",
        "cut",
        "garbage",
        "another shape",
        "a list",
        "ten megabytes",
        "endless",
        "an endless error",
        "model refused",
        "nothing there",
        "model refused otherwise",
        "request refused",
        "request refused without a word",
        "request refused by a list",
        "sent elsewhere",
        "broken",
    ],
)
def test_a_bad_server_is_named_with_what_to_do(
    reply: Reply, kind: type[BidfolioError], message: str, asked: int
) -> None:
    outcome, requests = outcome_of(reply, timeout_s=0.3 if "within" in message else 5)
    assert outcome.reply is None and isinstance(outcome.error, kind) and message in str(outcome.error)
    assert requests == asked
    (sent,) = outcome.sent
    assert sent.failure == str(outcome.error) and sent.raw is None and len(sent.sha256) == 64
    assert outcome.is_late == ("within" in message)


def test_no_more_is_read_than_the_limit() -> None:
    assert MAX_BYTES == 1 << 20
    long = SAID + " " * (MAX_BYTES // 2)
    outcome, _ = outcome_of(Odd(body=completion(long)))
    assert "it is not said" in str(outcome.error), "half of it is read, and judged"


def test_a_server_that_is_away_is_named() -> None:
    server = ModelServer(OpenAISettings(base_url=AWAY, model="m"), Kept())
    with pytest.raises(ServiceAway, match=f"no model server answers at {AWAY}: start it, or take tea"):
        server.ask([request()], instead="tea")


# Keys


@pytest.mark.parametrize(("given", "message"), [(None, "wants a key: set"), ("sk-wrong-key", "refused the key: set")])
@pytest.mark.parametrize("name", ["openai", "backup"])
def test_a_key_is_named_by_its_variable_and_never_shown(
    name: str, given: str | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"BIDFOLIO_{name.upper()}_API_KEY"
    monkeypatch.delenv(variable, raising=False)
    if given:
        monkeypatch.setenv(variable, given)
    with scripted_url(lambda body: (200, SAID), key="sk-right-key") as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), Kept(), name=name)
        (outcome,) = server.exchange([request()], instead="tea")
        assert isinstance(outcome.error, UsageError) and f"{message} {variable}" in str(outcome.error)
        assert "sk-" not in repr(outcome)
        monkeypatch.setenv(variable, "sk-right-key")
        (outcome,) = server.exchange([request()], instead="tea")
    assert outcome.reply == SAID


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("sk-two words", "a space"),
        (" sk-12345678", "a space"),
        ("sk-1234\n5678", "a line break"),
        ("sk-12345678\r\n", "a line break"),
        ("“sk-12345678”", "a typographic quotation mark"),
        ("sk-schlüssel", "a character that is not ASCII"),
        ("sk-1234\x075678", "a control character"),
    ],
)
@pytest.mark.parametrize("name", ["openai", "backup"])
def test_a_key_that_cannot_be_one_is_named_before_anything_is_sent(
    key: str, fault: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"BIDFOLIO_{name.upper()}_API_KEY"
    monkeypatch.setenv(variable, key)
    with scripted_server((200, SAID)) as (scripted, requests):
        server = ModelServer(scripted._settings, Kept(), name=name)
        outcomes = server.exchange([request(), request("Else?")], instead="tea")
        outcomes.append(server.stream(request(), lambda raw: None, instead="tea"))
        with pytest.raises(UsageError, match=f"set {variable} to the key alone"):
            server.ask([request()], instead="tea")
    for outcome in outcomes:
        assert isinstance(outcome.error, UsageError) and f"has {fault}, which no key has: set {variable}" in str(
            outcome.error
        )
        assert "sk-" not in repr(outcome) and not outcome.sent
    assert not requests


def test_a_key_that_a_refusal_repeats_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", "sk-repeated-1234")
    outcome, _ = outcome_of(Odd(400, refusal("Bearer sk-repeated-1234\nmay not do so")))
    assert "saying “Bearer … may not do so”" in str(outcome.error) and "sk-repeated" not in repr(outcome)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"message": "one\n  two\x1b[31m"}, "one two [31m"),
        ({"error": {"message": "no"}}, "no"),
        ({"detail": [{"loc": ["body"], "msg": "no"}, {"msg": "other"}]}, "no"),
        ("it does not work", "it does not work"),
        ("<html>Bad Request</html>", ""),
        ({"code": 7}, ""),
        ([], ""),
        (None, ""),
        ({"error": {"error": {"error": {"error": {"error": "deep"}}}}}, ""),
        ("x" * 300, "x" * 199 + "…"),
    ],
)
def test_a_reason_is_one_short_line(body: object, reason: str) -> None:
    assert reason_of(body, "secret-1") == reason


# A reply that is wrong


def test_what_is_wrong_is_asked_for_once_more_with_what_was_wrong_and_both_are_told() -> None:
    with scripted_server((200, "Perhaps."), (200, SAID)) as (server, requests):
        (outcome,) = server.exchange([request()], instead="tea")
    assert outcome.reply == SAID
    first, second = outcome.sent
    assert (first.raw, first.failure) == ("Perhaps.", "it is not said: Perhaps.")
    assert (second.raw, second.failure) == (SAID, None) and second.sha256 != first.sha256
    told = requests[1]["messages"][1]["content"]
    assert told.startswith(requests[0]["messages"][1]["content"]), "what the server has kept of the first still serves"
    assert "it is not said: Perhaps." in told


def test_the_same_request_twice_is_sent_once_and_a_kept_reply_that_is_wrong_by_now_is_asked_for_anew() -> None:
    kept = Kept()
    with scripted_server((200, SAID), kept=kept) as (server, requests):
        outcomes = server.exchange([request(), request("Else?"), request()], instead="tea")
        assert [outcome.reply for outcome in outcomes] == [SAID] * 3 and len(requests) == 2
        for key in kept:
            kept[key] = "It was said otherwise."
        (outcome,) = server.exchange([request()], instead="tea")
    assert outcome.reply == SAID and len(requests) == 3


# Many in flight


def test_several_threads_have_as_many_in_flight_as_one_may_and_no_more() -> None:
    lock, under_way, most, both = threading.Lock(), 0, 0, threading.Barrier(3)

    def script(body: dict[str, Any]) -> Reply:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        # Three are there at once, or this breaks: of one thread there are but two.
        both.wait(timeout=30)
        with lock:
            under_way -= 1
        return 200, SAID

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", max_in_flight=3), Kept())
        with ThreadPoolExecutor(3) as threads:
            asked = [[request(f"{thread} {number}?") for number in range(2)] for thread in range(3)]
            outcomes = list(threads.map(lambda some: server.exchange(some, instead="tea"), asked))
    assert [[one.reply for one in some] for some in outcomes] == [[SAID] * 2] * 3
    assert most == 3


class Slow:
    """A server that takes ``seconds`` for a request times those that it has, answered one after the other."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.asked, self.most, self._here = seconds, 0, 0, 0
        self._lock, self._worker = threading.Lock(), threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Reply:
        with self._lock:
            self.asked += 1
            self._here += 1
            self.most = max(self.most, self._here)
        with self._worker:
            sleep(self.seconds)
        with self._lock:
            self._here -= 1
        return 200, SAID


def test_a_server_that_is_slow_for_many_loses_no_question() -> None:
    """Of 24 questions at once it would answer three in time."""
    slow = Slow(0.25)
    with scripted_url(slow) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", timeout_s=0.85), Kept())
        outcomes = server.exchange([request(f"{number}?") for number in range(24)], instead="tea")
    assert [outcome.reply for outcome in outcomes] == [SAID] * 24
    assert slow.most <= 8 and slow.asked <= 40


def test_a_fast_server_is_soon_asked_as_much_as_may_be() -> None:
    lock, here, most = threading.Lock(), 0, 0

    def script(body: dict[str, Any]) -> Reply:
        nonlocal here, most
        with lock:
            here += 1
            most = max(most, here)
        sleep(0.3)  # long beside what a machine under load takes to send a request
        with lock:
            here -= 1
        return 200, SAID

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", max_in_flight=16), Kept())
        server.exchange([request(f"{number}?") for number in range(80)], instead="tea")
    assert 8 <= most <= 16 and server._in_flight.room == 16


def test_the_room_grows_by_replies_and_is_halved_once_for_those_that_were_late_together() -> None:
    room = retries.InFlight(32)
    assert room.room == 4
    for _ in range(28):
        room.worked(1.0, 60.0)
    assert room.room == 32
    room.worked(31.0, 60.0)
    for now in (100.0, 100.1, 101.0):
        room.late(40.0, now)
    assert room.room == 16
    room.late(100.5, 160.5)
    assert room.room == 8
    for _ in range(32):
        room.worked(1.0, 60.0)
    assert room.room == 8, "by one in four rounds, or a little less"
    for _ in range(3):
        room.worked(1.0, 60.0)
    assert room.room == 9
    for began in (200.0, 300.0, 400.0, 500.0, 600.0):
        room.late(began, began + 60)
    assert room.room == 1
    silent = retries.InFlight(32)
    silent.late(0.0, 60.0)
    assert silent.room == 1 and retries.InFlight(2).room == 2


def test_requests_are_let_in_as_they_came_and_one_that_gives_up_holds_nobody_up() -> None:
    room = retries.InFlight(1)
    let_in: list[int] = []

    async def one(number: int) -> None:
        async with room:
            let_in.append(number)
            await asyncio.sleep(0.003)

    async def all_of_them() -> None:
        tasks = []
        async with room:  # until all of them wait
            for number in range(20):
                tasks.append(asyncio.create_task(one(number)))
                await asyncio.sleep(0.0007)  # so that their looks for room do not fall together
            tasks[5].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(all_of_them())
    assert let_in == [number for number in range(20) if number != 5]


# Busy servers


@pytest.mark.parametrize("status", [429, 503])
def test_a_burst_of_refusals_loses_no_question_and_nobody_comes_back_too_soon(status: int) -> None:
    """Each of twelve questions is refused twice."""
    lock, seen = threading.Lock(), dict[str, list[float]]()

    def script(body: dict[str, Any]) -> Reply:
        with lock:
            times = seen.setdefault(body["messages"][1]["content"], [])
            times.append(monotonic())
        return Odd(status, headers={"Retry-After": "0.2"}) if len(times) < 3 else (200, SAID)

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", max_in_flight=12), Kept())
        outcomes = server.exchange([request(f"{number}?") for number in range(12)], instead="tea")
    assert [outcome.reply for outcome in outcomes] == [SAID] * 12
    assert [len(times) for times in seen.values()] == [3] * 12
    waits = [times[1] - times[0] for times in seen.values()]
    assert min(waits) >= 0.2, "as the server asked: without its word, a hundredth of a second"
    assert len({round(wait, 3) for wait in waits}) > 1, "not all at the same moment"


def test_a_server_is_asked_to_wait_by_a_date_too() -> None:
    times: list[float] = []

    def script(body: dict[str, Any]) -> Reply:
        times.append(time())
        return (200, SAID) if len(times) == 2 else Odd(429, headers={"Retry-After": formatdate(begin + 2, usegmt=True)})

    with scripted_url(script) as url:
        begin = int(time())
        (outcome,) = ModelServer(OpenAISettings(base_url=url, model="m"), Kept()).exchange([request()], instead="tea")
    assert outcome.reply == SAID and times[1] >= begin + 2


def test_without_a_word_each_wait_is_twice_the_one_before() -> None:
    times: list[float] = []

    def script(body: dict[str, Any]) -> Reply:
        times.append(monotonic())
        return (200, SAID) if len(times) == 6 else Odd(429)

    with scripted_url(script) as url:
        (outcome,) = ModelServer(OpenAISettings(base_url=url, model="m"), Kept()).exchange([request()], instead="tea")
    assert outcome.reply == SAID
    waits = [after - before for before, after in pairwise(times)]
    assert all(wait >= 0.01 * 2**number for number, wait in enumerate(waits))


def test_patience_ends_and_a_word_that_is_none_is_not_heeded() -> None:
    outcome, requests = outcome_of(Odd(429, headers={"Retry-After": "soon"}), patience_s=0.3)
    assert isinstance(outcome.error, GeneratorFailed)
    assert "status 429: ask again later, set BIDFOLIO_OPENAI_PATIENCE_S, or take tea" in str(outcome.error)
    assert requests > 2
    outcome, requests = outcome_of(Odd(429, headers={"Retry-After": "3600"}), patience_s=0.3)
    assert "status 429" in str(outcome.error) and requests == 1, "an hour is more than its patience"


@pytest.fixture
def heard() -> Iterator[list[str]]:
    with lines_heard() as lines:
        yield lines


def test_that_a_server_is_waited_for_is_told_once_and_only_where_it_takes_long(
    heard: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def script(body: dict[str, Any]) -> Reply:
        seen.append(body["messages"][1]["content"])
        return (200, SAID) if seen.count(seen[-1]) == 3 else Odd(503, headers={"Retry-After": "0.2"})

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), Kept())
        server.exchange([request("short?")], instead="tea")
        assert not heard
        monkeypatch.setattr(retries, "TOLD_FROM_S", 0.3)
        outcomes = server.exchange([request("one?"), request("other?")], instead="tea")
    assert [outcome.reply for outcome in outcomes] == [SAID] * 2
    told = "answered with status 503: it is busy, and asked again for up to 120 s (BIDFOLIO_OPENAI_PATIENCE_S)"
    assert heard == [f"{url} {told}"]


PAGE = Odd(502, b"<html>Bad Gateway</html>", "text/html; charset=utf-8")


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_proxy_without_a_model_server_is_not_waited_for_long(status: int) -> None:
    outcome, requests = outcome_of(replace(PAGE, status=status))
    assert isinstance(outcome.error, ServiceAway) and requests == 3
    wrong = f"status {status} and a page, as a proxy does that has no model server behind it"
    assert f"{wrong}: start that, set BIDFOLIO_OPENAI_BASE_URL, or take tea" in str(outcome.error)


def test_a_page_of_a_proxy_that_says_when_or_has_let_a_reply_through_is_waited_for() -> None:
    soon = replace(PAGE, headers={"Retry-After": "0.1"})
    with scripted_server(*[soon] * 5, (200, SAID), *[PAGE] * 5, (200, SAID)) as (server, requests):
        (first,) = server.exchange([request()], instead="tea")
        (second,) = server.exchange([request("Else?")], instead="tea")
    assert (first.reply, second.reply, len(requests)) == (SAID, SAID, 12)


# A server that fails again and again


@pytest.mark.parametrize(
    "odd", [Odd(500), (200, "<html>Down</html>"), Odd(body=b"{}", after_s=0.3)], ids=["status", "page", "hangs"]
)
def test_a_dead_server_of_a_chain_is_not_asked_for_each_of_400_questions(odd: Reply) -> None:
    requests, now = [], [0.0]

    def script(body: dict[str, Any]) -> Reply:
        requests.append(body)
        return odd

    clock: Callable[[], float] = lambda: now[0]  # noqa: E731
    with scripted_url(script) as url:
        of = OpenAISettings(base_url=url, model="m", max_in_flight=4, timeout_s=0.1)
        server = ModelServer(of, Kept(), seconds=60, breaker=Breaker(3, 30), clock=clock)
        outcomes = server.exchange([request(f"{number}?") for number in range(400)], instead="")
        assert all(outcome.error for outcome in outcomes)
        assert len(requests) <= 3 - 1 + 4, "those that were under way when the third failed"
        assert "after " in str(outcomes[-1].error) and not outcomes[-1].sent
        before = len(requests)
        now[0] = 29.0
        server.exchange([request("later?")], instead="")
        assert len(requests) == before
        now[0] = 30.0
        server.exchange([request(f"later {number}?") for number in range(10)], instead="")
        assert len(requests) == before + 1, "one to see"


def test_a_server_that_comes_back_is_asked_as_before() -> None:
    now = [0.0]
    with scripted_server(Odd(500), Odd(500), Odd(500), (200, SAID)) as (scripted, requests):
        of = OpenAISettings(base_url=scripted._url, model="m", max_in_flight=1)
        server = ModelServer(of, Kept(), seconds=60, breaker=Breaker(3, 30), clock=lambda: now[0])
        server.exchange([request(f"{number}?") for number in range(9)], instead="")
        assert len(requests) == 3
        now[0] = 31.0
        outcomes = server.exchange([request(f"{number}?") for number in range(9)], instead="")
    assert [outcome.reply for outcome in outcomes] == [SAID] * 9 and len(requests) == 12


# A window that is too small


MODELS: list[dict[str, object]] = [
    {"id": "other", "object": "model"},
    {"id": "m", "object": "model", "max_model_len": 2600},
]


def parts_of(body: dict[str, Any]) -> int:
    count: int = body["messages"][1]["content"].count(" part ")
    return count


@pytest.mark.parametrize(
    ("given", "left"),
    [({"context_tokens": 2600}, 7), ({"models": MODELS}, 7), ({"models": MODELS[:1]}, 12), ({}, 12)],
    ids=["set", "told by the server", "not told", "nothing told"],
)
def test_what_does_not_fit_gives_way_by_the_window_that_is_known(given: dict[str, Any], left: int) -> None:
    with scripted_server((200, SAID), **given) as (server, requests):
        (outcome,) = server.exchange([request(parts=12)], instead="tea")
    assert outcome.reply == SAID and outcome.left_out == 12 - left
    assert [parts_of(body) for body in requests] == [left]


def test_the_window_is_asked_for_once_however_many_are_in_flight() -> None:
    with scripted_server((200, SAID), models=MODELS) as (server, requests):
        outcomes = server.exchange([request(f"{number}?", parts=12) for number in range(8)], instead="tea")
    assert {outcome.left_out for outcome in outcomes} == {5} and {parts_of(body) for body in requests} == {7}


def test_a_server_that_finds_it_too_long_gets_less_and_the_reply_is_kept_with_what_gave_way() -> None:
    kept, counts = Kept(), list[int]()

    def script(body: dict[str, Any]) -> Reply:
        counts.append(parts_of(body))
        message = "This model's maximum context length is 1024 tokens. However, you requested 5000 tokens."
        return Odd(400, refusal(message)) if counts[-1] > 4 else (200, SAID)

    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), kept)
        (outcome,) = server.exchange([request(parts=12)], instead="tea")
    assert outcome.reply == SAID and counts[0] == 12 and counts[-1] <= 4 and len(counts) <= 5
    assert outcome.left_out == 12 - counts[-1]
    assert "too long for the model's window" in (outcome.sent[0].failure or "")
    (again,) = server.exchange([request(parts=12)], instead="tea")
    assert (again.reply, again.left_out, again.sent[0].sha256) == (SAID, outcome.left_out, outcome.sent[-1].sha256)


@pytest.mark.parametrize(
    "refused",
    [
        Odd(400, refusal("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.")),
        Odd(400, refusal("'max_tokens' is too large: 700. This model's maximum context length is 4096 tokens.")),
        Odd(400, refusal("The decoder prompt (length 5000) is longer than the maximum model length of 4096.")),
        Odd(400, refusal("request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it")),
        Odd(500, refusal("Context size has been exceeded.")),
        Odd(422, b'{"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096."}'),
        Odd(413, b'{"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1872"}'),
    ],
    ids=["openai", "vllm", "vllm before", "llama.cpp", "llama.cpp's other", "tgi", "tgi's other"],
)
def test_each_servers_words_for_too_long_are_known(refused: Odd) -> None:
    with scripted_server(refused, (200, SAID)) as (server, requests):
        (outcome,) = server.exchange([request(parts=2)], instead="tea")
    assert (outcome.reply, outcome.left_out, len(requests)) == (SAID, 1, 2)


def test_a_key_that_a_reply_repeats_is_neither_told_nor_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", "sk-repeated-1234")
    kept, asked = Kept(), request()._replace(check=lambda raw: None)
    with scripted_server((200, "Our key is sk-repeated-1234."), kept=kept) as (server, _):
        (outcome,) = server.exchange([asked], instead="tea")
    assert outcome.reply == "Our key is …." and list(kept.values()) == ["Our key is …."]
    assert "sk-repeated" not in repr(outcome)
    heard: list[str] = []
    with scripted_server((200, "Our key is sk-repeated-1234.")) as (server, _):
        outcome = server.stream(asked, heard.append, instead="tea")
    assert outcome.reply == "Our key is …." and heard and not any("sk" in one for one in heard)


@pytest.mark.parametrize(
    ("said", "so_far", "at_the_end"),
    [
        ("It can be", "It can be", "It can be"),
        ("It is sec", "It is ", "It is sec"),
        ("It is secret-1", "It is …", "It is …"),
        ("secret-1 and secre", "… and ", "… and secre"),
        ("", "", ""),
    ],
)
def test_a_secret_is_not_told_while_it_comes_in(said: str, so_far: str, at_the_end: str) -> None:
    assert without_secret(said, "secret-1", is_over=False) == so_far
    assert without_secret(said, "secret-1") == at_the_end
    assert without_secret(said, "", is_over=False) == said


def test_a_question_that_does_not_fit_at_all_fails_alone() -> None:
    outcome, requests = outcome_of(Odd(400, refusal("maximum context length is 8 tokens")))
    assert isinstance(outcome.error, GeneratorFailed) and requests == 1
    told = str(outcome.error)
    assert "does not fit into the window of 'm' with any passage: set a larger one" in told
    assert outcome.sent[-1].failure == told
    assert shown_fault(told) == "the model server: the question does not fit into the window of 'm' with any passage"


# Streams


def test_who_hears_a_stream_may_break_it_off() -> None:
    def hang_up(raw: str) -> None:
        raise BrokenPipeError("nobody listens")

    with scripted_server((200, SAID)) as (server, _), pytest.raises(BrokenPipeError, match="nobody listens"):
        server.stream(request(), hang_up, instead="tea")


def test_a_stream_is_heard_as_it_comes_and_kept() -> None:
    heard: list[str] = []
    with scripted_server((200, SAID)) as (server, requests):
        outcome = server.stream(request(), heard.append, instead="tea")
        assert outcome.reply == SAID and heard == ["It is s", SAID] and requests[0]["stream"] is True
        again = server.stream(request(), heard.append, instead="tea")
    assert again.reply == SAID and heard[2:] == [SAID] and len(requests) == 1


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Odd(content=SAID, pieces=1), "broke off its reply"),
        (Odd(content=SAID, pieces=1, is_closed=True), "broke off its reply"),
        (Odd(body=b'["no", "completion"]'), "BASE_URL, which often ends in /v1"),
        (Odd(body=b'{"choices": "none"}'), "no chat completion"),
        ((200, "<html>Sign in</html>"), "BASE_URL, which often ends in /v1"),
        (Odd(body=b"data: {]\n\n", content_type="text/event-stream"), "no chat completion"),
        (Odd(body=b"data: x" * 99, content_type="text/event-stream", is_endless=True), "said more than 1 MB"),
        (Odd(after_s=0.6, content=SAID), "gave no reply within 0.3 s"),
        ((401, {}), "wants a key: set BIDFOLIO_OPENAI_API_KEY"),
    ],
    ids=["cut", "cut as if it had ended", "a list", "another shape", "a page", "garbage", "endless", "slow", "key"],
)
def test_a_bad_stream_is_named(reply: Reply, message: str) -> None:
    with scripted_server(reply, timeout_s=0.3 if "within" in message else 5) as (server, _):
        outcome = server.stream(request(), lambda raw: None, instead="tea")
    assert outcome.reply is None and message in str(outcome.error)


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8"])
def test_a_server_that_does_not_stream_is_heard_all_the_same(content_type: str) -> None:
    heard: list[str] = []
    with scripted_server(Odd(body=completion(SAID), content_type=content_type)) as (server, requests):
        outcome = server.stream(request(), heard.append, instead="tea")
    assert outcome.reply == SAID and heard == [SAID] and len(requests) == 1 and requests[0]["stream"] is True


def test_a_stream_that_does_not_say_that_it_has_ended_is_whole_where_it_is_a_reply() -> None:
    with scripted_server(Odd(content=SAID, pieces=2, is_closed=True)) as (server, _):
        assert server.stream(request(), lambda raw: None, instead="tea").reply == SAID


def test_a_content_in_parts_is_put_together() -> None:
    parts = [{"type": "text", "text": SAID[:4]}, {"type": "text", "text": SAID[4:]}, {"type": "other"}]
    choices = [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": parts}}]
    with scripted_server((200, {"raw": {"choices": choices}})) as (server, _):
        (outcome,) = server.exchange([request()], instead="tea")
    assert outcome.reply == SAID
