"""Conversion on a real cluster: a scheduler and workers that are processes of their own, as on other machines."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from configs.settings import ConversionSettings, DaskSettings, Settings
from tasks.cluster.dask_client import TRIES_ALONE
from tasks.conversion import task
from tasks.conversion.document.serialization import from_json
from tasks.conversion.workers.sandbox import Helpers, Limits, convert_here
from tasks.errors import ServiceAway, UsageError
from tasks.records import Document, Quarantined, SourceFile
from tasks.sources.scan_cache import ScanCache
from tasks.storage.lake import Lake
from tests.made.bad_files import pdf_that_unpacks_to
from tests.made.containers import WORDS, make_mail, make_zip
from tests.made.dask_cluster import Running, running_cluster
from tests.made.pdfs import MakePdf
from tests.made.source_files import text_file

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs prctl")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Two workers of one thread."""
    with running_cluster(tmp_path_factory.mktemp("dask"), 2) as running:
        yield running


def on(cluster: Running, home: Path, seconds: float = 600.0, worker_wait_s: float = 60.0) -> Settings:
    dask = DaskSettings(address=cluster.address, worker_wait_s=worker_wait_s)
    return Settings(home=str(home), dask=dask, conversion=ConversionSettings(seconds=seconds))


def converted(documents: Path, settings: Settings) -> dict[str, bytes]:
    """The JSON that the cache holds after a scan and a conversion, by the file's name."""
    scan = task.scan_corpus.fn(str(documents), "default", settings)
    task.convert_documents.fn(scan, settings)
    return kept(scan.key, settings)


def kept(key: str, settings: Settings) -> dict[str, bytes]:
    files = ScanCache(Lake(settings.home)).files(key) or []
    folder = Path(settings.home) / "index" / "converted"
    found = {file.file_name: list(folder.glob(f"{file.document_id}-*.json")) for file in files}
    return {name: paths[0].read_bytes() for name, paths in found.items() if paths}


def wait_for(what: Callable[[], object], message: str) -> None:
    until = time.monotonic() + 180
    while not what():
        assert time.monotonic() < until, message
        time.sleep(0.02)


@pytest.fixture
def documents(tmp_path: Path, make_pdf: MakePdf) -> Path:
    """A folder with some kinds of file, an archive in an archive, a mail, and a file that is cut off."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "policy.pdf").write_bytes(make_pdf([[(60, 700, f"Backups of year {n} are kept.")] for n in range(3)]))
    (folder / "offers.zip").write_bytes(
        make_zip(("in.zip", make_zip(("policy.txt", WORDS))), ("b.txt", b"More words."))
    )
    (folder / "mail.eml").write_bytes(make_mail(("offer.csv", b"Ref,Words\n1,Words of the offer.")))
    (folder / "cut.pdf").write_bytes(b"%PDF-1.7 cut off")
    for number in range(6):
        (folder / f"{number}.txt").write_text(f"Note {number} is here.\n", encoding="utf-8")
    return folder


def test_a_cluster_gives_the_documents_that_this_machine_gives(
    cluster: Running, documents: Path, tmp_path: Path
) -> None:
    here = converted(documents, Settings(home=str(tmp_path / "here"), conversion=ConversionSettings(workers=1)))
    there = converted(documents, on(cluster, tmp_path / "there"))
    assert there == here and len(here) == 12
    assert isinstance(from_json(there["offers.zip/in.zip/policy.txt"]), Document)
    assert isinstance(from_json(there["cut.pdf"]), Quarantined)
    assert len(cluster.converters()) == 2, "each worker keeps its process"


def test_a_bomb_costs_its_file_alone(cluster: Running, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "bomb.pdf").write_bytes(pdf_that_unpacks_to(1000))
    for number in range(4):
        text_file(documents, f"{number}.txt")
    found = converted(documents, on(cluster, tmp_path / "home", seconds=12.0))
    said = from_json(found.pop("bomb.pdf"))
    assert isinstance(said, Quarantined)
    assert said.reason == "bomb.pdf: refused: reading it takes more than 12 s (BIDFOLIO_CONVERSION_SECONDS)"
    others = [from_json(raw) for raw in found.values()]
    assert len(others) == 4 and [one for one in others if not isinstance(one, Document)] == []


def kill_workers_of_busy(cluster: Running, times: int, killed: list[int], over: threading.Event) -> None:
    """Kills the worker whose process has read for a second, so many times; its process must end with it."""
    while len(killed) < times and not over.is_set():
        for converter in cluster.converters():
            with suppress(psutil.NoSuchProcess):
                if converter.cpu_times().user > 2 and converter.status() == psutil.STATUS_RUNNING:
                    os.kill(converter.ppid(), signal.SIGKILL)
                    killed.append(converter.pid)
                    wait_for(lambda: not converter.is_running(), "a process outlived its worker")  # noqa: B023
        time.sleep(0.02)


@pytest.mark.parametrize("times", [1, 1_000], ids=["once", "always"])
def test_a_file_of_which_workers_die(cluster: Running, tmp_path: Path, times: int) -> None:
    """Once costs time and nothing else; a file that kills whatever reads it is quarantined, the others are done."""
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "slow.pdf").write_bytes(pdf_that_unpacks_to(40 if times == 1 else 400))
    for number in range(5):
        text_file(documents, f"{number}.txt", f"Note {number} is here.\n")
    killed: list[int] = []
    over = threading.Event()
    killer = threading.Thread(target=kill_workers_of_busy, args=(cluster, times, killed, over))
    killer.start()
    try:
        found = {name: from_json(raw) for name, raw in converted(documents, on(cluster, tmp_path / "home")).items()}
    finally:
        over.set()
        killer.join()
    slow = found.pop("slow.pdf")
    assert len(found) == 5 and all(isinstance(document, Document) for document in found.values())
    if times == 1:
        assert isinstance(slow, Document) and len(killed) == 1
    else:
        assert isinstance(slow, Quarantined) and len(killed) >= 1 + TRIES_ALONE
        assert slow.reason.startswith("slow.pdf: refused: each process that was to read it died")


def test_a_worker_that_does_not_see_the_folder_is_told_of(
    cluster: Running, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # To a worker of another machine this folder is not there; here the driver alone is given its true place.
    hidden = tmp_path / "hidden"
    documents.rename(hidden)
    settings = on(cluster, tmp_path / "home")
    scan = task.scan_corpus.fn(str(hidden), "default", settings)
    cache = ScanCache(Lake(settings.home))
    files = [file for file in cache.files(scan.key) or [] if "/" not in file.file_name]
    cache.put_files(scan.key, [replace(file, path=f"file://{documents}/{file.file_name}") for file in files])
    monkeypatch.setattr(task, "read_unchanged", lambda file: b"")
    with pytest.raises(UsageError, match=rf"cannot read .* in {documents}: give a folder .* s3:// URL"):
        task.convert_documents.fn(scan, settings)
    member = replace(files[0], file_name="a.zip/b.txt", path=f"file://{tmp_path}/gone/{'0' * 64}")
    cache.put_files(scan.key, [member])
    with pytest.raises(UsageError, match=rf"a\.zip/b\.txt, which this machine keeps in {tmp_path}/gone: give a --home"):
        task.convert_documents.fn(scan, settings)
    monkeypatch.undo()
    (reason,) = task.convert_documents.fn(scan, settings).newly_quarantined
    assert "went away while it was being read" in reason


def test_another_version_of_bidfolio_is_told_of() -> None:
    with pytest.raises(UsageError, match="has another version of bidfolio: install this one there"):
        convert_here(SourceFile("a.txt", "a.txt", 1, "0"), Limits(), Helpers(), "no version")


def test_a_cluster_without_bidfolio_is_told_of(tmp_path: Path, documents: Path) -> None:
    # Another package of that name stands before what may be installed.
    (tmp_path / "other" / "tasks").mkdir(parents=True)
    (tmp_path / "other" / "tasks" / "__init__.py").touch()
    with (
        running_cluster(tmp_path, 1, python_path=tmp_path / "other") as running,
        pytest.raises(UsageError, match=r"does not have this bidfolio .* install it there"),
    ):
        converted(documents, on(running, tmp_path / "home"))


def test_a_cluster_whose_workers_have_all_gone_is_away(
    tmp_path: Path, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.cluster.dask_client._LOOK_S", 0.2)
    (documents / "slow.pdf").write_bytes(pdf_that_unpacks_to(100, pages=30))
    converters: list[psutil.Process] = []
    with running_cluster(tmp_path, 1) as running:

        def end() -> None:
            wait_for(running.converters, "nothing was converted")
            converters.extend(running.converters())
            for process in (*running.nannies, *running.workers):
                process.kill()

        ender = threading.Thread(target=end)
        ender.start()
        with pytest.raises(ServiceAway, match="has no worker: start one"):
            converted(documents, on(running, tmp_path / "home", worker_wait_s=8))
        ender.join()
    wait_for(lambda: not any(converter.is_running() for converter in converters), "a process outlived its cluster")


def test_a_scheduler_that_goes_away_leaves_what_is_done(
    tmp_path: Path, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.cluster.dask_client.CONNECT_TIMEOUT_S", 5)
    (documents / "slow.pdf").write_bytes(pdf_that_unpacks_to(100, pages=30))
    with running_cluster(tmp_path, 2) as running:
        settings = on(running, tmp_path / "home")
        scan = task.scan_corpus.fn(str(documents), "default", settings)

        def end() -> None:
            wait_for(lambda: len(kept(scan.key, settings)) == 12, "the others were not converted")
            running.scheduler.kill()

        ender = threading.Thread(target=end)
        ender.start()
        with pytest.raises(ServiceAway, match="went away: start it, and run this again") as caught:
            task.convert_documents.fn(scan, settings)
        ender.join()
        assert caught.value.exit_code == 4
        converters = running.converters()
    wait_for(lambda: not any(converter.is_running() for converter in converters), "a process outlived its cluster")

    # The next run, here without a cluster, has the slow one left to do.
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "home" / "index" / "converted").iterdir()}
    again = Settings(home=settings.home, conversion=ConversionSettings(workers=1, seconds=1.0))
    assert task.convert_documents.fn(scan, again).counts.quarantined == 2
    assert len(stamps) == 12 and all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
