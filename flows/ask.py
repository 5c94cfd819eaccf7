"""`bidfolio ask`: one question, answered at once. No flow: nobody waits for an orchestrator to ask a question."""

from __future__ import annotations

from typing import Any

from configs.plans import load_plan
from configs.settings import load_settings
from flows.answer import with_generator
from flows.forms import Generator
from tasks.answering.task import answer_one
from tasks.errors import UsageError
from tasks.retrieval.scope import EVERYTHING, Scope
from tasks.retrieval.substitutes import with_server, with_weights
from tasks.retrieval.task import find_live, find_scope


def ask(
    question: str, plan: str, generator: Generator, corpus: str | None, scope: Scope = EVERYTHING
) -> dict[str, Any]:
    """The answer with its citations, or the reason why there is none.

    Raises UsageError for an empty question, a scope that lets in no document, or where nothing is published for the
    plan.
    """
    if not question.strip():
        raise UsageError('the question is empty: bidfolio ask "QUESTION"')
    settings = load_settings()
    recipe = with_weights(with_generator(load_plan(plan), generator), settings.rerank)
    recipe = with_server(recipe, settings.openai)
    version = find_live.fn(recipe, corpus, settings)
    scoped = find_scope.fn(scope, version, settings)
    said = answer_one(question, version, recipe, settings, scope)
    return said | {"scope": scope.to_json() | scoped._asdict() if scoped else None}
