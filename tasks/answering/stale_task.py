"""Stage of the library's standing: the approved answers that may not be used again without a person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from configs.settings import Settings
from tasks.answering.document_facts import facts_of
from tasks.answering.entry_facts import documents_by_name
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.library.rows import entry_of
from tasks.library.standing import standing_of
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake


@stage("check the library")
def stale_entries(
    corpus: str | None, settings: Settings, today: Callable[[], date] = date.today
) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The rows of the table ``library`` that have a fault, each with its faults; of one corpus, or of all."""
    lake = Lake(settings.home)
    cache, found = ConvertedCache(lake), []
    in_force = facts_of(cache, today).standing
    for one in lake.values("library", "corpus") if corpus is None else [corpus]:
        document_of = documents_by_name(lake.read("documents", corpus=one).to_pylist(), cache)
        for row in lake.read("library", corpus=one).to_pylist():
            if faults := standing_of(entry_of(row), document_of, in_force, today()).faults:
                found.append((row, [fault._asdict() for fault in faults]))
    return found
