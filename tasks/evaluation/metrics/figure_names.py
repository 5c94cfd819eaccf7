"""Display names of figures and verdicts, for a terminal or a report."""

from __future__ import annotations

from typing import Final

FIGURES: Final = {
    "answered_rate": "can be sent",
    "answered_page_precision": "… not by a verdict: from a right page",
    "review_rate": "want a look",
    "decline_rate": "not found in the documents",
    "decline_precision": "… of these, nothing answers it",
    "page_recall_at_1": "a right page is the first hit (R@1)",
    "page_recall_at_3": "… among the first 3",
    "page_recall_at_5": "… among the first 5",
    "page_recall_at_7": "… among the first 7",
    "page_recall_at_9": "… among the first 9",
    "gold_page_recall_at_5": "share of all right pages among the first 5",
    "page_mrr_at_10": "1 / rank of the first right page (MRR@10)",
    "ndcg_at_10": "nDCG@10 of right pages",
    "citation_page_precision": "drafts that cite a right page",
    "rouge1_recall": "words of the known answer said (ROUGE-1)",
    "decline_rate_answerable": "declined, though it can be answered",
    "decline_rate_unanswerable": "declined, and nothing answers it",
    "free_text_accuracy": "free text: drafted from a right page",
    "free_text_no_context_rate": "free text: nothing found",
    "verdict_accuracy_of_all": "yes/no: right, of all",
    "verdict_no_context_rate": "yes/no: nothing found, of all",
    "verdict_coverage": "yes/no: answered by a verdict, of all",
    "verdict_accuracy": "yes/no: right, of those",
    "verdict_precision": "yes/no: truly yes, of those answered yes",
    "verdict_recall": "yes/no: answered yes, of those truly yes",
    "verdict_balanced_accuracy": "yes/no: balanced accuracy",
    "verdict_given_precision": "yes/no: right, of all that can be sent",
    "verdict_wrongly_given": "yes/no: could be sent and is wrong",
    "verdict_proposal_precision": "yes/no: right, of those proposed only",
    "verdict_right_or_proposed": "yes/no: right verdict sent or proposed",
    "verdict_unanswerable_open": "yes/no: left open, and nothing answers it",
    "verdict_coverage_where_95_right": "yes/no: share that is sent at 95% right",
    "verdict_threshold_where_95_right": "… from this probability on",
    "verdict_calibration_error": "yes/no: probability off share right (ECE)",
    "calibration_error": "confidence off the share answerable (ECE)",
    "retrieval_ms_mean": "ms to find, mean",
    "retrieval_ms_sd": "… standard deviation",
    "retrieval_ms_p50": "… p50",
    "retrieval_ms_p95": "… p95",
    "drafting_ms_mean": "ms to draft, mean",
    "drafting_ms_sd": "… standard deviation",
    "drafting_ms_p50": "… p50",
    "drafting_ms_p95": "… p95",
}
"""Figures of an evaluation, in display order."""
EXPERIMENT_FIGURES: Final = {
    "correctness": "answered right, or rightly declined",
    "rouge1_recall": FIGURES["rouge1_recall"],
    "points_lexical": "points from 1 to 10, judged by words",
    "page_recall_at_5": "a right page among the first 5",
    "page_mrr_at_10": FIGURES["page_mrr_at_10"],
    "context_relevance": "passages close to the question (context relevance)",
    "groundedness": "answer close to the passages (groundedness)",
    "answer_relevance": "answer close to the question (answer relevance)",
    "embedding_triad": "mean closeness of the three (embedding triad)",
    "draft_rate": "share of questions drafted",
    "accuracy": "right page found",
    "accuracy_reflowed": "right page found, lines rejoined and letters misread",
}
"""Figures of an experiment."""
RANKS: Final = {
    "page_recall_at_1": "R@1",
    "page_recall_at_3": "R@3",
    "page_recall_at_5": "R@5",
    "page_recall_at_7": "R@7",
    "page_recall_at_9": "R@9",
    "page_mrr_at_10": "MRR@10",
    "ndcg_at_10": "nDCG@10",
}
TIMES: Final = {"retrieval_ms_p50": "p50 ms", "retrieval_ms_p95": "p95 ms"}
"""Figures that compare plans in one table: RANKS for the ranks of right pages, TIMES for the time to find for a
question.
"""
MOST_DIFFERENCES: Final = 24
"""Number of differences above which only those that are more than chance are shown."""
SAID: Final = {
    "yes": "yes",
    "no": "no",
    "partial": "partly",
    "not_applicable": "n/a",
    "no_verdict": "left open",
    "no_context": "not found",
    "failed": "failed",
}
"""Results of a yes/no question, in a proposal writer's words."""
