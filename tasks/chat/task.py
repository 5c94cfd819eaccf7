"""Chat stages: read a session, rewrite a follow-up or the questions of a cell, and store a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from configs.settings import Settings
from tasks.answering.pipeline import Loaded
from tasks.chat.candidates import finding_in
from tasks.chat.query_rewriting import TURNS_SHOWN, Condensed, Turn, cells_of, condense, condensed
from tasks.chat.sessions import FOLDER, add_turn, read_turns
from tasks.errors import ReadOnly
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.progress import track
from tasks.questions.rows import question_rows, questions_of
from tasks.records import Question
from tasks.references import Questions
from tasks.runtime.acting import acting
from tasks.runtime.runs import Run, now, start_run
from tasks.runtime.stage import stage
from tasks.storage.commits import Commits, of_run
from tasks.storage.lake import Lake


@contextmanager
def asking_run(plan: str, corpus: str, scope: str, asked_by: str) -> Iterator[Run]:
    """Let the block act for a new run that asks a question, for the person ``asked_by``."""
    with acting(start_run("ask", plan, "", corpus, scope, asked_by)) as run:
        yield run


@stage("session {session}")
def read_session(session: str, settings: Settings) -> list[Turn]:
    """The last turns of a session, the oldest first. Raises UsageError for a text that cannot name one."""
    return read_turns(Lake(settings.home), session)


@stage("condense a question")
def condense_question(question: str, session: str | None, loaded: Loaded, settings: Settings) -> Condensed:
    """The question as it is asked alone, after the turns of the session, by the evidence that ``loaded`` finds.

    Raises UsageError for a text that cannot name a session.
    """
    if session is None:
        return Condensed(question, "nobody")
    lake = Lake(settings.home)
    history = read_turns(lake, session, TURNS_SHOWN)
    server = ModelServer(settings.openai, ReplyCache(lake)) if settings.openai.is_configured else None
    return condense(question, history, server, finding_in(loaded))


@stage("condense the questions of cells")
def condense_cells(questions: Questions, load: Callable[[], Loaded], run: Run, settings: Settings) -> Questions:
    """Rewrite the questions that lean on others of their cell; ``load`` is called only for a cell that asks several."""
    lake = Lake(settings.home)
    asked = questions_of(lake.read("questions", run_id=questions.run_id))
    if cells := cells_of(asked):
        finding = finding_in(load())
        with track("Reading the questions of cells", len(cells)) as advance:
            found: dict[str, Question] = {}
            for cell in cells:
                found |= {one.question_id: one for one in condensed(cell, finding)}
                advance(1)
        rows = question_rows(run.identity, (found.get(one.question_id, one) for one in asked))
        lake.write("questions", rows, run_id=questions.run_id)
    return questions


@stage("keep a turn of {session}")
def keep_turn(session: str, said: dict[str, Any], settings: Settings) -> None:
    """Add the result of ``ask`` to the session, and to what its run has left, unless the home cannot be written."""
    turn = Turn(said["question"], said["asked_as"], said["status"], said["answer"], now().isoformat(), said["run_id"])
    lake = Lake(settings.home)
    with suppress(ReadOnly):  # the answer's warnings say so
        name = add_turn(lake, session, turn)
        Commits(lake).put(of_run(said["run_id"], "turn"), [(FOLDER, session)], lambda parts: parts[-1] == name)
