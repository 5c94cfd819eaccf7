"""What waits: it comes back as it was put, from memory or from the disk, and says where there is no room for it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tasks.conversion.document.spooled_bytes import MOST_IN_MEMORY_BYTES, Spool
from tasks.errors import Terminal


def test_what_waits_comes_back_in_any_order_and_as_a_whole() -> None:
    put = [bytes([number]) * (MOST_IN_MEMORY_BYTES // 3 + number) for number in range(5)]
    spool = Spool()
    waiting = [spool.put(raw) for raw in put[:4]]
    assert waiting[2]() == put[2] and waiting[0]() == put[0]
    waiting.append(spool.put(put[4]))
    assert [read() for read in reversed(waiting)] == put[::-1]
    assert b"".join(spool.blocks()) == b"".join(put)
    assert list(Spool().blocks()) == []


def test_no_room_is_said_and_a_few_bytes_need_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    spool = Spool()
    assert spool.put(b"few")() == b"few"
    with pytest.raises(Terminal, match="TMPDIR"):
        spool.put(bytes(MOST_IN_MEMORY_BYTES))


def test_what_is_gathered_finds_no_room_where_it_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool()
    spool.put(bytes(MOST_IN_MEMORY_BYTES - 1))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    spool.put(b"few")
    with pytest.raises(Terminal, match="TMPDIR"):
        spool.flush()
