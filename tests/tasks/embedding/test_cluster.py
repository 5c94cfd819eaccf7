"""The stage that embeds on a real cluster: a scheduler and three workers, each a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from configs.plans import Plan, load_plan
from configs.settings import AdaptiveSettings, DaskSettings, Settings, load_settings
from tasks.chunking.chunker import chunk_document
from tasks.cluster.dask_client import CONNECT_TIMEOUT_S, DaskCluster
from tasks.cluster.program_fingerprint import PACKAGES
from tasks.cluster.protocol import NOTHING, Killed
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.model_files import ModelTokenizer
from tasks.embedding.task import embed_chunks
from tasks.errors import CacheGone, Damaged, ServiceAway, UsageError
from tasks.records import content_id
from tasks.references import Chunked
from tasks.runtime.stage import RETRY_DELAYS_S
from tasks.storage.lake import Lake
from tests.made.chunks import document_of
from tests.made.commands import link_models
from tests.made.dask_cluster import Running, process_after_a_while, running_cluster
from tests.made.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prctl")

DOCUMENTS = 6
TEXTS = 24


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.embedding.corpus.corpus_parts.MOST_ROWS", 8)
    monkeypatch.setattr("tasks.embedding.models.shards.TEXTS_A_SHARD", 4)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running_cluster(tmp_path_factory.mktemp("dask"), 3, first=("--resources", "GPU=1")) as running:
        yield running


def plan_of(backend: str = "openvino_int8") -> Plan:
    plan = load_plan("bidfolio")
    return plan.model_copy(update={"embedding": plan.embedding.model_copy(update={"backend": backend})})


def chunked(home: Path, plan: Plan) -> Chunked:
    """Chunks in the cache, as the stage before leaves them; documents of one title begin alike."""
    link_models(home)
    cache = CorpusCache(Lake(str(home)))
    tokenizer = ModelTokenizer(plan.embedding.model)
    counts = []
    for number in range(DOCUMENTS):
        rows = ["Backups are kept.", *(f"Backups of system {n} are kept for {7 * n + number} days." for n in range(3))]
        chunks = chunk_document(document_of([], rows, title=f"Policy {number % 3}"), plan.chunking[""], tokenizer, 500)
        cache.put_chunks(key := content_id("chunks", number), chunks)
        counts.append((key, len(chunks)))
    cache.put_chunk_counts("list", counts)
    assert sum(count for _, count in counts) == TEXTS
    return Chunked("list", "default", TEXTS)


def settings_of(home: Path, address: str | None = None, **dask: Any) -> Settings:
    return Settings(home=str(home), threads=1, dask=DaskSettings(address=address, **dask))


def left_by(home: Path) -> dict[str, bytes]:
    """What the stage has written, by its path."""
    folders = [home / "cache" / name for name in ("counts", "dense", "lexical")] + [home / "index" / "states"]
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(home)): path.read_bytes() for path in paths}


def reading_no_text(patched: pytest.MonkeyPatch) -> None:
    """This process, which leads the work, may read of chunks how many there are; the workers are others."""
    get_table = Lake.get_table

    def get(lake: Lake, *parts: str, columns: list[str] | None = None) -> Any:
        assert "chunks" not in parts or columns == ["ordinal"], f"the driver reads {columns} of {parts}"
        return get_table(lake, *parts, columns=columns)

    patched.setattr(Lake, "get_table", get)


def after_the_first_shard(patched: pytest.MonkeyPatch, do: Any) -> list[str]:
    """Has ``do`` called when the first shard is kept; gives the list of the shards that were."""
    put_dense = CorpusCache.put_dense
    shards: list[str] = []

    def put(cache: CorpusCache, model: str, shard: str, ids: Sequence[str], *vectors: Any) -> None:
        put_dense(cache, model, shard, ids, *vectors)
        shards.append(shard)
        if len(shards) == 1:
            do()

    patched.setattr(CorpusCache, "put_dense", put)
    return shards


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["openvino_int8", "torch"])
def test_workers_leave_the_bits_that_one_process_leaves_and_the_driver_reads_no_text(
    backend: str, cluster: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(backend)
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    expected = embed_chunks.fn(chunked(alone, plan), plan, settings_of(alone))
    work = chunked(spread, plan)
    with monkeypatch.context() as patched:
        reading_no_text(patched)
        with pytest.raises(AssertionError, match="the driver reads"):
            CorpusCache(Lake(str(spread))).searched_texts([content_id("chunks", 0)])
        assert embed_chunks.fn(work, plan, settings_of(spread, cluster.address)) == expected
    assert expected.embedded < TEXTS and expected.reused == 0, "a text that is there twice is embedded once"
    found = left_by(spread)
    assert found == left_by(alone)
    assert len([path for path in found if path.startswith("cache/lexical/")]) == 3


@pytest.mark.slow
def test_a_worker_killed_while_it_embeds_costs_its_shards_time(
    cluster: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of()
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    expected = embed_chunks.fn(chunked(alone, plan), plan, settings_of(alone))
    work = chunked(spread, plan)
    shards = after_the_first_shard(monkeypatch, lambda: cluster.workers[0].send_signal(signal.SIGKILL))
    assert embed_chunks.fn(work, plan, settings_of(spread, cluster.address)) == expected
    assert left_by(spread) == left_by(alone)
    assert len(shards) == len(set(shards)) > 3


@pytest.mark.slow
def test_without_its_scheduler_a_run_ends_with_a_word_and_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of()
    home = tmp_path / "home"
    work = chunked(home, plan)
    (tmp_path / "dask").mkdir()
    with running_cluster(tmp_path / "dask", 1) as running, monkeypatch.context() as patched:
        shards = after_the_first_shard(patched, running.scheduler.kill)
        with pytest.raises(ServiceAway, match="went away: start it, and run this again; what is done by now is kept"):
            embed_chunks.fn(work, plan, settings_of(home, running.address))
    again = embed_chunks.fn(work, plan, settings_of(home))
    assert again.reused >= 4 * len(shards) > 0 and again.embedded > 0
    untouched = tmp_path / "untouched"
    embed_chunks.fn(chunked(untouched, plan), plan, settings_of(untouched))
    assert left_by(home) == left_by(untouched)


@pytest.mark.slow
def test_what_asks_for_a_resource_runs_where_it_is(
    cluster: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = {"GPU": 1.0}
    with DaskCluster(DaskSettings(address=cluster.address)) as dask:
        anywhere = {process for _, process in dask.run(process_after_a_while, range(12))}
        (with_gpu,) = {process for _, process in dask.run(process_after_a_while, range(4), gpu)}
        assert len(anywhere) > 1 and with_gpu in {worker.pid for worker in cluster.workers}
    monkeypatch.setattr("tasks.cluster.dask_client._LOOK_S", 0.1)
    with (
        DaskCluster(DaskSettings(address=cluster.address, worker_wait_s=0.3)) as dask,
        pytest.raises(
            ServiceAway,
            match=r"no worker with the resources GPU=2: start one .* --resources GPU=2, .* 0.3 s .* dask.worker_wait_s",
        ),
    ):
        list(dask.run(process_after_a_while, [1], {"GPU": 2.0}))
    asked: dict[str, set[str]] = {}
    run = DaskCluster.run

    def noted(self: DaskCluster, function: Any, items: Any, /, resources: Any = NOTHING) -> Any:
        asked.setdefault(function.func.__name__, set()).update(resources)
        return run(self, function, items, resources)

    monkeypatch.setattr(DaskCluster, "run", noted)
    plan = plan_of("torch")
    embed_chunks.fn(chunked(tmp_path, plan), plan, settings_of(tmp_path, cluster.address, resources=gpu))
    assert asked == {"read_part": set(), "embed_rows": {"GPU"}, "project_part": set()}


@pytest.mark.slow
def test_an_adaptive_cluster_of_this_machine_grows_with_the_work_and_has_the_resources() -> None:
    settings = DaskSettings(adaptive=AdaptiveSettings(minimum=1, maximum=2), resources={"GPU": 1})
    seen: set[int | Killed] = set()
    with DaskCluster(settings) as dask:
        for _, process in dask.run(process_after_a_while, range(1000), settings.resources):
            seen.add(process)
            if len(seen) == 2:
                break
    assert len(seen) == 2


ADAPTIVE = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=0, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0")
    cluster.adapt(minimum=0, maximum=2, interval="100 ms", wait_count=2, target_duration="100 ms")
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_a_cluster_that_others_scale_grows_from_nothing_and_shrinks_again(tmp_path: Path) -> None:
    script = tmp_path / "adaptive.py"
    script.write_text(ADAPTIVE, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, str(script)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as scaled:
        assert scaled.stdout is not None
        address = scaled.stdout.readline().strip()
        settings = DaskSettings(address=address, adaptive=AdaptiveSettings(minimum=0, maximum=2))
        for _ in range(2):
            with DaskCluster(settings) as dask:
                done = list(dask.run(process_after_a_while, range(60)))
            assert sorted(item for item, _ in done) == list(range(60)), "also what a worker had that was let go"
            assert len({process for _, process in done}) >= 2
            with Client(address) as client:
                until = time.monotonic() + 120
                while client.nthreads() and time.monotonic() < until:
                    time.sleep(0.1)
                assert not client.nthreads()
        scaled.communicate()


@pytest.mark.parametrize(
    ("adaptive", "message"),
    [
        ({"minimum": 3, "maximum": 2}, "minimum must not be more"),
        ({"minimum": 1}, "maximum"),
        ({"maximum": 0}, "maximum"),
    ],
)
def test_a_range_that_is_none_is_refused(
    adaptive: dict[str, int], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDFOLIO_DASK_ADAPTIVE", json.dumps(adaptive))
    with pytest.raises(UsageError, match=message):
        load_settings()


def test_range_and_resources_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIDFOLIO_DASK_ADAPTIVE", '{"minimum": 0, "maximum": 4}')
    monkeypatch.setenv("BIDFOLIO_DASK_RESOURCES", '{"GPU": 1}')
    dask = load_settings(profile="dask").dask
    assert dask.adaptive == AdaptiveSettings(minimum=0, maximum=4) and dask.resources == {"GPU": 1}


def test_workers_of_another_day_are_refused(cluster: Running, tmp_path: Path) -> None:
    assert set(DaskCluster(settings_of(tmp_path, cluster.address).dask).run(abs, [-1, 2])) == {(-1, 1), (2, 2)}
    older = tmp_path / "older"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, older / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (older / "tasks" / "embedding" / "models" / "dense.py").open("a", encoding="utf-8") as source:
        source.write("# as it was\n")
    with running_cluster(tmp_path, 1, python_path=older) as others:
        settings = settings_of(tmp_path, others.address).dask
        with pytest.raises(UsageError, match=r"the worker tcp://\S+ of .*has another bidfolio: install the one of"):
            list(DaskCluster(settings).run(abs, [-1]))


def find_damaged(path: str) -> None:
    """Raises Damaged."""
    raise Damaged(path, "not Parquet")


def test_what_is_wrong_on_a_worker_says_which(cluster: Running, tmp_path: Path) -> None:
    asked = DaskCluster(settings_of(tmp_path, cluster.address).dask).run(find_damaged, ["vectors.parquet"])
    with pytest.raises(UsageError, match=r"the worker tcp://\S+: vectors\.parquet is damaged \(not Parquet\)"):
        list(asked)


def test_no_scheduler_is_a_service_away_and_nobody_is_asked_where_all_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.cluster.dask_client.CONNECT_TIMEOUT_S", 1)
    plan = plan_of()
    work = chunked(tmp_path, plan)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # taken, and nobody listens
        address = f"tcp://127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(ServiceAway, match=f"no Dask scheduler answers at {address}"):
            embed_chunks.fn(work, plan, settings_of(tmp_path, address))
        done = embed_chunks.fn(work, plan, settings_of(tmp_path))
        assert embed_chunks.fn(work, plan, settings_of(tmp_path, address))._replace(embedded=0, reused=0) == (
            done._replace(embedded=0, reused=0)
        )


def test_a_scheduler_that_never_answers_is_told_of_within_the_minute() -> None:
    assert CONNECT_TIMEOUT_S * (1 + len(RETRY_DELAYS_S)) + sum(RETRY_DELAYS_S) < 45


def test_a_machine_that_does_not_see_the_home_says_so(tmp_path: Path) -> None:
    with pytest.raises(CacheGone, match="where a Dask worker says so, give a --home that all of them see"):
        CorpusCache(Lake(str(tmp_path))).searched_texts(["gone"])
