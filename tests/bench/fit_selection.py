"""Fits the model that selects the sentences of a draft, and says what each feature is worth.

Run: .venv/bin/python -m tests.bench.fit_selection HOME [--out configs/selection.yaml] [--ablation]

The ranker is fitted on differences between a passage that answers and one that does not, of the same open question,
each question counting the same; a passage answers where it, or what is quoted with it, has a quote of the evidence.
The probability is fitted on what rankers say that have not seen the corpus. All figures are of corpora left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from configs.settings import load_settings
from configs.weights import Selecting
from tasks.answering.drafts.draft import Asked
from tasks.answering.generators.extractive import likely_passages
from tasks.answering.pipeline import by_question, find_timed, handed_over
from tasks.answering.quotes.quote_context import in_full
from tasks.answering.quotes.sentence_selection import FEATURES, features_of, share_of_best
from tasks.embedding.models.dense import encode_passages, encode_questions
from tasks.embedding.models.shards import Encoder
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.safety.injection import without_orders
from tests.bench.fit_verdicts import is_quoted
from tests.bench.verdict_sets import FITTED, OPEN, VerdictSet, loaded_for, verdict_set

STRENGTH = 0.1
READING = FEATURES.index("reading")
Matrix = NDArray[np.float64]


class Labelled(NamedTuple):
    """An open question of a corpus: its passages' features (n, k), which of them answer (n,), and whether any could."""

    corpus: str
    features: Matrix
    answers: NDArray[np.bool_]
    is_answerable: bool


def labelled(of: VerdictSet, home: str) -> list[Labelled]:
    """The open questions of a set, each with the passages that are found for it."""
    loaded, plan = loaded_for(of, home)
    wanted = [
        (item, question)
        for item, question in zip(of.items, of.questions, strict=True)
        if question.kind == "free_text" and not item.verdict and (not item.answerable or of.quotes[item.question_id])
    ]
    questions = [question for _, question in wanted]
    found, _ = find_timed(questions, loaded)
    hits = handed_over(by_question(questions, found.hits), loaded.index, loaded.sections, plan.retrieval)
    asked = [Asked(one, without_orders(hits[one.question_id], plan.retrieval.top_k)[0]) for one in questions]
    settings = load_settings(home=home)
    encoder = Encoder(plan.embedding, settings.threads, settings.home)
    encode = partial(encode_questions, encoder=encoder), partial(encode_passages, encoder=encoder)
    read = pair_reader(plan.retrieval.reread, settings.machine)
    labels = []
    for (item, question), likely in zip(wanted, likely_passages(asked, *encode), strict=True):
        readings = read([(question.text, one.passage.read_text) for one in likely])
        rows = [
            features_of(question.text, one.passage, one.similarity, float(reading))
            for one, reading in zip(likely, readings, strict=True)
        ]
        quotes = of.quotes.get(item.question_id, ())
        answers = [any(is_quoted(text, quotes) for text in (one.quote, in_full(one).quote)) for one, *_ in likely]
        features = np.array(rows).reshape(-1, len(FEATURES))
        labels.append(Labelled(of.corpus, features, np.array(answers, bool), item.answerable))
    return labels


def fitted_ranker(labels: Sequence[Labelled], used: Sequence[int]) -> Matrix:
    """The weights (k,) of a logistic regression on the differences between passages; 0 for features not ``used``."""
    differences, counts = [], []
    for one in labels:
        answering, others = one.features[one.answers], one.features[~one.answers]
        if len(answering) and len(others):
            apart = (answering[:, None] - others[None]).reshape(-1, len(FEATURES))[:, used]
            differences.append(apart)
            counts.append(np.full(len(apart), 1 / len(apart)))
    rows, weight = np.vstack(differences), np.concatenate(counts)
    both, scale = np.vstack([rows, -rows]), rows.std(axis=0) + 1e-9
    truth = np.repeat([1, 0], len(rows))
    model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=3000)
    weights = np.zeros(len(FEATURES))
    weights[list(used)] = model.fit(both / scale, truth, sample_weight=np.tile(weight, 2)).coef_[0] / scale
    return weights


class Judged(NamedTuple):
    """Of the questions that passages were found for: the share of the best passage and its reading (n, 2), whether it
    answers (n,) and whether one of the first two does, and which of the questions could be answered (n,).
    """

    of_best: Matrix
    first: NDArray[np.bool_]
    first_two: NDArray[np.bool_]
    is_answerable: NDArray[np.bool_]


def judged(labels: Sequence[Labelled], weights: Matrix) -> Judged:
    """The ranker's choice for each question."""
    rows = []
    for one in labels:
        if len(one.features):
            merits = one.features @ weights
            best, *others = np.argsort(-merits, kind="stable")
            second = bool(others) and bool(one.answers[others[0]])
            right = bool(one.answers[best])
            rows.append((share_of_best(merits), one.features[best, READING], right, right or second, one.is_answerable))
    table = np.array(rows, float)
    return Judged(table[:, :2], table[:, 2] > 0, table[:, 3] > 0, table[:, 4] > 0)


def left_out(labels: Sequence[Labelled], used: Sequence[int]) -> Judged:
    """The choices for all questions, each corpus' by a ranker that was fitted on the others."""
    parts = []
    for corpus in dict.fromkeys(one.corpus for one in labels):
        weights = fitted_ranker([one for one in labels if one.corpus != corpus], used)
        parts.append(judged([one for one in labels if one.corpus == corpus], weights))
    return Judged(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def told(of: Judged) -> str:
    """The shares of answerable questions that the first passage answers, and one of the first two."""
    known = of.is_answerable
    return f"first {of.first[known].mean():.3f}, first two {of.first_two[known].mean():.3f} of {known.sum()}"


def main() -> None:
    """Fits, prints the figures, and writes the weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--ablation", action="store_true")
    options = parser.parse_args()
    labels = [one for name in [*FITTED, *OPEN] for one in labelled(verdict_set(name, options.home), options.home)]
    every = range(len(FEATURES))
    held = left_out(labels, every)
    print(f"all features: {told(held)}")
    if options.ablation:
        for out in every:
            print(f"  without {FEATURES[out]}: {told(left_out(labels, [at for at in every if at != out]))}")
    model = LogisticRegression(C=1.0).fit(held.of_best, held.first)
    probabilities = model.predict_proba(held.of_best)[:, 1]
    order = np.argsort(-probabilities)
    right = np.cumsum(held.first[order]) / np.arange(1, len(order) + 1)
    shares = {share: f"{right[int(len(order) * share)]:.2f}" for share in (0.1, 0.2, 0.3, 0.4, 0.5)}
    print(f"probability: area {roc_auc_score(held.first, probabilities):.3f}; right of the surest {shares}")
    for threshold in (0.75, 0.8, 0.85, 0.9):
        sure = probabilities >= threshold
        print(f"  from {threshold}: {sure.mean():.2f} of all, right {held.first[sure].mean():.2f}")
    if options.out:
        weights = fitted_ranker(labels, every)
        found = Selecting(
            weights={name: round(float(one), 4) for name, one in zip(FEATURES, weights, strict=True)},
            intercept=round(float(model.intercept_[0]), 4),
            share=round(float(model.coef_[0, 0]), 4),
            reading=round(float(model.coef_[0, 1]), 4),
        )
        options.out.write_text(yaml.safe_dump(found.model_dump(), sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
