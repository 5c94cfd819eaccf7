"""Whether a request is from whom it says: the signatures of Slack and of Teams, over a body's very bytes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from datetime import UTC, datetime

MAX_TIMESTAMP_DIGITS = 16
MAX_AGE_S = 300
"""Older than that, a request may be one that somebody kept and sends again."""


def is_from_slack(secret: str, timestamp: str, signature: str, body: bytes, now_s: float) -> bool:
    """Whether ``signature`` is Slack's version 0 of the body, by the app's signing secret, of the last five minutes.

    ``timestamp`` and ``now_s`` are seconds since 1970; what is no number is no signature.
    """
    is_number = timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= MAX_TIMESTAMP_DIGITS
    if not is_number or abs(now_s - int(timestamp)) > MAX_AGE_S:
        return False
    signed = b"v0:" + timestamp.encode() + b":" + body
    wanted = "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), signature.encode())


def is_from_teams(secret: str, authorization: str, body: bytes) -> bool:
    """Whether the header ``authorization`` is the one that Teams sends with the body, ``HMAC`` and a base64 of it; the
    security token of an outgoing webhook is a base64, too, of the key. A token that is none signs nothing.
    """
    try:
        key = base64.b64decode(secret, validate=True)
    except (binascii.Error, ValueError):
        return False
    wanted = b"HMAC " + base64.b64encode(hmac.new(key, body, hashlib.sha256).digest())
    return bool(key) and hmac.compare_digest(wanted, authorization.encode())


def is_of_now(sent_at: str, now_s: float) -> bool:
    """Whether a message is of the last five minutes, by the ISO 8601 time in its signed body; without a zone that is in
    UTC. What is no time is not of now; ``now_s`` is in seconds since 1970.
    """
    try:
        sent = datetime.fromisoformat(sent_at)
    except ValueError:
        return False
    return abs(now_s - sent.replace(tzinfo=sent.tzinfo or UTC).timestamp()) <= MAX_AGE_S
