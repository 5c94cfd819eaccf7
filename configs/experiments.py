"""Experiments: a plan with one varied factor, its settings, and the figures to measure.

An experiment is a short file in ``configs/experiments/``, or any other. Its kind is ``by``: it varies keys of the plan
(``plan``), the generator (``generators``), the passages handed over (``context``), or the page finder
(``page_finder``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from configs.grids import Name, Patch, as_written, patched
from configs.plans import Plan, find_file, names_in, plan_of, read_base, read_mapping
from configs.slices import Slice
from configs.wrong_keys import wrong_keys
from tasks.errors import UsageError

EXPERIMENTS_DIR = Path(__file__).parent / "experiments"

Measure = Literal[
    "correctness",
    "rouge1_recall",
    "points_lexical",
    "page_recall_at_5",
    "page_mrr_at_10",
    "context_relevance",
    "groundedness",
    "answer_relevance",
    "embedding_triad",
    "draft_rate",
]
"""A figure of the table ``grid``; ``draft_rate`` is the share of questions that are drafted, not declined or failed."""
SettingName = Annotated[str, Field(min_length=1, max_length=60)]


class Given(Slice):
    """The passages that the generator gets with a question.

    These are the ``retrieved`` passages; ``nothing``, so that it answers from its own knowledge; or the
    ``right_passage``, a chunk of a gold page, among ``distractors`` of other pages. ``depth`` is the share of these
    before it: 0 puts it first, 1 last.
    """

    given: Literal["retrieved", "nothing", "right_passage"]
    distractors: Annotated[int, Field(ge=0, le=1000)] = 0
    depth: Annotated[float, Field(ge=0, le=1)] = 0.0

    @model_validator(mode="after")
    def _places_a_passage(self) -> Given:
        if self.given != "right_passage" and self.model_fields_set & {"distractors", "depth"}:
            raise ValueError(f"given: {self.given} places no passage: leave distractors and depth out")
        return self


Patches = Annotated[dict[SettingName, Patch], BeforeValidator(as_written), Field(min_length=2)]
Contexts = Annotated[dict[SettingName, Given], BeforeValidator(as_written), Field(min_length=2)]


class _Experiment(Slice):
    """The common keys of experiments.

    ``base`` is a plan by its name or its path, relative to the file's folder, and ``changed`` a patch of it for all
    settings. The other settings are compared with the setting ``against``. ``question`` is the question to answer, and
    ``varies`` names the settings, with their unit, as on the axis of a picture.
    """

    name: str
    path: str
    after: str
    question: str
    varies: str = "setting"
    base: str
    changed: Annotated[Patch, Field(default_factory=dict)]


class _OnGold(_Experiment):
    """An experiment that is measured on a gold set.

    With ``relative_maximum`` the right passage alone is a further setting, unless it is one already, and each setting
    is compared with its figures (Finardi et al. 2024, section 3.1).
    """

    relative_maximum: bool = False
    against: Annotated[SettingName, BeforeValidator(str)]
    measures: Annotated[tuple[Measure, ...], Field(min_length=1)]


class _OfSettings(_OnGold):
    settings: Mapping[str, object]

    @model_validator(mode="after")
    def _is_against_one(self) -> _OfSettings:
        _require_setting(self.against, self.settings)
        return self


class PlanExperiment(_OfSettings):
    """An experiment whose settings are patches of the plan, as the levels of a grid are."""

    by: Literal["plan"]
    settings: Patches


class ContextExperiment(_OfSettings):
    """An experiment whose settings are the passages handed over."""

    by: Literal["context"]
    settings: Contexts


class GeneratorExperiment(_OnGold):
    """An experiment whose settings are generators: ``extractive``, ``openai``, or names of ``servers``.

    Without ``generators``, they are extractive and every configured server.
    """

    by: Literal["generators"]
    generators: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _is_against_one(self) -> GeneratorExperiment:
        if self.relative_maximum:
            raise ValueError("relative_maximum: each generator has its own: leave it out")
        if self.generators:
            _require_setting(self.against, dict.fromkeys(self.generators))
            if len(set(self.generators)) < 2:
                raise ValueError("generators: give two at least, or leave it out for every server that is configured")
        return self


class PageFinderExperiment(_Experiment):
    """An experiment whose settings are page finders on the corpus' own chunks of some sizes; it takes no gold set."""

    by: Literal["page_finder"]
    chunk_tokens: Annotated[tuple[Annotated[int, Field(ge=48, le=2000)], ...], Field(min_length=1)]


Experiment = Annotated[
    PlanExperiment | ContextExperiment | GeneratorExperiment | PageFinderExperiment, Field(discriminator="by")
]
OnGold = PlanExperiment | ContextExperiment | GeneratorExperiment
_ADAPTER: TypeAdapter[Experiment] = TypeAdapter(Experiment)
_KINDS = ("plan", "context", "generators", "page_finder")


def experiment_names() -> list[str]:
    """The names of the experiments that ship, sorted."""
    return names_in(EXPERIMENTS_DIR)


def load_experiment(name: str) -> OnGold | PageFinderExperiment:
    """The experiment of that name, or of that ``.yaml`` path.

    Raises UsageError that names the file and the wrong key, or the experiments there are.
    """
    path = find_file(name, "experiment", EXPERIMENTS_DIR)
    try:
        found = _ADAPTER.validate_python(
            {**read_mapping(path, "experiment"), "name": path.stem, "path": str(path.absolute())}
        )
    except ValidationError as error:
        raise UsageError(f"experiment {path}: {_wrong_keys(error, path.stem)}") from error
    _require_who_answers(found)
    return found


def load_on_gold(name: str) -> OnGold:
    """The experiment on a gold set with that name or path.

    Raises UsageError as :func:`load_experiment`, and for an experiment on page finders.
    """
    found = load_experiment(name)
    if isinstance(found, PageFinderExperiment):
        raise UsageError(f"experiment {found.path} measures page finders on the corpus itself: leave the gold set out")
    return found


def load_page_finder(name: str) -> PageFinderExperiment:
    """The experiment on page finders with that name or path.

    Raises UsageError as :func:`load_experiment`, and for any other experiment.
    """
    found = load_experiment(name)
    if not isinstance(found, PageFinderExperiment):
        raise UsageError(f"experiment {found.path} is measured on a gold set: evaluate GOLD.jsonl --experiment {name}")
    return found


def plan_of_setting(experiment: OnGold | PageFinderExperiment, setting: str, patch: Mapping[str, Any]) -> Plan:
    """The experiment's plan with that patch. Raises UsageError that names file, setting and wrong key."""
    return plan_of(
        recipe_of_setting(experiment, patch),
        f"{experiment.name} {setting}",
        f"experiment {experiment.path}, setting {setting}",
    )


def recipe_of_setting(experiment: OnGold | PageFinderExperiment, patch: Mapping[str, Any]) -> dict[str, Any]:
    """The unvalidated recipe of a setting's plan. Raises UsageError where the base plan is missing."""
    return dict(patched(patched(read_base(experiment.base, experiment.path), experiment.changed), patch))


def setting_value(name: str) -> float | None:
    """The number in a setting's name (``0.3``, ``10%`` as 0.1); None where it is no number."""
    try:
        return float(name.removesuffix("%")) / (100 if name.endswith("%") else 1)
    except ValueError:
        return None


def _require_setting(against: str, settings: Mapping[str, object]) -> None:
    if against not in settings:
        raise ValueError(f"against: {against!r} is no setting; choose one of {', '.join(settings)}")


def _require_who_answers(experiment: OnGold | PageFinderExperiment) -> None:
    """Check that a setting without passages has a language model.

    Raises UsageError for a generator that can only quote.
    """
    if not isinstance(experiment, ContextExperiment):
        return
    nothing = [name for name, given in experiment.settings.items() if given.given == "nothing"]
    if nothing and plan_of_setting(experiment, nothing[0], {}).answering.generator != "openai":
        raise UsageError(
            f"experiment {experiment.path}, setting {nothing[0]}: without any passage only a language model can "
            "answer, and extractive ones quote: set changed: {answering: {generator: openai}}"
        )


def _wrong_keys(error: ValidationError, whole: str) -> str:
    """The error message for wrong keys, without the experiment's kind before each key."""
    said = wrong_keys(error, whole)
    for kind in _KINDS:
        said = said.replace(f"; {kind}.", "; ").removeprefix(f"{kind}.")
    return said
