"""Trials of a grid: each configuration as it can be run here, and the plan to beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from configs.experiments import Given
from configs.grids import Grid, configurations
from configs.plans import Plan, load_plan, read_recipe
from configs.slices import digest
from tasks.records import content_id
from tasks.retrieval.first_stage.exact_search import RANKED_HITS
from tasks.retrieval.plan_fallbacks import as_measured

if TYPE_CHECKING:
    from configs.settings import OpenAISettings, RerankSettings

LOGIC_VERSION = "4"
"""Version of the measurement, part of the cache key. Change it whenever the same plan would be measured otherwise."""
TO_BEAT = 0
"""Trial number of the plan to beat."""
RETRIEVED = Given(given="retrieved")
NO_FILES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Trial:
    """A plan to measure as it runs here, with its deviations from the ``recipe`` as written.

    ``levels`` is None for the plan to beat. ``generator``, if named, drafts in place of the plan's, from what is
    ``given``.
    """

    number: int
    levels: Mapping[str, str] | None
    recipe: Mapping[str, Any]
    plan: Plan
    deviations: tuple[str, ...]
    generator: str = ""
    given: Given = RETRIEVED

    @property
    def drafts(self) -> str:
        """The name of the generator that drafts."""
        return self.generator or self.plan.answering.generator

    @property
    def label(self) -> str:
        """The levels in words, or the name of the plan to beat."""
        if self.levels is None:
            return self.plan.name
        return ", ".join(f"{factor} {level}" for factor, level in self.levels.items())


def trials_of(grid: Grid, to_beat: str, rerank: RerankSettings, openai: OpenAISettings) -> list[Trial]:
    """List the plan to beat, then every configuration, with substitutes for weights or servers that are not configured.

    Raises UsageError as :func:`configs.grids.configurations` and :func:`configs.plans.load_plan`.
    """

    def trial(number: int, levels: Mapping[str, str] | None, recipe: Mapping[str, Any], plan: Plan) -> Trial:
        running, deviations = as_measured(plan, rerank, openai)
        return Trial(number, levels, recipe, running, tuple(deviations))

    return [
        trial(TO_BEAT, None, read_recipe(to_beat)[1], load_plan(to_beat)),
        *(trial(one.number, one.levels, one.recipe, one.plan) for one in configurations(grid)),
    ]


def deviations_of(trials: Iterable[Trial]) -> list[dict[str, Any]]:
    """Count the trials with each deviation; no deviations give none."""
    counts = Counter(deviation for trial in trials for deviation in trial.deviations)
    return [{"deviation": deviation, "configurations": count} for deviation, count in counts.items()]


def recipe_as_run(trial: Trial) -> dict[str, Any]:
    """The recipe with the substitutes written in, so that a plan of it runs without deviations."""
    recipe = {key: dict(value) if isinstance(value, Mapping) else value for key, value in trial.recipe.items()}
    rerank, expand = trial.plan.retrieval.rerank, trial.plan.retrieval.expand
    for key, part in (("rerank", rerank), ("expand", expand)):
        if part is not None:
            recipe["retrieval"][key] = part.model_dump(mode="json", exclude_defaults=True)
        else:
            recipe["retrieval"].pop(key, None)
    if trial.plan.embedding.token_dimensions is not None:
        recipe["embedding"]["token_dimensions"] = trial.plan.embedding.token_dimensions
    return recipe


def trial_key(
    plan: Plan,
    index_version: str,
    gold: str,
    model: str,
    generator: str = "",
    given: Given = RETRIEVED,
    files: Mapping[str, str] = NO_FILES,
) -> str:
    """The cache key of a trial's results.

    It depends on the plan without its names, the index version, the hash of the gold set's bytes, the ``model`` of the
    servers and its prompts if one is asked, the trial's ``generator`` and ``given``, and the hashes of model ``files``,
    since a name does not identify weights.
    """
    said = digest(plan.model_dump(mode="json", exclude={"name", "path", "after"}))
    drafts = generator or plan.answering.generator
    asks = drafts != "extractive" or getattr(plan.retrieval.expand, "by", "") == "generator"
    more = [] if (generator, given) == ("", RETRIEVED) else [generator, given.fingerprint()]
    weights = digest(dict(sorted(files.items())))
    return content_id("trial", LOGIC_VERSION, said, index_version, gold, model if asks else "", weights, *more)


def by_ranking(trials: Sequence[Trial], index_of: Callable[[Plan], str]) -> list[list[Trial]]:
    """Group the trials that share all their hits and differ only in what is made of them.

    In a group, those that hand over most come first. ``index_of`` names the version that a plan searches.
    """
    groups: dict[str, list[Trial]] = {}
    for trial in trials:
        groups.setdefault(content_id(index_of(trial.plan), ranking_key(trial.plan)), []).append(trial)
    return [sorted(group, key=lambda trial: -trial.plan.retrieval.top_k) for group in groups.values()]


def ranking_key(plan: Plan) -> str:
    """Hash of the settings that decide which hits a plan ranks, and in which order."""
    retrieval = plan.retrieval
    read_by_rerank = retrieval.rerank is not None and retrieval.rerank.reads == "handed_over"
    left_out = {"top_k", "adapter"} | (set() if read_by_rerank else {"hand_over"})
    ranked = max(retrieval.top_k, RANKED_HITS)
    return digest([retrieval.model_dump(mode="json", exclude=left_out), ranked, plan.search.model_dump(mode="json")])
