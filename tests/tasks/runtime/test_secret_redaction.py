from __future__ import annotations

import pytest

from tasks.runtime.secret_redaction import secrets_removed


@pytest.mark.parametrize(
    ("name", "value", "is_removed"),
    [
        ("BIDFOLIO_OPENAI_API_KEY", "sk-0123456789", True),
        ("BIDFOLIO_BACKUP_API_KEY", "sk-0123456789", True),
        ("AWS_SECRET_ACCESS_KEY", "abc/def+ghi", True),
        ("bidfolio_slack_signing_secret", "0123456789abcdef", True),
        ("AWS_SESSION_TOKEN", "IQoJb3JpZ2lu", True),
        ("PGPASSWORD", "open sesame", True),
        ("BIDFOLIO_OPENAI_MODEL", "mixtral-8x7b", False),
        ("KEYBOARD", "dvorak-layout", False),
        ("BIDFOLIO_OPENAI_API_KEY", "none", False),
        ("BIDFOLIO_OPENAI_API_KEY", "", False),
    ],
)
def test_values_of_secret_variables_are_taken_out(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, is_removed: bool
) -> None:
    """What is short may be a word of any text."""
    monkeypatch.setenv(name, value)
    text = f"Incorrect key: {value}, or none"
    assert secrets_removed()(text) == ("Incorrect key: …, or none" if is_removed else text)


def test_one_secret_that_holds_another_goes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "12345678")
    monkeypatch.setenv("B_KEY", "12345678-and-more")
    assert secrets_removed()("12345678-and-more 12345678") == "… …"


def test_a_url_loses_its_password_and_its_token() -> None:
    assert (
        secrets_removed()("no answer at http://me:hush@host/v1?api_key=abc")
        == "no answer at http://…@host/v1?api_key=…"
    )
