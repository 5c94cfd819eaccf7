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
    """Tell if ``signature`` is Slack's version 0 for the body, by the signing secret, of the last five minutes.

    ``timestamp`` and ``now_s`` are seconds since 1970.
    """
    is_number = timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= MAX_TIMESTAMP_DIGITS
    if not is_number or abs(now_s - int(timestamp)) > MAX_AGE_S:
        return False
    signed = b"v0:" + timestamp.encode() + b":" + body
    wanted = "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), signature.encode())


def is_from_teams(secret: str, authorization: str, body: bytes) -> bool:
    """Tell if ``authorization`` is ``HMAC`` and the body's in base64, by a webhook's ``secret``, a key in base64."""
    try:
        key = base64.b64decode(secret, validate=True)
    except (binascii.Error, ValueError):
        return False
    wanted = b"HMAC " + base64.b64encode(hmac.new(key, body, hashlib.sha256).digest())
    return bool(key) and hmac.compare_digest(wanted, authorization.encode())


def is_of_now(sent_at: str, now_s: float) -> bool:
    """Tell if a message was sent within five minutes of ``now_s``, by its ISO 8601 time, in UTC without a zone."""
    try:
        sent = datetime.fromisoformat(sent_at)
    except ValueError:
        return False
    return abs(now_s - sent.replace(tzinfo=sent.tzinfo or UTC).timestamp()) <= MAX_AGE_S
