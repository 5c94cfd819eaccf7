from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.experiments import (
    ContextExperiment,
    GeneratorExperiment,
    PageFinderExperiment,
    PlanExperiment,
    experiment_names,
    load_experiment,
    load_on_gold,
    load_page_finder,
    plan_of_setting,
    setting_value,
)
from configs.plans import Plan
from tasks.errors import UsageError
from tests.made.experiments import written

SHIPPED = [
    "alpha",
    "alpha_join",
    "chunk_sizes",
    "generators",
    "lost_in_the_middle",
    "no_context",
    "number_of_chunks",
    "page_finder",
    "retrievers",
]


def plans_of(name: str) -> dict[str, Plan]:
    found = load_experiment(name)
    assert isinstance(found, PlanExperiment)
    return {setting: plan_of_setting(found, setting, patch) for setting, patch in found.settings.items()}


def test_the_experiments_that_ship_give_valid_plans() -> None:
    assert experiment_names() == SHIPPED
    for name in SHIPPED:
        found = load_experiment(name)
        assert found.question.endswith("?") and found.after
        assert plan_of_setting(found, "base", {}).name == f"{name} base"
    assert {n: p.retrieval.top_k for n, p in plans_of("number_of_chunks").items()} == {"3": 3, "5": 5, "7": 7, "9": 9}
    sizes = plans_of("chunk_sizes")
    assert [plan.chunking[""].max_tokens for plan in sizes.values()] == [60, 120, 250, 500]
    assert len({plan.index_key for plan in sizes.values()}) == 4


@pytest.mark.parametrize(("name", "combine"), [("alpha", "sum"), ("alpha_join", "join")])
def test_a_sweep_of_alpha_is_of_eleven_weights_on_one_index(name: str, combine: str) -> None:
    plans = plans_of(name)
    assert [setting_value(setting) for setting in plans] == [n / 10 for n in range(11)]
    for setting, plan in plans.items():
        (listed,) = plan.retrieval.lists
        assert (listed.by, listed.combine, listed.alpha) == ("hybrid", combine, float(setting))
    assert len({plan.index_key for plan in plans.values()}) == 1


def test_the_contexts_that_ship() -> None:
    lost, alone = load_on_gold("lost_in_the_middle"), load_on_gold("no_context")
    assert isinstance(lost, ContextExperiment) and isinstance(alone, ContextExperiment)
    assert [given.depth for given in lost.settings.values()] == [n / 10 for n in range(11)]
    assert [setting_value(name) for name in lost.settings] == [n / 10 for n in range(11)]
    assert {given.distractors for given in lost.settings.values()} == {20}
    assert {name: given.given for name, given in alone.settings.items()} == {
        "nothing": "nothing",
        "retrieved": "retrieved",
        "right passage": "right_passage",
    }
    assert plan_of_setting(alone, "nothing", {}).answering.generator == "openai"
    assert isinstance(load_experiment("generators"), GeneratorExperiment)
    finder = load_page_finder("page_finder")
    assert isinstance(finder, PageFinderExperiment) and finder.chunk_tokens == (120, 250, 500)


def test_a_base_beside_the_experiment_is_changed_for_all_settings(tmp_path: Path) -> None:
    recipe = yaml.safe_load((Path(__file__).parents[2] / "configs/plans/rails.yaml").read_text(encoding="utf-8"))
    (tmp_path / "base.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")
    changed = {"answering": {"decline_below": 0.0}}
    found = load_on_gold(written(tmp_path, base="base.yaml", changed=changed))
    assert isinstance(found, PlanExperiment)
    for name, top_k in (("3", 3), ("5", 5)):
        plan = plan_of_setting(found, name, found.settings[name])
        assert (plan.retrieval.top_k, plan.answering.decline_below, plan.answering.review_below) == (top_k, 0.0, 0.45)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"setting": {}}, r"experiment .*mine\.yaml: setting: there is no such key"),
        ({"by": "alpha"}, r"mine\.yaml: mine: .*'plan', 'context', 'generators', 'page_finder'"),
        ({"by": None}, r"mine\.yaml: mine: .*'by'"),
        ({"question": None}, "mine.yaml: question: Field required"),
        ({"settings": {3: {}}, "against": 3}, "mine.yaml: settings: .*at least 2"),
        ({"against": 4}, "against: '4' is no setting; choose one of 3, 5"),
        ({"measures": ["bleu"]}, r"measures\.0: Input should be 'correctness'"),
        ({"measures": []}, "measures: .*at least 1"),
        ({"name": "x"}, "name: is the file's name"),
        ({"base": "nothing"}, "there is no plan 'nothing'"),
        (
            {"settings": {3: {"retrieval": {"topk": 3}}, 5: {}}},
            r"mine\.yaml, setting 3: retrieval\.topk: there is no such key",
        ),
        (
            {"by": "context", "settings": {"a": {"given": "retrieved"}, 5: {"given": "right_passage", "depth": 1.1}}},
            r"settings\.5\.depth: .*less than or equal to 1",
        ),
        (
            {"by": "context", "settings": {"a": {"given": "retrieved", "depth": 0.5}, 5: {"given": "right_passage"}}},
            r"settings\.a: .*given: retrieved places no passage: leave distractors and depth out",
        ),
        (
            {"by": "context", "settings": {"a": {"given": "nothing"}, 5: {"given": "retrieved"}}},
            "setting a: without any passage only a language model can answer, and extractive ones quote: set changed",
        ),
        (
            {"by": "generators", "settings": None, "generators": ["openai"], "against": "openai"},
            "generators: give two at least",
        ),
        (
            {"by": "page_finder", "settings": None, "against": None, "measures": None, "chunk_tokens": [20]},
            r"chunk_tokens\.0: .*greater than or equal to 48",
        ),
    ],
)
def test_an_experiment_that_is_wrong_is_named_with_its_key(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    path = written(tmp_path, **keys)
    with pytest.raises(UsageError, match=message):
        found = load_experiment(path)
        assert isinstance(found, PlanExperiment)
        for name, patch in found.settings.items():
            plan_of_setting(found, name, patch)


def test_what_is_no_experiment_or_of_another_kind_is_told() -> None:
    with pytest.raises(UsageError, match=r"there is no experiment 'beta'; choose one of alpha, .*, or a \.yaml file"):
        load_experiment("beta")
    with pytest.raises(UsageError, match="on the corpus itself: leave the gold set out"):
        load_on_gold("page_finder")
    with pytest.raises(UsageError, match=r"evaluate GOLD\.jsonl --experiment alpha"):
        load_page_finder("alpha")


@pytest.mark.parametrize(
    ("name", "value"), [("0.3", 0.3), ("10%", 0.1), ("0%", 0.0), ("500", 500.0), ("nothing", None)]
)
def test_a_setting_that_is_a_number_has_its_value(name: str, value: float | None) -> None:
    assert setting_value(name) == value
