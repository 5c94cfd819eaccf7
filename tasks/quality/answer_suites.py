"""Great Expectations suites for a run's answers, citations and scores.

The answers must pass before a questionnaire is filled with them.
"""

from __future__ import annotations

import os
from typing import Literal, get_args

os.environ["GX_ANALYTICS_ENABLED"] = "false"  # read at import

import great_expectations.expectations as gxe

from tasks.records import AnswerStatus, Verdict


def answer_suite(questions: int) -> list[gxe.Expectation]:
    """The expectations on the answers to ``questions`` questions."""
    statuses, verdicts = list(get_args(AnswerStatus)), list(get_args(Verdict))
    return [
        gxe.ExpectTableRowCountToEqual(value=questions, description=f"each of {questions} questions has its answer"),
        gxe.ExpectColumnValuesToNotBeNull(column="question_id", description="each answer has a question"),
        gxe.ExpectColumnValuesToBeUnique(column="question_id", description="no question has two answers"),
        gxe.ExpectColumnValuesToBeInSet(
            column="status", value_set=statuses, description=f"each answer is {', '.join(statuses)}"
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="verdict", value_set=verdicts, description=f"each verdict is {', '.join(verdicts)}, or none"
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="confidence", min_value=0, max_value=1, description="each confidence is between 0 and 1, or none"
        ),
        _never("lacks_draft", "what is answered or to be reviewed has a text and a citation"),
        _never("lacks_reason", "what is declined or failed has a reason, and neither text nor verdict nor citation"),
    ]


def citation_suite() -> list[gxe.Expectation]:
    """The expectations on the citations of those answers; there may be none."""
    return [
        _always("has_answer", "each citation is one of an answer"),
        gxe.ExpectColumnValuesToBeBetween(
            column="quote_characters", min_value=1, description="each quote has more than white space"
        ),
        _always(
            "document_is_kept", "each cited document is kept, so that its quotes can be held against it", "warning"
        ),
        _always("is_verbatim", "each quote is, letter by letter, what its document says there"),
        _always("is_on_page", "each quote stands on the page that its citation names"),
    ]


def score_suite() -> list[gxe.Expectation]:
    """The expectations on the figures of plans."""
    return [
        gxe.ExpectTableRowCountToBeBetween(min_value=1, description="there are figures"),
        gxe.ExpectColumnValuesToNotBeNull(column="figure", description="each figure has a name"),
        gxe.ExpectColumnValuesToBeUnique(column="figure", description="a plan has each figure once"),
        gxe.ExpectColumnValuesToBeBetween(
            column="n", min_value=0, description="each figure says over how many questions it is"
        ),
        _always("is_in_range", "rates are between 0 and 1, times not below 0, and all figures finite"),
        _always("is_in_interval", "each figure is within its own interval"),
        _never("is_over_nothing", "what is over no question is undefined"),
        _never("lacks_value", "what is over some questions has a value", "warning"),
    ]


Severity = Literal["critical", "warning"]


def _always(column: str, description: str, severity: Severity = "critical") -> gxe.Expectation:
    return gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[True], description=description, severity=severity)


def _never(column: str, description: str, severity: Severity = "critical") -> gxe.Expectation:
    return gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[False], description=description, severity=severity)
