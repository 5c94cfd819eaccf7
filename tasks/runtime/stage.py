"""Stages of a run: the only kind of Prefect task that bidfolio has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from tasks.errors import Transient

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State, TaskRun
    from prefect.tasks import Task

RETRY_DELAYS_S = [1.0, 10.0]

P = ParamSpec("P")
R = TypeVar("R")


class Stage(Generic[P, R]):
    """A function that runs as a Prefect task when it is called; ``fn`` is the function itself.

    Prefect, which takes a second to import, is imported at the first call: what asks a question calls ``fn``.
    """

    def __init__(self, fn: Callable[P, R], run_name: str) -> None:
        self.fn, self.run_name = fn, run_name
        update_wrapper(self, fn)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run as a task of the flow that calls it."""
        return self.task(*args, **kwargs)

    @cached_property
    def task(self) -> Task[P, R]:
        """The task. Only Transient errors are retried. Prefect's result cache is off: it sees neither a file's bytes
        nor a helper's code, and would serve stale results; the stages have their own cache, under content keys.
        """
        from prefect import task
        from prefect.cache_policies import NO_CACHE

        return task(
            task_run_name=self.run_name,
            cache_policy=NO_CACHE,
            retries=len(RETRY_DELAYS_S),
            retry_delay_seconds=RETRY_DELAYS_S,
            retry_condition_fn=_is_transient,
        )(self.fn)


def stage(run_name: str) -> Callable[[Callable[P, R]], Stage[P, R]]:
    """Decorator that makes a function a stage, shown in Prefect under ``run_name``."""

    def made(fn: Callable[P, R]) -> Stage[P, R]:
        return Stage(fn, run_name)

    return made


def _is_transient(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    try:
        state.result()
    except Transient:
        return True
    except BaseException:  # the question is only whether it was Transient; the run raises it to its caller
        return False
    return False
