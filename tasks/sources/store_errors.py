"""Errors of a store's libraries, turned into messages that name the folder and the remedy."""

from __future__ import annotations

import errno

from tasks.errors import BidfolioError, ServiceAway, SourceChanged, UsageError
from tasks.sources.urls import without_secrets

_OTHER_BYTES = frozenset({"PreconditionFailed", "412", "InvalidRange", "416"})
_SETTINGS = frozenset({errno.EINVAL, errno.EPERM, errno.ENOSYS, getattr(errno, "EREMCHG", errno.ENOENT)})
"""Error numbers by which s3fs reports replies that a retry does not change: a wrong region or name, a method not
allowed."""


def explained(error: Exception, path: str) -> BidfolioError:
    """Turn ``error``, raised while ``path`` was read, into UsageError where a person can fix it, SourceChanged where
    the object has changed, else ServiceAway.
    """
    from botocore import exceptions as boto

    shown, words = without_secrets(path), without_secrets(str(error) or type(error).__name__)
    lacking = (boto.NoCredentialsError, boto.PartialCredentialsError, boto.CredentialRetrievalError)
    unknown = (boto.ProfileNotFound, boto.TokenRetrievalError, boto.SSOError)
    if isinstance(error, (PermissionError, *lacking, *unknown)):
        return UsageError(
            f"no permission to read {shown} ({words}): give this user the right to, or its credentials in the "
            "environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE)"
        )
    if _codes(error) & _OTHER_BYTES:
        return SourceChanged(f"{shown} changed while it was being read: run the same command again")
    if isinstance(error, OSError) and error.errno in _SETTINGS:
        return UsageError(f"cannot read {shown} ({words}): check the URL, AWS_ENDPOINT_URL and AWS_REGION")
    if isinstance(error, (OSError, boto.ConnectionError, boto.HTTPClientError)):
        return ServiceAway(f"the store of {shown} does not answer ({words}): start it, or check AWS_ENDPOINT_URL")
    return UsageError(f"cannot read {shown} ({words}): check the URL and the store's settings")


def _codes(error: BaseException | None) -> set[str]:
    """The error codes of the replies in the chain of causes of ``error``."""
    found: set[str] = set()
    while error is not None:
        answer = getattr(error, "response", None)
        if isinstance(answer, dict):
            found.add(str(answer.get("Error", {}).get("Code", "")))
        error = error.__cause__ or error.__context__
    return found
