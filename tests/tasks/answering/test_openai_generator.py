"""The `openai` generator against a scripted server: what a small model cannot be made to do on demand."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest

from configs.settings import OpenAISettings
from tasks.answering.decision.decide import decide
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.answering.generators.prompts import reply_schema, system_prompt
from tasks.errors import ServiceAway, UsageError
from tasks.llm.model_server import ModelServer
from tasks.llm.prompts import prompts_version
from tasks.records import PageSpan, Question
from tests.made.drafts import PLAN
from tests.made.scripted_server import Kept, Odd, Reply, refusal, scripted_server, scripted_url
from tests.made.snapshots import GOOD, TEXT, asked, hit


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.llm.retries.FIRST_WAIT_S", 0.01)


@contextmanager
def scripted_generator(
    *replies: Reply, kept: Kept | None = None, settings: dict[str, Any] | None = None
) -> Iterator[tuple[OpenAIGenerator, list[dict[str, Any]]]]:
    """The generator before a server that gives the next reply (the last one for ever), and what it was asked."""
    with scripted_server(*replies, kept=kept, **(settings or {})) as (server, requests):
        yield OpenAIGenerator(server), requests


def test_a_good_reply_is_cited_on_its_page() -> None:
    with scripted_generator((200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert (draft.text, draft.citations[0].page_number, draft.citations[0].quote) == (GOOD["answer"], 4, TEXT)
    (request,) = requests
    assert request["messages"][0] == {"role": "system", "content": system_prompt()}
    assert "[1] bcp.pdf, p. 4" in request["messages"][1]["content"]
    assert request["response_format"]["json_schema"]["schema"] == reply_schema(1)


@pytest.mark.parametrize(
    "bad",
    [
        "I think so!",
        {"answer": "x"},
        GOOD | {"citations": [7]},
        f"{json.dumps(GOOD)}, or rather {json.dumps(GOOD | {'verdict': 'no'})}",
        f"<think>{json.dumps(GOOD)}",
        '{"verdict": null, "answer": "cut',
        {"response": {"text": GOOD["answer"], "sources": ["bcp.pdf, p. 4"]}},
    ],
    ids=["prose", "keys missing", "a passage that is not there", "one of two", "only thought", "truncated", "schema"],
)
def test_a_bad_reply_is_asked_for_once_more(bad: Any) -> None:
    with scripted_generator((200, bad), (200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert draft.text == GOOD["answer"] and len(requests) == 2
    assert "refused" in requests[1]["messages"][1]["content"]


@pytest.mark.parametrize(
    "wrapped",
    [
        f"```json\n{json.dumps(GOOD, indent=1)}\n```",
        f"<think>{json.dumps(GOOD | {'answer': 'Perhaps.'})} or not?</think>\n\n{json.dumps(GOOD)}",
        f"The prompt had the beginning of it.</think>{json.dumps(GOOD)}",
        f"Of the shape {{answer}}: {json.dumps(GOOD)} I hope that this helps {{you}}.",
        f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}",
        json.dumps(GOOD | {"confidence": 1}),
    ],
    ids=["a fence", "a thought", "the end of a thought", "a preface", "twice the same", "a key more"],
)
def test_a_good_reply_with_something_around_it_is_taken(wrapped: str) -> None:
    with scripted_generator((200, wrapped)) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert (draft.text, draft.citations[0].quote) == (GOOD["answer"], TEXT) and len(requests) == 1


@pytest.mark.parametrize(
    "braces", ["{" * 300_000, '{"a":' * 100_000, "<think>" * 100_000], ids=["alone", "deep", "tags"]
)
def test_a_reply_of_braces_is_refused_at_once(braces: str) -> None:
    with scripted_generator((200, braces)) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert draft.declined == "generator_failed" and len(requests) == 2
    assert all(attempt.seconds < 2 for attempt in draft.attempts)


def test_two_bad_replies_fail_the_question_with_a_reason() -> None:
    with scripted_generator((200, "no JSON")) as (generator, requests):
        (draft,) = generator.draft([asked()])
    assert draft.declined == "generator_failed" and "shape" in draft.detail and len(requests) == 2


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (GOOD | {"answer": None, "citations": []}, "no_evidence"),
        (GOOD | {"answer": "Snapshots are kept for 90 days."}, "unsupported"),
        (GOOD | {"citations": []}, "unsupported"),
        (GOOD | {"answer": "Keys are held in a vault [§ 9, p. 41]: “Two officers hold each key.”"}, "unsupported"),
        (GOOD | {"answer": "Schlüssel werden von zwei Beamten in einem Tresor verwahrt."}, "unsupported"),
    ],
    ids=["it found nothing", "a figure of its own", "nothing cited", "a quote from nowhere", "another language"],
)
def test_what_the_passages_do_not_say_is_declined(reply: dict[str, Any], reason: str) -> None:
    with scripted_generator((200, reply)) as (generator, _):
        (draft,) = check_drafts([asked()], generator.draft([asked()]), Opinions())
    assert (draft.text, draft.declined) == (None, reason)


@pytest.mark.parametrize("choices", [None, [], [{"index": 0, "finish_reason": "stop", "message": None}]])
def test_an_answer_of_another_shape_fails_the_question_alone(choices: object) -> None:
    with scripted_generator((200, {"raw": {"choices": choices}})) as (generator, _):
        (draft,) = generator.draft([asked()])
    assert draft.declined == "generator_failed"


def test_a_page_instead_of_an_answer_is_a_server_that_is_away() -> None:
    with scripted_generator((200, "<html>Sign in</html>")) as (generator, _), pytest.raises(ServiceAway, match="/v1"):
        generator.draft([asked()])


def test_a_yes_beside_which_nothing_is_weighed_is_proposed_and_not_given() -> None:
    item = asked("Are database snapshots kept for 35 days?")
    with scripted_generator((200, GOOD | {"verdict": "yes"})) as (generator, _):
        item = Asked(replace(item.question, kind="yes_no"), item.hits)
        (draft,) = check_drafts([item], generator.draft([item]), Opinions())
    answer = decide(item, draft, PLAN, "openai")
    assert (draft.verdict, answer.verdict, answer.proposed_verdict, answer.status) == (
        "yes",
        None,
        "yes",
        "needs_review",
    )


SECOND = "Keys are held by the board, and snapshots are not taken on Sundays."


@pytest.mark.parametrize(
    ("reply", "verdict", "quoted"),
    [
        ({"answer": "no", "citations": [1], "verdict": "no"}, "no", TEXT),
        ({"answer": "no", "citations": [2], "verdict": None}, "no", SECOND),
        ({"answer": "Yes.", "citations": [2, 1], "verdict": None}, "yes", TEXT),
        ({"answer": "yes", "citations": [1]}, "yes", TEXT),
        ({"verdict": "partial", "answer": "Partially.", "citations": [1]}, "partial", TEXT),
        ({"verdict": "yes", "answer": None, "citations": [1]}, "yes", TEXT),
        ({"verdict": "yes", "answer": "", "citations": [1]}, "yes", TEXT),
        ({"verdict": "yes", "answer": "No.", "citations": [1]}, None, TEXT),
        ({"verdict": "unclear", "answer": "Yes", "citations": [1]}, "yes", TEXT),
    ],
    ids=["both", "in words", "best of two", "old", "partly", "null", "empty", "two minds", "unclear"],
)
def test_a_bare_verdict_has_the_best_cited_sentence_as_its_text(
    reply: dict[str, Any], verdict: str | None, quoted: str
) -> None:
    item = asked("Are database snapshots taken every four hours?", "yes_no", hit(SECOND, rank=2))
    with scripted_generator((200, reply)) as (generator, requests):
        (draft,) = check_drafts([item], generator.draft([item]), Opinions())
    assert len(requests) == 1 and draft.declined is None
    assert (draft.text, draft.verdict, [one.quote for one in draft.citations]) == (quoted, verdict, [quoted])
    assert "only says yes or no" in draft.detail


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"verdict": "not_found", "answer": None, "citations": []}, "no_evidence"),
        ({"verdict": "not_found", "answer": "No passage says it.", "citations": [1]}, "no_evidence"),
        ({"verdict": "unclear", "answer": None, "citations": []}, "no_evidence"),
        ({"verdict": "yes", "answer": "Yes.", "citations": []}, "unsupported"),
        ({"verdict": "yes", "answer": None, "citations": []}, "unsupported"),
    ],
)
def test_a_verdict_that_rests_on_nothing_is_declined(reply: dict[str, Any], reason: str) -> None:
    item = asked("Are snapshots taken?", "yes_no")
    with scripted_generator((200, reply)) as (generator, _):
        (draft,) = check_drafts([item], generator.draft([item]), Opinions())
    assert (draft.text, draft.declined) == (None, reason)


@pytest.mark.parametrize(("status", "named"), [(401, "BIDFOLIO_OPENAI_API_KEY"), (404, "BIDFOLIO_OPENAI_MODEL")])
def test_a_wrong_key_or_model_is_named(status: int, named: str) -> None:
    with scripted_generator((status, {})) as (generator, _), pytest.raises(UsageError, match=named):
        generator.draft([asked()])


def test_a_server_that_is_away_is_transient() -> None:
    away = OpenAISettings(base_url="http://127.0.0.1:9/v1", model="m", timeout_s=2)
    generator = OpenAIGenerator(ModelServer(away, Kept()))
    with pytest.raises(ServiceAway, match="--generator extractive"):
        generator.draft([asked(), asked()])


def test_what_is_good_is_asked_once_and_what_failed_again() -> None:
    first, second = asked(), asked("How long are snapshots kept?")
    with scripted_generator((200, GOOD), (200, "no JSON"), (200, "no JSON"), (200, GOOD)) as (generator, requests):
        generator.draft([first])
        (failed,) = generator.draft([second])
        assert failed.declined == "generator_failed" and len(requests) == 3
        drafts = generator.draft([first, second])
    assert [draft.text for draft in drafts] == [GOOD["answer"]] * 2 and len(requests) == 4


def test_a_server_that_goes_away_costs_no_reply_that_was_there() -> None:
    kept = Kept()
    with scripted_generator((200, GOOD), kept=kept) as (generator, requests):
        generator.draft([asked()])
    assert requests and kept
    with pytest.raises(ServiceAway):
        generator.draft([asked(), asked("How long are snapshots kept?")])
    (draft,) = generator.draft([asked()])
    assert draft.text == GOOD["answer"]


def test_a_limit_of_the_customer_is_told_and_set() -> None:
    item = asked()
    limited = Asked(replace(item.question, max_characters=80), item.hits)
    with scripted_generator((200, GOOD)) as (generator, requests):
        generator.draft([limited])
    assert "at most 80 characters" in requests[0]["messages"][1]["content"]
    assert requests[0]["response_format"]["json_schema"]["schema"] == reply_schema(1, 80) != reply_schema(1)


def test_an_answer_that_is_too_long_is_asked_for_again_once_and_then_taken() -> None:
    item = asked()
    limited, kept = Asked(replace(item.question, max_characters=30), item.hits), Kept()
    long, short = GOOD | {"answer": f"{GOOD['answer']} " * 3}, GOOD | {"answer": "Every four hours."}
    with scripted_generator((200, long), (200, short)) as (generator, requests):
        (draft,) = generator.draft([limited])
    assert draft.text == short["answer"] and len(requests) == 2
    assert "give at most 30" in requests[1]["messages"][1]["content"]
    with scripted_generator((200, long), (200, long), kept=kept) as (generator, requests):
        for _ in range(2):
            (draft,) = generator.draft([limited])
            assert draft.text == long["answer"].strip() and draft.declined is None, "decide tells that it is too long"
    assert len(requests) == 2, "what was taken is kept"


def test_no_hits_are_not_asked_about() -> None:
    with scripted_generator((200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([Asked(Question("q", 0, "Anything?"), [])])
    assert draft.declined == "no_evidence" and not requests


def test_a_neighbour_is_a_passage_that_can_be_cited_with_its_own_page() -> None:
    item = asked()
    found = item.hits[0].chunk
    more = "Restores are rehearsed each quarter by the operations team."
    start = len(TEXT) + 1
    spans = (PageSpan(5, start, start + len(more)),)
    beside = replace(found, chunk_id="n", ordinal=1, start=start, end=start + len(more), text=more, page_spans=spans)
    handed = Asked(item.question, [replace(item.hits[0], handed_over=(found, beside))])
    reply = {"verdict": None, "answer": "Restores are rehearsed each quarter.", "citations": [2]}
    with scripted_generator((200, reply)) as (generator, requests):
        (draft,) = generator.draft([handed])
    told = requests[0]["messages"][1]["content"]
    assert f"[1] bcp.pdf, p. 4\n{TEXT}\n\n[2] bcp.pdf, p. 5\n{more}" in told
    assert requests[0]["response_format"]["json_schema"]["schema"] == reply_schema(2)
    assert [(citation.page_number, citation.quote) for citation in draft.citations] == [(5, more)]


def test_each_try_is_recorded_with_what_was_sent_and_said() -> None:
    with scripted_server((200, "I think so!"), (200, GOOD)) as (server, _):
        (draft,) = OpenAIGenerator(server).draft([asked()])
        (again,) = OpenAIGenerator(server).draft([asked()])
    first, second = draft.attempts
    assert (first.generator, first.model, first.raw) == ("openai", "m", "I think so!")
    assert "not of the asked shape" in (first.failure or "") and second.failure is None
    assert json.loads(second.raw or "") == GOOD and second.prompt_sha256 != first.prompt_sha256
    assert first.prompts_version == second.prompts_version == prompts_version("answer")
    (kept,) = again.attempts
    assert again.text == draft.text and json.loads(kept.raw or "") == GOOD and kept.seconds == 0


def test_questions_of_the_same_passages_are_sent_together_after_what_all_share() -> None:
    passages = [hit(f"The {colour} key is kept by the board for a year.") for colour in ("red", "blue", "green")]
    asked_for = [Asked(Question(str(n), n, f"Who keeps it? {n}"), [passages[n % 3]]) for n in range(9)]
    with scripted_generator((200, GOOD), settings={"max_in_flight": 1}) as (generator, requests):
        generator.draft(asked_for)
    told = [body["messages"][1]["content"] for body in requests]
    colours = [next(colour for colour in ("red", "blue", "green") if colour in text) for text in told]
    assert [colour for colour, _ in groupby(colours)] == ["blue", "green", "red"]
    assert len({body["messages"][0]["content"] for body in requests}) == 1
    same = [text for text, colour in zip(told, colours, strict=True) if colour == "red"]
    shared = same[0].index("Question: ")
    assert len({text[:shared] for text in same}) == 1 and "[1] bcp.pdf" in same[0][:shared]


def test_drafts_come_back_in_the_order_of_the_questions() -> None:
    def script(body: dict[str, Any]) -> Reply:
        colour = body["messages"][1]["content"].split("The ")[1].split()[0]
        return 200, GOOD | {"answer": f"The {colour} key is kept by the board."}

    colours = ["red", "blue", "green", "amber"]
    asked_for = [
        Asked(Question(colour, 0, "Who?"), [hit(f"The {colour} key is kept by the board for a year.")])
        for colour in colours
    ]
    asked_for.insert(2, Asked(Question("none", 0, "Who?"), []))
    with scripted_url(script) as url:
        server = ModelServer(OpenAISettings(base_url=url, model="m"), Kept())
        drafts = OpenAIGenerator(server).draft(asked_for)
    assert [draft.text and draft.text.split()[1] for draft in drafts] == ["red", "blue", None, "green", "amber"]
    assert drafts[2].declined == "no_evidence" and drafts[2].generator == "openai"


def test_passages_that_gave_way_are_told() -> None:
    item = asked("How often?", "free_text", *(hit("Filler. " * 400, rank=rank) for rank in range(2, 6)))
    too_long = Odd(400, refusal("This model's maximum context length is 2048 tokens."))
    with scripted_generator(too_long, (200, GOOD)) as (generator, requests):
        (draft,) = generator.draft([item])
    assert draft.text == GOOD["answer"] and len(requests) == 2
    assert draft.detail == "2 of 5 passages did not fit into the model's window"
    assert "too long for the model's window" in (draft.attempts[0].failure or "")


def test_one_slow_reply_costs_its_question_and_only_silence_is_a_server_that_is_away() -> None:
    slow = Odd(content="x", after_s=0.6)

    def script(body: dict[str, Any]) -> Reply:
        return slow if "slow" in body["messages"][1]["content"] else (200, GOOD)

    with scripted_url(script) as url:
        generator = OpenAIGenerator(ModelServer(OpenAISettings(base_url=url, model="m", timeout_s=0.3), Kept()))
        late, good = generator.draft([asked("slow?"), asked()])
        assert late.declined == "generator_failed" and "within 0.3 s" in late.detail
        assert good.text == GOOD["answer"]
        with pytest.raises(ServiceAway, match=r"within 0\.3 s"):
            generator.draft([asked("slow?"), asked("slow, too?")])


def test_the_text_of_a_draft_is_told_as_it_is_written() -> None:
    told: list[str] = []
    with scripted_generator((200, GOOD)) as (generator, requests):
        draft = generator.stream_draft(asked(), told.append)
        assert "".join(told) == draft.text == GOOD["answer"] and len(told) > 3
        assert draft.citations[0].quote == TEXT and draft.attempts[0].raw == json.dumps(GOOD)
        assert requests[0]["stream"] is True
        assert generator.stream_draft(Asked(Question("q", 0, "Anything?"), []), told.append).declined == "no_evidence"


def test_what_is_told_is_not_yet_checked_and_the_draft_is() -> None:
    told: list[str] = []
    with scripted_generator((200, GOOD | {"answer": "Snapshots are kept for 90 days."})) as (generator, _):
        draft = generator.stream_draft(asked(), told.append)
    assert "".join(told) == draft.text == "Snapshots are kept for 90 days."
    (checked,) = check_drafts([asked()], [draft], Opinions())
    assert (checked.text, checked.declined) == (None, "unsupported")
    with pytest.raises(ServiceAway, match="--generator extractive"):
        generator.stream_draft(asked("Anything else?"), told.append)


@pytest.mark.parametrize("odd", [Odd(500), Odd(body=b"{}", after_s=0.5)], ids=["broken", "silent"])
def test_a_server_that_fails_again_and_again_is_away_long_before_the_last_question(odd: Odd) -> None:
    many = [asked(f"How often? {number}") for number in range(100)]
    away = pytest.raises(ServiceAway, match=r"after \d failures in a row it is not asked for a while")
    with scripted_generator(odd, settings={"max_in_flight": 4, "timeout_s": 0.3}) as (generator, requests), away:
        generator.draft(many)
    assert len(requests) <= (3 - 1 + 4) * 3, "three tries each of those under way"


def test_of_a_server_that_wants_a_key_no_more_is_asked_than_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BIDFOLIO_OPENAI_API_KEY", raising=False)
    many = [asked(f"How often? {number}") for number in range(100)]
    refused = pytest.raises(UsageError, match="wants a key: set BIDFOLIO_OPENAI_API_KEY")
    with scripted_generator(Odd(401), settings={"max_in_flight": 4}) as (generator, requests), refused:
        generator.draft(many)
    assert len(requests) <= 3 - 1 + 4


@contextmanager
def cutting_generator(answer: str) -> Iterator[tuple[OpenAIGenerator, list[int]]]:
    """The generator before a server that holds an answer to its schema by cutting it there, and the bounds given."""
    bounds: list[int] = []

    def script(body: dict[str, Any]) -> Reply:
        bound = body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["maxLength"]
        bounds.append(bound)
        return 200, GOOD | {"answer": answer[:bound]}

    with scripted_url(script) as url:
        yield OpenAIGenerator(ModelServer(OpenAISettings(base_url=url, model="m"), Kept())), bounds


@pytest.mark.parametrize("limit", [1, 10, 30])
def test_an_answer_is_never_cut_at_the_customers_limit(limit: int) -> None:
    item = asked()
    limited = Asked(replace(item.question, max_characters=limit), item.hits)
    with cutting_generator(str(GOOD["answer"])) as (generator, bounds):
        (draft,) = generator.draft([limited])
    assert draft.text == GOOD["answer"] and len(bounds) == 2, "asked for a shorter one, and kept whole"


def test_what_a_server_cut_off_is_left_out() -> None:
    whole = "Snapshots are taken every four hours. " * 30
    with cutting_generator(whole) as (generator, bounds):
        (draft,) = generator.draft([asked()])
    assert draft.text is not None and draft.text.endswith("four hours.") and len(draft.text) < len(whole)
    assert bounds == [600], "and it is asked once"
    with cutting_generator("Snapshots and " * 100) as (generator, _):
        (draft,) = generator.draft([asked()])
    assert draft.declined == "generator_failed" and "cut off at 600 characters" in draft.detail
