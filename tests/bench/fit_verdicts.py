"""Fits the model that proposes verdicts, and says what each feature is worth.

Run: .venv/bin/python -m tests.bench.fit_verdicts HOME [--out configs/verdicts/bidfolio.json] [--ablation]
         [--learning-curve]

Fitted are all pairs of a yes/no question and a passage that was found for it, of the sets in FITTED and VERDICTS_ALONE
(:mod:`tests.bench.verdict_sets`): a passage settles the question where it shares its words with a quote of the
evidence, and then says the known verdict. The last step, how probable it is that a verdict is right, is fitted on what
the first two say of sets that they were not fitted on; so are the figures that are printed, each corpus' by the others.

The questions to real policies ask for what is denied or partly so more often than questionnaires do: each question is
weighed so that the verdicts of its corpus are as frequent as in the questionnaires of USUAL.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from configs.settings import load_settings
from configs.weights import Linear, VerdictWeights, load_verdict_weights
from tasks.answering.drafts.draft import VERDICTS, Asked
from tasks.answering.generators.extractive import likely_passages
from tasks.answering.pipeline import by_question, find_timed, handed_over
from tasks.answering.verdicts.features import FEATURES, features_of
from tasks.answering.verdicts.model import agreement, joint_probabilities
from tasks.answering.verdicts.reading import VerdictReader
from tasks.embedding.models.dense import encode_passages, encode_questions
from tasks.embedding.models.shards import Encoder
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.safety.injection import without_orders
from tests.bench.verdict_sets import FITTED, VERDICTS_ALONE, VerdictSet, loaded_for, verdict_set

ABOUT = (
    "relevance",
    "similarity",
    "lead",
    "rank",
    "known_words",
    "covered_in_place",
    "uncovered",
    "figures_lacking",
    "figures_met",
    "names_lacking",
    "condition",
    "is_fragment",
)
"""The features that show if a passage settles a question."""
_WHERE_IT_STANDS = frozenset(ABOUT) - {"figures_met", "condition"}
_DOUBTS = frozenset({"cells_differ", "alternative", "opposite"})
"""The features that tell no verdict from another on sets that were not fitted on, but show that it is not plain."""
MEANING = tuple(name for name in FEATURES if name not in _WHERE_IT_STANDS | _DOUBTS)
"""The features that show if a passage that settles a question says yes, no or partly."""
USUAL = ("meridian", "fenwick")
"""The sets with the verdicts of a usual questionnaire."""
STRENGTH_SETTLES, STRENGTH_SAYS, STRENGTH_RIGHT = 0.1, 0.05, 0.1
NOTHING = VerdictWeights(settles=Linear(intercept=0.0, weights={}), says={}, right=Linear(intercept=0.0, weights={}))
"""Weights for a reader that is only asked for readings."""
SAME_SHARE = 0.75
"""A passage that has so many of a quote's words is that quote, cut otherwise."""
DRAWS, SUREST = 10, 0.3
Matrix = NDArray[np.float64]


class Labelled(NamedTuple):
    """A yes/no question: its passages' features (n, k), which of them are evidence (n,), and the true verdict; "" where
    nothing answers it.
    """

    set_name: str
    question: str
    features: Matrix
    is_evidence: NDArray[np.bool_]
    truth: str
    quotes: tuple[str, ...]
    weight: float = 1.0


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


def is_quoted(passage: str, quotes: Sequence[str]) -> bool:
    """Tell if the passage holds one of the evidence's quotes, lies in one, or has most of its words."""
    said = _folded(passage)
    words = set(said.split())
    for quote in map(_folded, quotes):
        wanted = set(quote.split())
        is_same = len(wanted) > 3 and len(wanted & words) >= SAME_SHARE * len(wanted)
        if quote in said or (len(words) > 3 and said in quote) or is_same:
            return True
    return False


def labelled(of: VerdictSet, home: str) -> list[Labelled]:
    """The yes/no questions of a set, each with the passages that are found for it."""
    loaded, plan = loaded_for(of, home)
    wanted = [
        (item, question)
        for item, question in zip(of.items, of.questions, strict=True)
        if question.kind == "yes_no" and (item.verdict or not item.answerable)
    ]
    questions = [question for _, question in wanted]
    found, _ = find_timed(questions, loaded)
    hits = handed_over(by_question(questions, found.hits), loaded.index, loaded.sections, plan.retrieval)
    asked = [Asked(one, without_orders(hits[one.question_id], plan.retrieval.top_k)[0]) for one in questions]
    settings = load_settings(home=home)
    encoder = Encoder(plan.embedding, settings.threads, settings.home)
    encode = partial(encode_passages, encoder=encoder)
    likely = likely_passages(asked, partial(encode_questions, encoder=encoder), encode)
    passages = [[one.passage for one in found] for found in likely]
    reader = VerdictReader(NOTHING, encode, pair_reader(plan.retrieval.reread, settings.machine))
    readings = reader.read(asked, passages)
    return [
        Labelled(
            of.name,
            item.question,
            np.array([features_of(one) for one in some]).reshape(-1, len(FEATURES)),
            np.array([is_quoted(one.matched_text, of.quotes.get(item.question_id, ())) for one in given], bool),
            (item.verdict or "") if item.answerable else "",
            tuple(one.quote for one in given),
        )
        for (item, _), some, given in zip(wanted, readings, passages, strict=True)
    ]


def as_usual(rows: Mapping[str, Sequence[Labelled]]) -> dict[str, list[Labelled]]:
    """The rows of each corpus, weighed so that their verdicts are as frequent as in the sets of USUAL.

    They are left as they are where those sets are not among them.
    """
    usual = Counter(row.truth for some in rows.values() for row in some if row.set_name in USUAL)
    found: dict[str, list[Labelled]] = {}
    for name, some in rows.items():
        own = Counter(row.truth for row in some)
        share = {truth: usual[truth] / usual.total() * len(some) / own[truth] for truth in own if usual[truth]}
        found[name] = [row._replace(weight=share.get(row.truth, 1.0)) for row in some]
    return found


def linear(features: Matrix, labels: Any, strength: float, weights: Matrix) -> tuple[list[Any], Matrix, Matrix]:
    """The classes, weights (classes or 1, k) and intercepts of a logistic regression on standardised features, told in
    the features as they are. ``weights`` are those of the n samples, (n,).
    """
    scaler = StandardScaler().fit(features, sample_weight=weights)
    fitted = LogisticRegression(C=strength, max_iter=5000)
    fitted.fit(scaler.transform(features), labels, sample_weight=weights)
    of_features = fitted.coef_ / scaler.scale_
    return list(fitted.classes_), of_features, fitted.intercept_ - of_features @ scaler.mean_


def named(weights: Matrix, intercept: float, names: Sequence[str]) -> Linear:
    """The weights by their features' names; those of features that never vary are left out."""
    kept = {name: round(float(one), 5) for name, one in zip(names, weights, strict=True) if abs(one) > 1e-6}
    return Linear(intercept=round(float(intercept), 5), weights=kept)


def first_steps(rows: Sequence[Labelled], without: frozenset[str] = frozenset()) -> VerdictWeights:
    """The first two steps, fitted on the rows; the last one says nothing."""
    names = list(FEATURES)
    features = np.vstack([row.features for row in rows])
    about = features * np.array([name in ABOUT and name not in without for name in names])
    meant = features * np.array([name in MEANING and name not in without for name in names])
    settles = np.concatenate([row.is_evidence & (row.truth in VERDICTS) for row in rows])
    said = np.concatenate([np.full(len(row.features), row.truth) for row in rows])
    weighed = np.concatenate([np.full(len(row.features), row.weight) for row in rows])
    _, weights, intercepts = linear(about, settles, STRENGTH_SETTLES, weighed)
    of_settles = named(weights[0], intercepts[0], names)
    classes, weights, intercepts = linear(meant[settles], said[settles].tolist(), STRENGTH_SAYS, weighed[settles])
    says = {verdict: named(weights[at], intercepts[at], names) for at, verdict in enumerate(classes)}
    return VerdictWeights(settles=of_settles, says=says, right=Linear(intercept=0.0, weights={}))


class Judged(NamedTuple):
    """What was proposed for a question, and the features of how probable it is that it is right."""

    row: Labelled
    verdict: str
    at: int
    features: Matrix

    @property
    def is_right(self) -> bool:
        """Tell if the proposed verdict is the true one."""
        return self.verdict == self.row.truth


def judged(rows: Sequence[Labelled], weights: VerdictWeights) -> list[Judged]:
    """What the first two steps make of the rows that have passages."""
    found = []
    for row in rows:
        if len(row.features):
            joint = joint_probabilities(row.features, weights)
            at, said = np.unravel_index(int(joint.argmax()), joint.shape)
            told = np.array([*agreement(joint, row.features).values()])
            found.append(Judged(row, VERDICTS[int(said)], int(at), told))
    return found


def right(rows: Sequence[Judged]) -> Linear:
    """The last step, fitted on what was proposed."""
    names = list(agreement(np.array([[0.5, 0.2, 0.1]]), np.zeros((1, len(FEATURES)))))
    _, weights, intercepts = linear(
        np.array([one.features for one in rows]),
        [one.is_right for one in rows],
        STRENGTH_RIGHT,
        np.array([one.row.weight for one in rows]),
    )
    return named(weights[0], intercepts[0], names)


def probability(one: Judged, of: Linear) -> float:
    """How probable it is by the last step that a proposal is right."""
    names = list(agreement(np.array([[0.5, 0.2, 0.1]]), np.zeros((1, len(FEATURES)))))
    score = of.intercept + sum(of.weights.get(name, 0.0) * x for name, x in zip(names, one.features, strict=True))
    return float(1 / (1 + np.exp(-np.clip(score, -30, 30))))


def curve(title: str, shown: Sequence[tuple[float, bool]]) -> None:
    """Prints how many are right among the surest of each share."""
    ranked = sorted(shown, key=lambda one: -one[0])
    parts = []
    for share in (0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0):
        count = max(1, round(share * len(ranked)))
        correct = sum(is_right for _, is_right in ranked[:count])
        parts.append(f"{share:.0%}: {correct / count:.2f} (from {ranked[count - 1][0]:.2f})")
    print(f"{title}, n {len(ranked)}: {'; '.join(parts)}")
    from_on = [
        (least, [is_right for sure, is_right in ranked if sure >= least]) for least in (0.95, 0.92, 0.9, 0.88, 0.85)
    ]
    print(f"    right from {', '.join(f'{least}: {sum(some)} of {len(some)}' for least, some in from_on)}")


def main() -> None:
    """Fits, prints what is right by how sure it is, and writes the weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("--out")
    parser.add_argument("--sets", nargs="+", default=[*FITTED, *VERDICTS_ALONE])
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--learning-curve", action="store_true")
    options = parser.parse_args()
    by_corpus: dict[str, list[Labelled]] = {}
    for name in options.sets:
        of_name = verdict_set(name, options.home)
        by_corpus.setdefault(of_name.corpus, []).extend(labelled(of_name, options.home))
    rows = as_usual(by_corpus)
    pairs = sum(len(row.features) for some in rows.values() for row in some)
    print(f"{sum(map(len, rows.values()))} questions, {pairs} pairs of a question and a passage")
    apart: dict[str, list[Judged]] = {}
    for name in rows:
        others = [row for other, some in rows.items() if other != name for row in some]
        apart[name] = judged(rows[name], first_steps(others))
    shown: list[tuple[float, bool]] = []
    for name, mine in apart.items():
        of = right([one for other, some in apart.items() if other != name for one in some])
        by_others = [(probability(one, of), one.is_right) for one in mine]
        curve(name, by_others)
        shown += by_others
    curve("all", shown)
    of_right = right([one for some in apart.values() for one in some])
    if options.ablation:
        ablation(rows)
    if options.learning_curve:
        learning_curve(rows)
    if options.out:
        known = {"right": of_right, "replies": load_verdict_weights("bidfolio").replies}
        weights = first_steps([row for some in rows.values() for row in some]).model_copy(update=known)
        Path(options.out).parent.mkdir(exist_ok=True)
        Path(options.out).write_text(json.dumps(weights.model_dump(), indent=1) + "\n", encoding="utf-8")
        print(f"→ {options.out}")


def learning_curve(rows: dict[str, list[Labelled]]) -> None:
    """Prints what is right of sets that were not fitted on, by how many questions of the others were."""
    for share in (0.25, 0.5, 0.75, 1.0):
        of_all: list[float] = []
        of_surest: list[float] = []
        fitted_on: list[int] = []
        for seed in range(DRAWS if share < 1 else 1):
            draw = np.random.default_rng(seed)
            shown: list[tuple[float, bool]] = []
            for name, mine in rows.items():
                others = [row for other, some in rows.items() if other != name for row in some]
                kept = [others[at] for at in draw.permutation(len(others))[: round(share * len(others))]]
                steps = first_steps(kept)
                of = right(judged(kept, steps))
                shown += [(probability(one, of), one.is_right) for one in judged(mine, steps)]
                fitted_on.append(len(kept))
            ranked = [is_right for _, is_right in sorted(shown, key=lambda one: -one[0])]
            of_all.append(float(np.mean(ranked)))
            of_surest.append(float(np.mean(ranked[: round(SUREST * len(ranked))])))
        fitted, all_right, surest = (float(np.mean(some)) for some in (fitted_on, of_all, of_surest))
        print(f"{fitted:.0f} questions: right {all_right:.3f}, of the surest {SUREST:.0%} {surest:.3f}")


def ablation(rows: dict[str, list[Labelled]]) -> None:
    """Prints by how much the log loss of each step rises on sets apart where a feature is left out."""
    whole = losses(rows, frozenset())
    print(f"log loss: settles {whole[0]:.4f}, says {whole[1]:.4f}; without")
    for name in FEATURES:
        settles, says = losses(rows, frozenset({name}))
        print(f"  {name}: {settles - whole[0]:+.4f}, {says - whole[1]:+.4f}")


def losses(rows: dict[str, list[Labelled]], without: frozenset[str]) -> tuple[float, float]:
    """The mean log loss of the first two steps, each set's by the others."""
    settles, says = [], []
    for name, mine in rows.items():
        weights = first_steps([row for other, some in rows.items() if other != name for row in some], without)
        for row in mine:
            if not len(row.features):
                continue
            joint = joint_probabilities(row.features, weights)
            is_settled = row.is_evidence & (row.truth in VERDICTS)
            settles += [*zip(is_settled, joint.sum(axis=1), strict=True)]
            if row.truth in VERDICTS:
                of_truth = joint[is_settled, VERDICTS.index(row.truth)]
                says += [*(of_truth / joint[is_settled].sum(axis=1))]
    labels, given = zip(*settles, strict=True)
    return float(log_loss(labels, given)), float(-np.log(np.clip(says, 1e-9, 1)).mean())


if __name__ == "__main__":
    main()
