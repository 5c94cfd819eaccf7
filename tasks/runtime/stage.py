"""Stages of a run: the only kind of Prefect task that bidfolio has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import Task

from tasks.errors import Transient

RETRY_DELAYS_S = [1.0, 10.0]

P = ParamSpec("P")
R = TypeVar("R")


def stage(run_name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """Decorator that makes a function a stage, shown in Prefect under ``run_name``.

    Only Transient errors are retried. Prefect's result cache is off: it sees neither a file's bytes nor a helper's
    code, and would serve stale results; the stages have their own cache, under content keys.
    """
    return task(
        task_run_name=run_name,
        cache_policy=NO_CACHE,
        retries=len(RETRY_DELAYS_S),
        retry_delay_seconds=RETRY_DELAYS_S,
        retry_condition_fn=_is_transient,
    )


def _is_transient(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    try:
        state.result()
    except Transient:
        return True
    except BaseException:  # the question is only whether it was Transient; the run raises it to its caller
        return False
    return False
