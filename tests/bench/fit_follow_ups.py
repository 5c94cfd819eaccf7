"""Fits the weights by which follow-ups are understood, and writes ``configs/follow_ups.yaml``.

Run: .venv/bin/python -m tests.bench.fit_follow_ups HOME

``wording`` is fitted on ``tests/data/follow_ups.jsonl`` and on the gold questions of the sets that may be fitted on,
all of which stand alone; ``place`` on those follow-ups of the file that have their stand-alone form, by the share of
its words that a rewriting has; ``topic`` on ``tests/data/topics.jsonl``; ``leans`` on the conversations of two invented
companies, whose corpora lie below HOME. What is printed is by cross-validation. The demo's conversations are for
measuring, and not read.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict

from configs.plans import load_plan
from configs.settings import load_settings
from configs.weights import FOLLOW_UPS, FollowUpWeights
from tasks.chat.candidates import finding_in, leaning_features
from tasks.chat.follow_ups import wording_features, wording_of
from tasks.chat.joining import TOPIC_FROM, Encode, joined, placings, topic_features
from tasks.embedding.models.dense import encode_questions
from tasks.embedding.models.shards import Encoder
from tasks.text.content_words import all_words, is_function_word
from tasks.text.search_terms import terms
from tests.bench.conversations import conversations_of
from tests.bench.verdict_sets import DATA, FITTED, loaded_for, verdict_set

COMPANIES = ("meridian", "fenwick")
WORDING_C, LEANS_C, TOPIC_C, PLACE_L2 = 1.0, 1.0, 1.0, 0.2
FOLDS = 10
LEAST_SEEN = 5
"""Of a feature of wording that fewer questions have, nothing is learned."""
ASKED_JOINED_FROM = 1.0
"""At these log-odds, 1 of 44 questions that stand alone is asked joined in cross-validation, and 6 of 59 others alone.
"""
Matrix = NDArray[np.float64]


class FollowUp(NamedTuple):
    """A labelled question: its ``way`` to lean, or "alone"; ``stand_alone`` and the question ``before`` where known."""

    question: str
    way: str
    before: str | None = None
    stand_alone: str | None = None


def follow_ups() -> list[FollowUp]:
    """The labelled questions of the file, and the gold questions, which stand alone."""
    lines = (DATA / "follow_ups.jsonl").read_text(encoding="utf-8").splitlines()
    return [FollowUp(**json.loads(line)) for line in lines]


def gold_questions(home: str) -> list[FollowUp]:
    """The questions of questionnaires, each of which is asked alone."""
    return [FollowUp(item.question, "alone") for name in FITTED for item in verdict_set(name, home).items]


def fit_wording(data: Sequence[FollowUp]) -> dict[str, dict[str, float]]:
    """The log-odds of both ways to lean against standing alone."""
    found = [wording_features(one.question) for one in data]
    seen = Counter(name for features in found for name in features)
    vectorizer = DictVectorizer()
    x = vectorizer.fit_transform([{name: 1.0 for name in features if seen[name] >= LEAST_SEEN} for features in found])
    y = np.array([one.way for one in data])
    model = LogisticRegression(C=WORDING_C, max_iter=5000)
    predicted = cross_val_predict(model, x, y, cv=KFold(FOLDS, shuffle=True, random_state=0))
    leans, said = y != "alone", predicted != "alone"
    print(
        f"wording: taken for leaning {(said & ~leans).sum()} of {(~leans).sum()} that stand alone, missed "
        f"{(leans & ~said).sum()} of {leans.sum()} that lean; way right {(predicted == y)[leans & said].mean():.2f}"
    )
    model.fit(x, y)
    alone, names = list(model.classes_).index("alone"), vectorizer.get_feature_names_out()
    ways: dict[str, dict[str, float]] = {}
    for at, way in enumerate(model.classes_):
        if way != "alone":
            weights = model.coef_[at] - model.coef_[alone]
            bias = float(model.intercept_[at] - model.intercept_[alone])
            ways[str(way)] = {"bias": bias} | {str(n): float(w) for n, w in zip(names, weights, strict=True)}
    return {way: _rounded(weights) for way, weights in ways.items()}


def fit_place(data: Sequence[FollowUp], encode: Encode) -> dict[str, float]:
    """The weights that put the best rewriting first: the one whose words are most nearly those of the stand-alone."""
    known = [
        (placings(one.question, one.before, encode), one.stand_alone)
        for one in data
        if one.way == "elliptical" and one.before and one.stand_alone
    ]
    names = sorted({name for found, _ in known for one in found for name in one.features})
    rows = [np.array([[one.features.get(name, 0.0) for name in names] for one in found]) for found, _ in known]
    gains = [np.array([_words_shared(one.text, wanted) for one in found]) for found, wanted in known]
    got = [
        float(gains[at][int((rows[at] @ weights).argmax())])
        for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(rows)
        for weights in [_ranked([rows[n] for n in train], [gains[n] for n in train])]
        for at in test
    ]
    print(
        f"place: words of the stand-alone form (F1) {np.mean(got):.2f}, whole {np.mean(np.array(got) == 1):.2f}, "
        f"behind alone {np.mean([gain[0] for gain in gains]):.2f}, n = {len(got)}"
    )
    return _rounded(dict(zip(names, _ranked(rows, gains).tolist(), strict=True)))


def fit_topic() -> dict[str, float]:
    """The log-odds that a word of a question is of what a pronoun in the next stands for."""
    lines = (DATA / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[dict[str, float]] = []
    is_topic: list[bool] = []
    of: list[int] = []
    for number, one in enumerate(map(json.loads, lines)):
        words = all_words(one["question"])
        content = [at for at, word in enumerate(words) if not is_function_word(word)]
        rows += [topic_features(words, at) for at in content]
        is_topic += [words[at] in one["topic"] for at in content]
        of += [number] * len(content)
    vectorizer = DictVectorizer()
    x, y = vectorizer.fit_transform(rows), np.array(is_topic)
    model = LogisticRegression(C=TOPIC_C, max_iter=5000)
    scores = cross_val_predict(model, x, y, groups=of, cv=GroupKFold(FOLDS), method="decision_function")
    kept = scores >= TOPIC_FROM
    print(
        f"topic: kept {(kept & y).sum()} of {y.sum()} words of what is meant, "
        f"and {(kept & ~y).sum()} of {(~y).sum()} others; n = {len(lines)} questions"
    )
    model.fit(x, y)
    weights = zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True)
    return _rounded({"bias": float(model.intercept_[0])} | {str(name): float(one) for name, one in weights})


def _ranked(rows: Sequence[Matrix], gains: Sequence[Matrix]) -> Matrix:
    best = [gain >= gain.max() for gain in gains]

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        total, slope = PLACE_L2 * float(weights @ weights) / 2, PLACE_L2 * weights
        for x, is_best in zip(rows, best, strict=True):
            scores = x @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            mass = float(shares[is_best].sum())
            total -= np.log(mass + 1e-12)
            slope = slope - x.T @ (shares * is_best / (mass + 1e-12) - shares)
        return total, slope

    found: Matrix = minimize(loss, np.zeros(rows[0].shape[1]), jac=True, method="L-BFGS-B").x
    return found


def _words_shared(text: str, wanted: str) -> float:
    one, other = set(terms(text)), set(terms(wanted))
    return 2 * len(one & other) / max(1, len(one) + len(other))


def fit_leans(home: str, weights: FollowUpWeights, encode: Encode) -> dict[str, float]:
    """The weights of wording and evidence."""
    rows: list[Mapping[str, float]] = []
    leans: list[bool] = []
    for name in COMPANIES:
        find = finding_in(loaded_for(verdict_set(name, home), home)[0]).find
        for one in conversations_of(name):
            for before, turn in zip(one["turns"], one["turns"][1:], strict=False):
                question, wording = turn["question"], wording_of(turn["question"], weights)
                text = joined(question, before["stand_alone"], wording, encode, weights)
                rows.append(leaning_features(wording, find(question), find(text)))
                leans.append(turn["leans"])
    names = list(rows[0])
    x, y = np.array([[row[name] for name in names] for row in rows]), np.array(leans)
    model = LogisticRegression(C=LEANS_C, max_iter=5000)
    scores = cross_val_predict(model, x, y, cv=KFold(FOLDS, shuffle=True, random_state=0), method="decision_function")
    for least in (0.0, 0.5, ASKED_JOINED_FROM, 1.5):
        print(
            f"leans from {least}: {(scores[~y] >= least).sum()} of {(~y).sum()} alone asked joined, "
            f"{(scores[y] < least).sum()} of {y.sum()} leaning asked alone"
        )
    model.fit(x, y)
    fitted = {"bias": float(model.intercept_[0])} | {n: float(w) for n, w in zip(names, model.coef_[0], strict=True)}
    return _rounded(fitted)


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(weight), 3) for name, weight in weights.items() if abs(weight) >= 0.005}


def main(home: str) -> None:
    """Fits all weights and writes them."""
    encoder = Encoder(load_plan("bidfolio").embedding, 1, load_settings(home=home).home)
    labelled = follow_ups()
    wording = fit_wording([*labelled, *gold_questions(home)])
    encode = partial(encode_questions, encoder=encoder)
    place = fit_place(labelled, encode)
    topic = fit_topic()
    weights = FollowUpWeights(wording=wording, place=place, topic=topic, leans={}, asked_joined_from=0.0)
    leans = fit_leans(home, weights, encode)
    weights = weights.model_copy(update={"leans": leans, "asked_joined_from": ASKED_JOINED_FROM})
    written = yaml.safe_dump(weights.model_dump(), default_flow_style=None, width=120)
    FOLLOW_UPS.write_text("# Fitted by tests/bench/fit_follow_ups.py.\n" + written, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    main(parser.parse_args().home)
