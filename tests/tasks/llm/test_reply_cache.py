"""Replies of model servers are files of the runs that got them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

from tasks.llm.reply_cache import NOBODYS, ReplyCache
from tasks.runtime.acting import acting, acting_run
from tasks.runtime.runs import run_started_at, start_run
from tasks.storage.lake import Lake


def names(home: Path) -> set[str]:
    return {path.stem for path in (home / "cache" / "replies").rglob("*.json")}


def test_each_run_that_gets_a_reply_has_a_file_that_says_whose_it_is(tmp_path: Path) -> None:
    replies = ReplyCache(Lake(str(tmp_path)))
    one, other = (start_run("ask", "bidfolio", "", "default", asked_by=name) for name in ("Ada", "Bo"))
    assert replies.reply("key") is None
    with acting(one):
        replies.put_reply("key", "Yes.")
        assert replies.reply("key") == "Yes."
    assert names(tmp_path) == {one.run_id}
    assert replies.reply("key") == "Yes." and names(tmp_path) == {one.run_id}, "nobody acts: nothing is written"
    with acting(other):
        assert replies.reply("key") == "Yes."
    assert names(tmp_path) == {one.run_id, other.run_id}
    told = json.loads((tmp_path / "cache" / "replies" / "key" / f"{other.run_id}.json").read_text())
    assert told == {"reply": "Yes.", "kind": "ask", "corpus": "default", "source": "", "asked_by": "Bo"}


def test_a_reply_without_a_run_is_nobodys_and_older_than_any(tmp_path: Path) -> None:
    ReplyCache(Lake(str(tmp_path))).put_reply("key", "Yes.")
    assert names(tmp_path) == {NOBODYS} and run_started_at(NOBODYS).year == 1970
    told = json.loads((tmp_path / "cache" / "replies" / "key" / f"{NOBODYS}.json").read_text())
    assert told["kind"] == "request"


def test_threads_act_for_runs_of_their_own() -> None:
    one, other = start_run("ask", "", ""), start_run("ask", "", "")
    with ThreadPoolExecutor(1) as pool, acting(one):
        with acting(other):
            assert pool.submit(copy_context().run, acting_run).result() == other
            assert pool.submit(acting_run).result() is None
        assert acting_run() == one
    assert acting_run() is None
