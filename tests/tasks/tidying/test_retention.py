from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from configs.plans import Plan, load_plan
from tasks.index.names import index_name
from tasks.index.versions import LIVE, Manifest, Version
from tasks.storage.stored_file import Stored
from tasks.tidying.retention import (
    FOLDERS,
    SPARED,
    Needed,
    deleted_documents,
    garbage,
    index_of,
    kept_indexes,
    kept_versions,
)

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
PLAN = load_plan("bidfolio")
PLANS: dict[str, Plan] = {PLAN.index_key: PLAN}
OTHER_KEY, THIRD_KEY = "0" * 12, "1" * 12


def version(corpus: str, key: str, content: str = "a", plan: str = "old", *, live: bool = True) -> Version:
    manifest = Manifest(corpus, key, plan, "model", 512, "fingerprint", "states", content, "documents", 1, 1)
    return Version(manifest, 1, (LIVE,) if live else ())


@pytest.mark.parametrize(
    ("versions", "unread", "kept"),
    [
        ([], [], []),
        ([version("a", PLAN.index_key), version("a", OTHER_KEY)], [], [("a", PLAN.index_key)]),
        (
            [version("a", PLAN.index_key), version("a", OTHER_KEY, plan="mine")],
            ["mine"],
            [("a", PLAN.index_key), ("a", OTHER_KEY)],
        ),
        (
            [version("a", PLAN.index_key), version("b", OTHER_KEY), version("b", THIRD_KEY)],
            [],
            [("a", PLAN.index_key), ("b", THIRD_KEY)],
        ),
        (
            [version("a", PLAN.index_key, live=False), version("a", OTHER_KEY)],
            [],
            [("a", PLAN.index_key), ("a", OTHER_KEY)],
        ),
        ([version("a", OTHER_KEY, live=False)], [], []),
    ],
    ids=["nothing", "of no plan", "of a plan unread", "the last live", "live beside a trial", "a trial of no plan"],
)
def test_which_indexes_stay(versions: list[Version], unread: list[str], kept: list[tuple[str, str]]) -> None:
    published = {index_name("b", OTHER_KEY): NOW - SPARED, index_name("b", THIRD_KEY): NOW}
    assert kept_indexes(versions, PLANS, unread, published) == {index_name(*one) for one in kept}


def test_the_versions_that_stay_are_those_that_a_refresh_keeps() -> None:
    made = [version("a", PLAN.index_key, content, live=content == "b") for content in "abcde"]
    ids = {one.manifest.content_key: one.manifest.index_version for one in made}
    name = index_name("a", PLAN.index_key)
    history = {name: [ids["a"], ids["b"]]}

    def kept(count: int) -> str:
        return "".join(one.content_key for one in kept_versions(made, [name], history, count))

    assert (kept(1), kept(2), kept(9)) == ("be", "abde", "abcde")
    assert kept_versions(made, [], history, 9) == []


OLD = NOW - SPARED - timedelta(seconds=1)


@pytest.mark.parametrize(
    ("path", "written_at", "kind"),
    [
        ("index/converted/needed-7.json", OLD, None),
        ("index/converted/other-7.json", OLD, "documents"),
        ("index/converted/other-7.json", NOW, "documents"),
        ("index/states/needed.bm25.npz", OLD, None),
        ("index/states/other.bm25.npz", OLD, "states"),
        ("cache/dense/model/other.parquet", OLD, "vectors"),
        ("cache/lexical/needed/part.parquet", OLD, None),
        ("cache/members/other", OLD, "members"),
        ("cache/trials/other.parquet", OLD, "tuning"),
        ("cache/trials/other.parquet", NOW, None),
        ("cache/pairs/other.json", NOW, "tuning"),
        ("index/history/a-kept.json", NOW, None),
        ("index/history/a-gone.json", NOW, "indexes"),
        ("lake/chunks/corpus=a/index_key=kept/chunks.parquet", NOW, None),
        ("lake/vectors/corpus=a/index_key=gone/vectors.parquet", NOW, "indexes"),
    ],
)
def test_what_is_garbage(path: str, written_at: datetime, kind: str | None) -> None:
    files = {("index", "converted", "needed-7"), ("index", "states", "needed"), ("cache", "lexical", "needed", "part")}
    needed = Needed(frozenset(["a-kept"]), frozenset(files))
    found = [one for one, _ in garbage([Stored(tuple(path.split("/")), 1, written_at)], needed, NOW)]
    assert found == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("names", "lost"),
    [
        ({"a.pdf": "1", "b.pdf": "2"}, set()),
        ({"a.pdf": "1"}, {"b.pdf"}),
        ({"a.pdf": "1", "c.pdf": "2"}, set()),
        ({"a.pdf": "1", "b.pdf": "3"}, set()),
        ({}, {"a.pdf", "b.pdf"}),
    ],
    ids=["all there", "deleted", "renamed", "changed", "an empty corpus"],
)
def test_which_documents_a_corpus_has_lost(names: dict[str, str], lost: set[str]) -> None:
    def rows(of: dict[str, str]) -> list[dict[str, str]]:
        return [{"file_name": name, "content_sha256": content} for name, content in of.items()]

    assert deleted_documents(rows({"a.pdf": "1", "b.pdf": "2"}), rows(names)) == lost


def test_records_and_what_costs_money_is_not_looked_through() -> None:
    looked = {"/".join(folder) for folder in FOLDERS}
    assert not looked & {
        "cache/replies",
        "cache/models",
        "index/filled",
        "index/publishing",
        "lake/runs",
        "lake/answers",
    }


def test_a_table_is_of_the_index_that_its_name_begins_with() -> None:
    indexes = ["a-000000000000", "a-b-000000000000"]
    assert index_of("a-b-000000000000.rows-1", indexes) == "a-b-000000000000"
    assert index_of("b-000000000000.rows-1", indexes) is None
