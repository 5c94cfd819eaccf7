"""Generators in a row: real servers on loopback that are well, dead, slow or wrong, and extracts as the last resort."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import Any

import pytest

from configs.plans import Answering
from configs.settings import OpenAISettings
from tasks.answering.decision.decide import decide
from tasks.answering.drafts.draft import Asked
from tasks.answering.generators.chain import ChainGenerator
from tasks.answering.generators.factory import build_generator
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.answering.generators.server_faults import shown_fault, warnings_of
from tasks.errors import ServiceAway, UsageError
from tasks.llm.model_server import ModelServer
from tasks.records import Question
from tests.made.generator_chains import AWAY, Chain, extractive
from tests.made.scripted_server import Kept, Odd, Reply, refusal, scripted_url
from tests.made.snapshots import GOOD, TEXT, asked, hit


@pytest.fixture
def stack() -> Any:
    with ExitStack() as opened:
        yield opened


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.llm.retries.FIRST_WAIT_S", 0.01)


def test_a_primary_that_is_well_drafts_all_and_nobody_else_is_asked(stack: ExitStack) -> None:
    chain = Chain(stack, "openai", "backup", "extractive", openai=(200, GOOD), backup=(200, GOOD))
    drafts = chain.generator.draft([asked(), asked("How long are they kept?")])
    assert [(draft.text, draft.generator, draft.detail) for draft in drafts] == [(GOOD["answer"], "openai", "")] * 2
    assert len(chain.requests["openai"]) == 2 and not chain.requests["backup"]
    assert [attempt.model for draft in drafts for attempt in draft.attempts] == ["openai-model"] * 2


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (AWAY, f"no model server answers at {AWAY}"),
        (Odd(500), "answered with status 500"),
        (Odd(400, refusal("see https://example.com: set it")), "status 400, saying “see https://example.com: set it”"),
        (Odd(401), "wants a key: set BIDFOLIO_OPENAI_API_KEY"),
        (
            Odd(404, refusal("The model does not exist.")),
            "does not serve the model 'openai-model': set BIDFOLIO_OPENAI_MODEL",
        ),
        ((200, "<html>Down</html>"), "BASE_URL, which often ends in /v1"),
        ((200, "I think so!"), "the reply is not of the asked shape"),
        ((200, GOOD | {"citations": [7]}), "the reply cites passages [7], and there are 1"),
        (Odd(body=b"{}", after_s=1.2), "gave no reply within 1 s"),
    ],
    ids=["away", "broken", "refused", "key", "model", "page", "prose", "wrong citation", "slow"],
)
def test_whatever_goes_wrong_the_next_drafts_and_says_so(stack: ExitStack, reply: Reply | str, reason: str) -> None:
    chain = Chain(stack, "openai", "backup", "extractive", seconds=1.0, openai=reply, backup=(200, GOOD))
    (draft,) = chain.generator.draft([asked()])
    assert (draft.text, draft.generator) == (GOOD["answer"], "backup")
    assert draft.detail.startswith("drafted by the fallback backup, as openai: ")
    assert "://" not in draft.detail and "BIDFOLIO_" not in draft.detail
    *failed, made = draft.attempts
    assert draft.detail.endswith(shown_fault(failed[-1].failure or "nothing")), "in words that a customer may read"
    warnings = warnings_of([draft.attempts])
    if "the reply" in reason:
        assert not warnings, "a matter of the question"
    else:
        (warning,) = warnings
        assert warning.startswith("openai did not draft 1 of 1 questions: ") and reason in warning
    assert {attempt.generator for attempt in failed} == {"openai"} and reason in (failed[-1].failure or "")
    assert (made.generator, made.failure) == ("backup", None)
    assert len(chain.requests.get("openai", [])) <= 2 and len(chain.requests["backup"]) == 1


def test_the_last_resort_quotes_the_documents(stack: ExitStack) -> None:
    chain = Chain(stack, "openai", "backup", "extractive", openai=AWAY, backup=Odd(500))
    (draft,) = chain.generator.draft([asked()])
    assert (draft.text, draft.generator) == (TEXT, "extractive")
    assert [attempt.generator for attempt in draft.attempts] == ["openai", "backup", "extractive"]
    assert draft.detail.startswith("drafted by the fallback extractive, as openai: no model server answers")
    assert "; backup: " in draft.detail and "status 500" in draft.detail
    assert "take --generator" not in draft.detail, "there is nothing to do: it was answered"


def test_only_the_questions_that_failed_go_on(stack: ExitStack) -> None:
    def script(body: dict[str, Any]) -> Reply:
        return (200, "prose") if "odd" in body["messages"][1]["content"] else (200, GOOD)

    server = ModelServer(OpenAISettings(base_url=stack.enter_context(scripted_url(script)), model="m"), Kept())
    chain = ChainGenerator([OpenAIGenerator(server, has_next=True), extractive()])
    drafts = chain.draft([asked("odd 1?"), asked("even?"), asked("odd 2?"), Asked(Question("q", 0, "None?"), [])])
    assert [draft.generator for draft in drafts] == ["extractive", "openai", "extractive", "openai"]
    assert chain.draft([]) == []


def test_a_decline_is_a_result_and_no_reason_to_ask_another(stack: ExitStack) -> None:
    nothing: dict[str, Any] = {"verdict": None, "answer": None, "citations": []}
    chain = Chain(stack, "openai", "backup", "extractive", openai=(200, nothing), backup=(200, GOOD))
    (draft,) = chain.generator.draft([asked()])
    assert (draft.declined, draft.generator) == ("no_evidence", "openai") and not chain.requests["backup"]


def test_a_dead_primary_is_left_alone_for_400_questions(stack: ExitStack) -> None:
    chain = Chain(stack, "openai", "extractive", openai=Odd(500))
    drafts = chain.generator.draft([asked(f"How often? {number}") for number in range(400)])
    assert {draft.generator for draft in drafts} == {"extractive"} and len(drafts) == 400
    assert len(chain.requests["openai"]) <= 3 - 1 + 4, "those under way when the third failed: four are in flight"
    assert "it is not asked for a while" in drafts[-1].detail + drafts[0].detail
    (warning,) = warnings_of([draft.attempts for draft in drafts])
    told = re.match(r"openai did not draft 400 of 400 questions, (\d+) of which it was not asked: http://", warning)
    assert told and int(told[1]) >= 400 - 6 and "for a while" not in warning


def test_servers_alone_that_are_all_away_say_so_and_one_that_answered_is_not_lost(stack: ExitStack) -> None:
    chain = Chain(stack, "openai", "backup", openai=AWAY, backup=AWAY)
    with pytest.raises(ServiceAway, match="take --generator extractive"):
        chain.generator.draft([asked()])

    def script(body: dict[str, Any]) -> Reply:
        return (200, "prose") if "odd" in body["messages"][1]["content"] else (200, GOOD)

    good = ModelServer(OpenAISettings(base_url=stack.enter_context(scripted_url(script)), model="m"), Kept())
    away = ModelServer(OpenAISettings(base_url=AWAY, model="m"), Kept())
    both = ChainGenerator([OpenAIGenerator(good, "good", has_next=True), OpenAIGenerator(away, "away")])
    failed, made = both.draft([asked("odd?"), asked()])
    assert made.text == GOOD["answer"] and failed.declined == "generator_failed"
    assert failed.detail.startswith("good: the reply is not") and "; away: no model server" in failed.detail
    assert [attempt.generator for attempt in failed.attempts] == ["good", "good", "away"]


def test_a_reply_that_was_there_is_taken_though_its_server_is_gone(stack: ExitStack) -> None:
    chain = Chain(stack, "openai", "extractive", openai=(200, GOOD))
    chain.generator.draft([asked()])
    stack.close()
    again = build_generator("chain", chain.settings, chain.server, extractive)
    first, second = again.draft([asked(), asked("How long are they kept?")])
    assert (first.text, first.generator, first.detail) == (GOOD["answer"], "openai", "")
    assert second.generator == "extractive"


def test_a_decline_of_a_fallback_says_whose_it_is(stack: ExitStack) -> None:
    item = asked()
    (draft,) = Chain(stack, "openai", "extractive", openai=Odd(401)).generator.draft([item])
    plan = Answering(decline_below=1.0, review_below=1.0)
    answer = decide(item, draft, plan, "extractive")
    assert (answer.status, answer.decline_reason) == ("declined", "weak_evidence")
    wants_a_key = "drafted by the fallback extractive, as openai: the model server wants a key"
    assert answer.detail == f"the documents do not settle it; {wants_a_key}"


@pytest.mark.parametrize(
    ("failure", "shown"),
    [
        ("http://h:1/v1 refused the key: set BIDFOLIO_OPENAI_API_KEY", "the model server refused the key"),
        ("no model server answers at http://h/v1: start it, or take x", "no model server answers"),
        ("the model server at http://h/v1 gave no reply within 3 s", "the model server gave no reply within 3 s"),
        (
            "http://h/v1 broke off its reply: look into its log for why, or take x",
            "the model server broke off its reply",
        ),
        (
            "http://h/v1 answered with status 400, saying “set “a” at http://x”: take x",
            "the model server answered with status 400",
        ),
        ("the reply is not of the asked shape: answer: set it", "the reply is not of the asked shape: answer: set it"),
        ("", ""),
    ],
)
def test_a_fault_is_shown_without_address_and_setting(failure: str, shown: str) -> None:
    assert shown_fault(failure) == shown


# Streams


def test_the_one_that_drafts_is_heard(stack: ExitStack) -> None:
    for order, wanted in ((("openai", "backup"), "backup"), (("openai", "extractive"), "extractive")):
        told: list[str] = []
        chain = Chain(stack, *order, openai=AWAY, backup=(200, GOOD))
        draft = chain.generator.stream_draft(asked(), told.append)
        assert draft.generator == wanted and "".join(told) == (draft.text if wanted == "backup" else "")
        assert draft.detail.startswith(f"drafted by the fallback {wanted}, as openai: no model server")


def test_what_one_that_broke_off_has_told_is_not_run_on_from(stack: ExitStack) -> None:
    told: list[str] = []
    cut = Odd(content='{"answer": "Snapshots are made by elves", "citations": [1]}', pieces=5)
    chain = Chain(stack, "openai", "extractive", openai=cut)
    draft = chain.generator.stream_draft(asked(), told.append)
    assert "".join(told).startswith("Snapshots are ma") and TEXT not in "".join(told)
    assert (draft.text, draft.generator) == (TEXT, "extractive") and "broke off" in draft.detail


def test_an_extract_is_there_at_once_and_nothing_is_told_before_it_is_judged() -> None:
    told: list[str] = []
    draft = extractive().stream_draft(asked("How often?", "free_text", hit("Cats come at noon.", rank=2)), told.append)
    assert draft.text and draft.generator == "extractive"
    assert extractive().stream_draft(Asked(Question("q", 0, "?"), []), told.append).text is None and told == []


def test_a_chain_whose_server_is_not_configured_says_what_to_set(stack: ExitStack) -> None:
    with pytest.raises(UsageError, match="set BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL"):
        Chain(stack, "openai", "extractive")
    assert Chain(stack, "extractive").generator.draft([asked()])[0].text == TEXT
