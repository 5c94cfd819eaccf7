from __future__ import annotations

from pathlib import Path

import pytest

from configs.experiments import load_on_gold
from configs.settings import OpenAISettings, Settings
from tasks.errors import UsageError
from tasks.evaluation.experiments.settings import RIGHT_PASSAGE, relative_maximum_of, trials_of_experiment
from tasks.evaluation.experiments.trials import trial_key
from tests.made.experiments import written

NONE = Settings()
SERVER = OpenAISettings(base_url="http://localhost:1/v1", model="m")
TWO = Settings(openai=SERVER, servers={"backup": OpenAISettings(base_url="http://localhost:2/v1", model="n")})


def test_a_trial_a_setting() -> None:
    trials = trials_of_experiment(load_on_gold("lost_in_the_middle"), NONE)
    assert [trial.number for trial in trials] == list(range(1, 13))
    assert [trial.plan.retrieval.top_k for trial in trials] == [21] * 11 + [1], "all that is placed is handed over"
    assert trials[3].levels == {"setting": "30%"} and trials[3].given.depth == 0.3
    keys = {trial_key(one.plan, "v", "g", "", one.generator, one.given) for one in trials}
    assert len(keys) == 12, "each depth is kept apart"


def test_the_right_passage_alone_is_one_more_setting_where_it_is_none_yet(tmp_path: Path) -> None:
    design = load_on_gold("number_of_chunks")
    *searched, alone = trials_of_experiment(design, NONE)
    assert relative_maximum_of(design) == alone.label.removeprefix("setting ") == RIGHT_PASSAGE
    assert (alone.given.given, alone.given.distractors, alone.plan.retrieval.top_k) == ("right_passage", 0, 1)
    assert alone.plan.answering.decline_below == 0 and alone.plan.answering.confidence is None
    assert all(one.given.given == "retrieved" for one in searched)
    own = {"found": {"given": "retrieved"}, "perfect": {"given": "right_passage"}}
    path = written(tmp_path, by="context", settings=own, against="found", relative_maximum=True)
    assert relative_maximum_of(load_on_gold(path)) == "perfect"
    assert [one.levels for one in trials_of_experiment(load_on_gold(path), NONE)] == [
        {"setting": "found"},
        {"setting": "perfect"},
    ]
    path = written(tmp_path, by="generators", settings=None, against="extractive", relative_maximum=True)
    with pytest.raises(UsageError, match="relative_maximum: each generator has its own"):
        load_on_gold(path)


def test_generators_are_extractive_and_every_server_that_is_configured() -> None:
    design = load_on_gold("generators")
    trials = trials_of_experiment(design, TWO)
    assert [trial.drafts for trial in trials] == ["extractive", "openai", "backup"]
    assert [trial.plan.answering.generator for trial in trials] == ["extractive", "openai", "openai"]
    with pytest.raises(UsageError, match=r"no model server is configured: set BIDFOLIO_OPENAI_BASE_URL .*SERVERS"):
        trials_of_experiment(design, NONE)


def test_a_server_that_is_not_configured_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"setting nothing: it asks a model server, .*BIDFOLIO_OPENAI_BASE_URL"):
        trials_of_experiment(load_on_gold("no_context"), NONE)
    assert len(trials_of_experiment(load_on_gold("no_context"), TWO)) == 3
    path = written(tmp_path, by="generators", settings=None, generators=["extractive", "big"], against="extractive")
    with pytest.raises(UsageError, match=r"setting big: there is no server 'big': name it in BIDFOLIO_SERVERS"):
        trials_of_experiment(load_on_gold(path), TWO)
    path = written(tmp_path, by="generators", settings=None, against="big")
    with pytest.raises(UsageError, match="against: 'big' is none of extractive, openai, backup"):
        trials_of_experiment(load_on_gold(path), TWO)
