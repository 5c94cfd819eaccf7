"""A refresh in one line."""

from __future__ import annotations

from flows.cli.output.refresh_summary import RefreshSummary
from tasks.references import FileCounts


def test_a_file_under_a_new_name_is_told_once() -> None:
    counts = FileCounts(added=3, changed=1, deleted=2, unchanged=7, quarantined=0)
    said = RefreshSummary("r", "v", counts, 10, 20, 0, 20, 1.5, (), renamed=2).in_words()
    assert "documents 1 added, 1 changed, 7 unchanged, 2 under a new name; 10 pages" in said
    assert "2 deleted" not in said
    none = RefreshSummary("r", "v", counts, 10, 20, 0, 20, 1.5, ()).in_words()
    assert "documents 3 added, 1 changed, 2 deleted, 7 unchanged; 10 pages" in none


def test_where_nothing_has_changed_what_is_still_quarantined_is_told() -> None:
    counts = FileCounts(added=0, changed=0, deleted=0, unchanged=7, quarantined=2)
    said = RefreshSummary("r", "v", counts, 0, 20, 0, 20, 1.5, (), is_unchanged=True).in_words()
    assert said == "nothing has changed: version v stays live (20 chunks); 2 still quarantined"
