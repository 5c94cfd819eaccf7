"""Which corpus is meant, by what is live."""

from __future__ import annotations

from pathlib import Path

import pytest

from configs.settings import Settings
from tasks.errors import UsageError
from tasks.index.store import IndexStore
from tasks.publishing.task import find_corpus
from tests.made.index_tables import KEY, manifest, rows


def test_a_corpus_that_is_not_there_is_named_beside_those_that_are(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path))
    store = IndexStore(settings.home)
    for corpus in ("sales", "legal"):
        of_corpus = manifest("first", corpus)
        store.stage(of_corpus, rows("one"))
        store.publish(corpus, KEY, of_corpus.index_version)
    assert find_corpus.fn("sales", settings) == "sales"
    with pytest.raises(UsageError, match=r"^nothing of the corpus 'hr' is published: there are legal, sales$"):
        find_corpus.fn("hr", settings)
    with pytest.raises(UsageError, match=r"^say which corpus with --corpus: there are legal, sales$"):
        find_corpus.fn(None, settings)
