"""Fits the model of entailment on one gold set with its replies, and judges it on another.

Run: .venv/bin/python -m tests.bench.entailment_fit HOME CORPUS FIT.jsonl=REPLIES.jsonl JUDGE.jsonl=REPLIES.jsonl [OUT]

Right replies and faults are those of ``generated_answers``, sentence by sentence, each beside the passages that hold
the evidence, which are put in where they were not handed over. Pairs of ``tests/data/entailment.jsonl`` are fitted with
them. The logistic regression is held to the sign that each feature has by its meaning; both labels weigh the same. The
thresholds are those of the set that it was fitted on: at most FAULTS of its faults unmarked, and RIGHT of its right
sentences left out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from configs.plans import load_plan
from configs.settings import load_settings
from configs.weights import Entailing
from tasks.answering.decision.grounding import pairs_of
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.entailment.claims import sentences_of
from tasks.answering.entailment.labels import Opinions, tokens_of
from tasks.answering.entailment.model import features_of, probability
from tasks.answering.quotes.passages import best_quote
from tasks.embedding.models.dense import encode_with_tokens
from tasks.embedding.models.shards import Encoder
from tasks.records import Hit, Question
from tests.bench.generated_answers import Case, all_cases, faulty, right
from tests.made.chunks import chunk_of
from tests.made.drafts import label

PAIRS = Path(__file__).parents[1] / "data" / "entailment.jsonl"
FOR = frozenset(("share", "least_claim", "verbatim", "soft_min_of_4", "cosine"))
"""The features that speak for a sentence; all others speak against it."""
PENALTY = 20.0
"""Of the squared weights, over features of unit variance."""
PAIRS_WEIGH = 2.0
FAULTS, RIGHT = 0.01, 0.01
LEAST_SHARE, LEAST_IN_ORDER = 0.25, 0.8


class Row(NamedTuple):
    """A sentence that is weighed, with its features; None where a figure or a name of it stands nowhere."""

    is_right: bool
    kind: str
    features: Mapping[str, float] | None
    weight: float = 1.0


def main(home: str, corpus: str, fit: str, judge: str, out: str = "") -> None:
    """Prints what a model that was fitted on either set makes of the other, and writes the first to ``out``."""
    plan, settings = load_plan("bidfolio"), load_settings(home=home)
    encode = partial(encode_with_tokens, encoder=Encoder(plan.embedding, settings.threads, settings.home))
    opinions = Opinions(tokens=encode)
    sets = (one.split("=", 1) for one in (fit, judge))
    report_phenomena(opinions)
    cases = [all_cases(gold, replies, corpus, plan, settings) for gold, replies in sets]
    fitted, judged = (rows_of(some, opinions) for some in cases)
    pairs = pair_rows(opinions)
    entailing = with_thresholds(fit_rows([*fitted, *pairs]), fitted)
    report("the pairs, fitted with it", pairs, entailing)
    report(f"fitted on {fit}, judged on {judge}", judged, entailing)
    report(f"fitted on {judge}, judged on {fit}", fitted, with_thresholds(fit_rows([*judged, *pairs]), judged))
    if out:
        Path(out).write_text(yaml.safe_dump(entailing.model_dump(), sort_keys=False), encoding="utf-8")


def rows_of(cases: Iterable[Case], opinions: Opinions) -> list[Row]:
    """The sentences of right replies, and the wrong ones of faulty replies."""
    return [row for case in cases for row in _rows(case, opinions)]


def _rows(case: Case, opinions: Opinions) -> list[Row]:
    """All sentences of a case are held against its passages at once, as one long draft."""
    told: dict[tuple[bool, str], str] = {}
    for given in [*right([case]), *faulty([case])]:
        for sentence in sentences_of(given.text):
            if not given.wrong or sentence.text in given.wrong:
                told.setdefault((not given.wrong, sentence.text), given.kind)
    text = "\n".join(text for _, text in told)
    cited = tuple(quote for n in case.cited if (quote := best_quote(text, case.hits[n - 1])))
    pairs = pairs_of(Asked(case.question, case.hits), Draft(text, None, cited, 0.0))
    tokens = tokens_of(pairs, opinions)
    by_text = {one.sentence.text: one for one in pairs}
    rows: list[Row] = []
    for (is_right, sentence_text), kind in told.items():
        one = by_text.get(sentence_text)
        if one is None or not (one.lacks or one.findings):
            continue
        if one.lacks:
            rows.append(Row(is_right, kind, None))
        elif one.sources:
            rows.append(Row(is_right, kind, features_of(sentence_text, one.findings, one.sources, tokens)))
        else:
            rows.append(Row(is_right, kind, {"verbatim": 1.0}, 0.0))
    return rows


def read_pairs() -> list[dict[str, str]]:
    """The pairs of a premise and a claim, with a label and a phenomenon each."""
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def report_phenomena(opinions: Opinions) -> None:
    """Prints, by phenomenon, how many claims that are borne out are labelled so, marked for a person and left out, and
    how many that are not.
    """
    told: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for pair in read_pairs():
        found = label(pair["premise"], pair["claim"], opinions)
        became = "left out" if found.is_refuted else "kept" if found.label == "entailment" else "marked"
        for phenomenon in (pair["phenomenon"], "all"):
            told[phenomenon][pair["label"]][became] += 1
    for phenomenon, by_label in sorted(told.items()):
        shown = (f"{name} {dict(counts)}" for name, counts in sorted(by_label.items()))
        print(f"  {phenomenon:28} {'; '.join(shown)}")


def pair_rows(opinions: Opinions) -> list[Row]:
    """The pairs of a premise and a claim."""
    found: list[Row] = []
    for pair in read_pairs():
        hit = Hit("q", 1, chunk_of(pair["premise"], file_name="1.pdf", page_number=1), 1.0, 0.9, 0.5, 0.9)
        quote = best_quote(pair["claim"], hit)
        draft = Draft(pair["claim"], None, (quote,) if quote else (), 0.0)
        pairs = pairs_of(Asked(Question("q", 0, "What do you do?"), [hit]), draft)
        tokens = tokens_of(pairs, opinions)
        found += [
            Row(
                pair["label"] == "borne_out",
                pair["phenomenon"],
                features_of(one.sentence.text, one.findings, one.sources, tokens),
                PAIRS_WEIGH,
            )
            for one in pairs
            if one.sources
        ]
    return found


def fit_rows(rows: Sequence[Row]) -> Entailing:
    """The weights, of features as they are."""
    rows = [row for row in rows if row.features and row.weight]
    names = [name for name in rows[0].features or {} if name != "in_order"]
    x = np.array([[(row.features or {})[name] for name in names] for row in rows])
    y = np.array([float(row.is_right) for row in rows])
    balance = np.where(y == 1, (y == 0).sum() / (y == 1).sum(), 1.0) * [row.weight for row in rows]
    mean, deviation = x.mean(axis=0), x.std(axis=0) + 1e-6
    z = (x - mean) / deviation

    def loss(given: Any) -> tuple[float, Any]:
        weights, intercept = given[:-1], given[-1]
        p = 1 / (1 + np.exp(-np.clip(z @ weights + intercept, -30, 30)))
        value = -(balance * (y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))).sum()
        slope = balance * (p - y)
        return value + PENALTY / 2 * (weights**2).sum(), np.append(z.T @ slope + PENALTY * weights, slope.sum())

    bounds = [(0, None) if name in FOR else (None, 0) for name in names] + [(None, None)]
    best = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = best[:-1] / deviation
    return Entailing(
        drop_below=0.0,
        keep_above=1.0,
        least_share=LEAST_SHARE,
        least_in_order=LEAST_IN_ORDER,
        intercept=round(float(best[-1] - mean @ weights), 4),
        weights={name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)},
        typical={name: round(float(value), 4) for name, value in zip(names, mean, strict=True)},
    )


def _probabilities(rows: Sequence[Row], entailing: Entailing, *, is_right: bool, sure: bool = False) -> Any:
    """Of each row; 0 of those without features, 1 of what stands in a source letter by letter. With ``sure`` 0 of what
    has not the order of its source, too.
    """

    def one(row: Row) -> float:
        if row.features is None or (row.weight and row.features["share"] < entailing.least_share):
            return 0.0
        if sure and row.weight and row.features["in_order"] < entailing.least_in_order:
            return 0.0
        return probability(row.features, entailing) if row.weight else 1.0

    return np.array([one(row) for row in rows if row.is_right == is_right])


def with_thresholds(entailing: Entailing, rows: Sequence[Row]) -> Entailing:
    """With the thresholds that the rows give."""
    keep = np.quantile(_probabilities(rows, entailing, is_right=False, sure=True), 1 - FAULTS)
    good = _probabilities(rows, entailing, is_right=True)
    drop = np.quantile(good[good > 0], RIGHT)
    return entailing.model_copy(update={"drop_below": round(float(drop), 4), "keep_above": round(float(keep), 4)})


def report(name: str, rows: Sequence[Row], entailing: Entailing) -> None:
    """Prints what becomes of right and wrong sentences."""
    good, bad = (_probabilities(rows, entailing, is_right=one) for one in (True, False))
    labels = np.concatenate([np.ones(len(good)), np.zeros(len(bad))])
    print(f"{name}: AUC {roc_auc_score(labels, np.concatenate([good, bad])):.3f}")
    for what, found in (("right", good), ("wrong", bad)):
        sure = _probabilities(rows, entailing, is_right=what == "right", sure=True)
        kept, dropped = (sure >= entailing.keep_above).mean(), (found < entailing.drop_below).mean()
        print(f"  {what} {len(found)}: kept {kept:.1%}, marked {1 - kept - dropped:.1%}, left out {dropped:.1%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
