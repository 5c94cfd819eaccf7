from __future__ import annotations

from pathlib import Path

import pytest

from configs.plans import Plan, load_plan
from configs.retrieval import Feedback, Rerank, Reread, Wordings
from configs.settings import OpenAISettings, RerankSettings, load_settings
from tasks.errors import UsageError
from tasks.retrieval.plan_fallbacks import (
    TOKEN_DIMENSIONS,
    as_measured,
    with_feedback,
    with_server,
    with_substitutes,
    with_weights,
)

NONE = RerankSettings()


def changed(plan: Plan, **rerank: object) -> Plan:
    old = plan.retrieval.rerank
    assert old is not None
    retrieval = plan.retrieval.model_copy(update={"rerank": old.model_copy(update=rerank)})
    return plan.model_copy(update={"retrieval": retrieval})


def test_the_weights_are_those_of_the_plan_or_else_of_the_settings(tmp_path: Path) -> None:
    plan, (own, configured) = load_plan("rfp_chat"), [str(tmp_path / name) for name in ("own", "configured")]
    for folder in (own, configured):
        Path(folder).mkdir()
    settings = RerankSettings(cross_encoder=configured)
    for given, its_settings, folder in (
        (plan, settings, configured),
        (changed(plan, model=own), settings, own),
        (changed(plan, model=own), NONE, own),
    ):
        expected = changed(plan, model=folder)
        assert with_weights(given, its_settings) == (expected, [])
        assert with_substitutes(given, its_settings) == (expected, [])
    assert with_weights(plan, settings)[0].index_key == plan.index_key, "the index is the same"


def test_a_folder_that_is_not_there_is_named_before_anything_is_indexed(tmp_path: Path) -> None:
    gone = RerankSettings(cross_encoder=str(tmp_path / "gone"))
    for ask in (with_weights, with_substitutes):
        with pytest.raises(UsageError, match=r"'rfp_chat' reranks with the model in '.*gone': there is no such folder"):
            ask(load_plan("rfp_chat"), gone)
    empty = RerankSettings(cross_encoder="")
    with pytest.raises(UsageError, match="no weights are configured"):
        with_weights(load_plan("rfp_chat"), empty)
    assert with_substitutes(load_plan("rfp_chat"), empty)[1]


def test_what_reads_hits_again_is_missed_before_anything_is_indexed() -> None:
    plan = load_plan("bidfolio")
    retrieval = plan.retrieval.model_copy(update={"reread": Reread(model="no-such-package/folder")})
    for ask in (with_weights, with_substitutes):
        with pytest.raises(UsageError, match="again with the model 'no-such-package/folder'"):
            ask(plan.model_copy(update={"retrieval": retrieval}), NONE)


def test_without_weights_it_is_measured_with_late_interaction_and_says_so() -> None:
    plan, deviations = with_substitutes(load_plan("rfp_chat"), NONE)
    assert plan.retrieval.rerank == Rerank(by="late_interaction", depth=30)
    assert plan.embedding.token_dimensions == TOKEN_DIMENSIONS
    assert deviations == [
        "late interaction in the place of a cross-encoder, which has no weights here, and no least relevance of 0.35"
    ]
    _, (other,) = with_substitutes(load_plan("chronicles"), NONE)
    assert "a sequence-to-sequence model" in other


def test_only_a_plan_whose_chunks_may_exceed_the_window_says_so(tmp_path: Path) -> None:
    weights = RerankSettings(sequence_to_sequence=str(tmp_path))
    for keys, is_said in (({}, True), ({"long_texts": "refuse"}, False), ({"max_length": 1000}, False)):
        plan = load_plan("chronicles")
        asked = plan.model_copy(update={"embedding": plan.embedding.model_copy(update=keys)})
        said = ["the mean of its windows' vectors for a chunk of more than 512 tokens"] if is_said else []
        assert as_measured(asked, weights, OpenAISettings())[1] == said
        assert len(as_measured(asked, NONE, OpenAISettings())[1]) == 1 + is_said
    running, said = as_measured(load_plan("advanced"), NONE, OpenAISettings())
    assert isinstance(running.retrieval.expand, Feedback) and "feedback in the place of" in said[0]


def test_without_weights_it_is_not_answered_with_unless_the_plan_allows_it() -> None:
    plan = load_plan("rfp_chat")
    with pytest.raises(UsageError, match=r"'rfp_chat' reranks by a cross-encoder.* set BIDFOLIO_RERANK_CROSS_ENCODER"):
        with_weights(plan, NONE)
    allowed = changed(plan, substitute=True)
    running, said = with_weights(allowed, NONE)
    assert running.retrieval.rerank == Rerank(by="late_interaction", depth=30) and "in the place of" in said[0]


@pytest.mark.parametrize("name", ["bidfolio", "rails"])
def test_a_plan_that_needs_no_weights_stays_as_it_is(name: str) -> None:
    plan = load_plan(name)
    assert with_weights(plan, NONE) == (plan, []) and with_substitutes(plan, NONE) == (plan, [])


def test_the_folders_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIDFOLIO_RERANK_CROSS_ENCODER", "/models/cross")
    monkeypatch.setenv("BIDFOLIO_RERANK_SEQUENCE_TO_SEQUENCE", "/models/t5")
    assert load_settings().rerank == RerankSettings(cross_encoder="/models/cross", sequence_to_sequence="/models/t5")


def expanding(**expand: object) -> Plan:
    plan = load_plan("rails")
    retrieval = plan.retrieval.model_copy(update={"expand": Wordings.model_validate({"by": "generator", **expand})})
    return plan.model_copy(update={"retrieval": retrieval})


def test_without_a_server_feedback_takes_the_place_of_wordings_where_that_is_allowed() -> None:
    for none in (OpenAISettings(), OpenAISettings(base_url="http://127.0.0.1/v1"), OpenAISettings(model="m")):
        with pytest.raises(UsageError, match=r"'rails' expands .* set BIDFOLIO_OPENAI_BASE_URL .*substitute: true"):
            with_server(expanding(), none)
        running, (said,) = with_server(expanding(substitute=True), none)
        assert running.retrieval.expand == Feedback(by="feedback") and "feedback in the place of" in said
        plan, (told,) = with_feedback(expanding(), none)
        assert plan.retrieval.expand == Feedback(by="feedback") and "feedback in the place of" in told
        for name in ("bidfolio", "rails"):
            assert with_server(load_plan(name), none) == (load_plan(name), [])
            assert with_feedback(load_plan(name), none) == (load_plan(name), [])


def test_with_a_server_the_plan_stays_as_it_is() -> None:
    settings = OpenAISettings(base_url="http://127.0.0.1/v1", model="m")
    assert with_server(expanding(), settings) == (expanding(), [])
    assert with_feedback(expanding(), settings) == (expanding(), [])
