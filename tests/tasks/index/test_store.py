"""A real LanceDB in a temporary folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from lancedb.table import LanceTable, Tags

from configs.plans import load_plan
from tasks.errors import Damaged, IndexLocked, UsageError
from tasks.index.locks import writing_lock
from tasks.index.rows import chunks_of, matrix_of, to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest, Recipe, is_worn, until_live
from tests.made.chunks import chunk_of
from tests.made.index_tables import KEY, manifest, rows
from tests.made.paths import ROOT


@pytest.fixture
def store(tmp_path: Path) -> IndexStore:
    return IndexStore(str(tmp_path))


def texts(store: IndexStore, of: Manifest) -> list[str]:
    found = store.rows(of.corpus, of.index_key, of.index_version)
    return [chunk.text for chunk in chunks_of(found)]


def live(store: IndexStore) -> str | None:
    found = store.live("default", KEY)
    return found.content_key if found else None


def test_without_an_index_there_is_nothing(store: IndexStore) -> None:
    assert store.versions() == [] and store.live("default", KEY) is None
    with pytest.raises(UsageError, match="run `bidfolio refresh`"):
        store.rows("default", KEY, "abc")


def test_what_is_staged_is_there_and_not_live_until_it_is_published(store: IndexStore) -> None:
    first, second = manifest("first"), manifest("second")
    store.stage(first, rows("one", "two"))
    assert live(store) is None
    assert [(version.manifest, version.is_live) for version in store.versions()] == [(first, False)]
    store.publish("default", KEY, first.index_version)
    assert live(store) == "first"

    store.stage(second, rows("three"))
    assert live(store) == "first" and texts(store, first) == ["one", "two"] and texts(store, second) == ["three"]
    store.publish("default", KEY, second.index_version)
    assert live(store) == "second" and texts(store, first) == ["one", "two"]
    assert [(version.manifest.content_key, version.is_live) for version in store.versions()] == [
        ("first", False),
        ("second", True),
    ]


def test_a_reader_keeps_the_version_that_it_opened(store: IndexStore) -> None:
    first, second = manifest("first"), manifest("second")
    store.stage(first, rows("one"))
    store.publish("default", KEY, first.index_version)
    table, number = store._version("default", KEY, first.index_version)
    table.checkout(number)
    store.stage(second, rows("two"))
    store.publish("default", KEY, second.index_version)
    assert table.to_arrow()["text"].to_pylist() == ["one"]


def test_any_version_that_is_there_can_be_made_live(store: IndexStore) -> None:
    first, second = manifest("first"), manifest("second")
    for one in (first, second, first):
        store.stage(one, rows(one.content_key))
        store.publish("default", KEY, one.index_version)
        assert live(store) == one.content_key


@pytest.mark.parametrize(
    ("history", "live", "expected"),
    [
        ([], "a", ["a"]),
        (["a"], "b", ["a", "b"]),
        (["a", "b", "c"], "b", ["a", "b"]),
        (["a", "b", "c"], "a", ["a"]),
        (["a", "b"], "b", ["a", "b"]),
    ],
    ids=["first", "next", "back", "back twice", "again"],
)
def test_history_forgets_what_was_gone_back_from(history: list[str], live: str, expected: list[str]) -> None:
    assert until_live(history, live) == expected


def test_a_version_made_before_manifests_had_all_keys_is_read(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = manifest("first")
    with monkeypatch.context() as earlier:
        fields = {name: value for name, value in asdict(first).items() if name not in ("documents_key", "recipe")}
        earlier.setattr("tasks.index.lance_versions.asdict", lambda _one: fields)
        store.stage(first, rows("one"))
    assert [version.manifest for version in store.versions()] == [replace(first, documents_key="")]


def test_publishing_what_is_not_there_names_what_is(store: IndexStore) -> None:
    first = manifest("first")
    store.stage(first, rows("one"))
    with pytest.raises(UsageError, match=f"no index version 'nope'; there are {first.index_version}"):
        store.publish("default", KEY, "nope")
    assert live(store) is None


def test_staging_again_after_a_crash_gives_one_version(store: IndexStore) -> None:
    first = manifest("first")
    store.stage(first, rows("half"))
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    assert texts(store, first) == ["one", "two"]
    assert [version.manifest for version in store.versions()] == [first]


@pytest.mark.parametrize("is_renewed", [False, True])
def test_what_is_live_and_staged_again_stays_live(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch, is_renewed: bool
) -> None:
    first, second = manifest("first"), manifest("second")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    monkeypatch.setattr("tasks.index.store.is_worn", lambda *_: is_renewed)
    for one in (second, first, first):
        store.stage(one, rows(*{"first": ("one", "two"), "second": ("one", "other")}[one.content_key]))
        store.keep("default", KEY, {first.index_version, second.index_version})
        assert live(store) == "first"
        assert [(v.manifest.content_key, v.is_live) for v in store.versions()] == [("first", True), ("second", False)]
    assert texts(store, first) == ["one", "two"] and texts(store, second) == ["one", "other"]


def test_what_is_live_and_has_lost_its_order_is_staged_anew_and_stays_live(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = manifest("first")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    store._database().drop_table(f"default-{KEY}.v-{first.index_version}")
    store.stage(first, rows("one", "two"))
    assert live(store) == "first" and texts(store, first) == ["one", "two"]
    assert any(version.is_live for version in store.versions())
    monkeypatch.setattr("tasks.index.store.is_worn", lambda *_: True)
    store.keep("default", KEY, {first.index_version})
    assert live(store) == "first" and texts(store, first) == ["one", "two"]


def test_corpora_and_plans_do_not_touch_each_other(store: IndexStore) -> None:
    made = [manifest("a"), manifest("b", corpus="other"), manifest("c", key="ba9876543210")]
    for one in made:
        store.stage(one, rows(one.content_key))
    store.publish("default", KEY, made[0].index_version)
    assert live(store) == "a" and store.live("other", KEY) is None
    assert {version.manifest.content_key for version in store.versions()} == {"a", "b", "c"}


def test_rows_and_manifest_come_back_as_they_were(store: IndexStore) -> None:
    one, made = manifest("first"), rows("one", "two", "three")
    store.stage(one, made)
    back = store.rows("default", KEY, one.index_version)
    assert chunks_of(back) == chunks_of(made)
    np.testing.assert_array_equal(matrix_of(back, "dense"), matrix_of(made, "dense"))
    np.testing.assert_array_equal(matrix_of(back, "lexical"), matrix_of(made, "lexical"))
    assert store.manifest("default", KEY, one.index_version) == one


def test_the_same_content_is_the_same_version_everywhere() -> None:
    assert manifest("first").index_version == manifest("first").index_version == "be06c4e940ae"
    assert manifest("first").index_version != manifest("first", corpus="other").index_version


@pytest.mark.parametrize("name", ["", "a b", "a/b", "../up", ".hidden", "ü", "a\n"])
def test_a_corpus_that_cannot_be_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a corpus"), writing_lock(str(tmp_path), name):
        pass
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("is_whole", [True, False], ids=["the other is done", "the other is at it"])
def test_of_two_that_write_without_a_lock_one_says_so(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch, is_whole: bool
) -> None:
    first, second, third = manifest("first"), manifest("second"), manifest("third")
    store.stage(first, rows("one"))
    store.publish("default", KEY, first.index_version)
    finish = LanceTable.update_field_metadata

    def late(table: LanceTable, *updates: dict[str, Any]) -> Any:
        monkeypatch.setattr(LanceTable, "update_field_metadata", finish)
        if is_whole:
            store.stage(third, rows("one", "three"))
        else:
            store._find(f"default-{KEY}").delete("text = 'one'")  # type: ignore[union-attr]
        return finish(table, *updates)

    monkeypatch.setattr(LanceTable, "update_field_metadata", late)
    with pytest.raises(IndexLocked, match="another refresh is writing the corpus 'default'"):
        store.stage(second, rows("one", "two"))
    assert [version.manifest for version in store.versions()] == ([first, third] if is_whole else [first])
    assert live(store) == "first" and texts(store, first) == ["one"]
    store.stage(second, rows("one", "two"))
    assert texts(store, second) == ["one", "two"]


def test_rows_that_two_have_written_at_once_are_one_again(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = manifest("first"), manifest("second"), manifest("third")
    store.stage(first, rows("one"))
    store.publish("default", KEY, first.index_version)
    add = LanceTable.add

    def late(table: LanceTable, *data: Any) -> Any:
        monkeypatch.setattr(LanceTable, "add", add)
        store.stage(third, rows("one", "two", "three"))
        return add(table, *data)

    monkeypatch.setattr(LanceTable, "add", late)
    with pytest.raises(IndexLocked):
        store.stage(second, rows("one", "two"))
    store.stage(second, rows("one", "two"))
    assert texts(store, second) == ["one", "two"]
    store.publish("default", KEY, second.index_version)
    monkeypatch.setattr("tasks.index.store.is_worn", lambda *_: True)
    store.keep("default", KEY, set())
    monkeypatch.undo()
    table = store._find(f"default-{KEY}")
    assert table is not None and table.count_rows() == 2 and texts(store, second) == ["one", "two"]
    store.keep("default", KEY, set())
    again = store._find(f"default-{KEY}")
    assert again is not None and again.name == table.name, "nothing is left to renew"


# Disk


def many(changes: int, count: int) -> pa.Table:
    """Rows of which ``changes`` have another text and vector than at first; the lexical vectors are all new."""
    draw = np.random.default_rng(0)
    texts = [" ".join(f"word{number}" for number in numbers) for numbers in draw.integers(0, 2000, (count, 80))]
    made = [
        chunk_of(f"{'New' if number < changes else 'Old'} {text}", ordinal=number) for number, text in enumerate(texts)
    ]
    dense = draw.random((count, 384), dtype=np.float32)
    dense[:changes] += 1
    lexical = np.random.default_rng(changes).random((count, min(count, 384)), dtype=np.float32)
    return with_vectors(to_table(made), dense, lexical)


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(("count", "step"), [(300, 9), (20, 1)], ids=["3% a refresh", "a tiny corpus"])
def test_fifty_refreshes_take_less_than_twice_the_disk_of_one(
    store: IndexStore, tmp_path: Path, count: int, step: int
) -> None:
    """Three versions are kept, and each gives back what was staged. Of 300 rows the vectors are indexed, too."""
    published: list[Manifest] = []
    staged = [many(min(number * step, count), count) for number in range(51)]
    sizes: list[int] = []
    for number in range(51):
        one = replace(manifest(f"content {number}"), recipe=Recipe(exact_below=300), chunks=count)
        store.stage(one, staged[number])
        store.publish("default", KEY, one.index_version)
        published.append(one)
        store.keep("default", KEY, {kept.index_version for kept in published[-3:]})
        sizes.append(size(tmp_path))
    print(f"{count} rows: {[round(each / sizes[0], 2) for each in sizes]}")
    assert max(sizes) <= 2 * sizes[0]
    assert [version.manifest for version in store.versions()] == published[-3:]
    for number, one in enumerate(published[-3:], start=48):
        expected = staged[number]
        back = store.rows("default", KEY, one.index_version)
        assert chunks_of(back) == chunks_of(expected)
        np.testing.assert_array_equal(matrix_of(back, "dense"), matrix_of(expected, "dense"))
        np.testing.assert_array_equal(matrix_of(back, "lexical"), matrix_of(expected, "lexical"))
    assert live(store) == "content 50"


def test_what_is_live_is_kept_whatever_is_wanted(store: IndexStore) -> None:
    first, second = manifest("first"), manifest("second")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    store.stage(second, rows("one", "three"))
    store.keep("default", KEY, set())
    assert [version.manifest for version in store.versions()] == [first]
    assert texts(store, first) == ["one", "two"]
    store.keep("other", KEY, set())


# Indexes


def indexes(store: IndexStore, of: Manifest) -> dict[str, tuple[str, int, int]]:
    """By column: the kind of index that the version has, and how many of its rows it knows and does not."""
    table, number = store._version(of.corpus, of.index_key, of.index_version)
    table.checkout(number)
    stats = {index.columns[0]: table.index_stats(index.name) for index in table.list_indices()}
    assert all(stats.values())
    return {c: (s.index_type, s.num_indexed_rows, s.num_unindexed_rows) for c, s in stats.items() if s}


def found(store: IndexStore, of: Manifest, words: str) -> set[str]:
    table, number = store._version(of.corpus, of.index_key, of.index_version)
    table.checkout(number)
    query = table.search(words, query_type="fts", fts_columns="text").select(["text", "_score"])
    return set(query.to_arrow()["text"].to_pylist())


PLAIN = {"file_name": "BTREE", "kind": "BITMAP", "text": "FTS", "context": "FTS"}


def test_files_kinds_and_words_are_indexed_and_what_comes_later_is_found_too(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = manifest("first"), manifest("second")
    texts = ("Backups are encrypted.", "Keys rotate.", "The office is closed.")
    store.stage(first, rows(*texts))
    assert indexes(store, first) == {column: (kind, 3, 0) for column, kind in PLAIN.items()}
    store.stage(second, rows(*texts, "We back up and encrypt it."))
    assert {unknown for _kind, _known, unknown in indexes(store, second).values()} == {1}
    assert found(store, first, "encrypting") == {texts[0]}
    assert found(store, second, "encrypting") == {texts[0], "We back up and encrypt it."}
    assert found(store, first, "the") == set(), "a stop word"
    monkeypatch.setattr("tasks.index.versions.UNINDEXED", 0.05)
    store.keep("default", KEY, {first.index_version, second.index_version})
    assert indexes(store, first) == {column: (kind, 3, 0) for column, kind in PLAIN.items()}
    assert indexes(store, second) == {column: (kind, 4, 0) for column, kind in PLAIN.items()}
    assert found(store, first, "encrypting") == {texts[0]}


def test_words_are_those_of_the_plans_language(store: IndexStore) -> None:
    one = replace(manifest("first"), recipe=Recipe(language="portuguese"))
    other = replace(manifest("first", key="ba9876543210"), recipe=Recipe(language="none"))
    for each in (one, other):
        store.stage(each, rows("Os dados são encriptados.", "Nada."))
    assert found(store, one, "encriptado") == {"Os dados são encriptados."}
    assert found(store, other, "encriptado") == set()


@pytest.mark.parametrize("kind", ["ivf_sq", "ivf_flat", "ivf_pq", "ivf_hnsw_sq"])
def test_vectors_are_indexed_from_the_bound_on(store: IndexStore, kind: Any) -> None:
    small, large = (many(0, count) for count in (299, 300))
    recipe = Recipe(exact_below=300, index=kind)
    first, second = (replace(manifest(str(count)), recipe=recipe, chunks=count) for count in (299, 300))
    store.stage(first, small)
    assert indexes(store, first).keys() == PLAIN.keys()
    store.stage(second, large)
    store.keep("default", KEY, {first.index_version, second.index_version})
    assert indexes(store, second)["dense"] == (kind.upper(), 300, 0)
    assert chunks_of(store.rows("default", KEY, second.index_version)) == chunks_of(large)
    own = store._database().open_table(f"default-{KEY}.v-{second.index_version}")
    assert [(index.columns, own.index_stats(index.name).num_indexed_rows) for index in own.list_indices()] == [
        (["lexical"], 300)
    ]


def test_another_recipe_makes_the_indexes_anew_and_no_row(store: IndexStore) -> None:
    made = many(0, 60)
    first = replace(manifest("first"), recipe=Recipe(exact_below=10, index="ivf_flat"), chunks=60)
    second = replace(manifest("second"), recipe=Recipe(exact_below=10, index="ivf_sq"), chunks=60)
    store.stage(first, made)
    store.stage(second, made)
    assert indexes(store, second)["dense"][0] == "IVF_FLAT"
    store.keep("default", KEY, {second.index_version})
    assert indexes(store, second)["dense"] == ("IVF_SQ", 60, 0)
    table = store._find(f"default-{KEY}")
    store.keep("default", KEY, {second.index_version})
    assert table is not None and store._find(f"default-{KEY}").name == table.name, "not again"  # type: ignore[union-attr]


def test_a_version_that_is_only_staged_leaves_the_live_ones_index(store: IndexStore) -> None:
    made = many(0, 60)
    first = replace(manifest("first"), recipe=Recipe(exact_below=10, index="ivf_hnsw_sq"), chunks=60)
    trial = replace(manifest("trial"), recipe=Recipe(exact_below=10, index="ivf_flat"), chunks=60)
    store.stage(first, made)
    store.publish("default", KEY, first.index_version)
    store.stage(trial, many(1, 60))
    store.keep("default", KEY, {first.index_version, trial.index_version})
    assert indexes(store, first)["dense"] == ("IVF_HNSW_SQ", 60, 0)
    reader = store.reader("default", KEY, trial.index_version)
    assert reader._graphs == {"dense"}, "the table's; its lexical vectors are in an index of their own"
    store.publish("default", KEY, trial.index_version)
    store.keep("default", KEY, {first.index_version, trial.index_version})
    assert indexes(store, trial)["dense"] == ("IVF_FLAT", 60, 0)


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:100])])
def test_a_version_that_is_read_in_place_tells_that_its_files_are_damaged(
    store: IndexStore, tmp_path: Path, harm: Callable[[Path], object]
) -> None:
    first = manifest("first")
    store.stage(first, rows("one", "two"))
    reader = store.reader("default", KEY, first.index_version)
    assert len(reader.rows(np.arange(2))) == 2
    for path in tmp_path.glob("**/*.rows-*.lance/data/*.lance"):
        harm(path)
    told = r"the index .* is damaged .*: run `bidfolio refresh SOURCE`, which makes it anew"
    with pytest.raises(Damaged, match=told):
        reader.rows(np.arange(2))
    with pytest.raises(Damaged, match=told):
        store.reader("default", KEY, first.index_version).rows(np.arange(2))


def test_a_vector_that_is_no_number_can_be_staged_for_the_gate_to_see(store: IndexStore) -> None:
    made = chunks_of(many(0, 60))
    dense = np.eye(60, 16, dtype=np.float32)
    dense[3], dense[4] = np.nan, 0
    one = replace(manifest("first"), recipe=Recipe(exact_below=10), chunks=60)
    store.stage(one, with_vectors(to_table(made), dense, dense))
    assert np.isinf(matrix_of(store.rows("default", KEY, one.index_version), "dense")[3]).all()


@pytest.mark.parametrize("index", ["ivf_sq", "ivf_flat", "ivf_hnsw_sq"])
def test_vectors_that_are_nearly_all_the_same_get_an_index_of_fewer_partitions(
    store: IndexStore, index: Literal["ivf_sq", "ivf_flat", "ivf_hnsw_sq"]
) -> None:
    """As a long table of equal rows, on which no partition after the first would have a vector."""
    made, vectors = chunks_of(many(0, 600)), np.tile(np.array([1, 0, 0, 0], np.float32), (600, 1))
    vectors[:2] = np.eye(4, dtype=np.float32)[:2]
    recipe = Recipe(exact_below=10, index=index, partitions=300)
    one = replace(manifest("first"), recipe=recipe, chunks=600)
    store.stage(one, with_vectors(to_table(made), vectors, vectors))
    question, search = vectors[1:2], load_plan("bidfolio").search
    (found,) = store.reader("default", KEY, one.index_version).nearest("dense", question, 1, search)
    assert found.tolist() == [1]


class Killed(BaseException):
    """Stands for the end of the process: nothing that runs handles it."""


def one_by_one(positions: Sequence[int]) -> Iterator[tuple[Sequence[int], pa.Array]]:
    """A token vector for each row, and no two at a time."""
    for position in positions:
        yield [position], pa.array([b"token"], pa.large_binary())


@pytest.mark.parametrize(("commits", "is_first"), [(0, True), *((commits, False) for commits in range(4))])
def test_a_staging_that_is_killed_between_its_commits_is_done_again(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch, commits: int, is_first: bool
) -> None:
    """One goes and three come, each in a part of its own: what a killed run left is taken up, and nothing twice. The
    first staging writes all of them at once.
    """
    monkeypatch.setattr("tasks.index.rows.PART_BYTES", 1)
    first, second = manifest("first"), manifest("second")
    if not is_first:
        store.stage(first, rows("one", "two", "three", "four"), one_by_one)
        store.publish("default", KEY, first.index_version)
    left = [commits]

    def dying(method: Any) -> Any:
        def after_some(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return method(*arguments, **named)

        return after_some

    wanted = ("one", "five", "six", "seven")
    with monkeypatch.context() as patched:
        for name in ("add", "delete", "update_field_metadata"):
            patched.setattr(LanceTable, name, dying(getattr(LanceTable, name)))
        with pytest.raises(Killed):
            store.stage(second, rows(*wanted), one_by_one)
    assert live(store) == (None if is_first else "first")
    assert is_first or texts(store, first) == ["one", "two", "three", "four"]
    store.stage(second, rows(*wanted), one_by_one)
    assert texts(store, second) == list(wanted)
    table = store._find(f"default-{KEY}")
    assert table is not None and table.count_rows() == 4


@pytest.mark.parametrize("tag", ["v-be06c4e940ae", "live", "whole"])
def test_a_renewal_that_is_killed_is_done_again(store: IndexStore, monkeypatch: pytest.MonkeyPatch, tag: str) -> None:
    first, second = manifest("first"), manifest("second")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    store.stage(second, rows("one", "three"))
    monkeypatch.setattr("tasks.index.store.is_worn", lambda *_: True)
    before = [(version.manifest, version.is_live) for version in store.versions()]

    def dying(table: Any, name: str, number: int) -> None:
        if name == tag:
            raise Killed
        table.tags.create(name, number)

    with monkeypatch.context() as patched:
        for module in ("store", "lance_versions"):
            patched.setattr(f"tasks.index.{module}.set_tag", dying)
        with pytest.raises(Killed):
            store.keep("default", KEY, {second.index_version})
    assert [(version.manifest, version.is_live) for version in store.versions()] == before
    store.keep("default", KEY, {second.index_version})
    assert [(version.manifest, version.is_live) for version in store.versions()] == before
    assert (texts(store, first), texts(store, second)) == (["one", "two"], ["one", "three"])
    assert len(store._names()) == 3, "one table of rows, and one for each version"


def test_one_who_reads_while_the_table_is_renewed_reads_the_new_one(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = manifest("first")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    monkeypatch.setattr("tasks.index.store.is_worn", lambda *_: True)
    found = IndexStore._version

    def slow(self: IndexStore, *arguments: str) -> Any:
        answer = found(self, *arguments)
        monkeypatch.setattr(IndexStore, "_version", found)
        store.keep("default", KEY, {first.index_version})
        return answer

    monkeypatch.setattr(IndexStore, "_version", slow)
    assert texts(store, first) == ["one", "two"]


@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_one_who_asks_what_is_live_while_the_table_is_renewed_is_told(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    first = manifest("first")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    monkeypatch.setattr("tasks.index.store.is_worn", lambda *_: True)
    listed, left = Tags.list, [at]

    def slow(tags: Tags) -> Any:
        left[0] -= 1
        if left[0] == 0:
            store.keep("default", KEY, {first.index_version})
        return listed(tags)

    for ask in (lambda: [store.live("default", KEY)], lambda: [version.manifest for version in store.versions()]):
        left[0] = at
        with monkeypatch.context() as patched:
            patched.setattr(Tags, "list", slow)
            assert ask() == [first]


def test_one_who_reads_while_the_rows_of_the_next_table_are_written_reads_this_one(store: IndexStore) -> None:
    first = manifest("first")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    (this,) = (name for name in store._names() if ".rows-" in name)
    begun = Path(store.uri, f"{this[:-1]}{int(this[-1]) + 1}.lance", "data")
    begun.mkdir(parents=True)
    (begun / "of-many-rows.lance").write_bytes(b"the first of them")

    assert len([name for name in store._names() if ".rows-" in name]) == 2, "LanceDB lists it"
    assert live(store) == "first" and texts(store, first) == ["one", "two"]
    assert [version.is_live for version in store.versions()] == [True]


RENEW = """
import sys
import tasks.index.store
from tasks.index.store import IndexStore
tasks.index.store.is_worn = lambda *_: True
store = IndexStore(sys.argv[1])
print("begun", flush=True)
while True:
    store.keep("default", sys.argv[2], {sys.argv[3]})
"""


def test_one_reads_steadily_while_another_process_renews(store: IndexStore, tmp_path: Path) -> None:
    first = manifest("first")
    store.stage(first, rows("one", "two"))
    store.publish("default", KEY, first.index_version)
    command = [sys.executable, "-c", RENEW, str(tmp_path), KEY, first.index_version]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as renewing:
        assert renewing.stdout is not None and renewing.stdout.readline() == "begun\n"
        renewed: set[str] = set()
        try:
            while len(renewed) < 8:
                renewed.update(name for name in store._names() if ".rows-" in name)
                assert live(store) == "first" and texts(store, first) == ["one", "two"]
                assert [version.is_live for version in store.versions()] == [True]
                assert len(store.reader("default", KEY, first.index_version)) == 2
        finally:
            renewing.kill()


@pytest.mark.parametrize(
    ("written", "rows", "commits", "unindexed", "expected"),
    [
        (1000, 1000, 2, 0, False),
        (1050, 1000, 10, 0, False),
        (1050, 1000, 20, 0, True),
        (20, 20, 6, 0, True),
        (0, 0, 2, 0, False),
        (1000, 1000, 2, 101, False),
        (1000, 1000, 2, 102, True),
    ],
)
def test_a_table_is_renewed_when_a_tenth_of_it_is_of_no_use_or_in_no_index(
    written: int, rows: int, commits: int, unindexed: int, expected: bool
) -> None:
    assert is_worn(written, rows, commits, unindexed) == expected


HOLD = """
import sys, time
from tasks.index.locks import writing_lock
with writing_lock(sys.argv[1], "default"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_one_writer_at_a_time_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        locked = pytest.raises(IndexLocked, match="another refresh is writing the corpus 'default'")
        with locked, writing_lock(str(tmp_path), "default"):
            pass
        with writing_lock(str(tmp_path), "another"):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait(timeout=60)
        with writing_lock(str(tmp_path), "default"):
            pass
    finally:
        holder.kill()
        holder.communicate(timeout=60)


def test_the_lock_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), writing_lock(str(tmp_path), "default"):
        raise RuntimeError
    with writing_lock(str(tmp_path), "default"):
        pass
