"""A bucket becomes an index that answers; patterns take files out of it; secrets stay out of the home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.refresh import refresh_corpus
from tasks.errors import UsageError
from tests.made.commands import Bidfolio
from tests.made.containers import make_zip
from tests.made.object_store import SECRET, ObjectStore
from tests.made.questionnaires import ENCRYPTED, SIGN_ON
from tests.made.run_results import counts, rows_of

PREFIX = "our documents/№ 1"


def cited(bidfolio: Bidfolio, question: str) -> list[tuple[str, Any]]:
    ran = bidfolio("--json", "ask", question, "--corpus", "bucket")
    assert ran.exit_code == 0, ran.err
    return [(one["file_name"], one["page_number"]) for one in ran.summary["citations"]]


def test_a_bucket_is_refreshed_as_a_folder_is(
    prefect_server: None, bidfolio: Bidfolio, home: Path, corpus: Path, object_store: ObjectStore
) -> None:
    files = {path.name: path.read_bytes() for path in corpus.iterdir()}
    bucket = object_store.make_bucket()
    url = f"s3://{bucket}/{PREFIX}"

    def put(**objects: bytes) -> None:
        object_store.put(bucket, {f"{PREFIX}/{name.replace('_', '.')}": data for name, data in objects.items()})

    def refresh(*arguments: str) -> dict[str, Any]:
        ran = bidfolio("--json", "refresh", f"{url}/", "--corpus", "bucket", *arguments)
        assert ran.exit_code == 0, ran.err
        found: dict[str, int] = ran.summary["documents"]
        return found

    put(hosting_txt=files["hosting.txt"], policy_pdf=files["policy.pdf"])
    put(offers_zip=make_zip(("2026/past.csv", files["past.csv"])))
    assert refresh() == counts(added=3)
    assert rows_of(bidfolio, "SELECT file_name, source, status FROM documents ORDER BY 1") == [
        ["hosting.txt", url, "indexed"],
        ["offers.zip/2026/past.csv", url, "indexed"],
        ["policy.pdf", url, "indexed"],
    ]
    assert cited(bidfolio, ENCRYPTED)[0] == ("policy.pdf", 1)
    assert ("offers.zip/2026/past.csv", None) in cited(bidfolio, SIGN_ON)
    assert refresh() == counts(unchanged=3)

    put(hosting_txt=files["hosting.txt"] + b"\nA new line.\n", new_txt=b"Visitors are escorted.\n")
    put(offers_zip=make_zip(("2026/past.csv", files["past.csv"])))
    put(renamed_pdf=files["policy.pdf"])
    object_store.delete(bucket, f"{PREFIX}/policy.pdf")
    assert refresh() == counts(added=2, changed=1, deleted=1, unchanged=1)
    assert cited(bidfolio, ENCRYPTED)[0] == ("renamed.pdf", 1)

    assert refresh("--exclude", "OFFERS.zip", "--exclude", "new.*") == counts(deleted=2, unchanged=2)
    assert all(name != "offers.zip/2026/past.csv" for name, _ in cited(bidfolio, SIGN_ON))

    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert url.encode() in kept and SECRET.encode() not in kept


def test_patterns_and_urls_that_are_wrong(
    prefect_server: None, bidfolio: Bidfolio, home: Path, corpus: Path, object_store: ObjectStore
) -> None:
    told = bidfolio("refresh", corpus, "--include", "*.pfd", "--exclude", "drafts/**")
    assert told.exit_code == 2 and "no document in" in told.err
    assert "--include '*.pfd' --exclude 'drafts/**'" in told.err

    secret = bidfolio("refresh", "s3://AKIA123:hunter2/x@bucket/docs")
    assert (secret.exit_code, secret.out) == (2, "")
    assert "s3://…@bucket/docs" in secret.err and "hunter2" not in secret.err and "AKIA123" not in secret.err
    missing = bidfolio("refresh", "s3://there-is-none")
    assert missing.exit_code == 2 and "there is no folder s3://there-is-none" in missing.err

    done = bidfolio("refresh", corpus, "--include", "*.txt", "--exclude", "draft")
    assert done.exit_code == 0 and "no file's name matches 'draft'" in done.err
    assert rows_of(bidfolio, "SELECT file_name FROM documents") == [["hosting.txt"]]
    runs = rows_of(bidfolio, "SELECT source, status FROM runs ORDER BY run_id")
    assert [status for _, status in runs] == ["failed", "done"], (
        "a bucket that is not there is seen before a run begins"
    )
    assert not any("hunter2" in path.read_text(errors="ignore") for path in home.rglob("*") if path.is_file())


def test_the_flow_refuses_a_secret_before_it_keeps_anything(home: Path) -> None:
    with pytest.raises(UsageError, match="must hold no password"):
        refresh_corpus.fn("https://host/docs?token=hunter2")
    assert not home.exists()
