from __future__ import annotations

from pathlib import Path

import yaml

from configs.grids import load_grid
from configs.plans import Plan, load_plan
from configs.retrieval import Feedback
from configs.settings import OpenAISettings, RerankSettings
from tasks.evaluation.experiments.trials import by_ranking, deviations_of, recipe_as_run, trial_key, trials_of

NO_WEIGHTS, NO_SERVER = RerankSettings(), OpenAISettings()
SERVER = OpenAISettings(base_url="http://localhost:1", model="m")


def test_without_a_server_feedback_stands_for_it_and_more_wordings_are_more_words() -> None:
    trials = trials_of(load_grid("advanced"), "bidfolio", NO_WEIGHTS, NO_SERVER)
    assert [trials[0].number, trials[0].levels, trials[0].label] == [0, None, "bidfolio"] and len(trials) == 109
    words = {
        trial.levels["query_expansion"]: trial.plan.retrieval.expand for trial in trials if trial.levels is not None
    }
    assert words == {"off": None, "2": Feedback(by="feedback", count=5), "3": Feedback(by="feedback", count=10)}
    (told,) = deviations_of(trials)
    assert "feedback in the place of a model server's wordings" in told["deviation"] and told["configurations"] == 72
    assert deviations_of(trials_of(load_grid("advanced"), "bidfolio", NO_WEIGHTS, SERVER)) == []


def test_a_reranker_without_weights_is_substituted_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    grid = {"after": "x", "base": "rfp_chat", "factors": {"m": {"3": {"retrieval": {"top_k": 3}}, "6": {}}}}
    path.write_text(yaml.safe_dump(grid), encoding="utf-8")
    trials = trials_of(load_grid(str(path)), "rails", NO_WEIGHTS, NO_SERVER)
    (told,) = deviations_of(trials)
    assert "late interaction in the place of a cross-encoder" in told["deviation"] and told["configurations"] == 2


def test_what_ran_is_what_its_recipe_says(tmp_path: Path) -> None:
    """With and without a server, each as a plan of its own: no substitute is needed for it any more."""
    for openai in (NO_SERVER, SERVER):
        for to_beat in ("bidfolio", "rfp_chat", "window_parent_rerank"):
            for trial in trials_of(load_grid("advanced"), to_beat, NO_WEIGHTS, openai)[::9]:
                path = tmp_path / f"{trial.plan.name}.yaml"
                path.write_text(yaml.safe_dump(recipe_as_run(trial), sort_keys=False), encoding="utf-8")
                again = load_plan(str(path)).model_copy(update={"path": trial.plan.path})
                assert again == trial.plan
                assert again.embedding.lexical.refit_drift == trial.plan.embedding.lexical.refit_drift


def test_all_that_hand_over_differently_share_their_hits() -> None:
    trials = trials_of(load_grid("advanced"), "bidfolio", NO_WEIGHTS, NO_SERVER)
    groups = by_ranking(trials, lambda plan: plan.index_key)
    assert sorted(map(len, groups)) == [1, *[12] * 9], "3 × 3 rankings, each for 2 × 6 of what comes after"
    for group in groups:
        counts = [trial.plan.retrieval.top_k for trial in group]
        assert counts == sorted(counts, reverse=True)
    apart = by_ranking(trials[1:], lambda plan: str(plan.retrieval.top_k))
    assert len(apart) == 54, "no hits are shared between versions"


def test_a_key_is_of_what_is_measured_and_of_nothing_else() -> None:
    plan = load_plan("bidfolio")
    key = trial_key(plan, "v", "g", "m")
    assert key == trial_key(plan.model_copy(update={"name": "x", "path": "/x.yaml", "after": "x"}), "v", "g", "other")
    fewer = plan.model_copy(update={"retrieval": plan.retrieval.model_copy(update={"top_k": 2})})
    others = [trial_key(fewer, "v", "g", "m"), trial_key(plan, "w", "g", "m"), trial_key(plan, "v", "h", "m")]
    others += [trial_key(plan, "v", "g", "m", files={"retrieval.reread.model": files}) for files in ("a", "b")]
    assert len({key, *others}) == 6
    assert trial_key(asking(plan), "v", "g", "m") != trial_key(asking(plan), "v", "g", "other")


def asking(plan: Plan) -> Plan:
    return plan.model_copy(update={"answering": plan.answering.model_copy(update={"generator": "openai"})})
