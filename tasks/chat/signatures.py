"""Signatures of requests from Slack and Teams, checked over the exact bytes of the body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from datetime import UTC, datetime

MAX_TIMESTAMP_DIGITS = 16
MAX_AGE_S = 300
"""The greatest age of a request, in seconds: an older one may have been captured and sent again."""


def is_from_slack(secret: str, timestamp: str, signature: str, body: bytes, now_s: float) -> bool:
    """Tell if ``signature`` is Slack's version 0 for the body, by the app's signing secret, and at most five minutes
    old.

    ``timestamp`` and ``now_s`` are seconds since 1970; False where ``timestamp`` is no number.
    """
    is_number = timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= MAX_TIMESTAMP_DIGITS
    if not is_number or abs(now_s - int(timestamp)) > MAX_AGE_S:
        return False
    signed = b"v0:" + timestamp.encode() + b":" + body
    wanted = "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), signature.encode())


def is_from_teams(secret: str, authorization: str, body: bytes) -> bool:
    """Tell if the header ``authorization`` is the one that Teams sends with the body, ``HMAC`` and a base64 of it.
    ``secret``, the security token of an outgoing webhook, is the key in base64; False where it is not.
    """
    try:
        key = base64.b64decode(secret, validate=True)
    except (binascii.Error, ValueError):
        return False
    wanted = b"HMAC " + base64.b64encode(hmac.new(key, body, hashlib.sha256).digest())
    return bool(key) and hmac.compare_digest(wanted, authorization.encode())


def is_of_now(sent_at: str, now_s: float) -> bool:
    """Tell if a message was sent within five minutes of ``now_s`` (seconds since 1970), by the ISO 8601 time in its
    signed body, in UTC where it has no zone; False where it is no time.
    """
    try:
        sent = datetime.fromisoformat(sent_at)
    except ValueError:
        return False
    return abs(now_s - sent.replace(tzinfo=sent.tzinfo or UTC).timestamp()) <= MAX_AGE_S
