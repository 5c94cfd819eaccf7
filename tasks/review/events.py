"""Events of a review: what a person decided, assigned or remarked, and its row of the table ``reviews``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Literal, get_args

from tasks.errors import UsageError
from tasks.questionnaires.evidence.statuses import VERDICTS
from tasks.records import Verdict, content_id

Action = Literal["approve", "edit", "reject", "reopen", "assign", "comment"]
ACTIONS: Final = get_args(Action)
DECISIONS: Final[frozenset[Action]] = frozenset({"approve", "edit", "reject", "reopen"})
"""The actions that settle an answer, or open it again. Each names the decision that its reviewer saw."""
MAX_CHARACTERS: Final = 32_000
"""The most that a cell of a workbook takes, and a little less."""
MAX_NAME_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """One thing that a person did to one answer of a run.

    ``final_answer`` and ``final_verdict`` are what the customer gets; only "approve" and "edit" have them. ``after`` is
    the id of the last decision that the reviewer saw, "" for none: another one means that two people decided at once.
    ``draft_id`` names the draft that was decided upon, so that an approval is not taken for one of a later draft.
    """

    run_id: str
    question_id: str
    at: datetime
    reviewer: str
    action: Action
    final_answer: str | None = None
    final_verdict: Verdict | None = None
    owner: str | None = None
    comment: str | None = None
    after: str = ""
    draft_id: str = ""

    @property
    def event_id(self) -> str:
        """The hash of the event's content."""
        return _id_of(self)

    @property
    def is_decision(self) -> bool:
        """Tell if the event settles the answer or opens it again."""
        return self.action in DECISIONS

    def gives_the_same(self, other: ReviewEvent) -> bool:
        """Tell if both events give the customer the same."""
        kinds = {"approve": "give", "edit": "give"}
        mine, theirs = (
            (kinds.get(one.action, one.action), one.final_answer or "", one.final_verdict) for one in (self, other)
        )
        return mine == theirs


@dataclass(frozen=True, slots=True)
class Change:
    """Wish of a person to change the standing of an answer; ``after`` is the version that the person saw."""

    question_id: str
    action: Action
    final_answer: str | None = None
    final_verdict: Verdict | None = None
    owner: str | None = None
    comment: str | None = None
    after: str = ""
    draft_id: str = ""

    def giving(self, action: Action, final_answer: str | None, final_verdict: Verdict | None) -> Change:
        """The change, giving the customer that answer."""
        return replace(self, action=action, final_answer=final_answer, final_verdict=final_verdict)


@lru_cache(maxsize=1 << 14)
def _id_of(event: ReviewEvent) -> str:
    """The id, which each fold over the events of a run asks for several times."""
    return content_id("review", *(str(getattr(event, field.name)) for field in fields(event)))


def event_of(change: Change, run_id: str, reviewer: str, at: datetime) -> ReviewEvent:
    """The event of a change to an answer of the run. Raises UsageError as :func:`require_valid`."""
    return require_valid(ReviewEvent(run_id=run_id, at=at, reviewer=reviewer.strip(), **asdict(change)))


def draft_id_of(text: str | None, verdict: str | None) -> str:
    """The id of a draft: a hash of its text and the verdict that it gives or proposes."""
    return content_id("draft", text or "", verdict or "")


def require_valid(event: ReviewEvent) -> ReviewEvent:
    """Return the event.

    Raises UsageError for an unknown action or verdict, an approval that gives the customer nothing, an empty comment, a
    missing name, or a text that is too long.
    """
    if event.action not in ACTIONS:
        raise UsageError(f"there is no action {str(event.action)[:40]!r}: take one of {', '.join(ACTIONS)}")
    if event.final_verdict is not None and event.final_verdict not in VERDICTS:
        raise UsageError(f"there is no verdict {str(event.final_verdict)[:40]!r}: take one of {', '.join(VERDICTS)}")
    if not event.reviewer.strip():
        raise UsageError("nobody is named who decides: give a name")
    if event.action in ("approve", "edit") and not (event.final_answer or "").strip() and event.final_verdict is None:
        raise UsageError("there is no answer to approve: write one, or leave the cell empty with reject")
    if event.action == "comment" and not (event.comment or "").strip():
        raise UsageError("the comment is empty: write one")
    for text, most in (
        (event.final_answer, MAX_CHARACTERS),
        (event.comment, MAX_CHARACTERS),
        (event.owner, MAX_NAME_CHARACTERS),
        (event.reviewer, MAX_NAME_CHARACTERS),
    ):
        if len(text or "") > most:
            raise UsageError(f"the text has {len(text or '')} characters, and may have {most}: shorten it")
    return event


def event_rows(identity: Mapping[str, Any], save_id: str, events: Sequence[ReviewEvent]) -> list[dict[str, Any]]:
    """The rows of the table ``reviews``; ``identity`` names the run that is reviewed, ``save_id`` the save."""
    keys = ({"event_id": event.event_id, "save_id": save_id, "saved_at": event.at} for event in events)
    facts = ({name: value for name, value in asdict(event).items() if name != "at"} for event in events)
    return [fact | key | dict(identity) for fact, key in zip(facts, keys, strict=True)]


def events_of(rows: Iterable[Mapping[str, Any]]) -> list[ReviewEvent]:
    """The events of rows of the table ``reviews``, in the order of the rows."""
    names = [field.name for field in fields(ReviewEvent) if field.name != "at"]
    return [
        ReviewEvent(
            at=row["saved_at"].astimezone(UTC),
            **{name: row[name] for name in names} | {name: row[name] or "" for name in ("after", "draft_id")},
        )
        for row in rows
    ]
