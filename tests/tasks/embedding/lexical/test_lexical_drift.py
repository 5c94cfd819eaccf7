"""The lexical space is kept until the corpus has drifted from the texts that it was fitted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from configs.plans import Embedding, Lexical, load_plan
from configs.settings import IndexSettings
from tasks.embedding.corpus.corpus_parts import Part, Texts, project_part
from tasks.embedding.lexical.lexical_drift import Fitted, fitted_on
from tasks.embedding.lexical.lexical_space import LexicalState
from tasks.embedding.models.dense import embed_texts
from tasks.embedding.models.shards import Encoder, TextVectors
from tasks.index.store import IndexStore
from tasks.publishing.task import stage_index
from tasks.records import content_id
from tasks.retrieval.first_stage.exact_search import SearchableIndex
from tasks.retrieval.version_loading import load_index
from tests.made.embedded_corpora import FILES, TEXTS_A_FILE, Corpus
from tests.made.embedding_models import save_bert


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_bert(tmp_path_factory.mktemp("model"))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part a file, so that a changed file changes one part."""
    monkeypatch.setattr("tasks.embedding.corpus.corpus_parts.MOST_ROWS", TEXTS_A_FILE)


NewCorpus = Callable[..., Corpus]


@pytest.fixture
def new_corpus(model: str, tmp_path: Path) -> NewCorpus:
    plan = load_plan("rails")

    def new(name: str = "home", refit_drift: float = 0.2) -> Corpus:
        lexical = plan.embedding.lexical.model_copy(update={"refit_drift": refit_drift})
        embedding = plan.embedding.model_copy(update={"model": model, "max_length": None, "lexical": lexical})
        return Corpus(tmp_path / name, plan.model_copy(update={"embedding": embedding}))

    return new


def files(*numbers: int) -> list[str]:
    return [f"file{number:03}" for number in numbers]


def test_a_space_is_read_once_for_all_parts_that_are_projected(
    new_corpus: NewCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    from_bytes = LexicalState.from_bytes

    def read_and_tell(raw: bytes) -> LexicalState:
        read.append(raw)
        return from_bytes(raw)

    monkeypatch.setattr(LexicalState, "from_bytes", read_and_tell)
    corpus = new_corpus()
    first, _ = corpus.publish(files(*range(FILES)))
    assert len(corpus.lexical(first)) == FILES * TEXTS_A_FILE
    assert len(read) == 1


def test_below_the_drift_the_space_stays_and_only_what_is_new_is_projected(
    new_corpus: NewCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = new_corpus()
    first, before = corpus.publish(files(*range(FILES)))
    assert (first.space, first.drift, first.embedded) == ("fitted", None, FILES * TEXTS_A_FILE)
    spaces, vectors = corpus.spaces(), corpus.lexical(first)
    asked: list[str] = []
    projected: list[int] = []

    def project_and_tell(texts: Texts, plan: Embedding, key: str, part: Part) -> NDArray[np.float32]:
        projected.append(part.rows)
        return project_part(texts, plan, key, part)

    def embed_and_tell(texts: Sequence[str], encoder: Encoder) -> TextVectors:
        asked.extend(texts)
        return embed_texts(texts, encoder)

    monkeypatch.setattr("tasks.embedding.task.embed_texts", embed_and_tell)
    monkeypatch.setattr("tasks.embedding.task.project_part", project_and_tell)

    second, after = corpus.publish(files(*range(1, FILES), 100))

    assert second.space == "kept"
    assert second.drift == pytest.approx(1 - 10 / 12)
    assert second.state_key != first.state_key, "BM25 is of these texts"
    assert after.index_version != before.index_version
    assert spaces.items() < corpus.spaces().items(), "that of the first version is as it was"
    assert projected == [TEXTS_A_FILE], "the new file's"
    assert len(asked) == second.embedded == TEXTS_A_FILE and all("file100" in text for text in asked)
    np.testing.assert_array_equal(corpus.lexical(second)[:-TEXTS_A_FILE], vectors[TEXTS_A_FILE:])
    index = load_index(IndexStore(str(corpus.home)), corpus.cache, after, corpus.plan)
    assert isinstance(index, SearchableIndex)
    np.testing.assert_array_equal(index.lexical, corpus.lexical(second))
    np.testing.assert_allclose(
        index.lexical_state.project([chunk.searched_text for chunk in index.chunks]), index.lexical, atol=1e-6
    )


def test_small_steps_lead_to_a_new_space_and_no_dense_vector_is_made_again(new_corpus: NewCorpus) -> None:
    corpus = new_corpus()
    numbers = list(range(FILES))
    corpus.publish(files(*numbers))
    said = []
    for new in range(100, 103):
        numbers = [*numbers[1:], new]
        step, _ = corpus.publish(files(*numbers))
        assert step.embedded == TEXTS_A_FILE, "those of the one new file"
        said.append((step.space, round(step.drift or 0, 3)))
    assert said == [
        ("kept", 0.167),
        ("refitted", 0.308),  # of the texts that the space was fitted on, two files are gone
        ("kept", 0.167),
    ]


def test_a_space_loses_the_words_of_a_deleted_file_and_no_vector_changes(new_corpus: NewCorpus) -> None:
    corpus = new_corpus()
    first, _ = corpus.publish(files(*range(FILES)))
    second, _ = corpus.publish(files(*range(1, FILES)))
    before, after = (
        LexicalState.from_bytes(corpus.cache.state(key.lexical_key, "lexical") or b"") for key in (first, second)
    )
    assert set(before.vocabulary) - set(after.vocabulary) == {"file000", "file0000", "file0001"}
    assert second.space == "kept" and second.lexical_key != first.lexical_key
    np.testing.assert_array_equal(corpus.lexical(second), corpus.lexical(first)[TEXTS_A_FILE:])
    same, _ = corpus.publish(files(*range(1, FILES)))
    assert same.lexical_key == second.lexical_key, "no word is lost a second time"
    back, _ = corpus.publish(files(*range(FILES)))
    assert back.drift and back.drift > (second.drift or 0), "what comes back is new to a space that has lost its words"


def test_what_is_kept_depends_on_the_live_version_alone(new_corpus: NewCorpus) -> None:
    """A version that was staged and refused, or a run that was killed, leaves the next run's version as it is."""
    corpus, other = new_corpus("one"), new_corpus("other")
    for each in (corpus, other):
        each.publish(files(*range(FILES)))
    refused = corpus.embed(files(*range(50, 60)))
    assert refused[1].space == "refitted" and refused[1].drift == 1
    stage_index.fn(*refused, corpus.plan, corpus.settings)
    assert corpus.publish(files(*range(1, FILES), 100)) == other.publish(files(*range(1, FILES), 100))


def test_a_corpus_that_grew_and_one_that_is_new_differ_in_version(new_corpus: NewCorpus) -> None:
    grown, new, strict = new_corpus("grown"), new_corpus("new"), new_corpus("strict", refit_drift=0)
    for corpus in (grown, strict):
        corpus.publish(files(*range(FILES)))
    now = files(*range(1, FILES), 100)
    (kept, grown_version), (fitted, new_version) = grown.publish(now), new.publish(now)
    assert kept.state_key == fitted.state_key and kept.lexical_key != fitted.lexical_key
    assert grown_version.index_version != new_version.index_version
    refitted, _ = strict.publish(now)
    assert refitted.space == "refitted"
    np.testing.assert_array_equal(strict.lexical(refitted), new.lexical(fitted))


def test_a_space_goes_when_no_version_uses_it(new_corpus: NewCorpus) -> None:
    corpus = new_corpus()
    corpus.settings = corpus.settings.model_copy(
        update={"index": corpus.settings.index.model_copy(update={"keep_versions": 1})}
    )
    first, _ = corpus.publish(files(*range(FILES)))
    second, _ = corpus.publish(files(*range(1, FILES), 100))
    assert set(corpus.spaces()) == {second.lexical_key}, "the first version is no more, nor are the words it alone had"
    assert not corpus.cache.has_state(first.state_key, "bm25")
    last, _ = corpus.publish(files(*range(50, 70)))
    assert set(corpus.spaces()) == {last.lexical_key}
    assert not corpus.cache.has_state(first.lexical_key, "fitted")


def test_what_one_corpus_lets_go_another_of_the_same_texts_keeps(new_corpus: NewCorpus) -> None:
    """Between its embedding and its staging, no version says what a refresh needs, and each corpus has its own lock."""
    one, other = new_corpus(), new_corpus()
    other.name = "other"
    for each in (one, other):
        each.settings = each.settings.model_copy(update={"index": IndexSettings(keep_versions=1)})
    one.publish(files(*range(FILES)))
    under_way = other.embed(files(*range(FILES)))
    one.publish(files(*range(50, 60)))
    one.publish(files(*range(60, 70)))
    staged = stage_index.fn(*under_way, other.plan, other.settings)
    index = load_index(IndexStore(str(other.home)), other.cache, staged, other.plan)
    assert len(index) == FILES * TEXTS_A_FILE


def test_a_version_of_before_spaces_had_keys_answers_and_is_refitted(
    new_corpus: NewCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = new_corpus()
    numbers = range(FILES)
    converted, embedded = corpus.embed(files(*numbers))
    # As it was: one key for all states, no record of the texts, and no word of it in the manifest.
    for name, key in (("lexical", embedded.lexical_key), ("bm25", embedded.state_key)):
        corpus.cache.put_state("states", name, corpus.cache.state(key, name) or b"")
    store = IndexStore(str(corpus.home))
    staged = stage_index.fn(converted, embedded, corpus.plan, corpus.settings)
    corpus.cache.drop_states(embedded.lexical_key)
    made = store.manifest(staged.corpus, staged.index_key, staged.index_version)
    old = replace(made, state_key="states", lexical_key="")
    assert old.index_version == content_id("version", "default", old.index_key, old.content_key, "states")[:12]
    with monkeypatch.context() as patched:
        patched.setattr("tasks.index.store.asdict", lambda it: {k: v for k, v in asdict(it).items() if v != ""})
        store.stage(old, store.rows(staged.corpus, staged.index_key, staged.index_version))
    store.publish(staged.corpus, staged.index_key, old.index_version)
    version = staged._replace(index_version=old.index_version)
    index = load_index(store, corpus.cache, version, corpus.plan)
    assert isinstance(index, SearchableIndex) and index.lexical_state.basis.size
    again, _ = corpus.publish(files(*numbers, 100))
    assert (again.space, again.drift) == ("refitted", None)


IDS = st.lists(st.integers(0, 2**64 - 1).map(lambda number: f"{number:016x}"), max_size=8)


@given(IDS, IDS)
def test_drift_is_a_share_that_knows_no_order(one: list[str], other: list[str]) -> None:
    first, second = (fitted_on(ids, Lexical(), 8) for ids in (one, other))
    drift = first.drift_to(second)
    assert 0 <= drift <= 1 and drift == second.drift_to(first)
    assert (drift == 0) == (set(one) == set(other))
    back = Fitted.from_bytes(first.to_bytes())
    assert back.recipe == first.recipe and back.texts.tolist() == sorted({int(each, 16) for each in one})


def test_the_recipe_is_what_a_space_is_fitted_by() -> None:
    recipes = {fitted_on([], plan, size).recipe for plan in (Lexical(), Lexical(seed=1)) for size in (4, 8)}
    assert len(recipes) == 4
    assert fitted_on([], Lexical(components=3), 4).recipe == fitted_on([], Lexical(components=3), 8).recipe
