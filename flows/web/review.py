"""Pages of the review desk: drafts with their pages, decisions that are saved at once, and what others decided."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from configs.settings import Settings
from configs.wrong_keys import wrong_keys
from flows.review import about, list_runs, login, quote_of, rounded
from flows.web.guards import told
from tasks.errors import UsageError
from tasks.pages.pictures.page_lookup import NoSuchPage
from tasks.pages.shared_pictures_task import pictures_of_quotes
from tasks.records import Verdict
from tasks.review.events import MAX_CHARACTERS, MAX_NAME_CHARACTERS, Action, Change
from tasks.review.items import ReviewItem
from tasks.review.page_html import desk_html, runs_html
from tasks.review.state import ReviewConflict, ReviewState
from tasks.review.task import Review, load_review, save_changes, watcher
from tasks.review.view import item_json, places_of, state_json

PICTURES_AT_ONCE = 2
MAX_CHANGES = 200
MAX_BODY_BYTES = 2 << 20
TOKEN_HEADER = "x-bidfolio-token"
RunId = Annotated[str, InPath(pattern=r"^[0-9A-Za-z-]{1,64}$")]
QuestionId = Annotated[str, Query(max_length=1000)]
Index = Annotated[int, Query(ge=0, le=1000)]
After = Annotated[str, Query(max_length=64)]
NO_STORE = {"Cache-Control": "no-store"}


class ChangeBody(BaseModel):
    """One change of a request, as :class:`Change` has it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question_id: str
    action: Action
    final_answer: Annotated[str | None, Field(max_length=MAX_CHARACTERS)] = None
    final_verdict: Verdict | None = None
    owner: Annotated[str | None, Field(max_length=MAX_NAME_CHARACTERS)] = None
    comment: Annotated[str | None, Field(max_length=MAX_CHARACTERS)] = None
    after: str = ""
    draft_id: str = ""


class ChangesBody(BaseModel):
    """The changes that a reviewer saves together."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reviewer: Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARACTERS)]
    changes: Annotated[tuple[ChangeBody, ...], Field(min_length=1, max_length=MAX_CHANGES)]


@dataclass(frozen=True)
class _Opened:
    """A run that somebody reviews: what was loaded of it, and the function that reads how it stands now."""

    review: Review
    read_states: Callable[[], dict[str, ReviewState]]
    items: Mapping[str, ReviewItem]

    def states(self) -> dict[str, Any]:
        """The state of each question with events as JSON, with the token that names all of them."""
        return self.as_json(self.read_states())

    def as_json(self, states: Mapping[str, ReviewState]) -> dict[str, Any]:
        """The ``states`` as JSON, with their token."""
        shown = {
            question_id: state_json(state, is_settled=state.is_settled(self.review.run_id, item.draft_id))
            for question_id, state in states.items()
            if (item := self.items.get(question_id))
        }
        token = hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]
        return {"token": token, "states": shown}


def review_pages(settings: Settings) -> APIRouter:
    """The routes below ``/review``. Changes are taken only with the token that the page was given."""
    router = APIRouter()
    secret = secrets.token_urlsafe(24)
    reviewer = (settings.user or login()) if settings.ask.is_local else ""
    opened: dict[str, _Opened] = {}
    painting = anyio.CapacityLimiter(PICTURES_AT_ONCE)

    def open_run(run: str) -> _Opened:
        if run not in opened:
            review = load_review.fn(run, settings)
            opened[run] = _Opened(
                review,
                watcher(review.run_id, review.earlier, settings),
                {item.question_id: item for item in review.items},
            )
        return opened[run]

    @router.get("/review")
    async def runs() -> Response:
        """The questionnaires that may be reviewed."""
        page, policy = runs_html(await run_sync(lambda: list_runs(settings)))
        return HTMLResponse(page, headers={"Content-Security-Policy": policy, **NO_STORE})

    @router.get("/review/{run}")
    async def desk(run: RunId) -> Response:
        """The desk of a run."""
        one = await run_sync(lambda: open_run(run))
        states = await run_sync(one.states)
        name = Path(one.review.source).name
        items = [item_json(item, one.review.run_id) for item in one.review.items]
        for item in items:
            item["state"] = states["states"].get(item["id"], item["state"])
        data = {
            "mode": "desk",
            "base": f"/review/{run}",
            "run_id": one.review.run_id,
            "file": name,
            "about": about(one.review),
            "items": items,
            "token": states["token"],
            "secret": secret,
            "reviewer": reviewer,
        }
        page, policy = desk_html(f"{name}: review", data)
        return HTMLResponse(page, headers={"Content-Security-Policy": policy, **NO_STORE})

    @router.get("/review/{run}/changes")
    async def changes(run: RunId, after: After = "") -> Response:
        """The standing of the answers; only its token if the caller knows it already."""
        states = (await run_sync(lambda: open_run(run))).states
        now = await run_sync(states)
        return JSONResponse({"token": now["token"]} if now["token"] == after else now, headers=NO_STORE)

    @router.post("/review/{run}/changes")
    async def save(run: RunId, request: Request) -> Response:
        """Save decisions, all or none; 409 with both texts where somebody else was first."""
        if refused := _refused(request, secret):
            return refused
        one = await run_sync(lambda: open_run(run))
        body = _read(await request.body(), one)
        wanted = [Change(**change.model_dump()) for change in body.changes]
        try:
            saved = await run_sync(
                lambda: save_changes.fn(one.review.run_id, one.review.earlier, wanted, body.reviewer, settings)
            )
        except ReviewConflict as conflict:
            item = one.items[conflict.event.question_id]
            theirs = state_json(conflict.state, is_settled=conflict.state.is_settled(one.review.run_id, item.draft_id))
            error, _, remedy = str(conflict).partition(": ")
            parts = {"error": error, "remedy": remedy, "question_id": item.question_id, "theirs": theirs}
            mine = {"final_answer": conflict.event.final_answer, "final_verdict": conflict.event.final_verdict}
            return JSONResponse(parts | {"yours": mine} | await run_sync(one.states), 409, NO_STORE)
        return JSONResponse(one.as_json(saved), headers=NO_STORE)

    @router.get("/review/{run}/picture")
    async def picture(run: RunId, question: QuestionId, index: Index) -> Response:
        """The page behind a place of an answer, with the boxes of the quote."""
        one = await run_sync(lambda: open_run(run))
        item = one.items.get(question)
        places = places_of(item) if item else ()
        if index >= len(places):
            raise NoSuchPage("there is no such place: take one of the page")
        quote, corpus = quote_of(places[index]), one.review.corpus
        found = await run_sync(lambda: pictures_of_quotes.fn([quote], corpus, settings), limiter=painting)
        shown = found.shown[0]
        if not shown.key:
            return JSONResponse({"why": shown.why, "approved": shown.approved}, headers=NO_STORE)
        painted = found.pictures[shown.key]
        said = {
            "src": f"data:image/png;base64,{base64.b64encode(painted.png).decode()}",
            "boxes": rounded(shown.boxes),
            "width": painted.width_px,
            "height": painted.height_px,
        }
        return JSONResponse(said, headers={"Cache-Control": "private, max-age=600"})

    return router


def _refused(request: Request, secret: str) -> Response | None:
    """The refusal of a change that does not come from the desk's own page; None for one that does."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return told(415, "the body must be JSON", "send it with Content-Type: application/json")
    origin = request.headers.get("origin")
    if origin and urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower():
        return told(403, "a page of another site may not decide", "decide on this server's own page")
    if not secrets.compare_digest(request.headers.get(TOKEN_HEADER, "").encode(), secret.encode()):
        return told(403, "this page is of a server that was stopped since", "copy what you wrote, and load it again")
    return None


def _read(raw: bytes, opened: _Opened) -> ChangesBody:
    try:
        body = ChangesBody.model_validate_json(raw)
    except ValidationError as error:
        raise UsageError(f"the request is wrong ({wrong_keys(error, 'body')}): load the page again") from error
    for change in body.changes:
        if change.question_id not in opened.items:
            raise UsageError(f"the run has no question {change.question_id[:80]!r}: load the page again")
    return body
