"""The files of a bucket, on a real S3 server."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from configs.plans import load_plan
from configs.settings import Settings
from tasks.cache import StageCache
from tasks.conversion import task
from tasks.conversion.source import full_path, list_files, read_file, read_unchanged
from tasks.errors import ServiceAway, SourceChanged, UsageError
from tasks.lake import Lake
from tasks.records import SourceFile
from tasks.references import FileCounts, Scan
from tests.object_store import SECRET, ObjectStore
from tests.tasks.conversion.test_containers import WORDS, make_mail, make_zip

ODD_NAMES = (
    "with space.txt",
    "emoji 🔒.txt",
    "hash#1.txt",
    "what?.txt",
    "100%.txt",
    "a%20b.txt",
    "plus+and&=.txt",
    "two::colons.txt",
    "folder//double.txt",
    "Ä/[x]{y}*.txt",
    "/slash.txt",
)


def names(files: list[SourceFile]) -> list[str]:
    return [file.file_name for file in files]


def scan(url: str, home: Path) -> tuple[Scan, list[SourceFile]]:
    settings = Settings(home=str(home))
    found = task.scan_corpus.fn(url, "default", load_plan("bidfolio"), settings)
    return found, StageCache(Lake(str(home))).files(found.key) or []


def test_every_odd_name_is_listed_and_read(object_store: ObjectStore) -> None:
    bucket = object_store.make_bucket()
    object_store.put(bucket, {f"all/{name}": name.encode() for name in ODD_NAMES})
    object_store.put(bucket, {"all/": b"", "all/folder/": b"", "all/logo.png": b"x", "all/.hidden/a.txt": b"x"})
    listing = list_files(f"s3://{bucket}/all")
    assert sorted(names(listing.files)) == sorted(ODD_NAMES)
    for file in listing.files:
        assert file.path == f"s3://{bucket}/all/{file.file_name}"
        assert file.size_bytes == len(file.file_name.encode())
        assert read_unchanged(file) == file.file_name.encode()
    assert full_path(f"s3://{bucket}/all/") == f"s3://{bucket}/all"


def test_a_listing_of_several_pages_is_whole(object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "3")
    bucket = object_store.make_bucket()
    object_store.put(bucket, {f"{number}/a.txt": b"words" for number in range(7)})
    assert len(list_files(f"s3://{bucket}").files) == 7
    assert object_store.requests.count(("GET", f"/{bucket}")) == 3


def test_an_object_may_be_named_as_a_folder_is(object_store: ObjectStore, tmp_path: Path) -> None:
    bucket = object_store.make_bucket()
    object_store.put(
        bucket,
        {
            "in/offers.zip": make_zip(("a.txt", WORDS), ("b.txt", b"Members.")),
            "in/offers.zip/b.txt": b"An object.",
            "in": b"x",
            "empty.txt": b"",
        },
    )
    files = {file.file_name: file for file in scan(f"s3://{bucket}", tmp_path)[1]}
    assert list(files) == [
        "empty.txt",
        "in/offers.zip/a.txt",
        "in/offers.zip/b (2).txt",
        "in/offers.zip/b.txt",
    ]


