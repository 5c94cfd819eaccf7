from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tasks.chat.query_rewriting import Turn
from tasks.chat.sessions import add_turn, read_turns
from tasks.errors import UsageError
from tasks.storage.lake import Lake

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def turn(number: int) -> Turn:
    at = (BEGIN + timedelta(milliseconds=number)).isoformat()
    return Turn(f"Question {number}?", f"Question {number}?", "declined", None, at)


def test_turns_come_back_in_order(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    assert read_turns(lake, "mine") == []
    for number in (0, 1, 2):
        add_turn(lake, "mine", turn(number))
    add_turn(lake, "other", turn(3))
    assert read_turns(lake, "mine") == [turn(0), turn(1), turn(2)]
    assert read_turns(lake, "mine", most=2) == [turn(1), turn(2)]


def test_two_at_once_both_stay(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: add_turn(lake, "mine", turn(number)), range(40)))
        # Of the same moment, too.
        same = [turn(40)._replace(question=name) for name in "ab"]
        list(threads.map(lambda one: add_turn(lake, "mine", one), same))
    assert read_turns(lake, "mine")[:40] == [turn(number) for number in range(40)]
    assert {one.question for one in read_turns(lake, "mine", most=2)} == {"a", "b"}


def test_a_write_that_was_killed_is_no_turn(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    add_turn(lake, "mine", turn(0))
    (tmp_path / "staging").mkdir(exist_ok=True)
    (tmp_path / "staging" / "half").write_bytes(b'{"question": "Ha')
    assert read_turns(lake, "mine") == [turn(0)]


@pytest.mark.parametrize(
    "session", ["", ".", "..", "../up", "a/b", "a\\b", "-x", "a b", "a\0", "a\n", "C:", "é", "x" * 65, "a.json"]
)
def test_what_cannot_name_a_session(tmp_path: Path, session: str) -> None:
    lake = Lake(str(tmp_path / "home"))
    with pytest.raises(UsageError, match="cannot name a session"):
        add_turn(lake, session, turn(0))
    with pytest.raises(UsageError, match="cannot name a session"):
        read_turns(lake, session)
    assert list(tmp_path.iterdir()) == []
