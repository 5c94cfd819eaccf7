"""Drift of questions: does a questionnaire ask about other topics than earlier ones, or find no evidence more often?

Questions of one questionnaire belong together, so a test over single questions finds a difference in nearly every new
questionnaire. A warning therefore needs a difference that is more than chance over questions *and* more than that of
any earlier questionnaire from the others: with r of those, about one in r + 1 questionnaires that is like them still
gets a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.quality.findings import Finding

SUITE = "drift"
TOPICS = "expect_same_topics", "topics", "the questions are about what earlier questionnaires were about"
RATE = "expect_same_rate", "no_context_rate", "the documents are silent on as many questions as before"
"""Expectations, with the column and what must hold."""
_FARTHEST = "farthest from all before: "
LEAST_QUESTIONS = 10
LEAST_EARLIER = 3
LEVEL = 0.01
PERMUTATIONS = 999
SEED = 0
SHOWN, CHARACTERS = 3, 80
"""Number of the most unusual questions that are named, and the number of characters shown of each."""
SILENT = frozenset({"no_evidence", "weak_evidence"})
"""Reasons to decline because the documents say nothing on the question, or only come near."""

Matrix = NDArray[np.float32]


class Questionnaire(NamedTuple):
    """The questions of one run: wording, ids of their ``texts``, unit ``vectors`` (m, n), and how many had no evidence.

    The ids identify two runs over the same questionnaire. ``silent`` is the number of questions that the documents were
    silent on.
    """

    questions: Sequence[str]
    texts: frozenset[str]
    vectors: Matrix
    silent: int

    @property
    def silent_rate(self) -> float:
        """The share of the questions that the documents were silent on. Needs at least one question."""
        return self.silent / len(self.questions)


class Topics(NamedTuple):
    """Difference in topics between two sets of questions: the energy coefficient in [0, 1], and its p value.

    p is for the hypothesis that both are drawn from the same distribution.
    """

    distance: float
    p: float


def drift_findings(now: Questionnaire, earlier: Sequence[Questionnaire]) -> list[Finding]:
    """Compare a questionnaire with ``earlier`` ones: its topics, and the share of questions without evidence.

    Fewer than LEAST_QUESTIONS questions, or fewer than LEAST_EARLIER questionnaires of that many, are not judged; the
    finding has the reason. ``earlier`` are all different questionnaires.
    """
    others = [one for one in earlier if len(one.questions) >= LEAST_QUESTIONS]
    if len(now.questions) < LEAST_QUESTIONS:
        too_few = f"{len(now.questions)} questions are too few: {LEAST_QUESTIONS} are needed"
        return [_told(of, "", too_few, strange=False) for of in (TOPICS, RATE)]
    if not others:
        none = f"no earlier questionnaire of this corpus has {LEAST_QUESTIONS} questions"
        return [_told(of, "", none, strange=False) for of in (TOPICS, RATE)]
    few = len(others) < LEAST_EARLIER
    reason = f"; not judged: {LEAST_EARLIER} earlier questionnaires are needed, there are {len(others)}" if few else ""
    return [_of_topics(now, others, reason), _of_rate(now, others, reason)]


def told_plainly(finding: Finding) -> str:
    """The warning of a finding that failed, for a person who answers questionnaires; the figures are in the finding."""
    if finding.column_name == RATE[1]:
        counts = finding.observed.removeprefix("not so: ").rpartition(", p ")[0]
        return f"the documents are silent on {counts}: see if documents are missing, or the wrong ones are searched"
    examples = finding.observed.rpartition(_FARTHEST)[2]
    return f"it asks about other things than earlier questionnaires, such as {examples}: look at its answers closely"


def topics(now: Matrix, earlier: Matrix, permutations: int = PERMUTATIONS) -> Topics:
    """The energy coefficient H of Székely and Rizzo (2013) between the rows of both, and its permutation p value.

    Distances are Euclidean; p is the share of the ``permutations`` of the rows with at least the same energy. Both need
    at least one row.
    """
    both = np.concatenate([now, earlier]).astype(np.float64)
    squares = np.einsum("ij,ij->i", both, both)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * both @ both.T, 0))
    np.fill_diagonal(distances, 0)
    weights = np.concatenate([np.full(len(now), 1 / len(now)), np.full(len(earlier), -1 / len(earlier))])
    rng = np.random.default_rng(SEED)
    drawn = np.stack([weights, *(rng.permutation(weights) for _ in range(permutations))], axis=1)
    energies = -np.einsum("ij,ij->j", drawn, distances @ drawn)
    between = 2 * float(distances[: len(now), len(now) :].mean())
    # Permutations with the same energy may differ by rounding.
    as_far = int((energies[1:] >= energies[0] - 1e-12).sum())
    return Topics(max(0.0, energies[0] / between) if between else 0.0, (1 + as_far) / (1 + permutations))


def _of_topics(now: Questionnaire, others: Sequence[Questionnaire], reason: str) -> Finding:
    pool = np.concatenate([one.vectors for one in others])
    found = topics(now.vectors, pool)
    usual = None
    for at, one in enumerate(others if len(others) > 1 else ()):
        rest = np.concatenate([other.vectors for number, other in enumerate(others) if number != at])
        usual = max(usual or 0.0, topics(one.vectors, rest, permutations=0).distance)
    strange = found.p <= LEVEL and usual is not None and found.distance > usual
    said = f"distance {found.distance:.3f} ({_p(found.p)})"
    said += "" if usual is None else f", that of earlier questionnaires to each other at most {usual:.3f}"
    nearest = (now.vectors @ pool.T).max(axis=1)
    farthest = [now.questions[at] for at in np.argsort(nearest, kind="stable")[:SHOWN]]
    quoted = [repr(shorten(question, CHARACTERS, placeholder=" …")) for question in farthest]
    said += f"; {_FARTHEST}{', '.join(quoted)}"
    return _told(TOPICS, said, reason, strange=strange)


def _of_rate(now: Questionnaire, others: Sequence[Questionnaire], reason: str) -> Finding:
    silent, asked = sum(one.silent for one in others), sum(len(one.questions) for one in others)
    rates = [one.silent_rate for one in others]
    table = [[now.silent, len(now.questions) - now.silent], [silent, asked - silent]]
    from scipy.stats import fisher_exact  # a second: not for those who have nothing to compare

    p = float(fisher_exact(table).pvalue)
    strange = p <= LEVEL and not min(rates) <= now.silent_rate <= max(rates)
    said = (
        f"{now.silent} of {len(now.questions)} ({now.silent_rate:.0%}), before {silent} of {asked} "
        f"({silent / asked:.0%}; {min(rates):.0%} to {max(rates):.0%}), {_p(p)}"
    )
    return _told(RATE, said, reason, strange=strange)


def _told(of: tuple[str, str, str], said: str, reason: str, *, strange: bool) -> Finding:
    """Build a finding; it is not judged if there is a ``reason``."""
    expectation, column, wanted = of
    passed, strange = None if reason else not strange, strange and not reason
    observed = f"{'not so: ' if strange else ''}{said}{reason}"
    return Finding(SUITE, expectation, column, "warning", passed, wanted, observed)


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"
