"""The choice of a back end by timing it: which is taken, when it is timed again, and what is left out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tasks.embedding.models import fastest as choosing
from tasks.embedding.models.fastest import RunSample, fastest
from tasks.embedding.models.graph_folders import kept
from tests.made.hearing import lines_heard

AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")


def taking(seconds: float, loaded: list[str], name: str = "") -> Callable[[], RunSample]:
    """A back end that is busy for so many processor seconds at each run."""

    def run() -> None:
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass

    def load() -> RunSample:
        loaded.append(name)
        return run

    return load


@pytest.fixture(autouse=True)
def short_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "SAMPLE_S", 0.2)


def test_the_fastest_is_taken_and_timed_once(tmp_path: Path) -> None:
    loaded: list[str] = []
    back_ends = {"slow": taking(0.03, loaded, "slow"), "fast": taking(0.001, loaded, "fast")}
    assert fastest(str(tmp_path), "a model", 1, back_ends) == "fast"
    assert fastest(str(tmp_path), "a model", 1, back_ends) == "fast" and loaded == ["slow", "fast"]
    assert fastest(str(tmp_path), "another model", 1, back_ends) == "fast" and len(loaded) == 4


def test_threads_that_ask_at_once_wait_for_the_one_that_times(tmp_path: Path) -> None:
    loaded: list[str] = []
    back_ends = {"slow": taking(0.02, loaded), "fast": taking(0.001, loaded)}
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(fastest, str(tmp_path), "m", 1, back_ends) for _ in range(3)]
    assert [one.result() for one in asked] == ["fast"] * 3 and len(loaded) == 2


def test_the_first_stays_where_another_is_hardly_faster(tmp_path: Path) -> None:
    assert fastest(str(tmp_path), "m", 1, {"first": taking(0.0400, []), "other": taking(0.0395, [])}) == "first"


def test_one_that_is_disturbed_at_first_or_waits_is_still_taken(tmp_path: Path) -> None:
    """Others use the machine: a run may take twice its time, and the wall tells how long it waited for a processor."""
    seconds = iter([0.01, 0.05, *[0.01] * 99])

    def run() -> None:
        taking(next(seconds), [])()()
        time.sleep(0.03)

    assert fastest(str(tmp_path), "m", 1, {"steady": taking(0.02, []), "disturbed": lambda: run}) == "disturbed"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"choice": "none of them"}', b'{"choi'])
def test_a_damaged_choice_is_made_again(tmp_path: Path, content: bytes) -> None:
    back_ends = {"slow": taking(0.02, []), "fast": taking(0.001, [])}
    assert fastest(str(tmp_path), "m", 1, back_ends) == "fast"
    (folder,) = tmp_path.glob("cache/models/fastest-*")
    (folder / "seal.json").unlink()
    (folder / "fastest.json").write_bytes(content)
    assert fastest(str(tmp_path), "m", 1, back_ends) == "fast"


@contextmanager
def only_read(home: str) -> Iterator[None]:
    """Be another user within the block, who may read all below ``home`` and write nothing, which root always may."""
    for path in (Path(home), *Path(home).rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@AS_ROOT
def test_where_a_damaged_choice_cannot_be_deleted_the_first_is_taken() -> None:
    back_ends = {"slow": taking(0.02, []), "fast": taking(0.001, [])}
    with TemporaryDirectory() as home:
        assert fastest(home, "m", 1, back_ends) == "fast"
        (folder,) = Path(home).glob("cache/models/fastest-*")
        (folder / "fastest.json").write_bytes(b'{"choi')
        with only_read(home):
            assert fastest(home, "m", 1, back_ends) == "slow", "sealed"
        (folder / "seal.json").unlink()
        with only_read(home):
            assert fastest(home, "m", 1, back_ends) == "slow", "of an older bidfolio"


@AS_ROOT
def test_a_damaged_graph_that_cannot_be_deleted_is_not_used() -> None:
    def write(folder: Path) -> None:
        (folder / "graph.bin").write_text("whole")

    with TemporaryDirectory() as home:
        with kept(home, "key", write) as folder:
            (folder / "graph.bin").write_text("wrong")
        with lines_heard() as heard, only_read(home), kept(home, "key", write) as other:
            assert other != folder and (other / "graph.bin").read_text() == "whole"
    assert "is damaged (graph.bin in it is not what was written)" in "".join(heard)


def test_one_that_cannot_be_loaded_or_run_is_left_out(tmp_path: Path) -> None:
    def fails() -> RunSample:
        raise RuntimeError("no such instruction")

    def fails_later() -> RunSample:
        return fails

    with lines_heard() as heard:
        assert fastest(str(tmp_path), "m", 1, {"a": fails, "b": fails_later, "c": taking(0.01, [])}) == "c"
    assert "a cannot run the model here and is left out: no such instruction" in heard
    with pytest.raises(RuntimeError, match="no such instruction"):
        fastest(str(tmp_path), "m", 1, {"a": fails, "b": fails_later})


def test_an_error_without_a_message_is_told_by_its_kind(tmp_path: Path) -> None:
    def fails() -> RunSample:
        raise RuntimeError

    with lines_heard() as heard:
        assert fastest(str(tmp_path), "m", 1, {"a": fails, "b": taking(0.001, [])}) == "b"
    assert "a cannot run the model here and is left out: RuntimeError" in heard


def test_a_single_one_is_not_timed(tmp_path: Path) -> None:
    loaded: list[str] = []
    assert fastest(str(tmp_path), "m", 1, {"only": taking(9, loaded)}) == "only" and not loaded


def test_another_number_of_threads_is_timed_anew(tmp_path: Path) -> None:
    loaded: list[str] = []
    for threads in (1, 2, 1):
        fastest(str(tmp_path), "m", threads, {"a": taking(0.001, loaded), "b": taking(0.01, loaded)})
    assert len(loaded) == 4


@AS_ROOT
def test_where_the_choice_cannot_be_kept_the_first_is_taken_untimed() -> None:
    """A home that may only be read would be timed at every question. pytest's own folders no other user may enter."""
    loaded: list[str] = []
    with TemporaryDirectory() as home:
        with only_read(home):
            assert fastest(home, "m", 1, {"a": taking(0.1, loaded), "b": taking(0.001, loaded)}) == "a"
        assert not loaded and not list(Path(home).iterdir())


@AS_ROOT
def test_who_may_only_read_the_home_keeps_the_choice_and_the_graph_in_a_cache_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    loaded: list[str] = []

    def write(folder: Path) -> None:
        made.append(folder.name)
        (folder / "graph.bin").write_text("whole")

    with TemporaryDirectory() as home, TemporaryDirectory() as own:
        os.chown(own, 65534, -1)
        monkeypatch.setenv("HOME", own)
        back_ends = {"slow": taking(0.02, loaded), "fast": taking(0.001, loaded)}
        with only_read(home):
            for _ in range(2):
                assert fastest(home, "m", 1, back_ends) == "fast"
                with kept(home, "key", write) as folder:
                    assert folder == Path(own, ".cache", "bidfolio", "models", "key")
        assert len(loaded) == 2 and len(made) == 1 and not list(Path(home).iterdir())
