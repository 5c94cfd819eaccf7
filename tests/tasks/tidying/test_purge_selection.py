from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from tasks.errors import UsageError
from tasks.tidying.purge_selection import KnownRun, Wanted, chosen, require_session

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def run(name: str, **more: Any) -> KnownRun:
    known = KnownRun(name, "answer", "default", "in/tender.xlsx", "Ada", NOON)
    return known._replace(**more)


RUNS = [
    run("a"),
    run("b", asked_by="Bo", started_at=NOON + timedelta(days=1), session="tender-7"),
    run("c", kind="refresh", corpus="other", source="documents"),
]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Wanted(run_ids=("c", "a")), "ac"),
        (Wanted(before=date(2026, 3, 3)), "ac"),
        (Wanted(before=date(2026, 3, 2)), ""),
        (Wanted(asked_by="Bo"), "b"),
        (Wanted(source="tender.xlsx"), "ab"),
        (Wanted(source="in/tender.xlsx", asked_by="Ada"), "a"),
        (Wanted(corpus="other"), "c"),
        (Wanted(session="tender-7"), "b"),
        (Wanted(run_ids=("a",), asked_by="Bo"), ""),
    ],
)
def test_which_runs_are_meant(wanted: Wanted, names: str) -> None:
    assert "".join(one.run_id for one in chosen(RUNS, wanted)) == names


def test_a_day_is_one_in_utc() -> None:
    late = run("a", started_at=datetime(2026, 3, 2, 23, 30, tzinfo=timezone(timedelta(hours=-2))))
    assert not Wanted(before=date(2026, 3, 3)).has(late), "it is the third there"


def test_an_id_that_no_run_has_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="there is no run x, y; the last are c, b, a"):
        chosen(RUNS, Wanted(run_ids=("y", "a", "x")))


def test_a_file_or_a_person_that_no_run_names_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match=r"questionnaire 'tender'; there are in/tender\.xlsx, tender\.xlsx"):
        chosen(RUNS, Wanted(source="tender"))
    with pytest.raises(UsageError, match="no run names a person 'bo'; there are Bo"):
        chosen(RUNS, Wanted(asked_by="bo"))


@pytest.mark.parametrize(
    ("changes", "is_left"),
    [({}, False), ({"kind": "ask"}, False), ({"kind": "evaluate"}, False), ({"is_open": True}, True)]
    + [({"kind": kind}, True) for kind in ("refresh", "publish", "rollback", "tune", "purge")],
)
def test_what_is_left_to_a_persons_word(changes: dict[str, Any], is_left: bool) -> None:
    assert run("a", **changes).is_left == is_left


def test_a_conversation_that_is_not_there_is_wrong_usage() -> None:
    require_session(None, [])
    require_session("tender-7", ["tender-7"])
    with pytest.raises(UsageError, match=r"there is no conversation 'tender-8'; there are tender-7$"):
        require_session("tender-8", ["tender-7", "zzz"])
    with pytest.raises(UsageError, match=r"there are my-tender, tender-7$"):
        require_session("Tender", ["tender-7", "my-tender", "zzz"])
    with pytest.raises(UsageError, match="there is no conversation 'x'; there is none"):
        require_session("x", [])
