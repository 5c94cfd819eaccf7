"""HTTP application of `bidfolio serve`: questions, pages of documents with a quote marked, and a chat page.

`POST /ask` gives JSON, or server-sent events to clients that accept them; `GET /pages/{document_id}/{n}.png` a picture;
`GET /sessions/{id}` a conversation so far; `GET /review` the review desk; `GET /healthz` the live versions. Every
error has the form ``{"error", "remedy"}``.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import FastAPI, Query, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException

from configs.plans import load_plan
from configs.settings import Settings
from flows.ask import Desk
from flows.web.body import read_body
from flows.web.counter import UNFORESEEN, Busy, Counter, in_one, in_parts, status_of
from flows.web.guards import HERE, BodyTooLarge, Guard, told, too_large
from flows.web.hooks import Post, hooks, post_json
from flows.web.review import MAX_BODY_BYTES, review_pages
from tasks.chat.task import read_session
from tasks.errors import BidfolioError, Damaged, UsageError
from tasks.pages.task import picture_of_page
from tasks.publishing.mending_task import damage_named
from tasks.references import DEFAULT_CORPUS
from tasks.retrieval.task import find_corpora, find_live

PAGE = Path(__file__).with_name("chat.html")
MAX_QUOTE_CHARACTERS = 4000
DocumentId = Annotated[str, InPath(pattern=r"^[0-9a-f]{16}$")]
PageNumber = Annotated[int, InPath(ge=1, le=10_000_000)]
Offset = Annotated[int | None, Query(ge=0)]
Quote = Annotated[str | None, Query(max_length=MAX_QUOTE_CHARACTERS)]


def make_app(settings: Settings, desk: Desk, post: Post = post_json) -> FastAPI:
    """The application over the home of the settings; it asks ``desk``, and ``post`` sends late answers to Slack."""
    app = FastAPI(title="bidfolio", docs_url=None, redoc_url=None, openapi_url=None)
    counter = Counter(settings, desk)
    html = PAGE.read_text(encoding="utf-8")
    guard(app, settings, security_headers(html))
    app.include_router(hooks(counter, post))
    app.include_router(review_pages(settings))

    @app.get("/")
    async def chat() -> Response:
        """The page to chat on."""
        return HTMLResponse(html)

    @app.post("/ask")
    async def ask(request: Request) -> Response:
        """The answer to a question, as one JSON object or as events."""
        # A form of another site can send any text, but not with this content type without a CORS preflight.
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return told(415, "the body must be JSON", "send it with Content-Type: application/json")
        asking = read_body(await request.body())
        if "text/event-stream" in request.headers.get("accept", ""):
            return StreamingResponse(
                counter.stream(asking), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
            )
        return JSONResponse(await counter.ask(asking), headers={"Cache-Control": "no-store"})

    @app.get("/pages/{document_id}/{number}.png")
    async def page(
        document_id: DocumentId, number: PageNumber, start: Offset = None, end: Offset = None, quote: Quote = None
    ) -> Response:
        """The picture of a page, with a part of it marked."""
        png = await counter.paint(lambda: picture_of_page.fn(document_id, number, settings, start, end, quote))
        return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=60"})

    @app.get("/sessions/{session}")
    async def session(session: str) -> Response:
        """A conversation so far; one that was never begun has no turns."""
        turns = await run_sync(lambda: read_session.fn(session, settings))
        shown = {"session": session, "turns": [turn._asdict() for turn in turns]}
        return JSONResponse(shown, headers={"Cache-Control": "no-store"})

    @app.get("/healthz")
    async def health() -> dict[str, Any]:
        """The state of the server: the corpus that is answered from by default, and all that may be named."""
        return await run_sync(state_of, settings)

    _tell_errors(app)
    return app


def state_of(settings: Settings) -> dict[str, Any]:
    """The state of the home that is answered from. Raises Damaged where no question can be answered."""
    plan = load_plan(settings.ask.plan)
    with damage_named(settings.home):
        corpora = [
            {"corpus": one.corpus, "live": one.index_version, "documents": one.documents}
            for one in find_corpora.fn(plan, settings)
        ]
        # Of several, the page begins with the one that a refresh without a name makes.
        named = next((one["corpus"] for one in corpora if one["corpus"] == DEFAULT_CORPUS), None)
        try:
            live = find_live.fn(plan, settings.ask.corpus or named, settings)
        except Damaged:
            raise
        except UsageError as error:
            return {"status": "ok", "live": None, "corpora": corpora, "detail": in_one(error)}
    return {
        "status": "ok",
        "live": live.index_version,
        "corpus": live.corpus,
        "documents": live.documents,
        "corpora": corpora,
        "detail": "",
    }


def make_desk_app(settings: Settings) -> FastAPI:
    """The application of `bidfolio review`: the review desk alone, which loads no models."""
    app = FastAPI(title="bidfolio review", docs_url=None, redoc_url=None, openapi_url=None)
    guard(app, settings, security_headers(""))
    app.include_router(review_pages(settings))
    _tell_errors(app)
    return app


def guard(app: FastAPI, settings: Settings, headers: dict[str, str]) -> None:
    """Put the guard before the application: its own names, limited bodies, and ``headers`` in every response."""
    hosts = (*HERE, *settings.ask.hosts)
    app.add_middleware(Guard, hosts=hosts, headers=headers, larger={"/review/": MAX_BODY_BYTES})


def _tell_errors(app: FastAPI) -> None:
    @app.exception_handler(BidfolioError)
    async def ours(_request: Request, error: BidfolioError) -> Response:
        headers = {"Retry-After": "5"} if isinstance(error, Busy) else None
        parts = in_parts(error)
        return told(status_of(error), parts["error"], parts["remedy"], headers=headers)

    @app.exception_handler(BodyTooLarge)
    async def large(_request: Request, _error: BodyTooLarge) -> Response:
        return too_large()

    @app.exception_handler(RequestValidationError)
    async def wrong(_request: Request, error: RequestValidationError) -> Response:
        said = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors())
        return told(404, f"there is no such address ({said})", "take the page_url of a citation")

    @app.exception_handler(HTTPException)
    async def missing(_request: Request, error: HTTPException) -> Response:
        remedy = "there are /, /ask, /pages, /review, /sessions, /hooks and /healthz"
        if takes := (error.headers or {}).get("Allow"):
            remedy = f"this address takes {takes}"
        return told(error.status_code, str(error.detail), remedy, headers=error.headers)

    @app.exception_handler(Exception)
    async def unforeseen(_request: Request, _error: Exception) -> Response:
        return told(500, UNFORESEEN["error"], UNFORESEEN["remedy"])


def security_headers(html: str) -> dict[str, str]:
    """Response headers that let a browser run only the script and style of ``html``, and contact no other server."""
    allowed = {}
    for name in ("script", "style"):
        parts = re.findall(rf"<{name}>(.*?)</{name}>", html, re.DOTALL)
        hashes = (base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts)
        allowed[name] = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed['script']}; style-src {allowed['style']}; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
