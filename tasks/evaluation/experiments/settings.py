"""Trials of an experiment: each setting as it can be run here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from configs.experiments import (
    ContextExperiment,
    GeneratorExperiment,
    Given,
    OnGold,
    plan_of_setting,
    recipe_of_setting,
)
from configs.grids import Patch
from tasks.errors import UsageError
from tasks.evaluation.experiments.trials import RETRIEVED, Trial
from tasks.retrieval.plan_fallbacks import as_measured

if TYPE_CHECKING:
    from configs.settings import Settings

SETTING = "setting"
"""Name of the only factor of an experiment."""
RIGHT_PASSAGE = "right passage"
_ALONE = Given(given="right_passage")
"""The right passage alone as context. An experiment that asks for a relative maximum and has no such setting gets one
named RIGHT_PASSAGE.
"""
_DRAFTS_ALL: Patch = {"confidence": None, "decline_below": 0, "review_below": 0}
"""Answering without confidence weights and with thresholds at 0: passages that were placed, not searched, have no
scores to decline by.
"""


def trials_of_experiment(experiment: OnGold, settings: Settings) -> list[Trial]:
    """List a trial for each setting, numbered from 1, with substitutes for weights or servers that are not configured.

    Raises UsageError, which names file, setting and key if a setting is no plan, and the variables to set if it needs a
    model server that is not configured.
    """
    found = []
    for number, (name, patch, generator, given) in enumerate(_settings_of(experiment, settings), start=1):
        plan = plan_of_setting(experiment, name, patch)
        running, deviations = as_measured(plan, settings.rerank, settings.openai)
        recipe = recipe_of_setting(experiment, patch)
        trial = Trial(number, {SETTING: name}, recipe, running, tuple(deviations), generator, given)
        _require_server(experiment, trial, settings)
        found.append(trial)
    return found


def relative_maximum_of(experiment: OnGold) -> str:
    """The name of the setting with the right passage alone, which the others are shares of; "" if not asked for.

    It is the experiment's own name for it, else RIGHT_PASSAGE.
    """
    if not experiment.relative_maximum:
        return ""
    given = experiment.settings if isinstance(experiment, ContextExperiment) else {}
    return next((name for name, one in given.items() if one == _ALONE), RIGHT_PASSAGE)


def _settings_of(experiment: OnGold, settings: Settings) -> Iterator[tuple[str, Patch, str, Given]]:
    """The name of each setting, its patch of the plan, the generator that drafts, and the context."""
    if isinstance(experiment, GeneratorExperiment):
        for name in experiment.generators or _configured(experiment, settings):
            answering = {"generator": "extractive" if name == "extractive" else "openai"}
            yield name, {"answering": answering}, name, RETRIEVED
    elif isinstance(experiment, ContextExperiment):
        named = experiment.settings
        added = {RIGHT_PASSAGE: _ALONE} if relative_maximum_of(experiment) not in ("", *named) else {}
        for name, given in (named | added).items():
            # A plan hands over only its best few hits, but all placed passages must be handed over.
            whole: Patch = {"retrieval": {"top_k": given.distractors + 1}}
            yield name, whole if given.given == "right_passage" else {}, "", given
    else:
        yield from ((name, patch, "", RETRIEVED) for name, patch in experiment.settings.items())
        if relative_maximum_of(experiment) == RIGHT_PASSAGE:
            yield RIGHT_PASSAGE, {"retrieval": {"top_k": 1}, "answering": _DRAFTS_ALL}, "", _ALONE


def _configured(experiment: GeneratorExperiment, settings: Settings) -> list[str]:
    """The extractive generator and every configured server, of which there must be at least one."""
    servers = [*(["openai"] if settings.openai.is_configured else []), *settings.servers]
    if not servers:
        raise UsageError(
            f"experiment {experiment.path} compares generators, and no model server is configured: set "
            "BIDFOLIO_OPENAI_BASE_URL and BIDFOLIO_OPENAI_MODEL, or name servers in BIDFOLIO_SERVERS"
        )
    names = ["extractive", *servers]
    if experiment.against not in names:
        raise UsageError(
            f"experiment {experiment.path}: against: {experiment.against!r} is none of {', '.join(names)}: configure "
            "it, or choose one of these"
        )
    return names


def _require_server(experiment: OnGold, trial: Trial, settings: Settings) -> None:
    said = f"experiment {experiment.path}, setting {trial.label.removeprefix(SETTING).strip()}"
    if trial.drafts == "openai" and not settings.openai.is_configured:
        raise UsageError(
            f"{said}: it asks a model server, and none is configured: set BIDFOLIO_OPENAI_BASE_URL and "
            "BIDFOLIO_OPENAI_MODEL"
        )
    if trial.drafts not in ("openai", "extractive", "chain", *settings.servers):
        raise UsageError(f"{said}: there is no server {trial.drafts!r}: name it in BIDFOLIO_SERVERS")
