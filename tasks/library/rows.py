"""Rows of the lake's tables ``library`` and ``edits``, from entries and edits and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tasks.library.entries import Edit, EntryEvidence, LibraryEntry

_OF_ENTRY = "sheet_name row_number question verdict answer owner approved_by approved_on valid_until".split()


def entry_row(entry: LibraryEntry) -> dict[str, Any]:
    """The columns of the table ``library`` that an entry fills; an empty owner or approver is null."""
    own = {name: getattr(entry, name) for name in _OF_ENTRY}
    own |= {name: own[name] or None for name in ("owner", "approved_by")}
    evidence = [asdict(one) for one in entry.evidence]
    told = json.dumps(evidence, ensure_ascii=False) if evidence else None
    return {**own, "entry_id": entry.entry_id, "evidence": told}


def entry_of(row: Mapping[str, Any]) -> LibraryEntry:
    """The entry of a row of the table ``library``, also of one that an earlier version wrote."""
    own: dict[str, Any] = {name: row.get(name) for name in _OF_ENTRY}
    own |= {name: own[name] or "" for name in ("owner", "approved_by")}
    evidence = tuple(EntryEvidence(**one) for one in json.loads(row.get("evidence") or "[]"))
    return LibraryEntry(**own, evidence=evidence)


def edit_row(edit: Edit) -> dict[str, Any]:
    """The columns of the table ``edits`` that an edit fills; an empty name is null."""
    row = asdict(edit)
    return row | {name: row[name] or None for name in ("status", "edited_by")}
