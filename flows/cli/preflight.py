"""Preflight checks: errors that are found before Prefect is imported and a server started, in seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from configs.experiments import load_on_gold, load_page_finder, plan_of_setting
from configs.grids import load_grid
from configs.plans import load_plan
from configs.settings import Settings
from flows.prefect_server.environment import require_writable
from flows.prefect_server.first_contact import reach
from flows.prefect_server.own_database import set_aside_damaged
from flows.prefect_server.own_server import own_server
from tasks.errors import ServiceAway, UsageError
from tasks.retrieval.plan_fallbacks import as_answered, as_measured, with_substitutes

ANSWER_TIMEOUT_S = 10.0


def check_folder(source: str, plan: str) -> None:
    """Check a refresh. Raises UsageError for a wrong plan, a missing local folder, or a URL that holds a secret."""
    load_plan(plan)
    if "://" in source:
        reach(source)
    elif not Path(source).is_dir():
        raise UsageError(f"there is no folder {source}: give the folder that holds the documents")


def check_file(path: str, plan: str) -> None:
    """Check a file and a plan. Raises UsageError for a wrong plan or a missing file."""
    load_plan(plan)
    if Path(path).is_dir():
        raise UsageError(f"{path} is a folder: name a file in it")
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}")


def check_answer(path: str, plan: str, settings: Settings) -> None:
    """Check an answer run.

    Raises UsageError as :func:`check_file`, and for weights or a server that are not configured.
    """
    check_file(path, plan)
    as_answered(load_plan(plan), settings.rerank, settings.openai)


def check_map(path: str) -> None:
    """Check the map of a questionnaire, where one is named. Raises UsageError for a file that is missing, or no map."""
    from tasks.questionnaires.customers_file import ReadAs

    ReadAs(path).mapping()


def check_evaluation(gold: str | None, plans: Sequence[str], settings: Settings, *, page_finder: bool) -> None:
    """Check an evaluation. Raises UsageError where nothing, or two things, are to be measured.

    Also for a wrong plan, two plans of one name, configured weights that are missing, or a missing file.
    """
    if page_finder and (gold or len(plans) > 1):
        raise UsageError("--page-finder measures one plan's chunks on the corpus itself: leave the gold set out")
    if not page_finder and not gold:
        raise UsageError("say what is measured: evaluate GOLD.jsonl, or evaluate --page-finder")
    recipes = [load_plan(plan) for plan in plans]
    names = [recipe.name for recipe in recipes]
    if len(set(names)) < len(names):
        raise UsageError(f"two plans have one name ({', '.join(names)}): their figures could not be told apart")
    if gold:
        check_file(gold, plans[0])
        for recipe in recipes:
            as_measured(recipe, settings.rerank, settings.openai)


def check_judges(judges: Sequence[str], criteria: Sequence[str], labels: str, repeats: int, settings: Settings) -> None:
    """Check the options of judges.

    Raises UsageError for an unknown criterion, invalid labelled examples, or a missing server.

    Also for less than one repeat, and for options of judges where none is named.
    """
    if not judges and (criteria or labels or repeats != 1):
        raise UsageError("say who judges: --judge lexical, embedding or server")
    if repeats < 1:
        raise UsageError("--repeats is at least 1")
    if repeats > 1 and "server" not in judges:
        raise UsageError("--repeats is for --judge server: the others say the same each time")
    if judges:
        from tasks.evaluation.judges.cases import known_criteria
        from tasks.evaluation.judges.labels import read_labels
        from tasks.evaluation.judges.server import server_of

        known_criteria(criteria)
        if labels:
            read_labels(labels)
        if "server" in judges:
            server_of(settings)


def check_experiment(
    gold: str | None, experiment: str, plans: Sequence[str] | None, out: str | None, settings: Settings
) -> bool:
    """Check an experiment; returns if it measures page finders.

    Raises UsageError for a wrong experiment, one that needs a model server where none is configured, or a gold set that
    is missing, not named, or not needed.
    """
    if plans:
        raise UsageError("an experiment names its plan in its own file, as base: leave --plan out")
    _require_folder(out)
    if not gold:
        plan_of_setting(load_page_finder(experiment), "base", {})
        return True
    design = load_on_gold(experiment)
    if not Path(gold).is_file():
        raise UsageError(f"there is no file {gold}")
    from tasks.evaluation.experiments.settings import trials_of_experiment

    trials_of_experiment(design, settings)
    return False


def check_tuning(gold: str | None, plan: str, out: str | None, settings: Settings, *, cross_encoder: bool) -> None:
    """Check a tuning. Raises UsageError for a wrong plan, a missing gold set, or no folder for the reranker."""
    recipe = load_plan(plan)
    if gold:
        check_file(gold, plan)
    if cross_encoder and not out:
        raise UsageError("say with --out DIR where the fine-tuned reranker goes")
    if cross_encoder and out and Path(out).exists():
        raise UsageError(f"{out} is there already: name a new folder with --out DIR for the fine-tuned reranker")
    if not cross_encoder:
        with_substitutes(recipe, settings.rerank)
        if recipe.retrieval.adapter == "off":
            raise UsageError(f"the plan {plan!r} leaves adapters off: set retrieval.adapter: auto in it")


def check_confidence(
    gold: str | None, plan: str, out: str | None, shares: Mapping[str, float], settings: Settings
) -> None:
    """Check a tuning of the confidence.

    Raises UsageError for a wrong plan, missing weights, a gold set that is missing or not named, an ``out`` that is a
    file, or one of the ``shares``, each by its option, outside 0 to 1.
    """
    if not gold:
        raise UsageError("say by which questions thresholds are chosen: tune GOLD.jsonl --confidence")
    check_file(gold, plan)
    _require_folder(out)
    for name, share in shares.items():
        if not 0 < share < 1:
            raise UsageError(f"{name} is a share between 0 and 1, 0.95 say, and not {share:g}")
    as_measured(load_plan(plan), settings.rerank, settings.openai)


def check_grid(gold: str | None, grid: str, plan: str, out: str | None, settings: Settings) -> None:
    """Check a grid.

    Raises UsageError for a wrong grid or plan, a gold set that is missing or not named, or an ``out`` that is a file.
    """
    if not gold:
        raise UsageError("say by which questions the grid is judged: tune GOLD.jsonl --grid FILE")
    check_file(gold, plan)
    _require_folder(out)
    from tasks.evaluation.experiments.trials import trials_of

    trials_of(load_grid(grid), plan, settings.rerank, settings.openai)


def _require_folder(out: str | None) -> None:
    if out and Path(out).is_file():
        raise UsageError(f"--out {out} is a file: name a folder, which is made where it is not there")


@contextmanager
def server_ready() -> Iterator[None]:
    """Report the start of work, and run a Prefect server if none is configured; flows are imported within the block.

    Raises UsageError for a home that cannot be written, and ServiceAway where the configured server does not answer, or
    our own does not start.
    """
    require_writable(os.environ["BIDFOLIO_HOME"])
    url = os.environ.get("PREFECT_API_URL")
    if url:
        import httpx

        try:
            httpx.get(f"{url.rstrip('/')}/health", timeout=ANSWER_TIMEOUT_S)
        except httpx.HTTPError as error:
            raise ServiceAway(
                f"no Prefect server answers at {url} ({error}): start it, or unset PREFECT_API_URL"
            ) from error
    elif aside := set_aside_damaged(os.environ["BIDFOLIO_HOME"]):
        said = "Prefect's database was damaged, and a new one is begun; the lake has the records of all runs"
        print(f"bidfolio: warning: {said} ({aside})", file=sys.stderr)
    print("bidfolio: starting …", file=sys.stderr, flush=True)
    with own_server():
        yield
