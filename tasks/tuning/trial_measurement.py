"""Measurement of one configuration: the ranks, the answer and the embedding triad for each question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.answering.audit.log import Settled
from tasks.answering.pipeline import Drafting, answer_found, by_question
from tasks.evaluation.gold.outcomes import RANKS, Outcome, cluster_of, outcome_of
from tasks.evaluation.judges.cases import Case, limits, with_verdict
from tasks.evaluation.judges.lexical import LexicalJudge
from tasks.evaluation.metrics.ranking import reciprocal_rank, success
from tasks.evaluation.metrics.rouge import rouge1_recall
from tasks.records import Answer, GoldQuestion, Hit, Question, content_id
from tasks.schemas.evaluation import GRID_MEASURES
from tasks.storage.stage_cache import StageCache

GRID_COLUMNS = tuple(field.name for field in GRID_MEASURES)
Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Matrix]


class Encoders(NamedTuple):
    """Functions that give the unit vectors of questions, of answers, and of chunks (by their searched text)."""

    questions: Encode
    answers: Encode
    chunks: Encode


class Triad(NamedTuple):
    """The three similarities of the embedding triad, each in [0, 1], which needs no known answers.

    König 2025 has a language model judge the three sides of his RAG triad. Here they are cosines of the plan's own
    model, so that no server is needed; of several contexts the nearest counts, as his maximum does. The last two are
    None without an answer, which differs from an answer that is far from everything.
    """

    context_relevance: float
    groundedness: float | None
    answer_relevance: float | None

    @property
    def mean(self) -> float | None:
        """The mean of the three similarities; None if any is None."""
        if self.groundedness is None or self.answer_relevance is None:
            return None
        return (self.context_relevance + self.groundedness + self.answer_relevance) / 3


def embedding_triad(question: Vector, contexts: Matrix, answer: Vector | None) -> Triad:
    """The triad of unit vectors: of a question (n,), its contexts (m, n), and its answer (n,).

    Without contexts their sides are 0. A negative cosine counts as 0.
    """
    has_context = len(contexts) > 0
    return Triad(
        _share((contexts @ question).max()) if has_context else 0.0,
        None if answer is None else _share((contexts @ answer).max()) if has_context else 0.0,
        None if answer is None else _share(answer @ question),
    )


def _share(cosine: Any) -> float:
    return min(1.0, max(0.0, float(cosine)))


class TrialCache(StageCache):
    """The measured trials of a home by key, and the grid runs that began and did not end."""

    def put(self, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Store the rows of a trial."""
        table = pa.Table.from_pylist(list(rows), schema=pa.schema(GRID_MEASURES))
        self._lake.put_table(table, "cache", "trials", f"{key}.parquet")

    def get(self, key: str) -> list[dict[str, Any]] | None:
        """The stored rows of a trial, or None."""
        table = self._lake.get_table("cache", "trials", f"{key}.parquet")
        return None if table is None else table.to_pylist()

    def begin(self, keys: Sequence[str], run_id: str) -> str | None:
        """Record that the run measures these trials; the id of an earlier run that began the same and did not end."""
        begun: str | None = (self.get_json(*_grid(keys)) or {}).get("run_id")
        self.put_json({"run_id": run_id}, *_grid(keys))
        return begun

    def end(self, keys: Sequence[str]) -> None:
        """Record that all these trials are measured."""
        self.put_json({}, *_grid(keys))


def _grid(keys: Sequence[str]) -> tuple[str, ...]:
    return "cache", "trials", f"{content_id('grid', *keys)}.json"


def measured(
    gold: Sequence[GoldQuestion],
    asked: Sequence[Question],
    found: Sequence[Sequence[Hit]],
    drafting: Drafting,
    encoders: Encoders,
) -> list[dict[str, Any]]:
    """Answer each question from its ``found`` hits and measure the result: a row of GRID_MEASURES each, in order.

    ``gold`` and ``asked`` are the same questions. No questions give no rows.
    """
    settled = [one for one, _ in answer_found(asked, by_question(asked, found), drafting)]
    triads = _triads(settled, encoders)
    return [
        _row(item, hits, one.answer, triad) for item, hits, one, triad in zip(gold, found, settled, triads, strict=True)
    ]


def measured_without_context(
    gold: Sequence[GoldQuestion], answers: Sequence[Answer], encoders: Encoders
) -> list[dict[str, Any]]:
    """Measure answers that were given without any context: a row of GRID_MEASURES each, in the questions' order.

    Figures of pages, citations and contexts are None. No questions give no rows.
    """
    questions = encoders.questions([item.question for item in gold])
    texts = [answer.text for answer in answers if answer.text]
    vectors = dict(zip(texts, encoders.answers(texts), strict=True))
    none = np.zeros((0, questions.shape[1]), np.float32)
    rows = []
    for item, question, answer in zip(gold, questions, answers, strict=True):
        relevance = embedding_triad(question, none, vectors.get(answer.text or "")).answer_relevance
        rows.append(dict.fromkeys(GRID_COLUMNS) | _known(item, answer) | {"answer_relevance": relevance})
    return rows


def correctness(outcome: Outcome) -> float | None:
    """Score the answer: 1 if right, 0 if wrong, None if unknown or if the answer failed.

    Right is an answer whose first citation is on a gold page and whose verdict, if any, does not differ from the known
    verdict; if no gold page is known, an answer with the known verdict; and declining an unanswerable question. Unknown
    if neither page nor verdict is known.
    """
    gold = outcome.gold
    if not gold.is_labelled or outcome.status == "failed":
        return None
    if not gold.answerable:
        return float(outcome.declined)
    if not outcome.gold_pages:
        return None if gold.verdict is None else float(outcome.verdict == gold.verdict)
    says_another = None not in (gold.verdict, outcome.verdict) and outcome.verdict != gold.verdict
    return float(not outcome.declined and bool(outcome.cites_gold_page()) and not says_another)


def _row(gold: GoldQuestion, hits: Sequence[Hit], answer: Answer, triad: Mapping[str, float | None]) -> dict[str, Any]:
    outcome = outcome_of(gold, hits, answer)
    return {
        **_known(gold, answer),
        "first_rank": outcome.first_rank,
        "page_recall_at_5": success(outcome.pages, outcome.gold_pages, 5),
        "page_mrr_at_10": reciprocal_rank(outcome.pages, outcome.gold_pages, RANKS),
        "correctness": correctness(outcome),
        **triad,
    }


def _known(gold: GoldQuestion, answer: Answer) -> dict[str, Any]:
    """The question, how it ended, and the scores of the answer's text against the known answer.

    Both scores are None if there is no known answer, or if the answer failed.
    """
    row = {
        "question_id": gold.question_id,
        "answerable": gold.answerable if gold.is_labelled else None,
        "cluster": cluster_of(gold),
        "status": answer.status,
        "failure": answer.detail if answer.status == "failed" else None,
        "rouge1_recall": None,
        "points_lexical": None,
    }
    if not gold.answer or not gold.answerable or answer.status == "failed":
        return row
    said = with_verdict(answer.verdict, answer.text)
    case = Case(gold.question, (), said, with_verdict(gold.verdict, gold.answer))
    # Declines are graded, too: else a plan that answers little would have the best points.
    points = LexicalJudge().judge([case], "points")[0].score if said else limits("1/3/5/7/10")[0]
    return row | {"rouge1_recall": rouge1_recall(gold.answer, answer.text or ""), "points_lexical": points}


def _triads(settled: Sequence[Settled], encoders: Encoders) -> list[dict[str, float | None]]:
    """The triad of each draft, even if it was held back: else a plan that never declines would be preferred."""
    questions = encoders.questions([one.asked.question.text for one in settled])
    drafts = [one.draft.text for one in settled]
    texts = [draft for draft in drafts if draft]
    of_draft = dict(zip(texts, encoders.answers(texts), strict=True))
    contexts = [[chunk.searched_text for hit in one.asked.hits for chunk in hit.chunks] for one in settled]
    vectors = encoders.chunks([text for some in contexts for text in some])
    of_contexts = np.split(vectors, np.cumsum([len(some) for some in contexts], dtype=np.int64))[:-1]
    triads = [
        embedding_triad(question, some, of_draft.get(draft or ""))
        for question, some, draft in zip(questions, of_contexts, drafts, strict=True)
    ]
    return [{**triad._asdict(), "embedding_triad": triad.mean} for triad in triads]
