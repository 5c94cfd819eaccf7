"""No secret of a URL is shown, and a URL that holds one is refused."""

from __future__ import annotations

import pytest

from tasks.errors import UsageError
from tasks.storage.urls import joined, require_no_secret, without_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://AKIAX:ab/c+d@bucket/folder", "s3://…@bucket/folder"),
        ("sftp://ann:hunter2@host:22/docs", "sftp://…@host:22/docs"),
        ("https://host/docs?token=abc&page=2", "https://host/docs?token=…&page=2"),
        (
            "https://host/d?X-Amz-Signature=ab12&X-Amz-Security-Token=c%3D",
            "https://host/d?X-Amz-Signature=…&X-Amz-Security-Token=…",
        ),
        ("https://host/d?sv=1&SIG=ab%2F", "https://host/d?sv=1&SIG=…"),
        ('cannot reach "http://u:p@h/x" http://h/?api_key=k ()', 'cannot reach "http://…@h/x" http://h/?api_key=… ()'),
    ],
)
def test_a_secret_is_neither_shown_nor_taken(url: str, shown: str) -> None:
    assert without_secrets(url) == shown
    if " " not in url:
        with pytest.raises(UsageError) as told:
            require_no_secret(url)
        assert shown in str(told.value) and not any(word in str(told.value) for word in ("ab", "hunter2", "abc"))


@pytest.mark.parametrize(
    "url",
    [
        "s3://bucket/what?.txt",
        "s3://bucket/a:b@c.txt",
        "sftp://ann@host/docs",
        "http://host:8080/a@b",
        "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/docs/a@b",
        "file:///docs/a:b@c?d=e",
        "documents/ann:pass@word?token=x",
    ],
)
def test_what_holds_no_secret_is_taken(url: str) -> None:
    require_no_secret(url)


@pytest.mark.parametrize(
    ("source", "root", "path", "url"),
    [
        ("s3://bucket/docs/", "bucket/docs", "bucket/docs/a.txt", "s3://bucket/docs/a.txt"),
        ("sftp://ann@host/docs", "/docs", "/docs/a.txt", "sftp://ann@host/docs/a.txt"),
        ("memory://docs", "/docs", "/docs/a.txt", "memory://docs/a.txt"),
        ("https://host/docs", "https://host/docs", "https://host/docs/a.txt", "https://host/docs/a.txt"),
    ],
)
def test_a_file_has_the_host_of_its_folder(source: str, root: str, path: str, url: str) -> None:
    assert joined(source, root, path) == url
