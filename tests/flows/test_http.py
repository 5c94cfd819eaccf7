"""Questions over HTTP, for real: the process that `serve` starts, over a published home; HTTP and a browser ask it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from flows.web.guards import MAX_BODY_BYTES
from tasks.pages.pictures.page_painter import MARK
from tests.made.browser import Browser, browser
from tests.made.commands import run_bidfolio
from tests.made.paths import ROOT
from tests.made.published import Published

QUESTION = "Is all customer data at rest encrypted with AES-256?"
ODD_NAME = "<img src=x onerror=\"document.title='owned'\">.txt"
ODD = (
    "Badge rules\n\nVisitors wear <script>document.title='owned'</script>"
    "<img src=x onerror=\"document.title='owned'\"> a purple badge with the number 7 & a lanyard.\n"
)
PURPLE = "Which colour has the badge that visitors wear?"
SLACK, TEAMS = "a signing secret", base64.b64encode(b"a key of thirty-two bytes or so.").decode()


@dataclass(frozen=True)
class Asked:
    """A server under way, and who asks it."""

    url: str
    client: httpx.Client
    home: Path
    documents: Path
    log: Path

    def ask(self, question: str, **more: Any) -> dict[str, Any]:
        answer = self.client.post("/ask", json={"question": question, **more})
        assert answer.status_code == 200, answer.text
        said: dict[str, Any] = answer.json()
        return said

    def events(self, question: str, **more: Any) -> list[tuple[str, dict[str, Any]]]:
        found: list[tuple[str, dict[str, Any]]] = []
        name = ""
        with self.client.stream(
            "POST", "/ask", json={"question": question, **more}, headers={"Accept": "text/event-stream"}
        ) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream"), stream.read()
            for line in stream.iter_lines():
                kind, _, value = line.partition(": ")
                if kind == "event":
                    name = value
                elif kind == "data":
                    found.append((name, json.loads(value)))
        return found


@pytest.fixture(scope="module")
def asked(published_first: Published, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """The tiny corpus with a hostile document more, served."""
    folder = tmp_path_factory.mktemp("http")
    for part in ("home", "documents"):
        shutil.copytree(published_first.home.parent / part, folder / part, symlinks=True)
    (folder / "documents" / ODD_NAME).write_text(ODD, encoding="utf-8")
    refreshed = run_bidfolio(folder / "home", "refresh", folder / "documents")
    assert refreshed.exit_code == 0, refreshed.err
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BIDFOLIO")}
    environment |= {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "BIDFOLIO_HOME": str(folder / "home"),
        "BIDFOLIO_SLACK_SIGNING_SECRET": SLACK,
        "BIDFOLIO_TEAMS_SECRET": TEAMS,
        "BIDFOLIO_ASK_HOSTS": '["bids.example.com"]',
    }
    log = folder / "stderr"
    with log.open("w") as stderr:
        command = [sys.executable, "-P", "-m", "flows.web", str(port)]
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=stderr)
    client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120)
    try:
        while True:
            try:
                client.get("/")
                break
            except httpx.ConnectError:
                assert process.poll() is None, log.read_text()
                time.sleep(0.2)
        yield Asked(f"http://127.0.0.1:{port}", client, folder / "home", folder / "documents", log)
    finally:
        client.close()
        process.terminate()
        out, _ = process.communicate(timeout=60)
    assert out == b"" and "Traceback" not in log.read_text(), log.read_text()


def test_the_answer_is_that_of_the_command_line(asked: Asked) -> None:
    over_http = asked.ask(QUESTION)
    by_command = run_bidfolio(asked.home, "--json", "ask", QUESTION).summary
    urls = [cited.pop("page_url") for cited in over_http["citations"]]
    # Where every question is written down, each has an id of its own.
    own = {"run_id", "answer_id"}
    assert {k: v for k, v in over_http.items() if k not in own} == {k: v for k, v in by_command.items() if k not in own}
    assert over_http["verdict"] == "yes" and urls[0].startswith("/pages/")


def test_events_tell_the_same(asked: Asked) -> None:
    events = asked.events(QUESTION)
    assert [name for name, _ in events] == ["answer"], "quotes are checked when they are there"
    said = events[0][1]
    assert said["answer"] == asked.ask(QUESTION)["answer"]
    declined = asked.events("What colour are backups?")
    assert [name for name, _ in declined] == ["answer"] and declined[0][1]["status"] == "declined"
    assert [part.partition(" ")[0] for part in declined[0][1]["no_answer"]] == ["No", "Look"]
    unheard_of = asked.events("What is the gardener's favourite colour?")
    (why,) = unheard_of[0][1]["no_answer"]
    assert why.endswith("no document mentions it."), "and so none is near"
    assert said["no_answer"] == []


def test_a_conversation_goes_on_over_http_and_on_the_command_line(asked: Asked) -> None:
    first = asked.ask("How long are backups of the production database kept?", session="mine")
    second = asked.ask("Where are they stored?", session="mine")
    assert first["asked_as"] == first["question"]
    assert second["asked_as"] == "Where are they stored (backups of the production database kept)?"
    assert "second" in second["citations"][0]["quote"]
    turns = asked.client.get("/sessions/mine").json()["turns"]
    assert [turn["question"] for turn in turns] == [first["question"], second["question"]]
    third = run_bidfolio(asked.home, "ask", "Are they encrypted?", "--session", "mine")
    assert third.exit_code == 0
    assert re.search(r"Understood as: Are they encrypted \(.*backups of the production database", third.out)
    recorded = second["run_id"]
    assert run_bidfolio(asked.home, "--json", "replay", recorded).summary["differences"] == []
    shown = run_bidfolio(asked.home, "ask", "--session", "mine").out
    assert shown.count("> ") == 3 and "> Where are they stored?" in shown
    assert asked.client.get("/sessions/other").json() == {"session": "other", "turns": []}


def test_a_scope_narrows_what_is_asked(asked: Asked) -> None:
    said = asked.ask("Do you support single sign-on?", files=["past.csv"])
    assert said["scope"] == {"file": ["past.csv"], "documents": 1, "undated": 0}
    assert {cited["file_name"] for cited in said["citations"]} == {"past.csv"}


def marks_of(png: bytes) -> np.ndarray[Any, Any]:
    with Image.open(io.BytesIO(png)) as picture:
        assert picture.format == "PNG"
        pixels = np.asarray(picture)
    return np.argwhere((pixels == MARK).all(axis=2))


def test_a_cited_page_is_shown_with_the_quote_marked(asked: Asked) -> None:
    (cited, *_) = asked.ask(QUESTION)["citations"]
    shown = asked.client.get(cited["page_url"])
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    rows, columns = marks_of(shown.content).T
    # The sentence is printed 740 points from the foot of a page of 595 to 842; the picture is 1000 wide.
    middle = (842 - 744) * 1000 / 595
    assert rows.min() < middle < rows.max() and rows.max() - rows.min() < 40
    assert 80 < columns.min() < 110 and columns.max() > 500
    page = cited["page_url"].partition("?")[0]
    quoted = asked.client.get(page, params={"quote": " ".join(cited["quote"].split())})
    assert quoted.content == shown.content
    assert not len(marks_of(asked.client.get(page).content))


def test_what_is_no_pdf_is_shown_by_its_text(asked: Asked) -> None:
    for question, name in (("Do you support single sign-on?", "past.csv"), (PURPLE, ODD_NAME)):
        cited = next(one for one in asked.ask(question)["citations"] if one["file_name"] == name)
        shown = asked.client.get(cited["page_url"])
        assert shown.status_code == 200, shown.text
        with Image.open(io.BytesIO(shown.content)) as picture:
            pixels = np.asarray(picture).astype(int)
        yellow = (np.abs(pixels - [255, 230, 77]) < 4).all(axis=2).sum()
        assert yellow > 1000 and (pixels < 60).all(axis=2).sum() > 500


def test_pages_that_are_not_there(asked: Asked) -> None:
    (cited, *_) = asked.ask(QUESTION)["citations"]
    document = cited["document_id"]
    for path, status, said in (
        (f"/pages/{document}/9.png", 404, "has no page 9"),
        (f"/pages/{document}/0.png", 404, "no such address"),
        (f"/pages/{document}/1.png?quote=nothing+of+the+kind", 404, "does not hold the quote"),
        (f"/pages/{document}/1.png?start=900000&end=900001", 404, "not on that page"),
        (f"/pages/{document}/1.png?start=x", 404, "start"),
        (f"/pages/{document}/1.png?start=5", 400, "both offsets"),
        ("/pages/0123456789abcdef/1.png", 404, "no document"),
        ("/pages/..%2F..%2Fetc/1.png", 404, "there are /"),
        ("/pages/..%5C..%5Cetc/1.png", 404, "no such address"),
    ):
        missing = asked.client.get(path)
        told = missing.json()
        assert (missing.status_code, set(told)) == (status, {"error", "remedy"}), told
        assert said in " ".join(told.values()), told


def test_a_document_that_was_written_to_since_is_not_shown_as_if_it_were_the_same(asked: Asked) -> None:
    (cited, *_) = asked.ask(QUESTION)["citations"]
    path = asked.documents / "policy.pdf"
    before = path.read_bytes()
    try:
        path.write_bytes(before + b"%%EOF\n")
        changed = asked.client.get(cited["page_url"])
        path.unlink()
        gone = asked.client.get(cited["page_url"])
    finally:
        path.write_bytes(before)
    assert changed.status_code == 409 and "refresh" in changed.json()["remedy"]
    assert gone.status_code == 410 and "any more" in gone.json()["error"]
    assert asked.client.get(cited["page_url"]).status_code == 200


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"question": " "}, "empty"),
        ({"question": "x" * 4001}, "4000 characters"),
        ({}, "question"),
        ({"question": QUESTION, "plans": "x"}, "plans"),
        ({"question": QUESTION, "plan": "../../plans/naive.yaml"}, "there is no plan"),
        ({"question": QUESTION, "plan": "naive"}, "refresh SOURCE --plan naive"),
        ({"question": QUESTION, "session": "../up"}, "cannot name a session"),
        ({"question": QUESTION, "generator": "openai"}, "BIDFOLIO_OPENAI_BASE_URL"),
        ({"question": QUESTION, "files": ["none.pdf"]}, "none.pdf"),
        ({"question": QUESTION, "since": "tomorrow"}, "YYYY-MM-DD"),
        ([], "object"),
    ],
    ids=str,
)
def test_what_is_asked_wrongly(asked: Asked, body: object, said: str) -> None:
    refused = asked.client.post("/ask", json=body)
    told = refused.json()
    assert (refused.status_code, set(told)) == (400, {"error", "remedy"}), told
    assert said in " ".join(told.values()), told
    assert '{"question": "…"}' not in " ".join(told.values()) or told["remedy"] == 'send {"question": "…"}', told


def test_who_may_not_ask(asked: Asked) -> None:
    body = json.dumps({"question": QUESTION})
    as_json = {"Content-Type": "application/json"}
    cases: list[tuple[int, str, dict[str, str]]] = [
        (421, body, as_json | {"Host": "evil.example"}),
        (421, body, as_json | {"Host": "127.0.0.1.evil.example:4210"}),
        (403, body, as_json | {"Sec-Fetch-Site": "cross-site"}),
        (415, body, {"Content-Type": "text/plain"}),
        (413, " " * (MAX_BODY_BYTES + 1), as_json),
        (400, "{", as_json),
    ]
    for status, sent, headers in cases:
        refused = asked.client.post("/ask", content=sent, headers=headers)
        assert (refused.status_code, set(refused.json())) == (status, {"error", "remedy"}), refused.text
        assert "access-control-allow-origin" not in refused.headers
    assert asked.client.post("/ask", content=iter([b" " * 40_000] * 4), headers=as_json).status_code == 413
    assert asked.client.get("/", headers={"Host": "bids.example.com"}).status_code == 200
    wrong_method = asked.client.get("/ask")
    assert (wrong_method.status_code, wrong_method.json()["remedy"]) == (405, "this address takes POST")
    in_capitals = asked.client.post("/ask", content=body, headers={"Content-Type": "Application/JSON"})
    assert in_capitals.status_code == 200
    assert asked.client.get("/docs").status_code == 404


def test_several_at_once_are_answered_as_one_alone(asked: Asked) -> None:
    questions = [QUESTION, "How soon are customers told of a breach?", PURPLE, "What is the monthly uptime target?"]
    alone = [asked.ask(question)["answer"] for question in questions]
    with ThreadPoolExecutor(12) as threads:
        together = list(threads.map(lambda question: asked.ask(question)["answer"], questions * 6))
    assert together == alone * 6 and None not in alone


def slack(body: str, at: float | None = None) -> dict[str, str]:
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(SLACK.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def test_slack(asked: Asked) -> None:
    challenge = json.dumps({"type": "url_verification", "challenge": "3eZbrw1aBm"})
    as_json = {"Content-Type": "application/json"}
    post = asked.client.post
    assert post("/hooks/slack", content=challenge, headers=as_json | slack(challenge)).json() == {
        "challenge": "3eZbrw1aBm"
    }
    for headers in ({}, slack(challenge + " "), slack(challenge, time.time() - 400)):
        assert post("/hooks/slack", content=challenge, headers=as_json | headers).status_code == 401
    form = httpx.QueryParams({"channel_id": "C", "user_id": "U", "text": QUESTION, "response_url": "https://x/"})
    asked.ask(QUESTION)  # so that Slack does not wait for what is loaded
    as_form = {"Content-Type": "application/x-www-form-urlencoded"}
    said = post("/hooks/slack", content=str(form), headers=as_form | slack(str(form))).json()
    assert said["response_type"] == "in_channel" and "AES-256" in said["text"]
    assert "[Northgate security policy: policy.pdf, § Encryption of data, p. 1]" in said["text"]
    follow = str(form.set("text", "and backups?"))
    again = post("/hooks/slack", content=follow, headers=as_form | slack(follow)).json()
    assert "Understood as: Is all backups at rest encrypted with AES-256?" in again["text"]
    event = json.dumps({"event": {"type": "app_mention", "text": f"<@U0> {QUESTION}", "channel": "C", "ts": "1"}})
    mentioned = post("/hooks/slack", content=event, headers=as_json | slack(event))
    assert (mentioned.status_code, mentioned.content) == (200, b"")


def test_teams(asked: Asked) -> None:
    now = datetime.now(UTC).isoformat()
    message = {"text": f"<at>bidfolio</at> {QUESTION}", "conversation": {"id": "19:x"}, "timestamp": now}
    body = json.dumps(message).encode()
    signed = base64.b64encode(hmac.new(base64.b64decode(TEAMS), body, hashlib.sha256).digest()).decode()
    asked.ask(QUESTION)
    said = asked.client.post("/hooks/teams", content=body, headers={"Authorization": f"HMAC {signed}"}).json()
    assert said["type"] == "message" and "AES\\-256" in said["text"]
    for authorization in ("", f"HMAC {signed[:-4]}AAA=", signed):
        refused = asked.client.post("/hooks/teams", content=body, headers={"Authorization": authorization})
        assert refused.status_code == 401
    for age_s, status in ((0, 200), (400, 401), (None, 401)):
        sent_at = None if age_s is None else datetime.fromtimestamp(time.time() - age_s, UTC).isoformat()
        body = json.dumps({"text": QUESTION, "timestamp": sent_at}).encode()
        authorization = (
            "HMAC " + base64.b64encode(hmac.new(base64.b64decode(TEAMS), body, hashlib.sha256).digest()).decode()
        )
        given = asked.client.post("/hooks/teams", content=body, headers={"Authorization": authorization})
        assert given.status_code == status, given.text
    assert SLACK not in asked.log.read_text() and TEAMS not in asked.log.read_text()


def test_health_says_what_is_live(asked: Asked) -> None:
    said = asked.client.get("/healthz").json()
    assert said["status"] == "ok" and said["documents"] == 4
    assert said["live"] == asked.ask(QUESTION)["index_version"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


LAST = "[...document.querySelectorAll('.answer')].at(-1)"
DONE = f"{LAST} && !{LAST}.hasAttribute('aria-busy')"


def ask_in(page: Browser, question: str) -> str:
    """What the page shows for a question that is typed and sent by the keyboard alone."""
    page.until("document.activeElement.id === 'question' && !document.getElementById('send').disabled")
    page.type(question)
    before = page.run("document.querySelectorAll('.answer').length")
    page.press("Enter", 13)
    page.until(f"document.querySelectorAll('.answer').length > {before} && {DONE}")
    return str(page.run(f"{LAST}.innerText"))


def test_the_page_answers_cites_and_shows_the_page_of_the_document(asked: Asked, page: Browser) -> None:
    page.open(f"{asked.url}/")
    shown = ask_in(page, QUESTION)
    assert "Answered" in shown and "Yes" in shown and "Confidence: high" in shown
    assert "[Northgate security policy: policy.pdf, § Encryption of data, p. 1]" in shown
    follow = ask_in(page, "and backups?")
    assert "Understood as: Is all backups at rest encrypted with AES-256?" in follow
    declined = ask_in(page, "What colour are backups?")
    assert "Declined" in declined and "No answer:" in declined
    parts = page.run(f"[...{LAST}.querySelectorAll('p')].map((one) => one.textContent)")
    assert [part.partition(" ")[0] for part in parts] == ["No", "Look"], "not one paragraph"
    page.run("document.querySelector('.sources button').focus()")
    page.press("Enter", 13)
    page.until(
        "document.getElementById('page-picture').complete && document.getElementById('page-picture').naturalWidth"
    )
    assert page.run("document.getElementById('page').open && !document.getElementById('page-picture').hidden")
    page.press("Escape", 27)
    page.until("!document.getElementById('page').open")
    before = page.run("document.getElementById('log').innerText")
    page.open(f"{asked.url}/?again", height=500)
    assert page.until("document.querySelectorAll('.answer').length === 3"), "the conversation is still there"
    assert page.run("document.getElementById('log').innerText") == before, "with its marks and its sources"
    assert page.run("document.querySelector('main').scrollTop") > 0, "the last is in sight"
    page.run("sessionStorage.removeItem('shown')")
    page.open(f"{asked.url}/?elsewhere")
    page.until("document.querySelectorAll('.answer').length === 3")
    answers = page.run("[...document.querySelectorAll('.answer')].map((one) => one.innerText)")
    assert "Answered" in answers[0] and "ask again to see why, and from where" in answers[0]
    assert "Declined" in answers[2] and "No answer: ask again" in answers[2]
    assert page.complaints == [] and all(url.startswith((asked.url, "data:", "about:")) for url in page.asked_for)


HELD = """const given = window.fetch;
window.fetch = (url, options) => !String(url).startsWith(%s) ? given(url, options) : new Promise((done, refuse) => {
  (window.held ??= []).push(done);
  options?.signal?.addEventListener("abort", () => refuse(options.signal.reason));
})"""
"""Answers of the server to a kind of address come when a test says so."""


def test_a_draft_is_told_as_one_and_its_withdrawal_too(asked: Asked, page: Browser) -> None:
    page.open(f"{asked.url}/?draft")
    page.run("get('anew').click()")
    said = asked.ask(QUESTION)
    page.run(
        """const given = window.fetch;
        window.fetch = (url, options) => url !== '/ask' ? given(url, options) : Promise.resolve(new Response(
          new ReadableStream({ start: (stream) => {
            window.tell = (name, data) =>
              stream.enqueue(new TextEncoder().encode(`event: ${name}\\ndata: ${JSON.stringify(data)}\\n\\n`));
            window.end = () => stream.close();
          } })))"""
    )
    for draft, is_withdrawn in (("In Zurich.", True), (said["answer"], False)):
        page.until("!send.disabled")
        page.type(QUESTION)
        page.press("Enter", 13)
        page.until("window.tell && send.disabled")
        page.run(f"tell('delta', {{text: {json.dumps(draft)}}})")
        page.until(f"{LAST}.innerText.includes({json.dumps(draft)})")
        assert "not checked yet" in page.run(f"{LAST}.innerText")
        page.run(f"tell('answer', {json.dumps(said)}), end(), delete window.tell")
        page.until(DONE)
        shown = page.run(f"{LAST}.innerText")
        assert said["answer"] in shown and "not checked yet" not in shown
        assert ("withdrawn" in shown) == is_withdrawn and "Zurich" not in shown
    assert page.complaints == []


def test_of_two_pages_that_are_opened_the_later_is_shown(asked: Asked, page: Browser) -> None:
    page.open(f"{asked.url}/?race")
    page.run(HELD % "'/?page'")
    for number in (1, 2):
        cited = {"place": f"policy.pdf, p. {number}", "quote": "", "page_url": f"/?page={number}"}
        page.run(f"dialog.close(), void openPage({json.dumps(cited)})")
    for at in (1, 0):
        page.run(f"held[{at}](new Response('')), new Promise((done) => setTimeout(done, 100))")
    assert page.run("get('page-title').textContent") == "policy.pdf, p. 2"
    assert page.run("get('page-picture').getAttribute('src')") == "/?page=2"


def test_a_question_stands_below_those_before_it(asked: Asked, page: Browser) -> None:
    page.open(f"{asked.url}/?order")
    page.run("get('anew').click()")
    ask_in(page, QUESTION)
    script = page.send("Page.addScriptToEvaluateOnNewDocument", source=HELD % "'/sessions/'")["identifier"]
    page.open(f"{asked.url}/?order-again")
    page.send("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    page.until("document.activeElement.id === 'question'")
    page.type("and backups?")
    page.press("Enter", 13)
    assert page.run("log.childElementCount === 0 && field.value === 'and backups?'"), "it waits"
    page.run("given('/sessions/' + readSession()).then(held[0])")
    page.until("!send.disabled")
    page.press("Enter", 13)
    page.until(f"document.querySelectorAll('.answer').length === 2 && {DONE}")
    assert page.run("[...document.querySelectorAll('.question')].map((one) => one.textContent)") == [
        QUESTION,
        "and backups?",
    ]


def test_a_new_conversation_gives_up_the_answer_that_is_awaited(asked: Asked, page: Browser) -> None:
    page.open(f"{asked.url}/?anew")
    page.until("!send.disabled")
    page.run(HELD % "'/ask'")
    page.type(QUESTION)
    page.press("Enter", 13)
    page.until("window.held && send.disabled")
    page.run("get('anew').click()")
    assert page.run("!send.disabled && log.childElementCount === 0"), "the next may be asked at once"
    page.run("window.fetch = given")
    ask_in(page, QUESTION)
    assert page.run("document.querySelectorAll('.question').length === 1 && readShown().length === 1")
    assert page.complaints == []


def test_what_a_document_holds_stays_text_in_the_page(asked: Asked, page: Browser) -> None:
    page.open(f"{asked.url}/")
    shown = ask_in(page, PURPLE)
    assert "<script>document.title='owned'</script>" in shown and ODD_NAME in shown
    assert ask_in(page, "<b onclick=1>Which</b> <img src=x onerror=\"document.title='owned'\"> badge do visitors wear?")
    assert page.run("document.querySelectorAll('#log img, #log script, #log b').length") == 0
    assert page.run("document.title") == "bidfolio: ask the documents"
    assert page.complaints == []


def test_no_script_but_the_page_s_own_would_run(asked: Asked, page: Browser) -> None:
    """Even if markup got in: the policy names what may run by its hash."""
    policy = asked.client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    page.open(f"{asked.url}/?policy")
    page.run(
        "document.getElementById('log').innerHTML = '<img src=\"/missing.png\" onerror=\"document.title=\\'owned\\'\">'"
    )
    page.run("new Promise((done) => setTimeout(done, 500))")
    assert page.run("document.title") == "bidfolio: ask the documents"
    assert page.run("fetch('https://example.com/').then(() => 'asked', () => 'refused')") == "refused"
    page.complaints.clear()
    page.asked_for.clear()


def test_of_several_corpora_the_page_asks_the_one_that_is_chosen(asked: Asked, page: Browser, tmp_path: Path) -> None:
    page.open(f"{asked.url}/?one")
    ask_in(page, QUESTION)
    assert page.run("corpus.hidden"), "there is nothing to choose"
    (tmp_path / "garden.txt").write_text(
        "The gardener's favourite colour is green, as everybody knows.", encoding="utf-8"
    )
    refreshed = run_bidfolio(asked.home, "refresh", tmp_path, "--corpus", "garden")
    assert refreshed.exit_code == 0, refreshed.err
    said = asked.client.get("/healthz").json()
    assert [(one["corpus"], one["documents"]) for one in said["corpora"]] == [("default", 4), ("garden", 1)]
    assert said["corpus"] == "default"
    page.open(f"{asked.url}/?several")
    page.until("!corpus.hidden")
    assert page.run("corpus.value") == "default" and "4 documents" in page.run("get('live').innerText")
    page.run("corpus.value = 'garden'; corpus.dispatchEvent(new Event('change')); get('anew').click()")
    assert "1 document," in page.run("get('live').innerText")
    assert "[garden.txt]" in ask_in(page, "What is the gardener's favourite colour?")
    page.open(f"{asked.url}/?again", height=500)
    page.until("!corpus.hidden")
    assert page.run("corpus.value") == "garden", "what was chosen stays"
    assert page.complaints == []
