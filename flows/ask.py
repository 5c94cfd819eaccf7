"""`bidfolio ask`: one question, answered at once, without a flow, so that nobody waits for an orchestrator."""

from __future__ import annotations

import unicodedata
from threading import Lock
from typing import Any, NamedTuple

from configs.plans import Plan, load_plan
from configs.settings import Settings
from flows.prefect_server.form_types import Generator, with_generator
from tasks.answering.decision.decline_advice import no_answer
from tasks.answering.drafts.draft import OnText
from tasks.answering.pipeline import Loaded
from tasks.answering.task import answer_one, load_for_asking
from tasks.chat.task import asking_run, condense_question, keep_turn
from tasks.errors import Damaged, UsageError
from tasks.pages.pictures.page_lookup import NoSuchPage, PageGone
from tasks.pages.task import place_of_character
from tasks.publishing.mending_task import damage_named
from tasks.references import Scoped, Staged
from tasks.retrieval.plan_fallbacks import as_answered
from tasks.retrieval.queries.scope import EVERYTHING, Scope
from tasks.retrieval.task import find_live, find_scope
from tasks.retrieval.version_loading import expect_many


class Asking(NamedTuple):
    """A question with the plan, generator, corpus and scope to answer it with, and its conversation.

    An empty plan, generator or corpus is that of the settings. ``session`` is None for a question outside a
    conversation. ``asked_by`` is the user who asks, if another than in the settings.
    """

    question: str
    plan: str = ""
    generator: Generator | None = None
    corpus: str | None = None
    scope: Scope = EVERYTHING
    session: str | None = None
    asked_by: str = ""


class _Prepared(NamedTuple):
    """The resources loaded for a plan and a scope: index version, models, scope, and descriptions of substitutes."""

    version: Staged
    loaded: Loaded
    scoped: Scoped | None
    deviations: list[str]


class Desk:
    """Answers questions, from several threads at once.

    Its resources are loaded once, and again when another version is live.
    """

    KEPT = 4
    """The number of plans and scopes whose resources stay in memory."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._recipes: dict[tuple[str, Generator], tuple[Plan, list[str]]] = {}
        self._prepared: dict[tuple[Any, ...], _Prepared] = {}
        self._loading = Lock()

    def ask(self, asking: Asking, on_text: OnText | None = None) -> dict[str, Any]:
        """Answer a question: the answer with its citations, or the reason why there is none,
        as ``ask --json`` prints it.

        ``on_text`` is called with the text while a generator writes it, before it is judged; the extractive generator
        writes none. Raises UsageError for an empty question, a scope without documents, an invalid session name, or
        where nothing is published for the plan, and Damaged where files are that it needs. What was loaded before they
        were mended is loaded again.
        """
        if not asking.question.strip():
            raise UsageError('the question is empty: bidfolio ask "QUESTION"')
        if any(unicodedata.category(character) == "Cs" for character in asking.question):
            raise UsageError("the question has bytes that are no text in UTF-8: write it anew")
        try:
            return self._answer(asking, on_text)
        except Damaged:
            with self._loading:
                self._prepared.clear()
            return self._answer(asking, on_text)

    def _answer(self, asking: Asking, on_text: OnText | None) -> dict[str, Any]:
        with damage_named(self._settings.home):
            return self._answer_from(*self._prepare(asking), asking, on_text)

    def _answer_from(self, recipe: Plan, prepared: _Prepared, asking: Asking, on_text: OnText | None) -> dict[str, Any]:
        settings = self._settings
        who = asking.asked_by or settings.user
        with asking_run(recipe.name, prepared.version.corpus, str(asking.scope), who) as run:
            condensed = condense_question.fn(asking.question, asking.session, prepared.loaded, settings)
            said = answer_one(
                condensed.text,
                prepared.version,
                recipe,
                settings,
                asking.scope,
                run=run,
                loaded=prepared.loaded,
                found=condensed.candidate[1:] if condensed.candidate else None,
                said_before=condensed.said_before,
                deviations=prepared.deviations,
                on_text=on_text,
            )
        for cited in said["citations"]:
            cited |= self._place_of(cited)
        scoped = prepared.scoped
        said |= {
            "question": asking.question,
            "no_answer": [] if said["answer"] else no_answer(said["detail"]),
            "asked_as": condensed.text,
            "condensed_by": condensed.by,
            "condensed_so_because": condensed.reason,
            "session": asking.session,
            "scope": asking.scope.to_json() | scoped._asdict() if scoped else None,
        }
        if asking.session is not None:
            keep_turn.fn(asking.session, said, settings)
        return said

    def warm_up(self) -> tuple[str, ...]:
        """Load the resources that the first question to the default plan needs; returns the warnings.

        Raises UsageError as :meth:`ask`.
        """
        with damage_named(self._settings.home):
            _, prepared = self._prepare(Asking(""))
        prepared.loaded.models.encode(["Is anybody there?"])
        expect_many(prepared.loaded.index)
        return prepared.loaded.warnings

    def _prepare(self, asking: Asking) -> tuple[Plan, _Prepared]:
        """The plan as it is run here, and its resources for the version that is live now."""
        settings = self._settings
        plan, generator = asking.plan or settings.ask.plan, asking.generator or settings.ask.generator
        recipe, deviations = self._recipe(plan, generator)
        corpus = asking.corpus or settings.ask.corpus
        version = find_live.fn(recipe, corpus, settings)
        key = (recipe.model_dump_json(), corpus, asking.scope)
        with self._loading:
            prepared = self._prepared.pop(key, None)
            if prepared is None or prepared.version != version:
                scoped = find_scope.fn(asking.scope, version, settings)
                loaded = load_for_asking(version, recipe, settings, asking.scope)
                prepared = _Prepared(version, loaded, scoped, deviations)
            self._prepared[key] = prepared
            while len(self._prepared) > self.KEPT:
                self._prepared.pop(next(iter(self._prepared)))
        return recipe, prepared

    def _recipe(self, plan: str, generator: Generator) -> tuple[Plan, list[str]]:
        """The plan as it is run here, and descriptions of its deviations, cached.

        To read its file each time would take a tenth of an answer's time.
        """
        if (plan, generator) not in self._recipes:
            recipe, settings = with_generator(load_plan(plan), generator), self._settings
            self._recipes[plan, generator] = as_answered(recipe, settings.rerank, settings.openai)
        return self._recipes[plan, generator]

    def _place_of(self, cited: dict[str, Any]) -> dict[str, Any]:
        """The page number under which a citation can be shown; None where the document is gone meanwhile."""
        try:
            place = place_of_character.fn(cited["document_id"], cited["start"], self._settings)
        except (NoSuchPage, PageGone):
            return {"shown_on": None}
        return {"shown_on": place.number}
