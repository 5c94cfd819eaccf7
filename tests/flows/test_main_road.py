"""The main road, from a folder of documents to a filled questionnaire, on a real Prefect server and a real index."""

from __future__ import annotations

from tests.conftest import Bidfolio, Published


def test_a_refresh_publishes_every_file(published_once: Published) -> None:
    summary = published_once.refreshed.summary
    assert summary["documents"] == {"added": 3, "changed": 0, "deleted": 0, "unchanged": 0, "quarantined": 0}
    assert summary["pages"] == 4 and summary["chunks"] == summary["embedded"] == 4 and summary["reused"] == 0


def test_a_second_refresh_has_nothing_to_do(published: Published, bidfolio: Bidfolio) -> None:
    again = bidfolio("refresh", published.documents)
    assert again.exit_code == 0
    assert again.out.startswith("nothing has changed")
