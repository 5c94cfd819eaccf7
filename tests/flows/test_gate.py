"""A version that the gate refuses is never seen."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.errors import GateRefused
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.publishing.commit import commit_corpus
from tasks.quality.frames import ChunkFacts, chunk_facts
from tasks.records import Chunk
from tasks.storage.commits import Commits, of_corpus
from tasks.storage.lake import Lake
from tests.made.commands import Bidfolio
from tests.made.published import Published
from tests.made.run_results import artifact, newest_artifact, rows_of


def double_vectors(home: Path) -> None:
    """Dense shards under the right ids with vectors of norm 2, as a broken worker would leave them."""
    for shard in (home / "cache" / "dense").rglob("*.parquet"):
        double_shard(shard)


def double_shard(shard: Path) -> None:
    table = pq.read_table(shard, partitioning=None)
    doubled = 2 * np.asarray(table["dense"].combine_chunks().flatten(), dtype=np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(doubled), table.schema.field("dense").type.list_size)
    pq.write_table(table.set_column(table.schema.get_field_index("dense"), "dense", column), shard)


def change_chunk(home: Path) -> None:
    """A cached chunk that says what its document does not."""
    for path in (home / "cache" / "chunks").glob("*.parquet"):
        table = pq.read_table(path, partitioning=None)
        texts = [text.replace("Frankfurt", "Timbuktu") for text in table["text"].to_pylist()]
        pq.write_table(table.set_column(table.schema.get_field_index("text"), "text", [texts]).cast(table.schema), path)


def lengthen_page(home: Path) -> None:
    """A converted document whose last page ends where its text does not."""
    for path in (home / "index" / "converted").glob("*.json"):
        document = orjson.loads(path.read_bytes())
        document["pages"][-1]["end"] += 1
        Lake(str(home)).put(orjson.dumps(document), "index", "converted", path.name)
    record_converted(home)


def record_converted(home: Path) -> None:
    """Record the converted documents as they are now: what a logic has made wrong, and no disk has damaged."""
    lake = Lake(str(home))
    commit_corpus(lake, "default", Commits(lake).told(of_corpus("default"))["documents_key"])


@pytest.mark.parametrize(
    ("spoil", "suite", "column"),
    [
        (double_vectors, "vectors", "dense_norm"),
        (change_chunk, "chunks", "is_verbatim"),
        (lengthen_page, "pages", "is_within_text"),
    ],
)
def test_a_spoilt_cache_is_not_published(
    published: Published, bidfolio: Bidfolio, spoil: object, suite: str, column: str
) -> None:
    assert callable(spoil)
    spoil(published.home)
    (published.documents / "added.txt").write_text("The office in Oslo has closed.\n", encoding="utf-8")
    lake = Lake(str(published.home))
    before = {name: lake.read(name, corpus="default") for name in ("documents", "pages", "elements")}

    refused = bidfolio("--json", "refresh", published.documents)

    assert refused.exit_code == GateRefused.exit_code == 3
    assert refused.out == ""
    assert f"{suite}.{column}" in refused.err and "is not made live" in refused.err
    assert [(row["change"], row["file_name"]) for row in artifact("changes")] == [("added", "added.txt")]
    said = newest_artifact("changes").description or ""
    assert said.startswith("What would have changed in default. Refused: ") and f"{suite}.{column}" in said
    versions = bidfolio("--json", "index", "list").summary["versions"]
    assert [row["index_version"] for row in versions if row["live"]] == [published.refreshed.summary["index_version"]]
    assert before == {name: lake.read(name, corpus="default") for name in before}
    rows = bidfolio("--json", "sql", "SELECT suite, column_name, run_id FROM quality WHERE NOT passed").summary["rows"]
    assert [row[:2] for row in rows] == [[suite, column]]
    assert rows[0][2] != published.refreshed.summary["run_id"]
    assert (published.home / "data_docs" / "index.html").is_file()

    for kept in ("cache", "index/converted"):  # they can be made again: that is all the mending there is to do
        assert str(published.home / kept) in refused.err
        shutil.rmtree(published.home / kept)
    mended = bidfolio("--json", "refresh", published.documents)
    assert mended.exit_code == 0, mended.err
    assert mended.summary["documents"] == {"added": 1, "changed": 0, "deleted": 0, "unchanged": 3, "quarantined": 0}


def test_a_corpus_without_any_text_publishes_nothing(prefect_server: None, bidfolio: Bidfolio, tmp_path: Path) -> None:
    (tmp_path / "blank").mkdir()
    (tmp_path / "blank" / "blank.txt").write_text(" \n", encoding="utf-8")
    refused = bidfolio("refresh", tmp_path / "blank")
    assert refused.exit_code == 3 and "no file of the corpus 'default' gave any text" in refused.err
    assert bidfolio("--json", "index", "list").summary == {"versions": []}


def test_the_published_version_passes_a_check(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    def noted(chunks: Sequence[Chunk], *given: Any) -> Iterator[ChunkFacts]:
        looked_at.extend(sorted({chunk.file_name for chunk in chunks}))
        return chunk_facts(chunks, *given)

    monkeypatch.setattr("tasks.quality.task.chunk_facts", noted)
    checked = bidfolio("--json", "index", "check")
    assert checked.exit_code == 0, checked.err
    assert checked.summary["index_version"] == published.refreshed.summary["index_version"]
    assert looked_at == [], "the refresh has found all there is to find"

    for path in (published.home / "index" / "converted").glob("*.json"):
        document = orjson.loads(path.read_bytes())
        if document["file_name"] == "hosting.txt":
            raw = orjson.dumps(document | {"text": document["text"].swapcase()})
            Lake(str(published.home)).put(raw, "index", "converted", path.name)
    record_converted(published.home)
    refused = bidfolio("--json", "index", "check")
    assert refused.exit_code == 3 and "chunks.is_verbatim" in refused.err
    assert looked_at == ["hosting.txt"]


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def test_a_damaged_file_is_named_and_made_anew(published: Published, bidfolio: Bidfolio) -> None:
    """As a full disk, or a copy that was broken off, leaves files; the documents are as they were."""
    (published.documents / "added.txt").write_text("The office in Oslo has closed.\n", encoding="utf-8")
    (shard,) = (published.home / "cache" / "dense").glob("*/*.parquet")
    cut_short(shard)
    assert bidfolio("refresh", published.documents).exit_code == 0

    (state,) = (published.home / "index" / "states").glob(f"{live_of(published.home).state_key}.bm25.npz")
    cut_short(state)
    told = bidfolio("ask", "Which office has closed?")
    assert (told.exit_code, f"{state} is damaged" in told.err, "bidfolio refresh" in told.err) == (2, True, True)
    assert f"{state} is damaged" in bidfolio("refresh", published.documents).err
    assert "Oslo" in bidfolio("--json", "ask", "Which office has closed?").summary["answer"]

    for rows in (published.home / "index").glob("*.rows-*.lance/data/*.lance"):
        rows.unlink()
    told = bidfolio("index", "check")
    assert (told.exit_code, "is gone" in told.err) == (2, True)
    assert f"bidfolio refresh {published.documents} --corpus default" in told.err, "the command that mends it"
    (published.documents / "added.txt").unlink()
    assert bidfolio("--json", "refresh", published.documents).summary["embedded"] == 0

    chunks = next(published.home.glob("lake/chunks/**/*.parquet"))
    chunks.unlink()
    assert f"{chunks} is damaged (it is gone)" in bidfolio("index", "check").err
    assert "nothing has changed" not in bidfolio("refresh", published.documents).out
    assert rows_of(bidfolio, "SELECT count(*) FROM chunks") == [[4]]
    assert bidfolio("index", "check").exit_code == 0
    assert "nothing has changed" in bidfolio("refresh", published.documents).out


def live_of(home: Path) -> Manifest:
    (live,) = [version.manifest for version in IndexStore(str(home)).versions() if version.is_live]
    return live
