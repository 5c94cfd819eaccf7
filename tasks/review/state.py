"""State of a review: the fold over its events, by question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.evidence.statuses import SENT, Decided
from tasks.records import Verdict
from tasks.review.events import ReviewEvent

Settled = Literal["open", "disputed", Decided]
_STATUS: Mapping[str, Settled] = {"approve": "approved", "edit": "edited", "reject": "rejected", "reopen": "open"}


class Remark(NamedTuple):
    """A comment, with who made it and when."""

    at: datetime
    reviewer: str
    comment: str


@dataclass(frozen=True, slots=True)
class ReviewState:
    """Standing of an answer: the decision and who made it, the owner, and the comments, the oldest first.

    ``version`` is the id of the last decision, "" before the first. A "disputed" answer has two decisions that were
    made without sight of each other and differ; ``disputed`` are these. ``run_id`` is the run in which it was decided,
    and ``draft_id`` the draft that was decided upon.
    """

    status: Settled = "open"
    final_answer: str | None = None
    final_verdict: Verdict | None = None
    owner: str = ""
    reviewer: str = ""
    at: datetime | None = None
    version: str = ""
    run_id: str = ""
    draft_id: str = ""
    remarks: tuple[Remark, ...] = ()
    disputed: tuple[ReviewEvent, ...] = ()

    def is_settled(self, run_id: str, draft_id: str) -> bool:
        """Tell if nobody has to look at the answer any more.

        A decision of an earlier run settles the answer of run ``run_id`` only if that has the same draft.
        """
        if self.status in ("open", "disputed"):
            return False
        return self.run_id == run_id or self.draft_id == draft_id


class ReviewConflict(UsageError):
    """Somebody else decided in the meantime; ``state`` is what stands now."""

    def __init__(self, event: ReviewEvent, state: ReviewState) -> None:
        self.event, self.state = event, state
        super().__init__(
            f"{state.reviewer} has {state.status} the answer to {event.question_id} in the meantime: look at both "
            "texts and decide again"
        )


def fold(events: Iterable[ReviewEvent]) -> dict[str, ReviewState]:
    """The state of every question that has events; two events of one time are taken in the order of their ids."""
    states: dict[str, ReviewState] = {}
    last: dict[str, ReviewEvent] = {}
    seen: set[str] = set()
    for event in sorted(events, key=lambda one: (one.at, one.event_id)):
        if event.event_id in seen:
            continue
        seen.add(event.event_id)
        state = states.get(event.question_id, ReviewState())
        states[event.question_id] = _after(state, event, last.get(event.question_id))
        if event.is_decision:
            last[event.question_id] = event
    return states


def _after(state: ReviewState, event: ReviewEvent, last: ReviewEvent | None) -> ReviewState:
    if event.comment:
        state = replace(state, remarks=(*state.remarks, Remark(event.at, event.reviewer, event.comment)))
    if event.owner is not None:
        state = replace(state, owner=event.owner)
    if not event.is_decision:
        return state
    is_unseen = last is not None and event.after != last.event_id
    rivals = (*(state.disputed or filter(None, [last])), event) if is_unseen else ()
    if rivals and all(event.gives_the_same(other) for other in rivals):
        rivals = ()
    gives = event.action in ("approve", "edit")
    return replace(
        state,
        status="disputed" if rivals else _STATUS[event.action],
        final_answer=event.final_answer if gives else None,
        final_verdict=event.final_verdict if gives else None,
        reviewer=event.reviewer,
        at=event.at,
        version=event.event_id,
        run_id=event.run_id,
        draft_id=event.draft_id,
        disputed=tuple(rivals),
    )


def require_seen(events: Sequence[ReviewEvent], states: Mapping[str, ReviewState]) -> None:
    """Check that each decision among ``events`` follows the one that stands, or says the same.

    Raises ReviewConflict otherwise.
    """
    for event in events:
        state = states.get(event.question_id, ReviewState())
        if event.is_decision and event.after != state.version and not _says(state, event):
            raise ReviewConflict(event, state)


def _says(state: ReviewState, event: ReviewEvent) -> bool:
    gives = event.action in ("approve", "edit")
    same_kind = state.status in SENT if gives else state.status == _STATUS[event.action]
    same_text = (state.final_answer or "") == (event.final_answer or "") if gives else True
    return same_kind and same_text and (not gives or state.final_verdict == event.final_verdict)
