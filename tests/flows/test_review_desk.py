"""The review desk over HTTP and in a real browser: two people at a time, and what keeps strangers out."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from flows.web.app import make_desk_app
from flows.web.review import TOKEN_HEADER
from tests.made.browser import Browser, browser
from tests.made.reviewed_runs import RUN, ReviewedRun, reviewed_run, rule

CURRENT = "document.querySelector('article.is-current')"
PATIENCE_S = 60


@dataclass(frozen=True)
class Desk:
    """A desk under way, and a client that has its page's token."""

    url: str
    made: ReviewedRun
    client: httpx.Client

    def post(self, *changes: dict[str, Any], reviewer: str = "Ann", **headers: str) -> httpx.Response:
        body = {"reviewer": reviewer, "changes": list(changes)}
        return self.client.post(f"/review/{RUN}/changes", json=body, headers=headers)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = reviewed_run(tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(make_desk_app(made.settings), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE_S
    while not server.started and time.monotonic() < end:
        time.sleep(0.02)
    url = f"http://127.0.0.1:{port}"
    page = httpx.get(f"{url}/review/{RUN}").text
    (token,) = re.findall(r'"secret": "([^"]+)"', page)
    with httpx.Client(base_url=url, headers={TOKEN_HEADER: token}, timeout=60) as client:
        yield Desk(url, made, client)
    server.should_exit = True
    thread.join(PATIENCE_S)


def key(page: Browser, name: str) -> None:
    for kind in ("keyDown", "keyUp"):
        page.send("Input.dispatchKeyEvent", type=kind, key=name, **({"text": name} if kind == "keyDown" else {}))


def sit_down(page: Browser, desk: Desk, name: str) -> None:
    page.open(f"{desk.url}/review/{RUN}", 1280, 900)
    page.run(f"localStorage.setItem('bidfolio reviewer', '{name}')")
    page.complaints.clear()


def test_what_one_approves_by_the_keyboard_the_other_sees(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with browser(tmp_path / "a") as ann, browser(tmp_path / "b") as ben:
        sit_down(ann, desk, "Ann")
        sit_down(ben, desk, "Ben")
        ann.until(f"{CURRENT}.querySelector('img')?.naturalWidth > 300")
        key(ann, "j")
        key(ann, "j")
        assert ann.run(f"{CURRENT}.id") == "q-Q-2"
        key(ann, "a")
        ben.until("document.getElementById('q-Q-2').textContent.includes('Ann')")
        assert desk.made.item("Q-2").state.final_answer == rule(2)
        ann.until(f"{CURRENT}.id === 'q-Q-3'")
        assert ann.run("document.getElementById('settled').innerText") == "1 of 7 settled"
        marks = "[...document.querySelectorAll('#index i')].slice(0, 3).map((one) => [one.title, one.className].join())"
        assert ann.run(marks) == ["Answered, open,dot-good", "Answered, open,dot-good", "Approved,dot-good is-settled"]
        # Ben writes while Ann decides on the same answer.
        ben.run("select(byId.get('Q-3')); 0")
        key(ben, "e")
        ben.until("document.activeElement.tagName === 'TEXTAREA'")
        ben.run("document.activeElement.value = 'Ben says 24 hours.'")
        key(ann, "x")
        ben.until("document.querySelector('form .strong')?.textContent.includes('Ann')")
        ben.run("document.querySelector('form').requestSubmit()")
        ben.until("document.getElementById('rival').open")
        assert "Left empty" in ben.run("document.getElementById('theirs').innerText")
        assert "24 hours" in ben.run("document.getElementById('yours').innerText")
        assert desk.made.item("Q-3").state.status == "rejected", "nothing is overwritten before Ben has seen it"
        ben.run("document.getElementById('keep-yours').click()")
        ann.until("document.getElementById('q-Q-3').textContent.includes('Ben says 24 hours.')")
        key(ann, "a")
        assert "already" in ann.run("document.getElementById('toast').innerText")
        key(ann, "c")
        ann.until("document.activeElement.tagName === 'TEXTAREA'")
        ann.type("Thanks")
        ann.run("document.querySelector('form').requestSubmit()")
        ben.until("document.getElementById('q-Q-3').textContent.includes('Thanks')")
        state = desk.made.item("Q-3").state
        assert (state.status, state.reviewer, state.final_verdict) == ("edited", "Ben", "yes")
        assert [(one.reviewer, one.comment) for one in state.remarks] == [("Ann", "Thanks")]
        assert ann.complaints == [] and all("409" in told for told in ben.complaints)
        asked = {url for url in ann.asked_for + ben.asked_for if not url.startswith(("data:", "about:", "chrome"))}
        assert all(url.startswith(desk.url) for url in asked)


def test_the_second_of_two_is_told_what_the_first_decided(desk: Desk) -> None:
    assert desk.post({"question_id": "Q-2", "action": "edit", "final_answer": "48 hours"}).status_code == 200
    late = desk.post({"question_id": "Q-2", "action": "edit", "final_answer": "24 hours"}, reviewer="Ben")
    said = late.json()
    assert late.status_code == 409 and "Ann has edited the answer to Q-2" in said["error"]
    assert (said["theirs"]["final_answer"], said["yours"]["final_answer"]) == ("48 hours", "24 hours")
    again = {"question_id": "Q-2", "action": "edit", "final_answer": "24 hours", "after": said["theirs"]["version"]}
    saved = desk.post(again, reviewer="Ben").json()
    assert saved["states"]["Q-2"]["final_answer"] == "24 hours"
    known = desk.client.get(f"/review/{RUN}/changes", params={"after": saved["token"]}).json()
    assert known == {"token": saved["token"]}
    assert desk.client.get(f"/review/{RUN}/changes").json() == saved


def test_the_list_and_the_desk_tell_how_far_a_review_is_and_what_comes_next(desk: Desk, tmp_path: Path) -> None:
    with browser(tmp_path / "home") as page:
        desk.post(*({"question_id": f"Q-{number}", "action": "reject"} for number in range(6)))
        page.open(f"{desk.url}/review", 1280, 900)
        row = "[...document.querySelectorAll('tbody td')].map((one) => one.innerText.split('\\n')[0])"
        assert page.run(row) == ["q.xlsx", "1 August 2026", "7", "6", "1"]
        assert page.run("getComputedStyle(document.body).fontFamily").startswith("system-ui")
        sit_down(page, desk, "Ann")
        assert page.run("document.getElementById('next').hidden")
        desk.post({"question_id": "Q-6", "action": "reject"})
        page.until("!document.getElementById('next').hidden")
        assert f"bidfolio finish {RUN}" in page.run("document.getElementById('next').innerText")
        assert page.complaints == []


def test_strangers_decide_nothing(desk: Desk) -> None:
    change = {"question_id": "Q-2", "action": "reject"}
    for headers, status in (
        ({TOKEN_HEADER: "guessed"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content-Type": "text/plain"}, 415),
    ):
        assert desk.post(change, **headers).status_code == status, headers
    for wrong, told in (
        ({**change, "question_id": "Q-99"}, "no question 'Q-99'"),
        ({**change, "action": "burn"}, "the request is wrong"),
        ({**change, "more": 1}, "the request is wrong"),
        ({"question_id": "Q-2", "action": "approve"}, "no answer to approve"),
    ):
        refused = desk.post(wrong)
        assert refused.status_code == 400 and told in refused.json()["error"], refused.text
    assert desk.post(change, Origin=desk.url).status_code == 200
    assert desk.client.get("/review/20200101T000000-ffffff").status_code == 400
    assert desk.client.get(f"/review/{RUN}/picture", params={"question": "Q-2", "index": 5}).status_code == 404


def test_the_desk_names_its_runs_and_sets_a_policy(desk: Desk) -> None:
    listed = desk.client.get("/review")
    assert f'href="/review/{RUN}"' in listed.text and "q.xlsx" in listed.text
    page = desk.client.get(f"/review/{RUN}")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert page.headers["cache-control"] == "no-store"
    shown = desk.client.get(f"/review/{RUN}/picture", params={"question": "Q-6", "index": 0}).json()
    assert shown["src"].startswith("data:image/png;base64,") and len(shown["boxes"]) == 1, "the nearest fact's page"
