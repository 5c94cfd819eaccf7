"""Tables of what plans and configurations are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa

from tasks.schemas.columns import RUN, column, key

GRID_MEASURES: Final = (
    key("question_id", "the question"),
    key("status", "answered, declined, needs_review or failed"),
    column("failure", pa.string(), "why it failed; null where it did not"),
    column("answerable", pa.bool_(), "whether the documents answer it; null where nobody has said"),
    column("cluster", pa.string(), "the questionnaire or document that it is right or wrong together with"),
    column("first_rank", pa.int32(), "1-based rank of the first hit on a gold page; null where none of ten is"),
    column("page_recall_at_5", pa.float64(), "1 where that is at most 5, else 0; null for what has no gold page"),
    column("page_mrr_at_10", pa.float64(), "1 over that rank, 0 without one; null for what has no gold page"),
    column(
        "correctness",
        pa.float64(),
        "1 where its first citation is on a gold page, with no other verdict than the known one; where it says the "
        "known verdict, of a question without gold page; or where it is rightly declined; else 0; null where not known",
    ),
    column("rouge1_recall", pa.float64(), "share of the known answer's words that the answer has; null without one"),
    column(
        "points_lexical",
        pa.float64(),
        "1, 3, 5, 7 or 10 for how much of the known answer it says, by words; 1 if declined; null without one",
    ),
    column("context_relevance", pa.float64(), "largest cosine of the question with what was handed over, at least 0"),
    column(
        "groundedness",
        pa.float64(),
        "largest cosine of the draft with what was handed over; null where there is none. A draft that was held back "
        "is one, here and in the next two",
    ),
    column("answer_relevance", pa.float64(), "cosine of question and draft; null where there is none"),
    column("embedding_triad", pa.float64(), "mean of these three"),
)
"""Columns of a measurement of one configuration, or one setting of an experiment, on one question."""
BOOTSTRAP: Final = (
    column(
        "bootstrap_low",
        pa.float64(),
        "lower end of its 95% interval by bootstrap, questionnaires or documents drawn whole; null where the values "
        "are all alike, or of fewer than two. Of few it is too narrow",
    ),
    column("bootstrap_high", pa.float64(), "upper end of that; null where there is none"),
)
"""The second interval of a mean, beside the one by Student's t."""

TABLES: Final[Mapping[str, Sequence[pa.Field]]] = {
    "grid": [
        *RUN,
        column("grid", pa.string(), "name of the grid, or of the experiment"),
        column("configuration", pa.int32(), "its number; 0 is the plan to beat", required=True),
        column("levels", pa.string(), "JSON: the level of each factor; null for the plan to beat"),
        column("index_version", pa.string(), "the version that was searched"),
        *GRID_MEASURES,
    ],
    "experiments": [
        *RUN,
        column("experiment", pa.string(), "name of the experiment", required=True),
        column("kind", pa.string(), "what varies: plan, generators, context or page_finder", required=True),
        key("setting", "name of the setting"),
        column("setting_value", pa.float64(), "the number that it is, a percentage as a share; null where none"),
        column("is_base", pa.bool_(), "whether the others are compared with it", required=True),
        key("metric", "name of the figure"),
        column("value", pa.float64(), "the figure; null where it is undefined"),
        column("n", pa.int32(), "questions that it is over; of a page finder, chunks", required=True),
        column("unscored", pa.int32(), "questions, or chunks, without a value", required=True),
        column("standard_error", pa.float64(), "clustered by questionnaire or document; null where undefined"),
        column(
            "interval_low",
            pa.float64(),
            "lower end of its 95% interval: by standard error and Student's t, of a page finder by Wilson's score; "
            "null where undefined",
        ),
        column("interval_high", pa.float64(), "upper end of that"),
        column("difference", pa.float64(), "to the base, over the questions that both have; null for the base"),
        column("difference_low", pa.float64(), "lower end of its 95% bootstrap interval"),
        column("difference_high", pa.float64(), "upper end of its 95% bootstrap interval"),
        column("difference_error", pa.float64(), "its standard error, clustered by questionnaire or document"),
        column("p", pa.float64(), "of the difference, by a paired permutation test over the questions"),
        column("p_holm", pa.float64(), "p by Holm's correction over the settings"),
        column("degradation", pa.float64(), "1 - value / value with the right passage alone; null where not asked"),
        column("degradation_low", pa.float64(), "lower end of its 95% interval; null where undefined"),
        column("degradation_high", pa.float64(), "upper end of its 95% interval"),
        *BOOTSTRAP,
    ],
    "scores": [
        *RUN,
        column("plan", pa.string(), "the plan that was measured"),
        key("metric", "name of the figure"),
        column("value", pa.float64(), "the figure; null where it is undefined"),
        column("n", pa.int32(), "questions that it is over"),
        column(
            "interval_low",
            pa.float64(),
            "lower end of its 95% interval: by standard error and Student's t, of a latency by bootstrap",
        ),
        column("interval_high", pa.float64(), "upper end of that; null where there is none"),
        column("unscored", pa.int32(), "questions that it would be over and that could not be scored"),
        column(
            "standard_error",
            pa.float64(),
            "clustered by questionnaire or document; null where fewer than two clusters are left",
        ),
        column("clusters", pa.int32(), "questionnaires or documents that the questions are of"),
        column("reason", pa.string(), "why the figure is undefined; null where it is not"),
        *BOOTSTRAP,
    ],
    "confusion": [
        *RUN,
        column("plan", pa.string(), "the plan that was measured"),
        key("truth", "the true verdict: yes, no, partial or not_applicable"),
        key("said", "the verdict that was said, or no_verdict (left open), no_context (declined) or failed"),
        column("n", pa.int32(), "yes/no questions of that truth that were answered so", required=True),
    ],
    "pictures": [
        *RUN,
        key("picture", "name of the picture in its run"),
        column("kind", pa.string(), "curves, dots, bars, histograms, scatter or matrix", required=True),
        column("title", pa.string(), "what stands over it"),
        column("caption", pa.string(), "what stands below it"),
        column("x_label", pa.string(), "what its horizontal axis counts"),
        column("y_label", pa.string(), "what its vertical axis counts"),
        column("axis_low", pa.float64(), "where the axis of the numbers begins; null: where they do"),
        column("axis_high", pa.float64(), "where it ends"),
        column("point_index", pa.int32(), "0-based order in the picture", required=True),
        column("is_mark", pa.bool_(), "whether it is a line or point to compare with, and no number", required=True),
        column("panel", pa.string(), "the small picture that it stands in; empty where there is but one"),
        column("series", pa.string(), "what the number is of; of a matrix its row"),
        column("x", pa.float64(), "the number, of dots and bars; else where it stands"),
        column("y", pa.float64(), "the number, of all others"),
        column("low", pa.float64(), "lower end of its 95% interval, or of its bin"),
        column("high", pa.float64(), "upper end of it"),
        column("label", pa.string(), "what is written at it; of a matrix its column"),
        column("n", pa.int32(), "questions, drafts or configurations that it is over"),
        column("slope", pa.float64(), "of a line through the origin"),
    ],
    "judgements": [
        *RUN,
        column("plan", pa.string(), "the plan that answered"),
        key("question_id", "the question"),
        key("judge", "of what kind: lexical, embedding or server"),
        column("model", pa.string(), "the model that judged; null where none did"),
        key("criterion", "what is judged, triad_… among it"),
        column("repeat", pa.int32(), "1-based: how often it had been asked by then", required=True),
        column("score", pa.float64(), "1 to 5, 0 or 1, or a share in [0, 1]; null where unscored"),
        column("reason", pa.string(), "what the judge says to it"),
        column("unscored_reason", pa.string(), "why there is no score; null where there is one"),
        column("shares", pa.string(), "JSON: what the score was made of, each in [0, 1], by context or claim"),
    ],
    "coverage": [
        *RUN,
        column("plan", pa.string(), "the plan that was measured"),
        column("threshold", pa.float64(), "drafts of this confidence or more, withheld ones too", required=True),
        column("coverage", pa.float64(), "their share of all questions", required=True),
        column("error", pa.float64(), "share of them that cite no page that answers", required=True),
        column("n", pa.int32(), "how many they are", required=True),
    ],
    "verdict_coverage": [
        *RUN,
        column("plan", pa.string(), "the plan that was measured"),
        column("threshold", pa.float64(), "verdicts of this probability or more", required=True),
        column("coverage", pa.float64(), "their share of all yes/no questions with a known answer", required=True),
        column("error", pa.float64(), "share of them that are wrong", required=True),
        column("error_low", pa.float64(), "lower end of its 95% interval, by Wilson's score"),
        column("error_high", pa.float64(), "upper end of that"),
        column("n", pa.int32(), "how many they are", required=True),
        column("answered_from", pa.float64(), "the plan's own threshold; null where it has none"),
    ],
}
