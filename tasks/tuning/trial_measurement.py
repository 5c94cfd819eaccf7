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
from tasks.evaluation.metrics.triad import embedding_triad
from tasks.records import Answer, GoldQuestion, Hit, Question, content_id
from tasks.schemas.evaluation import GRID_MEASURES
from tasks.storage.stage_cache import StageCache

GRID_COLUMNS = tuple(field.name for field in GRID_MEASURES)
Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class Encoders(NamedTuple):
    """Functions that give the unit vectors of questions, of answers, and of chunks (by their searched text)."""

    questions: Encode
    answers: Encode
    chunks: Encode


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
        row = dict.fromkeys(GRID_COLUMNS)
        row |= {**_asked(item), **_ended(answer), **_against_known(item, answer)}
        triad = embedding_triad(question, none, vectors.get(answer.text or ""))
        rows.append(row | {"answer_relevance": triad.answer_relevance})
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
        **_asked(gold),
        **_ended(answer),
        "first_rank": outcome.first_rank,
        "page_recall_at_5": success(outcome.pages, outcome.gold_pages, 5),
        "page_mrr_at_10": reciprocal_rank(outcome.pages, outcome.gold_pages, RANKS),
        "correctness": correctness(outcome),
        **_against_known(gold, answer),
        **triad,
    }


def _ended(answer: Answer) -> dict[str, Any]:
    return {"status": answer.status, "failure": answer.detail if answer.status == "failed" else None}


def _asked(gold: GoldQuestion) -> dict[str, Any]:
    answerable = gold.answerable if gold.is_labelled else None
    return {"question_id": gold.question_id, "answerable": answerable, "cluster": cluster_of(gold)}


def _against_known(gold: GoldQuestion, answer: Answer) -> dict[str, float | None]:
    """Scores of the answer's text against the known answer; None for both if there is none, or if the answer failed."""
    if not gold.answer or not gold.answerable or answer.status == "failed":
        return {"rouge1_recall": None, "points_lexical": None}
    said = with_verdict(answer.verdict, answer.text)
    case = Case(gold.question, (), said, with_verdict(gold.verdict, gold.answer))
    # Declines are graded, too: else a plan that answers little would have the best points.
    points = LexicalJudge().judge([case], "points")[0].score if said else limits("1/3/5/7/10")[0]
    return {"rouge1_recall": rouge1_recall(gold.answer, answer.text or ""), "points_lexical": points}


def _triads(settled: Sequence[Settled], encoders: Encoders) -> list[dict[str, float | None]]:
    """The triad of each draft, even if it was held back.

    The triad does not see if holding back was right, and would else prefer a plan that never declines.
    """
    questions = encoders.questions([one.asked.question.text for one in settled])
    drafts = [one.draft.text for one in settled]
    texts = [draft for draft in drafts if draft]
    of_draft = dict(zip(texts, encoders.answers(texts), strict=True))
    contexts = [[chunk.searched_text for hit in one.asked.hits for chunk in hit.chunks] for one in settled]
    vectors = encoders.chunks([text for some in contexts for text in some])
    found, begin = [], 0
    for question, some, draft in zip(questions, contexts, drafts, strict=True):
        end = begin + len(some)
        triad = embedding_triad(question, vectors[begin:end], of_draft.get(draft or ""))
        found.append({**triad._asdict(), "embedding_triad": triad.mean})
        begin = end
    return found
