from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from tasks.chat.signatures import MAX_AGE_S, is_from_slack, is_from_teams, is_of_now

SLACK_SECRET, SLACK_TIME = "8f742231b10e8888abcd99yyyzzz85a5", "1531420618"
SLACK_BODY = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&"
    b"channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&"
    b"response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&"
    b"trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)
SLACK_SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
"""The example of Slack's own page on verifying requests."""
NOW = float(SLACK_TIME)


def test_slack_s_own_example() -> None:
    assert is_from_slack(SLACK_SECRET, SLACK_TIME, SLACK_SIGNATURE, SLACK_BODY, NOW)
    for age in (-MAX_AGE_S, MAX_AGE_S):
        assert is_from_slack(SLACK_SECRET, SLACK_TIME, SLACK_SIGNATURE, SLACK_BODY, NOW + age)


@pytest.mark.parametrize(
    ("secret", "timestamp", "signature", "body", "now"),
    [
        ("another", SLACK_TIME, SLACK_SIGNATURE, SLACK_BODY, NOW),
        (SLACK_SECRET, "1531420619", SLACK_SIGNATURE, SLACK_BODY, NOW),
        (SLACK_SECRET, "", SLACK_SIGNATURE, SLACK_BODY, NOW),
        (SLACK_SECRET, "9" * 5000, SLACK_SIGNATURE, SLACK_BODY, NOW),
        (SLACK_SECRET, "soon", SLACK_SIGNATURE, SLACK_BODY, NOW),
        (SLACK_SECRET, "١٥٣١٤٢٠٦١٨", SLACK_SIGNATURE, SLACK_BODY, NOW),
        (SLACK_SECRET, SLACK_TIME, "", SLACK_BODY, NOW),
        (SLACK_SECRET, SLACK_TIME, SLACK_SIGNATURE[:-1], SLACK_BODY, NOW),
        (SLACK_SECRET, SLACK_TIME, "v0=é", SLACK_BODY, NOW),
        (SLACK_SECRET, SLACK_TIME, SLACK_SIGNATURE, SLACK_BODY + b" ", NOW),
        (SLACK_SECRET, SLACK_TIME, SLACK_SIGNATURE, SLACK_BODY, NOW + MAX_AGE_S + 1),
        (SLACK_SECRET, SLACK_TIME, SLACK_SIGNATURE, SLACK_BODY, NOW - MAX_AGE_S - 1),
    ],
)
def test_what_is_not_slack_s(secret: str, timestamp: str, signature: str, body: bytes, now: float) -> None:
    assert not is_from_slack(secret, timestamp, signature, body, now)


RFC_KEY, RFC_DATA = b"Jefe", b"what do ya want for nothing?"
RFC_MAC = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
"""Test case 2 of RFC 4231: Microsoft publishes the procedure and no example."""
TOKEN = base64.b64encode(RFC_KEY).decode()
AUTHORIZATION = "HMAC " + base64.b64encode(bytes.fromhex(RFC_MAC)).decode()


def test_teams_by_the_rfc_s_example() -> None:
    assert is_from_teams(TOKEN, AUTHORIZATION, RFC_DATA)
    unpadded_by_hand = hmac.new(b"\0" * 32, RFC_DATA, hashlib.sha256).digest()
    token = base64.b64encode(b"\0" * 32).decode()
    assert is_from_teams(token, "HMAC " + base64.b64encode(unpadded_by_hand).decode(), RFC_DATA)


@pytest.mark.parametrize(
    ("token", "authorization", "body"),
    [
        (TOKEN, AUTHORIZATION, RFC_DATA + b"\n"),
        (TOKEN, AUTHORIZATION.removeprefix("HMAC "), RFC_DATA),
        (TOKEN, AUTHORIZATION.lower(), RFC_DATA),
        (TOKEN, "", RFC_DATA),
        (TOKEN, "HMAC é", RFC_DATA),
        ("not base64!", AUTHORIZATION, RFC_DATA),
        ("", "HMAC " + base64.b64encode(hmac.new(b"", RFC_DATA, hashlib.sha256).digest()).decode(), RFC_DATA),
    ],
)
def test_what_is_not_teams(token: str, authorization: str, body: bytes) -> None:
    assert not is_from_teams(token, authorization, body)


@pytest.mark.parametrize(
    ("sent_at", "is_so"),
    [
        ("2026-11-25T06:00:00.123Z", True),
        ("2026-11-25T06:00:00", True),
        ("2026-11-25T08:03:00+02:00", True),
        ("2026-11-25T05:54:59Z", False),
        ("2026-11-25T06:05:01Z", False),
        ("", False),
        ("yesterday", False),
        ("0001-01-01T00:00:00+23:00", False),
    ],
)
def test_what_is_of_now(sent_at: str, is_so: bool) -> None:
    assert is_of_now(sent_at, 1795586400.0) == is_so
