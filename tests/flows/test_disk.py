"""What the disk holds after some refreshes, and what can still be gone back to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made.commands import Bidfolio
from tests.made.published import Published


def size(home: Path) -> int:
    return sum(path.stat().st_size for path in home.glob("index/*.lance/**/*") if path.is_file())


def test_refreshes_keep_what_can_be_gone_back_to_and_no_more(
    published: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIDFOLIO_INDEX_KEEP_VERSIONS", "2")
    note = published.documents / "note.txt"
    note.write_text("The depot is open.\n", encoding="utf-8")
    versions = [bidfolio("--json", "refresh", published.documents).summary["index_version"]]
    first = size(published.home)
    for number in range(5):
        note.write_text(f"The depot in district {number} is open.\n", encoding="utf-8")
        versions.append(bidfolio("--json", "refresh", published.documents).summary["index_version"])
    print(f"{size(published.home) / first:.2f} times the disk of one")
    assert size(published.home) <= 2 * first
    listed = [row["index_version"] for row in bidfolio("--json", "index", "list").summary["versions"]]
    assert listed == versions[-2:]
    assert len(list(published.home.glob("index/states/*.lexical.npz"))) == 2

    assert bidfolio("--json", "index", "rollback").summary["index_version"] == versions[-2]
    asked = bidfolio("--json", "ask", "Which depot is open?").summary
    assert "district 3" in str(asked)
    assert bidfolio("index", "rollback").exit_code == 2
