"""Lists that have fewer things than their sentence says."""

from __future__ import annotations

import pytest

from tasks.answering.counting import miscounted, said_of_one


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("There are six sub-processors: Halden Cloud and Postrelay.", "announces 6 and lists 2"),
        ("History of 24 months: yes; yes.", ""),
        ("Three functions are absent: search, queues and mail.", ""),
        ("Three functions are absent: search, queues, reports and mail.", ""),
        ("Three functions are absent.", ""),
        ("The report of 2026: it has no findings.", ""),
        ("", ""),
    ],
)
def test_a_list_that_is_shorter_than_it_says_is_told(sentence: str, told: str) -> None:
    found = miscounted(sentence)
    assert told in found if told else found == ""


def test_no_source_counts_nothing() -> None:
    assert said_of_one("One function is absent.", []) == ""
    assert "three functions" in said_of_one("A single function is absent.", ["three functions are absent"])
