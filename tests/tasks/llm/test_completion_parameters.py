"""Servers that do not take every parameter of a chat completion: they are asked without it, from then on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from configs.settings import OpenAISettings
from tasks.llm.completion_parameters import EVERY, Parameters
from tasks.llm.model_server import ModelServer
from tasks.progress import Silent, show
from tests.made.hearing import Hearing
from tests.made.model_requests import SAID, request
from tests.made.scripted_server import Kept, Odd, Reply, refusal, scripted_url

Refuses = Callable[[dict[str, Any]], str | None]


def no_schema(body: dict[str, Any]) -> str | None:
    kind = body.get("response_format", {}).get("type")
    return "'response_format.type' must be 'json_object' or 'text'" if kind == "json_schema" else None


def no_format(body: dict[str, Any]) -> str | None:
    return "This response_format type is unavailable now" if "response_format" in body else None


def no_max_tokens(body: dict[str, Any]) -> str | None:
    wrong = "Unsupported parameter: 'max_tokens' is not supported with this model."
    return f"{wrong} Use 'max_completion_tokens' instead." if "max_tokens" in body else None


def no_length(body: dict[str, Any]) -> str | None:
    return "max_tokens: extra inputs are not permitted" if "max_tokens" in body else None


def no_temperature(body: dict[str, Any]) -> str | None:
    wrong = "Unsupported value: 'temperature' does not support 0.0 with this model."
    return f"{wrong} Only the default (1) value is supported." if "temperature" in body else None


class Picky:
    """Refuses what any of ``refuse`` finds wrong with a request, and takes the others."""

    def __init__(self, *refuse: Refuses, status: int = 400) -> None:
        self.requests: list[dict[str, Any]] = []
        self._refuse, self._status = refuse, status

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.requests.append(body)
        wrong = next(filter(None, (one(body) for one in self._refuse)), None)
        return Odd(self._status, refusal(wrong)) if wrong else (200, SAID)


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("refuse", "refused", "taken", "told"),
    [
        ((no_schema,), 1, Parameters("json_object"), "response_format json_object in the place of response_format"),
        ((no_format,), 2, Parameters(""), "nothing in the place of response_format json_object"),
        ((no_max_tokens,), 1, Parameters(length="max_completion_tokens"), "max_completion_tokens in the place of max_"),
        ((no_length,), 1, Parameters(length=""), "nothing in the place of max_tokens"),
        ((no_temperature,), 1, Parameters(temperature=""), "nothing in the place of temperature"),
        (
            (no_temperature, no_format, no_max_tokens),
            4,
            Parameters("", "max_completion_tokens", ""),
            "max_completion_tokens in the place of max_tokens",
        ),
    ],
    ids=["schema", "format", "max_tokens", "any length", "temperature", "all three"],
)
def test_what_a_server_refuses_is_left_out_once_and_for_all(
    status: int, refuse: tuple[Refuses, ...], refused: int, taken: Parameters, told: str
) -> None:
    hearing, script, kept = Hearing(), Picky(*refuse, status=status), Kept()
    show(hearing)
    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), kept)
        (first,) = server.exchange([request()], instead="tea")
        (second,) = server.exchange([request("Else?")], instead="tea")
        streamed = server.stream(request("And?"), lambda raw: None, instead="tea")
        (again,) = ModelServer(OpenAISettings(base_url=url, model="m"), kept).exchange([request()], instead="tea")
    show(Silent())
    assert [one.reply for one in (first, second, streamed, again)] == [SAID] * 4
    assert len(script.requests) == refused + 3, "the second question is asked at once as the server takes it"
    assert [sent.raw for sent in first.sent] == [None] * refused + [SAID] and len(second.sent) == 1
    assert told in (first.sent[-2].failure or "") and len(hearing.lines) == refused and told in hearing.lines[-1]
    assert first.sent[-1].sha256 == request()._replace(parameters=taken).sha256("m") == again.sent[0].sha256
    body = script.requests[-1]
    assert ("temperature" in body, body.get("response_format", {}).get("type", "")) == (
        bool(taken.temperature),
        taken.response_format,
    )
    assert {name for name in body if "tokens" in name} == {taken.length} - {""}


def test_many_that_are_under_way_agree_on_what_the_server_takes() -> None:
    script = Picky(no_format, no_max_tokens, no_temperature)
    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m", max_in_flight=8), Kept())
        outcomes = server.exchange([request(f"{number}?") for number in range(40)], instead="tea")
    assert [one.reply for one in outcomes] == [SAID] * 40
    assert len(script.requests) <= 40 + 8 * 4


def test_a_refusal_of_something_else_changes_nothing() -> None:
    script = Picky(lambda body: "messages: too rude" if "rude" in body["messages"][1]["content"] else None)
    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), Kept())
        rude, polite = server.exchange([request("rude?"), request()], instead="tea")
    assert "saying “messages: too rude”" in str(rude.error) and polite.reply == SAID
    assert all({"response_format", "max_tokens", "temperature"} <= body.keys() for body in script.requests)


def test_a_server_that_refuses_everything_is_asked_no_longer() -> None:
    script = Picky(lambda body: "response_format, max_tokens and temperature are refused")
    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), Kept())
        (outcome,) = server.exchange([request()], instead="tea")
    assert "status 400" in str(outcome.error) and len(script.requests) == 5


def test_what_names_no_parameter_gives_no_others() -> None:
    for said in ("", "no such thing", "it is too hot"):
        assert Parameters().after(said) is None
    assert Parameters("", "", "").after("response_format max_tokens temperature") is None
    assert Parameters().after("max_tokens and temperature", "temperature") == Parameters(temperature="")
    assert Parameters().change_to(Parameters()) == "" and len(set(EVERY)) == 18 and EVERY[0] == Parameters()
