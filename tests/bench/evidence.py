"""When to decline: fits `answering.confidence` of the plan bidfolio, and judges it on questions left out of the fit.

Run: .venv/bin/python -m tests.bench.evidence HOME CORPUS=GOLD.jsonl CORPUS=GOLD.jsonl … [--answered FILE.jsonl]

HOME is one in which each corpus is published for the plan. Judged are two ways of leaving out: a whole gold set (the
fit has never seen its documents' questions), and a tenth of each set at a time. Beside the questions of the sets, the
fit sees the answerable ones of each asked of the corpora of the others, where nothing answers them, each as three
tenths of a question; they judge nothing, and the probability is then fitted to the sets' own questions alone.

`--answered` names questions that a gold set has as unanswerable and a reader found answered, with their pages
(`tests/bench/gold/northwind-answered.jsonl`). The fits do not hear of it; beside what the set says, the figures are
printed with these taken for answerable.

Intervals are 95% by bootstrap over the questions of a set.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from configs.plans import Plan, load_plan
from configs.settings import Settings, load_settings
from tasks.answering.answerer import held_against
from tasks.answering.decision.answerability import evidence_score, signals
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.pipeline import handed_over
from tasks.answering.quotes.sections import sections_of
from tasks.answering.task import make_generator
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.dense import encode_with_tokens
from tasks.embedding.models.shards import Encoder
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.index.store import IndexStore
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.records import Question
from tasks.retrieval.finding import EncodeQuestions, Models, find_hits
from tasks.retrieval.queries.query_expansion import wording_writer
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.version_loading import live_version, load_index
from tasks.storage.lake import Lake

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Scores = Mapping[str, Floats]
FOREIGN_WEIGHT = 0.3
KEPT = 0.95
FOLDS, SEEDS = 10, 5
RESAMPLES = 2000
BINS = 10


@dataclass(frozen=True, slots=True)
class Set:
    """The n questions of a gold set: ``signals`` (n, 3), ``foreign`` (k, m, 3) those of the m answerable ones
    asked of k other corpora, ``today`` (n) the score of plans without fitted weights, ``lengths`` (n) in characters.
    ``answered`` (n) are those that are answered, whatever the set says.
    """

    signals: Floats
    answerable: Bools
    foreign: Floats
    today: Floats
    lengths: Floats
    answered: Bools


@dataclass(frozen=True, slots=True)
class Fit:
    """A logistic regression: the log-odds are ``signals @ weights + intercept``."""

    weights: Floats
    intercept: float

    def probability(self, found: Floats) -> Floats:
        """Of each row of ``(n, 3)``."""
        likely: Floats = 1 / (1 + np.exp(-(found @ self.weights + self.intercept)))
        return likely


def fit(found: Floats, answerable: Bools, foreign: Floats) -> Fit:
    """The weights by all questions, their scale and the intercept by those of the gold sets alone."""
    rows = np.concatenate([found, foreign])
    scaler = StandardScaler().fit(rows)
    labels = np.concatenate([answerable, np.zeros(len(foreign), bool)])
    shares = np.concatenate([np.ones(len(found)), np.full(len(foreign), FOREIGN_WEIGHT)])
    model = LogisticRegression(C=1.0).fit(scaler.transform(rows), labels, sample_weight=shares)
    weights = model.coef_[0] / scaler.scale_
    log_odds = (found - scaler.mean_) @ weights
    scaled = LogisticRegression(C=1e6).fit(log_odds[:, None], answerable)
    slope = float(scaled.coef_[0, 0])
    return Fit(slope * weights, float(scaled.intercept_[0]) - slope * float(scaler.mean_ @ weights))


def fit_sets(sets: Sequence[Set], masks: Sequence[Bools]) -> Fit:
    """The fit to those questions of each set that its mask (n) takes, and their like asked elsewhere."""
    foreign = [one.foreign[:, mask[one.answerable]].reshape(-1, 3) for one, mask in zip(sets, masks, strict=True)]
    found = [one.signals[mask] for one, mask in zip(sets, masks, strict=True)]
    answerable = [one.answerable[mask] for one, mask in zip(sets, masks, strict=True)]
    return fit(np.concatenate(found), np.concatenate(answerable), np.concatenate(foreign))


def set_left_out(sets: Mapping[str, Set]) -> Scores:
    """The probability of each question by the fit to the other sets."""
    others = {name: [one for other, one in sets.items() if other != name] for name in sets}
    whole = {name: [np.ones(len(one.answerable), bool) for one in some] for name, some in others.items()}
    return {name: fit_sets(others[name], whole[name]).probability(one.signals) for name, one in sets.items()}


def questions_left_out(sets: Mapping[str, Set]) -> Scores:
    """The probability of each question by fits that have not seen it, the mean of SEEDS ways to part the sets."""
    summed = {name: np.zeros(len(one.answerable)) for name, one in sets.items()}
    for seed in range(SEEDS):
        draw = np.random.default_rng(seed)
        folds = {name: parted(one.answerable, draw) for name, one in sets.items()}
        for fold in range(FOLDS):
            found = fit_sets(list(sets.values()), [folds[name] != fold for name in sets])
            for name, one in sets.items():
                out = folds[name] == fold
                summed[name][out] += found.probability(one.signals[out]) / SEEDS
    return summed


def parted(answerable: Bools, draw: np.random.Generator) -> NDArray[np.int64]:
    """The fold of each question, ``(n,)``; each fold has its share of both classes."""
    folds = np.zeros(len(answerable), np.int64)
    for which in (True, False):
        of_class = draw.permutation(np.flatnonzero(answerable == which))
        folds[of_class] = np.arange(len(of_class)) % FOLDS
    return folds


def declined_where_kept(scores: Floats, answerable: Bools) -> float:
    """The share of unanswerable questions below the threshold that keeps KEPT of the answerable."""
    least = np.quantile(scores[answerable], 1 - KEPT, method="lower")
    return float((scores[~answerable] < least).mean())


def separation(scores: Floats, answerable: Bools) -> float:
    """The area under the ROC curve: how often an answerable question scores more than an unanswerable one."""
    differences = scores[answerable][:, None] - scores[~answerable]
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def interval(scores: Floats, answerable: Bools, figure: Callable[[Floats, Bools], float]) -> tuple[float, float]:
    """95% of what ``figure`` is over questions drawn anew, each class for itself."""
    draw = np.random.default_rng(0)
    classes = [np.flatnonzero(answerable), np.flatnonzero(~answerable)]
    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([draw.choice(of_class, len(of_class)) for of_class in classes])
        found.append(figure(scores[drawn], answerable[drawn]))
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def calibration_error(scores: Floats, answerable: Bools) -> float:
    """The mean distance of probability and share answerable, over BINS bins of equally many questions."""
    bins = np.array_split(np.argsort(scores, kind="stable"), BINS)
    distances = [abs(scores[some].mean() - answerable[some].mean()) * len(some) for some in bins]
    return float(sum(distances) / len(scores))


def figures_of(scores: Floats, answerable: Bools) -> str:
    """Both figures with their intervals."""
    found = []
    for figure in (declined_where_kept, separation):
        low, high = interval(scores, answerable, figure)
        found.append(f"{figure(scores, answerable):.3f} ({low:.3f} to {high:.3f})")
    return "; ".join(found)


def report(title: str, scores: Scores, sets: Mapping[str, Set]) -> None:
    """Prints how well the scores part the classes of each set, and whether they go with the question's length."""
    print(f"\n{title}\n  unanswerable declined where {KEPT:.0%} of the answerable are kept; area under the curve")
    for name, one in sets.items():
        lengths = [float(np.corrcoef(scores[name][of], one.lengths[of])[0, 1]) for of in classes_of(one)]
        figures = figures_of(scores[name], one.answerable)
        print(f"  {name:12} {figures}; with length {lengths[0]:+.2f} and {lengths[1]:+.2f}")
        if one.answered.any():
            labels = one.answerable | one.answered
            print(f"  {'':12} {figures_of(scores[name], labels)}, {one.answered.sum()} more taken for answerable")
    flat, answerable = np.concatenate(list(scores.values())), labels_of(sets)
    print(f"  all sets on one scale: area under the curve {separation(flat, answerable):.3f}")


def report_thresholds(scores: Scores, sets: Mapping[str, Set]) -> None:
    """Prints which share of the answerable and of the unanswerable questions stands below each threshold, how many of
    all do not, and which share of these cannot be answered.
    """
    flat, answerable = np.concatenate(list(scores.values())), labels_of(sets)
    for threshold in np.arange(0.7, 0.99, 0.01):
        rates = [
            " / ".join(f"{(scores[name][of] < threshold).mean():.3f}" for of in classes_of(one))
            for name, one in sets.items()
        ]
        kept = flat >= threshold
        wrong = (~answerable[kept]).mean() if kept.any() else np.nan
        print(f"  {threshold:.2f}  {'  '.join(rates)}  coverage {kept.mean():.3f} error {wrong:.3f}")


def classes_of(one: Set) -> tuple[Bools, Bools]:
    """The answerable and the unanswerable."""
    return one.answerable, ~one.answerable


def labels_of(sets: Mapping[str, Set]) -> Bools:
    """Which are answerable, of all sets one after the other."""
    return np.concatenate([one.answerable for one in sets.values()])


def read_set(
    name: str, gold: str, corpora: Sequence[str], answered: Collection[str], plan: Plan, settings: Settings
) -> Set:
    """The gold set asked of its corpus ``name``, and its answerable questions asked of the other ``corpora``; the ids
    of the questions that are ``answered``, whatever the set says.
    """
    items = read_gold(gold)
    questions = [as_question(item, ordinal) for ordinal, item in enumerate(items)]
    asked, drafts = ask(questions, name, plan, settings)
    answerable = np.array([item.answerable for item in items])
    away = [question for question, is_answerable in zip(questions, answerable, strict=True) if is_answerable]
    others = [other for other in corpora if other != name]
    elsewhere = [as_rows(*ask(away, other, plan, settings), plan, settings) for other in others]
    return Set(
        signals=as_rows(asked, drafts, plan, settings),
        answerable=answerable,
        foreign=np.array(elsewhere).reshape(len(others), len(away), 3),
        today=np.array([evidence_score(one.hits, draft.support) for one, draft in zip(asked, drafts, strict=True)]),
        lengths=np.array([len(question.text) for question in questions], float),
        answered=np.array([item.question_id in answered for item in items]),
    )


def ask(questions: Sequence[Question], corpus: str, plan: Plan, settings: Settings) -> tuple[list[Asked], list[Draft]]:
    """Each question with its hits in what is published of that corpus, and its draft."""
    store = IndexStore(settings.home)
    index = load_index(store, CorpusCache(Lake(settings.home)), live_version(store, plan, corpus), plan)
    models = Models(
        encoder_of(plan, settings),
        pair_scorer(plan.retrieval.rerank, settings.machine),
        wording_writer(plan.retrieval.expand, ModelServer(settings.openai, ReplyCache(Lake(settings.home)))),
        pair_reader(plan.retrieval.reread, settings.machine),
        settings.threads,
    )
    hits = find_hits(questions, index, plan.retrieval, models).hits
    found = {str(at): hits_of_one for at, hits_of_one in enumerate(hits)}
    sections = sections_of(ConvertedCache(Lake(settings.home)), Lake(settings.home), corpus)
    handed = handed_over(found, index, sections, plan.retrieval)
    asked = [Asked(question, handed[str(at)]) for at, question in enumerate(questions)]
    return asked, make_generator(plan, settings).draft(asked)


def encoder_of(plan: Plan, settings: Settings) -> EncodeQuestions:
    """What gives the vectors of questions and of their tokens."""
    return partial(encode_with_tokens, encoder=Encoder(plan.embedding, settings.threads, settings.home))


def as_rows(asked: Sequence[Asked], drafts: Sequence[Draft], plan: Plan, settings: Settings) -> Floats:
    """The signals of each question, in the order of the plan's weights, ``(n, 3)``; zeros where it has no hit."""
    supports = [draft.support for draft in held_against(asked, drafts, encoder_of(plan, settings))]
    rows = [
        (support, *signals(one.hits[0])) if one.hits else (0.0, 0.0, 0.0)
        for one, support in zip(asked, supports, strict=True)
    ]
    return np.array(rows, float).reshape(-1, 3)


def main(home: str, pairs: Sequence[tuple[str, str]], answered: Collection[str]) -> None:
    """Prints the figures, and the line for the plan."""
    plan, settings = load_plan("bidfolio"), load_settings(home=home)
    corpora = list(dict.fromkeys(corpus for corpus, _ in pairs))
    sets = {Path(gold).stem: read_set(corpus, gold, corpora, answered, plan, settings) for corpus, gold in pairs}
    report("today's score", {name: one.today for name, one in sets.items()}, sets)
    judged = {"a gold set left out": set_left_out(sets), "questions left out": questions_left_out(sets)}
    for title, scores in judged.items():
        report(title, scores, sets)
        flat = np.concatenate(list(scores.values()))
        print(f"  expected calibration error {calibration_error(flat, labels_of(sets)):.3f}; below a threshold")
        report_thresholds(scores, sets)
    found = fit_sets(list(sets.values()), [np.ones(len(one.answerable), bool) for one in sets.values()])
    print("\nwhat goes with the length of a question asked where nothing answers it")
    for name, one in sets.items():
        lengths = one.lengths[one.answerable]
        told = [f"{np.corrcoef(found.probability(away), lengths)[0, 1]:+.2f}" for away in one.foreign]
        print(f"  {name:12} {', '.join(told)} (n = {len(lengths)})")
    weights = zip(("support", "relevance", "known_words"), found.weights, strict=True)
    line = ", ".join(f"{name}: {round(float(weight), 2)}" for name, weight in weights)
    print(f"\nconfidence: {{{line}, intercept: {found.intercept:.2f}}}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("pairs", nargs="+", metavar="CORPUS=GOLD.jsonl")
    parser.add_argument("--answered", type=Path, metavar="FILE.jsonl")
    given = parser.parse_args()
    lines = given.answered.read_text(encoding="utf-8").splitlines() if given.answered else []
    main(
        given.home,
        [(corpus, gold) for corpus, gold in (pair.split("=", 1) for pair in given.pairs)],
        {json.loads(line)["id"] for line in lines},
    )
