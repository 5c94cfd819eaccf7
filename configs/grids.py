"""Grids: a plan and factors, whose levels are tried in every combination.

A grid is a short file in ``configs/grids/``, or any other. Each level is a patch: keys that replace those of the plan.
So a configuration is a plan like any other, validated like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from configs.plans import Plan, find_file, names_in, plan_of, read_base, read_mapping
from configs.slices import Slice
from configs.wrong_keys import wrong_keys
from tasks.errors import UsageError

GRIDS_DIR = Path(__file__).parent / "grids"
MOST_CONFIGURATIONS = 5_000
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*$")]
Patch = dict[str, Any]


def as_written(given: Any) -> Any:
    """Convert the names of levels to text: YAML reads a bare ``off`` as false, and 3 as a number."""
    if not isinstance(given, Mapping):
        return given
    words = {False: "off", True: "on"}
    return {words[name] if isinstance(name, bool) else str(name): patch for name, patch in given.items()}


Levels = Annotated[dict[Name, Patch], BeforeValidator(as_written), Field(min_length=2)]


class Grid(Slice):
    """A grid of plans: ``base`` is the plan that is patched; ``factors`` have at least two levels each.

    ``base`` is a name, or a path relative to the grid's folder. In a patch, a mapping changes the keys that it names,
    any other value replaces the plan's, and null removes it; a mapping with another ``by`` is of another kind and
    replaces the plan's mapping.
    """

    name: str
    path: str
    after: str
    base: str
    factors: Annotated[dict[Name, Levels], Field(min_length=1)]

    @model_validator(mode="after")
    def _factors_are_apart(self) -> Grid:
        keys = {
            name: {key for patch in levels.values() for key in _keys(patch)} for name, levels in self.factors.items()
        }
        for (one, ours), (other, theirs) in combinations(keys.items(), 2):
            for key in sorted(ours):
                if any(key[: len(their)] == their[: len(key)] for their in theirs):
                    raise ValueError(
                        f"factors {one} and {other} both set {'.'.join(key)}: no key may be of two, make one factor "
                        "of them"
                    )
        return self

    @model_validator(mode="after")
    def _is_of_a_size(self) -> Grid:
        size = prod(map(len, self.factors.values()))
        if size > MOST_CONFIGURATIONS:
            raise ValueError(
                f"factors have {size} combinations, of which {MOST_CONFIGURATIONS} are the most: leave out levels"
            )
        return self


@dataclass(frozen=True, slots=True)
class Configuration:
    """A combination of levels: the level of each factor, the unvalidated recipe, and the plan.

    ``number`` begins at 1.
    """

    number: int
    levels: Mapping[str, str]
    recipe: Mapping[str, Any]
    plan: Plan

    @property
    def label(self) -> str:
        """The levels as text."""
        return ", ".join(f"{factor} {level}" for factor, level in self.levels.items())


def grid_names() -> list[str]:
    """The names of the grids that ship, sorted."""
    return names_in(GRIDS_DIR)


def load_grid(name: str) -> Grid:
    """The grid of that name, or of that ``.yaml`` path.

    Raises UsageError that names the file and the wrong key, or the grids there are.
    """
    path = find_file(name, "grid", GRIDS_DIR)
    try:
        return Grid.model_validate({**read_mapping(path, "grid"), "name": path.stem, "path": str(path.absolute())})
    except ValidationError as error:
        raise UsageError(f"grid {path}: {wrong_keys(error, path.stem)}") from error


def configurations(grid: Grid) -> list[Configuration]:
    """Every combination of levels, the last factor's changing first.

    Raises UsageError that names the grid, the levels and the wrong key of an invalid plan.
    """
    base, found = read_base(grid.base, grid.path), []
    for number, names in enumerate(product(*grid.factors.values()), start=1):
        levels = dict(zip(grid.factors, names, strict=True))
        recipe: Any = base
        for factor, level in levels.items():
            recipe = patched(recipe, grid.factors[factor][level])
        said = ", ".join(f"{factor} {level}" for factor, level in levels.items())
        plan = plan_of(recipe, f"{grid.name}-{number:03d}", f"grid {grid.path}, with {said}")
        found.append(Configuration(number, levels, recipe, plan))
    return found


def patched(recipe: Any, patch: Any) -> Any:
    """``recipe`` with the changes of ``patch``, by the rules of :class:`Grid`; neither is modified."""
    if not isinstance(patch, Mapping) or not isinstance(recipe, Mapping):
        return patch
    if "by" in patch and patch["by"] != recipe.get("by"):
        return dict(patch)
    return {**recipe, **{key: patched(recipe.get(key), value) for key, value in patch.items()}}


def _keys(patch: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in patch.items():
        if isinstance(value, Mapping) and value and "by" not in value:
            yield from _keys(value, (*above, key))
        else:
            yield *above, key
