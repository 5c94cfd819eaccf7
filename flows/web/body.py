"""The JSON body of `POST /ask`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from configs.plans import plan_names
from configs.wrong_keys import wrong_keys
from flows.ask import Asking
from flows.prefect_server.form_types import Generator
from tasks.chat.sessions import require_session_id
from tasks.errors import UsageError
from tasks.retrieval.queries.scope import Scope

MAX_QUESTION_CHARACTERS = 4000
MAX_PATTERNS = 50

Patterns = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=MAX_PATTERNS)]


class AskBody(BaseModel):
    """A question, and optionally the conversation, plan, generator, corpus and documents for it.

    ``user`` is the asking user for the audit log; empty: that of the settings of `serve`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Annotated[str, Field(max_length=MAX_QUESTION_CHARACTERS)]
    session: str | None = None
    plan: str = ""
    generator: Generator | None = None
    corpus: Annotated[str, Field(max_length=100)] | None = None
    files: Patterns = ()
    folders: Patterns = ()
    tags: Patterns = ()
    kinds: Patterns = ()
    since: str | None = None
    until: str | None = None
    user: Annotated[str, Field(max_length=200)] = ""


def read_body(raw: bytes) -> Asking:
    """Parse the body of a question. Raises UsageError for an invalid body.

    A plan must be one of those that ship: on the command line it may be the path of a file, and clients elsewhere must
    not name files of this machine.
    """
    try:
        body = AskBody.model_validate_json(raw)
    except ValidationError as error:
        raise UsageError(f'the request is wrong ({wrong_keys(error, "body")}): send {{"question": "…"}}') from error
    if not body.question.strip():
        raise UsageError('the question is empty: send {"question": "…"}')
    if body.plan and body.plan not in plan_names():
        raise UsageError(f"there is no plan {body.plan[:80]!r}: take one of {', '.join(plan_names())}")
    if body.session is not None:
        require_session_id(body.session)
    scope = Scope.of(body.files, body.folders, body.tags, body.kinds, body.since, body.until)
    return Asking(body.question.strip(), body.plan, body.generator, body.corpus, scope, body.session, body.user)
