from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from configs.plans import PLANS_DIR, Plan, load_plan
from configs.retrieval import Retrieval
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.lexical.abbreviations import NO_ABBREVIATIONS, count_abbreviations, fit_abbreviations
from tasks.errors import UsageError
from tasks.index.rows import to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import LIVE, Manifest, Version
from tasks.references import Staged
from tasks.retrieval import version_loading
from tasks.retrieval.first_stage.exact_search import SearchableIndex
from tasks.retrieval.first_stage.indexed_search import Reader
from tasks.retrieval.queries.compound_spelling import as_read, as_searched
from tasks.retrieval.queries.queries import queries_of
from tasks.retrieval.version_loading import expect_many, live_version, load_index, require_current, require_same_model
from tasks.storage.document_rows import documents_key
from tasks.storage.lake import Lake
from tests.made.chunks import chunk_of
from tests.made.lexical_models import bm25_weights, lexical_space

PLAN, OTHER = load_plan("bidfolio"), load_plan("rails")
DOCUMENTS = ["policy", "handbook"]


def version(plan: Plan, corpus: str = "default", *, live: bool = True, content: str = "content") -> Version:
    made_of = ("fingerprint", "states", content, documents_key(DOCUMENTS))
    manifest = Manifest(corpus, plan.index_key, plan.name, "model", 512, *made_of, 3, 9)
    return Version(manifest, 1, (LIVE, "v-1") if live else ("v-1",))


class Listed:
    """Versions that are listed and never read."""

    uri = "nowhere"

    def __init__(self, *found: Version) -> None:
        self._found = found

    def versions(self) -> list[Version]:
        return list(self._found)

    def rows(self, corpus: str, index_key: str, index_version: str) -> pa.Table:
        raise AssertionError

    def reader(self, corpus: str, index_key: str, index_version: str) -> Reader:
        raise AssertionError

    def manifest(self, corpus: str, index_key: str, index_version: str) -> Manifest:
        raise AssertionError


def test_the_only_corpus_needs_no_name() -> None:
    one = version(PLAN)
    store = Listed(version(PLAN, live=False, content="staged"), one, version(OTHER, "other"))
    expected = Staged("default", PLAN.index_key, one.manifest.index_version, 3, 9)
    assert live_version(store, PLAN, None) == live_version(store, PLAN, "default") == expected


@pytest.mark.parametrize(("corpus", "option"), [("default", ""), ("a corpus", " --corpus 'a corpus'")])
def test_a_version_made_by_the_plan_as_it_was_is_said_to_be_that(corpus: str, option: str) -> None:
    """As after an upgrade: the plan's name alone would say that what is published is not published."""
    made = version(PLAN, corpus)
    old = replace(made, manifest=replace(made.manifest, index_key="0123456789ab"))
    for asked in (None, corpus):
        with pytest.raises(UsageError) as refused:
            live_version(Listed(old, version(OTHER, corpus)), PLAN, asked)
        assert str(refused.value).startswith(f"the corpus {corpus!r} is published for the plan 'bidfolio' as it was")
        assert f"Run `bidfolio refresh SOURCE --plan bidfolio{option}` again" in str(refused.value)


def test_plans_that_share_an_index_share_a_version() -> None:
    assert load_plan("rails").index_key == load_plan("rails_dense").index_key
    assert live_version(Listed(version(load_plan("rails"))), load_plan("rails_dense"), None).corpus == "default"


@pytest.mark.parametrize(
    ("found", "corpus", "message"),
    [
        ([], None, "nothing is published for the plan 'bidfolio': run `bidfolio refresh SOURCE --plan bidfolio` first"),
        (
            [version(PLAN, live=False)],
            None,
            "nothing is published for the plan 'bidfolio': run `bidfolio refresh SOURCE --plan bidfolio` first",
        ),
        (
            [version(OTHER)],
            None,
            "nothing is published for the plan 'bidfolio': run `bidfolio refresh SOURCE --plan bidfolio` first; "
            "published are default (rails)",
        ),
        (
            [version(PLAN, "a")],
            "b",
            "nothing of the corpus 'b' is published for the plan 'bidfolio': run `bidfolio refresh SOURCE "
            "--plan bidfolio --corpus b` first; published are a (bidfolio)",
        ),
        (
            [version(PLAN, "b"), version(PLAN, "a")],
            None,
            "there are several corpora (a, b): say which with --corpus",
        ),
    ],
    ids=["nothing", "staged alone", "another plan", "another corpus", "several"],
)
def test_what_to_do_is_said(found: list[Version], corpus: str | None, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        live_version(Listed(*found), PLAN, corpus)
    assert str(refused.value) == message


def test_a_version_is_loaded_with_its_states_and_kept(tmp_path: Path) -> None:
    store, cache = IndexStore(str(tmp_path)), CorpusCache(Lake(str(tmp_path)))
    chunks = [chunk_of("backup of data", ordinal=0), chunk_of("audit log", ordinal=1)]
    texts = [chunk.searched_text for chunk in chunks]
    lexical, bm25 = lexical_space(texts, PLAN.embedding.lexical, 4), bm25_weights(texts, 1.2, 0.75)
    manifest = version(PLAN).manifest
    dense = np.eye(2, 4, dtype=np.float32)
    store.stage(manifest, with_vectors(to_table(chunks), dense, lexical.project(texts)))
    staged = Staged("default", PLAN.index_key, manifest.index_version, 3, 9)
    with pytest.raises(UsageError, match=r"the fitted state of index version .* is gone: run `bidfolio refresh"):
        load_index(store, cache, staged, PLAN)
    cache.put_state("states", "lexical", lexical.to_bytes())
    cache.put_state("states", "bm25", bm25.to_bytes())
    index = load_index(store, cache, staged, PLAN)
    assert isinstance(index, SearchableIndex)
    assert list(index.chunks) == chunks
    np.testing.assert_array_equal(index.dense, dense)
    assert load_index(store, cache, staged, PLAN) is index
    assert index.abbreviations == NO_ABBREVIATIONS, "older versions have none"


def test_a_version_is_loaded_with_its_abbreviations(tmp_path: Path) -> None:
    store, cache = IndexStore(str(tmp_path)), CorpusCache(Lake(str(tmp_path)))
    chunks = [chunk_of("The recovery time objective (RTO) is 8 hours.")]
    texts = [chunk.searched_text for chunk in chunks]
    manifest = version(PLAN).manifest
    lexical = lexical_space(texts, PLAN.embedding.lexical, 4)
    store.stage(manifest, with_vectors(to_table(chunks), np.eye(1, 4, dtype=np.float32), lexical.project(texts)))
    learned = fit_abbreviations([count_abbreviations(texts, "english")])
    cache.put_state("states", "lexical", lexical.to_bytes())
    cache.put_state("states", "bm25", bm25_weights(texts, 1.2, 0.75).to_bytes())
    cache.put_state("states", "abbreviations", learned.to_bytes())
    index = load_index(store, cache, Staged("default", PLAN.index_key, manifest.index_version, 3, 9), PLAN)
    assert index.abbreviations == learned
    assert as_read("Is the rto or the RTO met?", index) == "Is the rto or the recovery time objective (RTO) met?"
    assert as_searched("The recovery time objective?", index) == "The recovery time objective (RTO)?"


@pytest.mark.parametrize("is_large", [False, True])
def test_a_large_version_is_rounded_for_who_expects_many_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_large: bool
) -> None:
    count = 1200
    monkeypatch.setattr(version_loading, "ROUNDED_FROM_CHUNKS", count if is_large else count + 1)
    store, cache = IndexStore(str(tmp_path)), CorpusCache(Lake(str(tmp_path)))
    chunks = [chunk_of(f"backup of data {at}", ordinal=at) for at in range(count)]
    texts = [chunk.searched_text for chunk in chunks]
    lexical, bm25 = lexical_space(texts, PLAN.embedding.lexical, 8), bm25_weights(texts, 1.2, 0.75)
    dense = np.random.default_rng(0).standard_normal((count, 8)).astype(np.float32)
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    manifest = version(PLAN).manifest
    store.stage(manifest, with_vectors(to_table(chunks), dense, lexical.project(texts)))
    cache.put_state("states", "lexical", lexical.to_bytes())
    cache.put_state("states", "bm25", bm25.to_bytes())
    staged = Staged("default", PLAN.index_key, manifest.index_version, 3, count)
    by_scores, by_ranks = (
        load_index(store, cache, staged, PLAN.model_copy(update={"retrieval": retrieval}))
        for retrieval in (Retrieval.model_validate({"lists": [{"by": "dense"}]}), load_plan("rfp_chat").retrieval)
    )
    assert isinstance(by_ranks, SearchableIndex) and by_ranks.rounded is None, "ranks have no bounds"
    assert isinstance(by_scores, SearchableIndex) and (by_scores.rounded is not None) == is_large
    expect_many(by_scores)
    question = queries_of(["data"], dense[:1], by_scores)
    found = by_scores.score(question, Retrieval.model_validate({"lists": [{"by": "dense"}]}), 1)
    assert found.is_beginning == is_large, "the first question is put to rounded vectors already"
    assert found.scores.argmax() == 0


def test_an_index_of_other_documents_is_not_answered_from() -> None:
    live = version(OTHER).manifest
    require_current(live, reversed(DOCUMENTS), OTHER)
    with pytest.raises(UsageError, match="run `bidfolio refresh SOURCE --plan rails` first"):
        require_current(live, DOCUMENTS[:1], OTHER)


def test_the_refresh_that_is_asked_for_is_of_the_corpus_that_was_asked(tmp_path: Path) -> None:
    live = version(PLAN, "bids").manifest
    staged = Staged("bids", PLAN.index_key, live.index_version, 3, 9)
    store = IndexStore(str(tmp_path))
    rows = with_vectors(to_table([chunk_of("audit log")]), np.eye(1, 4, dtype=np.float32), np.eye(1, dtype=np.float32))
    store.stage(live, rows)
    for refuse in (
        lambda: live_version(Listed(), PLAN, "bids"),
        lambda: require_current(live, DOCUMENTS[:1], PLAN),
        lambda: require_same_model(live, "another", PLAN),
        lambda: load_index(store, CorpusCache(Lake(str(tmp_path))), staged, PLAN),
    ):
        with pytest.raises(UsageError, match=r"`bidfolio refresh SOURCE --plan bidfolio --corpus bids`"):
            refuse()


def test_a_plan_given_by_its_path_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "our plan.yaml"
    path.write_text((PLANS_DIR / "rails.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    plan = load_plan(str(path))
    staged = Staged("default", plan.index_key, version(plan).manifest.index_version, 3, 9)
    store = IndexStore(str(tmp_path))
    rows = with_vectors(to_table([chunk_of("audit log")]), np.eye(1, 4, dtype=np.float32), np.eye(1, dtype=np.float32))
    store.stage(version(plan).manifest, rows)
    for refuse in (
        lambda: live_version(Listed(), plan, None),
        lambda: require_current(version(plan).manifest, DOCUMENTS[:1], plan),
        lambda: load_index(store, CorpusCache(Lake(str(tmp_path))), staged, plan),
    ):
        with pytest.raises(UsageError) as refused:
            refuse()
        command = re.search("`(.*)`", str(refused.value))
        assert command and shlex.split(command[1])[3:5] == ["--plan", str(path)]


def test_an_index_of_another_model_is_not_answered_from() -> None:
    live = version(OTHER).manifest
    require_same_model(live, "fingerprint", OTHER)
    with pytest.raises(UsageError, match=r"other files of the model 'model' .*run `bidfolio refresh SOURCE --plan r"):
        require_same_model(live, "another", OTHER)
