"""The headline of an evaluation: how many questions can be sent, want a look, and are not in the documents."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.evaluation.aggregate import Figure

ENOUGH = 20
"""Of fewer questions no percentage is told."""
NOT_KNOWN = "the gold set does not say which are right"


def headline(found: Mapping[str, Figure]) -> str:
    """The figures of ``counted_figures`` as one sentence for whoever has to send the answers; "" of no questions.

    How many of each kind are right is told of the questions of which the gold set says it, with how many these are.
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
    """The share that is right with what it is over; "" where it is over nothing. A percentage is rounded down."""
    if not figure.n:
        return ""
    share = f"{int(100 * figure.successes / figure.n)}% of {figure.n}"
    return f"{words} {share if figure.n >= ENOUGH else f'{figure.successes} of {figure.n}'}"


def _in_brackets(parts: list[str], unknown: int = 0) -> str:
    told = "; ".join(filter(None, parts)) or (NOT_KNOWN if unknown else "")
    return f" ({told})" if told else ""
