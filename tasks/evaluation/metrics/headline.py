"""Headline of an evaluation: how many questions can be sent, need a review, or are not in the documents."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.statistics.estimates import Figure

ENOUGH = 20
"""Least number of questions for which a percentage is shown."""
NOT_KNOWN = "the gold set does not say which are right"


def headline(found: Mapping[str, Figure]) -> str:
    """Summarize ``counted_figures`` in one sentence for whoever has to send the answers; "" without questions.

    The share of right answers of each kind is over the questions that the gold set has labels for, with their number.
    """
    sent, look, declined = (found[f"{what}_rate"] for what in ("answered", "review", "decline"))
    if not (questions := sent.n + sent.unscored):
        return ""
    said = [
        f"of {questions} question{'' if questions == 1 else 's'} {sent.successes} can be sent"
        + _in_brackets(
            [
                _right("yes or no right in", found["verdict_given_precision"]),
                _right("others from a right page in", found["answered_page_precision"]),
            ],
            sent.successes,
        ),
        f"{look.successes} {'wants' if look.successes == 1 else 'want'} a look"
        + _in_brackets([_right("proposed yes or no right in", found["verdict_proposal_precision"])]),
        f"{declined.successes} {'is' if declined.successes == 1 else 'are'} not found in your documents"
        + _in_brackets([_right("rightly in", found["decline_precision"])]),
    ]
    return ", ".join([*said, *([f"{sent.unscored} failed"] if sent.unscored else [])])


def _right(words: str, figure: Figure) -> str:
    """Format the right share with the number it is over; "" if that is 0. A percentage is rounded down."""
    if not figure.n:
        return ""
    share = f"{int(100 * figure.successes / figure.n)}% of {figure.n}"
    return f"{words} {share if figure.n >= ENOUGH else f'{figure.successes} of {figure.n}'}"


def _in_brackets(parts: list[str], unknown: int = 0) -> str:
    told = "; ".join(filter(None, parts)) or (NOT_KNOWN if unknown else "")
    return f" ({told})" if told else ""
