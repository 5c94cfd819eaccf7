"""Models that are asked about claims: one of natural language inference, made here, and a scripted server as judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from configs.plans import Answering
from configs.settings import OpenAISettings
from tasks.answering.decision.decide import decide
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.entailment.labels import Opinions
from tasks.answering.entailment.llm_judge import judgements_of
from tasks.answering.entailment.nli import entailments_by
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.errors import UsageError
from tasks.llm.model_server import ModelServer
from tests.made.scripted_server import Kept, Odd, Reply, refusal, scripted_server
from tests.made.snapshots import GOOD, asked

AWAY = "http://127.0.0.1:9/v1"
PAIRS = [("Snapshots are kept for 35 days.", "Snapshots are kept."), ("Doors are guarded.", "Snapshots are kept.")]


def make_model(folder: Path, labels: tuple[str, ...]) -> Path:
    """A tiny BERT of random weights, whose head says the second label to whatever it reads."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "snapshots", "kept", "days", "doors"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([float(at == 1) for at in range(len(labels))]))
    model.save_pretrained(folder)
    return folder


def test_a_model_of_inference_says_its_labels_by_name(tmp_path: Path) -> None:
    for order in (("contradiction", "entailment", "neutral"), ("ENTAILMENT", "CONTRADICTION", "NEUTRAL")):
        folder = make_model(tmp_path / order[0], order)
        found = entailments_by(str(folder), 1)(PAIRS)
        assert [one and one.label for one in found] == [order[1].lower()] * 2
        assert all(one and (one.probability > 0.5) == (one.label == "entailment") for one in found)
        assert entailments_by(str(folder), 1)([]) == []


def test_a_model_of_inference_that_is_neutral_has_no_opinion(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "neutral", ("contradiction", "neutral", "entailment"))
    assert entailments_by(str(folder), 1)(PAIRS) == [None, None]


def test_another_model_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="BIDFOLIO_CHECKS_NLI: there is no folder 'nowhere'"):
        entailments_by("nowhere", 1)
    with pytest.raises(UsageError, match="take one that says contradiction, entailment, neutral"):
        entailments_by(str(make_model(tmp_path / "two", ("good", "bad"))), 1)(PAIRS)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UsageError, match="no cross-encoder that can be loaded"):
        entailments_by(str(empty), 1)(PAIRS)


def without_weight(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["classifier.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def with_nothing_in_its_weights(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file

    weights = {name: array * float("nan") for name, array in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def cut_short(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def as_a_pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def without_tokenizer(folder: Path) -> None:
    for name in ("vocab.txt", "tokenizer.json"):
        (folder / name).unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (without_weight, "it lacks weights: classifier.weight"),
        (with_nothing_in_its_weights, "gives no numbers: its files are damaged"),
        (cut_short, "no cross-encoder that can be loaded"),
        (as_a_pickle, "no cross-encoder that can be loaded"),
        (without_tokenizer, "it has no tokenizer"),
    ],
)
def test_a_model_that_would_judge_by_chance_is_refused(
    tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    folder = make_model(tmp_path / "model", ("contradiction", "entailment", "neutral"))
    spoil(folder)
    with pytest.raises(UsageError, match=told):
        entailments_by(str(folder), 1)(PAIRS)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"supported": True}, None),
        ({"supported": False}, "contradiction"),
        ("certainly", "neutral"),
        ({"supported": "yes"}, "neutral"),
    ],
)
def test_a_judge_refuses_or_lets_be_or_is_not_heard(reply: Any, said: str | None) -> None:
    with scripted_server((200, reply)) as (server, requests):
        (found,) = judgements_of(PAIRS[:1], server)
        assert (found and found.label) == said
        assert judgements_of([], server) == []
    assert "Source:\nSnapshots are kept for 35 days.\n\nClaim:\nSnapshots are kept." in str(
        requests[0]["messages"][1]["content"]
    )
    assert len(requests) == (1 if said != "neutral" else 2), "what is not of the shape is asked for once more"


@pytest.mark.parametrize(
    "reply",
    [(200, "certainly"), (200, {"supported": "perhaps"}), Odd(400), Odd(401, refusal("no such key"))],
    ids=["prose", "another shape", "refused", "another key"],
)
def test_what_should_be_judged_and_is_not_goes_to_a_person(reply: Reply) -> None:
    item, told = asked(), list[str]()
    with scripted_server((200, GOOD)) as (server, _), scripted_server(reply) as (judge, _):
        opinions = Opinions(further=[partial(judgements_of, server=judge, tell=told.append)])
        (draft,) = check_drafts([item], OpenAIGenerator(server).draft([item]), opinions)
    answer = decide(item, draft, Answering(decline_below=0.0, review_below=0.0), "openai")
    why = "the judge model gave no judgement: check “"
    assert answer.status == "needs_review" and why in answer.detail and answer.text == GOOD["answer"]
    assert [check.name for check in draft.checks if not check.passed] == ["judgement"]
    (line,) = told
    assert line.startswith("the judge model gave no judgement of 1 of 1 claims: ")


def test_a_judge_that_is_away_loses_no_draft() -> None:
    server, told = ModelServer(OpenAISettings(base_url=AWAY, model="m"), Kept(), seconds=1.0), list[str]()
    assert [one and one.label for one in judgements_of(PAIRS, server, told.append)] == ["neutral", "neutral"]
    assert told[0].startswith("the judge model gave no judgement of 2 of 2 claims: no model server")
