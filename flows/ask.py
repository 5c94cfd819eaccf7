"""`bidfolio ask`: one question, answered at once. No flow: nobody waits for an orchestrator to ask a question."""

from __future__ import annotations

from typing import Any

from configs.plans import load_plan
from configs.settings import load_settings
from flows.answer import with_generator
from flows.forms import Generator
from tasks.answering.task import answer_one


def ask(question: str, plan: str, generator: Generator, corpus: str | None) -> dict[str, Any]:
    """The answer with its citations, or the reason why there is none."""
    recipe = with_generator(load_plan(plan), generator)
    return answer_one(question, recipe, corpus, load_settings())
