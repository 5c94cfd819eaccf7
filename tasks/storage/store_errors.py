"""Errors of object stores, turned into messages that name the folder or home and the remedy."""

from __future__ import annotations

import errno
import re
from typing import Literal

from tasks.errors import BidfolioError, ServiceAway, SourceChanged, UsageError
from tasks.storage.urls import without_secrets

_OTHER_BYTES = frozenset({"PreconditionFailed", "412", "InvalidRange", "416"})
_SETTINGS = frozenset({errno.EINVAL, errno.EPERM, errno.ENOSYS, getattr(errno, "EREMCHG", errno.ENOENT)})
"""Error numbers by which s3fs reports replies that a retry does not change: a wrong region or name, a method not
allowed."""
_EXPIRED = re.compile(r"ExpiredToken|TokenRefreshRequired|RequestExpired|token.{0,40}expired", re.I)
_OF_LANCE = re.compile(r"RetryError|error sending request|Error performing [A-Z]+ http")
"""Words of the errors that LanceDB passes on from its own client of a store, which have neither class nor number."""
_NO_OBJECT = re.compile(r"NoSuchKey|status(?: code)?: 404|NotFound")
_REFUSED = re.compile(
    r"status(?: code)?: 40[13]|AccessDenied|PermissionDenied|Unauthenticated|InvalidAccessKeyId|SignatureDoes"
)
_REASONS = ("<Message>([^<]+)", 'message: "([^"]+)', 'ConnectError\\("([^"]+)', r"kind: (\w+)")

Action = Literal["read", "write"]


def explained(error: Exception, path: str, action: Action = "read") -> BidfolioError:
    """Turn ``error``, raised by that action on ``path``, into UsageError where a person can fix it, SourceChanged where
    the object has changed, else ServiceAway.
    """
    from botocore import exceptions as boto

    shown, words = without_secrets(path), without_secrets(str(error) or type(error).__name__)
    lacking = (boto.NoCredentialsError, boto.PartialCredentialsError, boto.CredentialRetrievalError)
    unknown = (boto.ProfileNotFound, boto.TokenRetrievalError, boto.SSOError)
    codes = error_codes(error)
    if _EXPIRED.search(" ".join((words, *codes))):
        return _expired(shown, words)
    if isinstance(error, (PermissionError, *lacking, *unknown)):
        return _no_permission(shown, words, action)
    if codes & _OTHER_BYTES:
        return SourceChanged(f"{shown} changed while it was being read: run the same command again")
    if isinstance(error, OSError) and error.errno in _SETTINGS:
        return UsageError(f"cannot {action} {shown} ({words}): check the URL, AWS_ENDPOINT_URL and AWS_REGION")
    if isinstance(error, (OSError, boto.ConnectionError, boto.HTTPClientError)):
        return _away(shown, words)
    return UsageError(f"cannot {action} {shown} ({words}): check the URL and the store's settings")


def explained_words(error: BaseException, path: str) -> BidfolioError | None:
    """Turn an error that LanceDB passes on from the store of ``path`` into bidfolio's own; None for any other error."""
    words = str(error)
    if isinstance(error, BidfolioError) or not _OF_LANCE.search(words):
        return None
    shown = without_secrets(path)
    told = next((found[1] for reason in _REASONS if (found := re.search(reason, words))), "no reply")
    if _EXPIRED.search(words):
        return _expired(shown, told)
    if _REFUSED.search(words):
        return _no_permission(shown, told, "write")
    if "NoSuchBucket" in words:
        return UsageError(f"there is no bucket for {shown}: make it, or choose another --home")
    if _NO_OBJECT.search(words):
        return None
    return _away(shown, told)


def error_codes(error: BaseException | None) -> set[str]:
    """The codes of the store's replies in the chain of causes of ``error``; none where no reply caused it."""
    found: set[str] = set()
    while error is not None:
        answer = getattr(error, "response", None)
        if isinstance(answer, dict):
            found.add(str(answer.get("Error", {}).get("Code", "")))
        error = error.__cause__ or error.__context__
    return found


def _expired(shown: str, words: str) -> UsageError:
    return UsageError(
        f"the credentials for {shown} have expired ({words}): renew them (AWS_SESSION_TOKEN and its keys, or the login "
        "of AWS_PROFILE) and run the same command again; nothing done is lost"
    )


def _no_permission(shown: str, words: str, action: Action) -> UsageError:
    return UsageError(
        f"no permission to {action} {shown} ({words}): give this user the right to, or its credentials in the "
        "environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE)"
    )


def _away(shown: str, words: str) -> ServiceAway:
    return ServiceAway(f"the store of {shown} does not answer ({words}): start it, or check AWS_ENDPOINT_URL")
