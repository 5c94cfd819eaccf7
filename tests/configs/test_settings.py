"""Model servers and their order, as the environment names them."""

from __future__ import annotations

import pytest

from configs.settings import load_settings
from tasks.errors import UsageError

BACKUP = '{"backup": {"base_url": "http://127.0.0.1:9/v1", "model": "small"}}'


def test_a_chain_is_configured_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().chain.order == ("openai", "extractive") and load_settings().chain.seconds == 3
    for name, value in {
        "OPENAI_BASE_URL": "http://127.0.0.1:8/v1",
        "OPENAI_MODEL": "large",
        "OPENAI_API_KEY": "sk-1",
        "SERVERS": BACKUP,
        "BACKUP_API_KEY": "sk-2",
        "CHAIN_ORDER": '["openai", "backup", "extractive"]',
        "CHAIN_SECONDS": "1.5",
        "CHAIN_PAUSE_S": "5",
    }.items():
        monkeypatch.setenv(f"BIDFOLIO_{name}", value)
    settings = load_settings()
    assert settings.chain.order == ("openai", "backup", "extractive")
    assert (settings.chain.seconds, settings.chain.pause_s, settings.chain.failures) == (1.5, 5, 3)
    assert (settings.openai.model, settings.servers["backup"].model) == ("large", "small")
    assert "sk-" not in settings.model_dump_json()


@pytest.mark.parametrize(
    ("given", "of_default", "of_other"),
    [
        (None, None, None),
        ("", None, None),
        ("gold.jsonl", "gold.jsonl", "gold.jsonl"),
        ('{"other": "o.jsonl"}', None, "o.jsonl"),
    ],
)
def test_a_gold_set_may_be_that_of_one_corpus(
    monkeypatch: pytest.MonkeyPatch, given: str | None, of_default: str | None, of_other: str | None
) -> None:
    if given is not None:
        monkeypatch.setenv("BIDFOLIO_GATE_GOLD", given)
    gate = load_settings().gate
    assert (gate.gold_of("default"), gate.gold_of("other")) == (of_default, of_other)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CHAIN_ORDER", '["openai", "bakcup"]', "there is no server 'bakcup': name it in BIDFOLIO_SERVERS"),
        ("CHAIN_ORDER", '["extractive", "openai"]', "extractive never fails"),
        ("CHAIN_ORDER", "[]", "name at least one, each once"),
        ("CHAIN_ORDER", '["openai", "openai"]', "name at least one, each once"),
        ("CHAIN_ORDER", "openai", "a list is given as JSON"),
        ("CHAIN_SECONDS", "0", "greater than 0"),
        ("SERVERS", '{"dask": {"base_url": "http://a/v1", "model": "m"}}', "'dask' means something else already"),
        ("SERVERS", '{"my server": {"base_url": "http://a/v1", "model": "m"}}', "should match pattern"),
        ("SERVERS", '{"backup": {"base_url": "http://a/v1"}}', "'backup' needs base_url and model"),
        ("SERVERS", '{"backup": {"base_url": "http://me:sk-1@a/v1", "model": "m"}}', "give the key in BIDFOLIO_"),
        ("OPENAI_BASE_URL", "http://me:sk-1@a/v1", "give the key in BIDFOLIO_OPENAI_API_KEY"),
        ("OPENAI_BASE_URL", "http://a/v1?key=sk-1", "give the key in BIDFOLIO_OPENAI_API_KEY"),
        ("OPENAI_BASE_URL", "localhost:8000/v1", "begins with http:// or https://"),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_shown(
    name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"BIDFOLIO_{name}", value)
    with pytest.raises(UsageError) as raised:
        load_settings()
    assert message in str(raised.value) and "sk-1" not in str(raised.value)
