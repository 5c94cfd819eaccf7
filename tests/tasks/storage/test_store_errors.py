"""Errors of stores, by class and by the words that LanceDB passes on."""

from __future__ import annotations

import pytest

from tasks.errors import BidfolioError, ServiceAway, UsageError
from tasks.storage.store_errors import explained, explained_words

REFUSED = (
    'Invalid input, Failed to connect to namespace: IO { source: Generic { store: "S3", source: ListRequest { '
    "source: RetryError(RetryErrorImpl { method: GET, uri: Some(http://127.0.0.1:9/homes), retries: 3, inner: Http("
    'HttpError { kind: Connect, source: ConnectError("tcp connect error", Os { message: "Connection refused"'
)
FAILING = (
    "Commit result for version 1 is unknown: LanceError(IO): Generic S3 error: Error performing PUT "
    "http://h/b/1.manifest in 636 ms, after 3 retries, max_retries: 3 - Server returned non-2xx status code: {}: "
    "<Error><Code>{}</Code><Message>{}</Message></Error>, /src/io/commit.rs:1663:50"
)


@pytest.mark.parametrize(
    ("words", "expected", "told"),
    [
        (REFUSED, ServiceAway, "does not answer (Connection refused)"),
        (FAILING.format("500", "InternalError", "We are sorry"), ServiceAway, "does not answer (We are sorry)"),
        (FAILING.format("400", "ExpiredToken", "The token is over"), UsageError, "have expired (The token is over)"),
        (FAILING.format("403", "AccessDenied", "Access Denied"), UsageError, "no permission to write"),
        (FAILING.format("404", "NoSuchBucket", "No such bucket"), UsageError, "there is no bucket"),
        (FAILING.format("404", "NoSuchKey", "The key does not exist"), None, ""),
        ("lance error: Not found: home/x.lance/data/1.lance, /src/object_store.rs:1506", None, ""),
        ("Table 'x' was not found", None, ""),
    ],
)
def test_what_lance_says_of_a_store(words: str, expected: type[BidfolioError] | None, told: str) -> None:
    found = explained_words(RuntimeError(words), "s3://bucket/home")
    assert type(found) is (expected or type(None))
    assert told in str(found or "")


def test_a_key_that_expires_is_no_missing_right() -> None:
    told = explained(PermissionError("ExpiredToken: The provided token has expired."), "s3://bucket/home", "write")
    assert isinstance(told, UsageError) and "renew them" in str(told) and "the same command" in str(told)
