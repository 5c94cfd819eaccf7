"""What the forms of Prefect's UI ask for: the types of the flows' parameters, with titles and choices.

A parameter's description stands in the docstring of its flow. The choices bind the form and Prefect's API; in
Python and on the command line a plan may also be the path of a ``.yaml`` file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from configs.plans import plan_names


def titled(title: str, choices: Sequence[str] = ()) -> Any:
    """The annotation of a parameter that is shown under ``title``, not its name, with ``choices`` where given."""
    return Field(json_schema_extra={"title": title} | ({"enum": list(choices)} if choices else {}))


Generator = Literal["as the plan says", "extractive", "openai"]
PlanName = Annotated[str, titled("Plan", plan_names())]
