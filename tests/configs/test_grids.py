from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from configs.grids import GRIDS_DIR, configurations, grid_names, load_grid, patched
from configs.plans import load_plan
from configs.retrieval import HandOver, Rerank
from tasks.errors import UsageError


def written(folder: Path, **keys: Any) -> str:
    """A good grid of four configurations, with other keys; None leaves one out."""
    grid = {
        "after": "mine",
        "base": "rails",
        "factors": {
            "alpha": {
                "low": {"retrieval": {"lists": [{"by": "hybrid", "alpha": 0.2}]}},
                "high": {"retrieval": {"lists": [{"by": "hybrid", "alpha": 0.8}]}},
            },
            "sources": {3: {"retrieval": {"top_k": 3}}, 5: {}},
        },
    } | keys
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in grid.items() if value is not None}), encoding="utf-8")
    return str(path)


def test_the_grids_that_ship() -> None:
    assert grid_names() == ["advanced", "bidfolio"]
    found = configurations(load_grid("advanced"))
    assert len(found) == 108 and [one.number for one in found] == list(range(1, 109))
    assert len({one.plan.index_key for one in found}) == 1, "all of them search one index"
    assert len({one.plan.retrieval.fingerprint() for one in found}) == 108, "no two are the same"
    as_it_ships = load_plan("advanced")
    (same,) = (one for one in found if one.plan.retrieval == as_it_ships.retrieval)
    assert same.levels == {"rerank": "rrf", "query_expansion": "3", "context_expansion": "on", "sources": "4"}
    semantic = next(one.plan.retrieval for one in found if one.levels["rerank"] == "semantic")
    assert semantic.rerank == Rerank(by="bi_encoder", depth=48)
    ours = configurations(load_grid("bidfolio"))
    assert len(ours) == 81 and {one.plan.index_key for one in ours} == {load_plan("bidfolio").index_key}
    assert load_plan("bidfolio").retrieval in [one.plan.retrieval for one in ours]


def test_levels_have_the_names_that_are_written_though_yaml_reads_others(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "after: x\nbase: rails\nfactors:\n  sources: {3: {retrieval: {top_k: 3}}, 5: {}}\n"
        "  context: {off: {}, on: {retrieval: {hand_over: {before: 1}}}}\n",
        encoding="utf-8",
    )
    found = configurations(load_grid(str(path)))
    assert [one.label for one in found] == [
        "sources 3, context off",
        "sources 3, context on",
        "sources 5, context off",
        "sources 5, context on",
    ]
    assert found[1].plan.retrieval.hand_over == {"": HandOver(before=1)} and not found[0].plan.retrieval.hand_over
    assert found[0].plan.name == "mine-001"


def test_a_patch_changes_what_it_names(tmp_path: Path) -> None:
    recipe = {"a": {"b": 1, "c": {"by": "x", "d": 2}}, "e": [1]}
    assert patched(recipe, {"a": {"b": 3}}) == {"a": {"b": 3, "c": {"by": "x", "d": 2}}, "e": [1]}
    assert patched(recipe, {"a": {"c": {"by": "y"}}})["a"]["c"] == {"by": "y"}, "of another kind"
    assert patched(recipe, {"a": {"c": {"by": "x", "f": 4}}})["a"]["c"] == {"by": "x", "d": 2, "f": 4}
    assert patched(recipe, {"a": {"c": None}, "e": [2]}) == {"a": {"b": 1, "c": None}, "e": [2]}
    assert recipe == {"a": {"b": 1, "c": {"by": "x", "d": 2}}, "e": [1]}, "it is as it was"


def test_a_base_beside_the_grid(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        (GRIDS_DIR.parent / "plans" / "rails.yaml").read_text(encoding="utf-8").replace("top_k: 5", "top_k: 9"),
        encoding="utf-8",
    )
    found = configurations(load_grid(written(tmp_path, base="base.yaml")))
    assert [one.plan.retrieval.top_k for one in found] == [3, 9, 3, 9]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"factor": {}}, r"grid .*mine\.yaml: factor: there is no such key"),
        ({"factors": {}}, "factors: .*at least 1"),
        ({"factors": {"one": {"alone": {}}}}, r"factors\.one: .*at least 2"),
        ({"factors": {"one": {"a b": {}, "c": {}}}}, r"factors\.one.*a b"),
        ({"base": None}, "base: Field required"),
        ({"base": "nothing"}, "there is no plan 'nothing'"),
        ({"name": "x"}, "name: is the file's name"),
        (
            {"factors": {"one": {"a": {}, "b": {"retrieval": {"topk": 3}}}}},
            r"mine\.yaml, with one b: retrieval\.topk: there is no such key",
        ),
        (
            {
                "factors": {
                    "one": {"a": {}, "b": {"retrieval": {"rerank": None}}},
                    "two": {"c": {}, "d": {"retrieval": {"rerank": {"depth": 3}}}},
                }
            },
            r"factors one and two both set retrieval\.rerank",
        ),
        (
            {"factors": {f"f{n}": {str(level): {f"x{n}": level} for level in range(10)} for n in range(4)}},
            "10000 combinations, of which 5000 are the most",
        ),
    ],
)
def test_a_grid_that_is_wrong_is_named_with_its_key(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    path = written(tmp_path, **keys)
    with pytest.raises(UsageError, match=message):
        configurations(load_grid(path))


def test_what_is_no_grid_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"there is no grid 'mine'; choose one of advanced, bidfolio, or a \.yaml file"
    ):
        load_grid("mine")
    path = tmp_path / "list.yaml"
    path.write_text("- 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"grid .*list\.yaml is not a YAML mapping: it is a list"):
        load_grid(str(path))
