"""The files of a bucket, on a real S3 server."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from s3fs import S3FileSystem

from configs.settings import Settings
from tasks.conversion import task
from tasks.errors import ServiceAway, SourceChanged, UsageError
from tasks.records import SourceFile
from tasks.references import FileCounts, Scan
from tasks.sources.listing import full_path, list_files, read_file, read_unchanged
from tasks.sources.scan_cache import ScanCache
from tasks.storage.lake import Lake
from tests.made.containers import WORDS, make_mail, make_zip
from tests.made.object_store import SECRET, ObjectStore

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
    found = task.scan_corpus.fn(url, "default", settings)
    return found, ScanCache(Lake(str(home))).files(found.key) or []


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


def test_what_the_store_says_is_the_same_is_not_fetched_again(object_store: ObjectStore, tmp_path: Path) -> None:
    mail = make_mail(("offer.md", b"# Offer\n\nWords of it."))
    bucket = object_store.make_bucket()
    object_store.put(bucket, {"a.txt": b"Plain words.", "b.txt": WORDS, "mail.eml": mail})
    object_store.put(bucket, {"z.zip": make_zip(("in.txt", WORDS))})
    url, home = f"s3://{bucket}", tmp_path / "home"
    first, files = scan(url, home)
    assert names(files) == ["a.txt", "b.txt", "mail.eml", "mail.eml/offer.md", "z.zip/in.txt"]
    assert set(object_store.read()) == {f"/{bucket}/{name}" for name in ("a.txt", "b.txt", "mail.eml", "z.zip")}

    assert scan(url, home) == (first, files)
    assert object_store.read() == []

    object_store.put(bucket, {"a.txt": b"Plain words.", "b.txt": b"Other words.", "c.txt": b"New."})
    object_store.delete(bucket, "mail.eml")
    second, now = scan(url, home)
    assert names(now) == ["a.txt", "b.txt", "c.txt", "z.zip/in.txt"]
    fetched = set(object_store.read())
    assert {f"/{bucket}/b.txt", f"/{bucket}/c.txt"} <= fetched <= {f"/{bucket}/{name}.txt" for name in "abc"}
    assert now[0] == files[0] and now[3] == files[4]
    assert now[1].content_sha256 == hashlib.sha256(b"Other words.").hexdigest()
    assert second.key != first.key

    # Another corpus remembers for itself, and a home whose cache was cleared reads again.
    (seen,) = (home / "cache" / "seen").iterdir()
    seen.unlink()
    assert scan(url, home) == (second, now) and len(object_store.read()) == 4


def test_bytes_that_come_while_it_is_scanned_are_not_taken_for_the_listed_ones(
    object_store: ObjectStore, tmp_path: Path
) -> None:
    bucket = object_store.make_bucket()
    path = f"/{bucket}/a.txt"
    object_store.put(bucket, {"a.txt": b"Listed."})
    object_store.before("HEAD", path, lambda: object_store.put(bucket, {"a.txt": b"Newer words."}))
    (file,) = scan(f"s3://{bucket}", tmp_path)[1]
    assert read_unchanged(file) == b"Newer words."
    object_store.put(bucket, {"a.txt": b"Listed."})
    (back,) = scan(f"s3://{bucket}", tmp_path)[1]
    assert read_unchanged(back) == b"Listed."

    object_store.put(bucket, {"a.txt": b"Seen."})
    object_store.before("GET", path, lambda: object_store.put(bucket, {"a.txt": b"Newer."}))
    (newer,) = scan(f"s3://{bucket}", tmp_path)[1]
    assert read_unchanged(newer) == b"Newer."
    object_store.put(bucket, {"a.txt": b"Seen again.", "b.txt": b"Stays."})
    object_store.before("GET", path, lambda: object_store.delete(bucket, "a.txt"))
    assert names(scan(f"s3://{bucket}", tmp_path)[1]) == ["b.txt"], "what goes away meanwhile is deleted"
    object_store.put(bucket, {"b.txt": b"Other words."})
    object_store.before("GET", f"/{bucket}/b.txt", lambda: object_store.delete(bucket, "b.txt"))
    with pytest.raises(SourceChanged, match=r"all files of s3://.* went away while they were read"):
        scan(f"s3://{bucket}", tmp_path)


@pytest.mark.parametrize("newer", [b"Newer words.", None], ids=["overwritten", "deleted"])
def test_what_changes_between_scan_and_conversion_is_told_and_read_anew(
    object_store: ObjectStore, tmp_path: Path, newer: bytes | None
) -> None:
    bucket = object_store.make_bucket()
    object_store.put(bucket, {"a.txt": b"Scanned.", "b.txt": b"Stays."})
    settings = Settings(home=str(tmp_path))
    before, _ = scan(f"s3://{bucket}", tmp_path)
    if newer:
        object_store.put(bucket, {"a.txt": newer})
    else:
        object_store.delete(bucket, "a.txt")
    (reason,) = task.convert_documents.fn(before, settings).newly_quarantined
    what = "changed" if newer else "went away"
    assert reason == f"a.txt {what} while it was being read: run the same command again"
    object_store.read()
    after, files = scan(f"s3://{bucket}", tmp_path)
    assert f"/{bucket}/b.txt" in object_store.read(), "what was remembered of the store is not believed again"
    counts = task.convert_documents.fn(after, settings).counts
    assert counts == FileCounts(added=len(files), changed=0, deleted=0, unchanged=0, quarantined=0)


def test_a_store_that_goes_away_during_conversion_is_no_fault_of_the_file(
    object_store: ObjectStore, tmp_path: Path
) -> None:
    bucket = object_store.make_bucket()
    object_store.put(bucket, {"a.txt": b"Words."})
    found, _ = scan(f"s3://{bucket}", tmp_path)
    with (
        object_store.refusing("403 Forbidden", "ExpiredToken", "The provided token has expired."),
        pytest.raises(UsageError, match=r"no permission to read s3://.*/a\.txt"),
    ):
        task.convert_documents.fn(found, Settings(home=str(tmp_path)))
    assert task.convert_documents.fn(found, Settings(home=str(tmp_path))).counts.added == 1


def test_a_folder_that_cannot_be_listed_says_why(object_store: ObjectStore) -> None:
    bucket = object_store.make_bucket()
    object_store.put(bucket, {"a.txt": b"words", "pictures/logo.png": b"x"})
    for source, message in (
        ("s3://no-such-bucket-here", "there is no folder s3://no-such-bucket-here"),
        (f"s3://{bucket}/no/such", f"there is no folder s3://{bucket}/no/such"),
        (f"s3://{bucket}/a.txt", f"there is no folder s3://{bucket}/a.txt"),
        (f"s3://{bucket}/pictures", "holds no document"),
        ("s3://", "names no bucket"),
        ("s3://no*bucket", "cannot read s3://no*bucket"),
        ("nonsense://x", "nothing reads nonsense://"),
        ("simplecache::s3://bucket", "nothing reads simplecache::s3://"),
        ("gs://bucket", "needs a package that is not installed"),
    ):
        with pytest.raises(UsageError) as told:
            list_files(source)
        assert message in str(told.value), told.value

    with (
        object_store.refusing("403 Forbidden", "AccessDenied", "Access Denied"),
        pytest.raises(UsageError, match=r"no permission to read .*AWS_ACCESS_KEY_ID"),
    ):
        list_files(f"s3://{bucket}")
    with (
        object_store.refusing("503 Service Unavailable", "InternalError", "We are sorry"),
        pytest.raises(ServiceAway, match=rf"the store of s3://{bucket} does not answer"),
    ):
        list_files(f"s3://{bucket}")


def test_a_store_without_credentials_or_server(object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = object_store.make_bucket()
    object_store.put(bucket, {"a.txt": b"words"})
    with monkeypatch.context() as patch:
        patch.delenv("AWS_ACCESS_KEY_ID")
        patch.delenv("AWS_SECRET_ACCESS_KEY")
        with pytest.raises(UsageError, match=r"no permission to read .*Unable to locate credentials"):
            list_files(f"s3://{bucket}")
        patch.setenv("AWS_PROFILE", "nobody")
        S3FileSystem.clear_instance_cache()
        with pytest.raises(UsageError, match="nobody"):
            list_files(f"s3://{bucket}")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://user:hunter2@127.0.0.1:9")
    S3FileSystem.clear_instance_cache()
    with pytest.raises(ServiceAway, match="does not answer") as told:
        list_files(f"s3://{bucket}")
    assert told.value.exit_code == 4
    assert "hunter2" not in str(told.value) and SECRET not in str(told.value)


def test_a_file_url_is_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a::b #1 100%"
    folder.mkdir()
    (folder / "x?y.txt").write_bytes(b"words")
    (listed,) = list_files(f"file://{folder}").files
    assert (listed, full_path(f"file://{folder}/")) == (list_files(str(folder)).files[0], str(folder))
    assert read_file(listed.path) == b"words"
