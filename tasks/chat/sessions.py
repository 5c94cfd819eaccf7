"""Stored conversations: each turn is a file of its own below ``sessions/<id>/``.

Turns are only added, and a file is there whole or not at all: two who ask at once each add theirs, and a crash loses
at most the turn that was under way.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING

from tasks.chat.query_rewriting import Turn
from tasks.errors import UsageError
from tasks.records import content_id

if TYPE_CHECKING:
    from tasks.storage.lake import Lake

FOLDER = "sessions"
MAX_TURNS = 200
"""The most turns of a conversation that are read, from its end."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def require_session_id(session: str) -> None:
    """Raise UsageError for a text that cannot name a session, which is a folder's name, too."""
    if not _ID.fullmatch(session):
        raise UsageError(
            f"{session[:80]!r} cannot name a session: take 1 to 64 letters, digits, _ and -, a letter or digit first"
        )


def read_turns(lake: Lake, session: str, most: int = MAX_TURNS) -> list[Turn]:
    """The last turns of the session, the oldest first. Raises UsageError as :func:`require_session_id`."""
    require_session_id(session)
    names = lake.names(FOLDER, session, suffix=".json")[-most:]
    found = (lake.get(FOLDER, session, name) for name in names)
    return [Turn(**json.loads(raw)) for raw in found if raw is not None]


def add_turn(lake: Lake, session: str, turn: Turn) -> str:
    """Add the turn, placed by its time; returns its file's name. Raises UsageError as :func:`require_session_id`."""
    require_session_id(session)
    raw = json.dumps(turn._asdict(), ensure_ascii=False).encode()
    at = datetime.fromisoformat(turn.asked_at)
    name = f"{at:%Y%m%dT%H%M%S%f}-{content_id(raw)}.json"
    lake.put(raw, FOLDER, session, name)
    return name
