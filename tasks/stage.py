"""The one kind of Prefect task that bidfolio has: a stage of a run."""

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
    """A decorator that makes a function a stage, shown in Prefect under ``run_name``.

    Only what is Transient is tried again. Prefect's result cache is off: it sees neither a file's bytes nor a
    helper's code, and would serve stale results; the stages keep their own, under keys of content.
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
