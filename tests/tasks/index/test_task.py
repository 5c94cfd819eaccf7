"""Which corpus is meant, by what is live."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from configs.settings import Settings
from tasks.errors import UsageError
from tasks.index.task import find_corpus


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The corpora that are published; a test adds to them."""
    names: list[str] = []

    def store(home: str) -> SimpleNamespace:
        found = [SimpleNamespace(manifest=SimpleNamespace(corpus=name), is_live=True) for name in names]
        return SimpleNamespace(versions=lambda: found)

    monkeypatch.setattr("tasks.index.task.IndexStore", store)
    return names


def test_a_corpus_that_is_not_there_is_named_beside_those_that_are(live: list[str]) -> None:
    live += ["sales", "legal"]
    assert find_corpus.fn("sales", Settings()) == "sales"
    with pytest.raises(UsageError, match=r"^nothing of the corpus 'hr' is published: there are legal, sales$"):
        find_corpus.fn("hr", Settings())
    with pytest.raises(UsageError, match=r"^say which corpus with --corpus: there are legal, sales$"):
        find_corpus.fn(None, Settings())
