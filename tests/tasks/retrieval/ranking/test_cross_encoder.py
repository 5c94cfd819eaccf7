"""The cross-encoder that ships, and one of random weights made here: what they say, and of what it does not depend."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from configs.machine import Backend, Machine
from configs.plans import load_plan
from configs.retrieval import Rerank, Reread
from configs.settings import RerankSettings
from tasks.embedding.models import onnx_graph, openvino_graph
from tasks.embedding.models.model_files import model_folder
from tasks.errors import UsageError
from tasks.retrieval.plan_fallbacks import with_substitutes, with_weights
from tasks.retrieval.ranking import cross_encoder
from tasks.retrieval.ranking.cross_encoder import (
    MAX_QUESTION_TOKENS,
    backend_of,
    pair_reader,
    read_pairs,
    recalling,
)
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.storage.output_cache import OutputCache
from tests.made.hearing import lines_heard
from tests.made.rerankers import machine, save_cross_encoder

QUESTION = "Are backups encrypted?"
RIGHT = "All backups are encrypted with AES-256 before they leave the data centre."
TEXTS = [RIGHT, "Backups are taken each night.", "The canteen is open from eight to two.", "", RIGHT * 40]
PAIRS = [(QUESTION, text) for text in TEXTS]


@pytest.fixture(scope="module")
def shipped() -> str:
    reread = load_plan("bidfolio").retrieval.reread
    assert reread is not None
    return reread.model


def test_what_answers_stands_above_what_is_near_and_that_above_what_is_not(shipped: str) -> None:
    right, near, other, *_ = read_pairs(PAIRS, shipped, machine(2))
    assert right > 0 > other
    assert right > near > other


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the graphs that are made of the one that ships."""
    return str(tmp_path_factory.mktemp("graphs"))


BACKENDS: tuple[Backend, ...] = ("onnx", "openvino_int8", "openvino_bf16", "openvino")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_pair_is_read_alone_whatever_is_read_beside_it(shipped: str, home: str, backend: Backend) -> None:
    together = read_pairs(PAIRS, shipped, Machine(2, home, backend))
    alone = [float(read_pairs([pair], shipped, Machine(1, home, backend))[0]) for pair in PAIRS]
    assert together.tolist() == alone
    assert read_pairs(PAIRS[::-1], shipped, Machine(3, home, backend)).tolist() == alone[::-1]


@pytest.mark.parametrize("backend", BACKENDS[1:])
def test_each_back_end_gives_the_logits_of_the_others(shipped: str, home: str, backend: Backend) -> None:
    found, plain, as_shipped = (
        read_pairs(PAIRS, shipped, Machine(2, home, name)) for name in (backend, "openvino", "onnx")
    )
    assert np.abs(found - plain).max() < 0.15, "its rounding moves a logit by less than the graph's own"
    assert np.abs(found - as_shipped).max() < 0.6


def test_the_settings_name_the_back_end_and_else_the_fastest_is_taken(shipped: str, home: str) -> None:
    for backend in BACKENDS:
        assert backend_of(shipped, Machine(2, home, backend)) == backend
    assert backend_of(shipped, Machine(2, home, "torch")) == "onnx", "torch runs no graph"
    chosen = backend_of(shipped, Machine(2, home))
    (kept,) = Path(home).glob("cache/models/fastest-*/fastest.json")
    told = json.loads(kept.read_text(encoding="utf-8"))
    assert told["choice"] == chosen and chosen in BACKENDS
    both = (read_pairs(PAIRS, shipped, Machine(2, home, name)).tolist() for name in (chosen, "fastest"))
    assert next(both) == next(both), "the choice is what runs"


def test_a_graph_that_openvino_would_run_otherwise_stays_with_onnx_runtime(
    shipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_encoder, "MOST_APART", -1.0)
    with lines_heard() as heard:
        assert backend_of(shipped, Machine(1, str(tmp_path))) == "onnx"
    assert any("openvino cannot run" in line for line in heard)


def test_scores_of_different_back_ends_are_kept_apart(shipped: str, home: str, tmp_path: Path) -> None:
    outputs, reread = OutputCache(tmp_path / "outputs.sqlite"), Reread(model=shipped)
    for backend in ("onnx", "openvino", "onnx"):
        one = Machine(1, home, backend)
        assert pair_reader(reread, one, outputs)(PAIRS).tolist() == read_pairs(PAIRS, shipped, one).tolist()


def test_scores_of_an_earlier_graph_are_not_recalled(
    shipped: str, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs, reread, one = OutputCache(tmp_path / "outputs.sqlite"), Reread(model=shipped), Machine(1, home, "openvino")
    with monkeypatch.context() as earlier:
        earlier.setattr(cross_encoder, "read_pairs", lambda pairs, **_: np.zeros(len(pairs), np.float32))
        earlier.setattr(openvino_graph, "LOGIC_VERSION", "an earlier one")
        assert not pair_reader(reread, one, outputs)(PAIRS).any()
    assert pair_reader(reread, one, outputs)(PAIRS).all()


@pytest.mark.parametrize("has_vnni", [True, False])
def test_it_says_the_same_whichever_way_a_processor_multiplies(
    shipped: str, monkeypatch: pytest.MonkeyPatch, has_vnni: bool
) -> None:
    if has_vnni and not onnx_graph._has_vnni():
        pytest.skip("this processor would overflow")
    logits = read_pairs(PAIRS, shipped, machine(1))
    monkeypatch.setattr(onnx_graph, "_has_vnni", lambda: has_vnni)
    cross_encoder._run.cache_clear()
    assert read_pairs(PAIRS, shipped, machine(1)).tolist() == logits.tolist()
    cross_encoder._run.cache_clear()


def test_a_plan_of_a_paper_may_rerank_by_it(shipped: str) -> None:
    """As a probability: what such a plan hands over, and what it declines, goes by one."""
    found = pair_scorer(Rerank(by="cross_encoder", model=shipped), machine(1))(PAIRS)
    assert found == pytest.approx(1 / (1 + np.exp(-read_pairs(PAIRS, shipped, machine(1)))), abs=1e-6)
    settings = RerankSettings(cross_encoder=shipped)
    running, _ = with_weights(load_plan("rfp_chat"), settings)
    assert running.retrieval.rerank is not None and running.retrieval.rerank.model == shipped
    assert with_substitutes(load_plan("rfp_chat"), settings) == (running, [])


def test_no_pairs_load_no_model() -> None:
    assert read_pairs([], "nowhere", machine(1)).shape == (0,)


def test_a_long_question_leaves_room_for_the_text(shipped: str) -> None:
    long = "backups " * MAX_QUESTION_TOKENS
    one, other = read_pairs([(long, RIGHT), (long * 20, RIGHT)], shipped, machine(1))
    assert one == other, "what is beyond is cut from the question"
    assert read_pairs([(long, TEXTS[2])], shipped, machine(1))[0] != one


def test_a_graph_gives_the_logits_of_the_model_that_it_was_made_of(tmp_path: Path) -> None:
    """Weights of random numbers and not rounded, exported here; read by the transformers library beside it."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = Path(save_cross_encoder(tmp_path / "model"))
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    export(model, folder / "model.onnx")
    pairs = [("are backups encrypted", "all backups are encrypted"), ("we", "data is kept for thirty days")]
    found = read_pairs(pairs, str(folder), machine(1))
    for pair, logit in zip(pairs, found, strict=True):
        with torch.inference_mode():
            assert logit == pytest.approx(float(model(**tokenizer(*pair, return_tensors="pt")).logits), abs=1e-4)
    assert found[0] != pytest.approx(found[1], abs=1e-4)


def test_a_model_of_several_outputs_is_refused(tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    folder = Path(save_cross_encoder(tmp_path / "model", outputs=3))
    export(AutoModelForSequenceClassification.from_pretrained(folder).eval(), folder / "model.onnx")
    with pytest.raises(UsageError, match="has 3 outputs: take one that gives one score"):
        read_pairs(PAIRS, str(folder), machine(1))


def test_what_cannot_be_loaded_is_named(shipped: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'no-such-package/folder' is neither a folder nor an installed package"):
        read_pairs(PAIRS, "no-such-package/folder", machine(1))
    with pytest.raises(UsageError, match=r"has no model\.onnx and no tokenizer\.json in "):
        read_pairs(PAIRS, str(tmp_path), machine(1))
    shutil.copy(model_folder(shipped) / "model.onnx", tmp_path)
    with pytest.raises(UsageError, match=r"has no tokenizer\.json in "):
        read_pairs(PAIRS, str(tmp_path), machine(1))


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_what_is_no_graph_and_no_tokenizer_is_named(shipped: str, tmp_path: Path, broken: str) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copy(model_folder(shipped) / name, tmp_path)
    (tmp_path / broken).write_text("version https://git-lfs.github.com/spec/v1\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f"the cross-encoder '{tmp_path}' cannot be loaded from"):
        read_pairs(PAIRS, str(tmp_path), machine(1))


def test_where_nothing_is_read_again_nothing_may_be_asked(shipped: str) -> None:
    with pytest.raises(ValueError, match="no cross-encoder that reads its hits again"):
        pair_reader(None, machine(1))(PAIRS)
    assert (
        pair_reader(Reread(model=shipped), machine(1))(PAIRS).tolist()
        == read_pairs(PAIRS, shipped, machine(1)).tolist()
    )


def test_a_pair_that_was_read_is_not_read_again(shipped: str, tmp_path: Path) -> None:
    seen: list[list[tuple[str, str]]] = []

    def read(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        seen.append(list(pairs))
        return np.array([len(text) for _, text in pairs], np.float32)

    for _ in range(2):
        outputs = OutputCache(tmp_path / "outputs.sqlite")
        reads = recalling(outputs, shipped, read)
        assert reads([("q", "a"), ("q", "bb"), ("q", "a")]).tolist() == [1, 2, 1]
        assert reads([("q", "bb"), ("q", "ccc")]).tolist() == [2, 3] and reads([]).tolist() == []
    assert seen == [[("q", "a"), ("q", "bb")], [("q", "ccc")]]
    reread = Reread(model=shipped)
    for _ in range(2):
        assert (
            pair_reader(reread, machine(1), outputs)(PAIRS).tolist() == read_pairs(PAIRS, shipped, machine(1)).tolist()
        )


def export(model: object, file: Path) -> None:
    """``model`` as a graph, batch and length left open."""
    import torch

    pytest.importorskip("onnx", reason="the extra onnx is what writes graphs")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter by tracing is called old
        torch.onnx.export(
            model,
            tuple(torch.ones((2, 7), dtype=torch.int64) for _ in names),
            str(file),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={name: {0: "batch", 1: "length"} for name in names},
            dynamo=False,
        )
