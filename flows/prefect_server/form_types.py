"""Types of the flows' parameters for the forms of Prefect's UI, with titles and choices.

A parameter's description stands in the docstring of its flow. The choices bind the form and Prefect's API; in
Python and on the command line a plan may also be the path of a ``.yaml`` file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from configs.grids import grid_names
from configs.plans import Plan, plan_names


def titled(title: str, choices: Sequence[str] = ()) -> Any:
    """The annotation of a parameter that is shown under ``title`` instead of its name, with ``choices`` where given."""
    return Field(json_schema_extra={"title": title} | ({"enum": list(choices)} if choices else {}))


def named(verb: str, parameter: str) -> Callable[[], str]:
    """A function for a flow run's name: the verb and the name of the file in that parameter, without its folders."""

    def name() -> str:
        from prefect.runtime import flow_run

        return f"{verb} {Path(flow_run.parameters[parameter]).name}"

    return name


Generator = Literal["as the plan says", "extractive", "openai", "chain"]
PlanName = Annotated[str, titled("Plan", plan_names())]
GridName = Annotated[str, titled("Grid", grid_names())]
# Without a schema of their own, the form would first ask for the type, text or None.
MayBeEmpty = Annotated[str | None, WithJsonSchema({"type": "string"})]
PatternList = Annotated[Sequence[str] | None, WithJsonSchema({"type": "array", "items": {"type": "string"}})]
NameList = PatternList
JudgeNames = Annotated[
    Sequence[Literal["lexical", "embedding", "server"]] | None,
    WithJsonSchema({"type": "array", "items": {"type": "string", "enum": ["lexical", "embedding", "server"]}}),
]
PlanNames = Annotated[
    Sequence[PlanName] | None,
    WithJsonSchema({"type": "array", "items": {"type": "string", "enum": plan_names()}}),
]


def with_generator(plan: Plan, generator: Generator) -> Plan:
    """The plan, drafting with ``generator`` where one is named."""
    if generator == "as the plan says":
        return plan
    return plan.model_copy(update={"answering": plan.answering.model_copy(update={"generator": generator})})
