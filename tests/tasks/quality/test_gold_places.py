"""Evidence that a refresh has renamed, moved or taken away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.quality.gold_places import Held, Moved, Placed, page_in, placed, same_page
from tasks.records import GoldEvidence, GoldQuestion
from tests.made.chunks import document_of

PAGES = ["Disks are encrypted with AES.", "Backups are kept for thirty days.", "Visits are logged at the desk."]


SUCCESSORS = {"a v1.pdf": Moved("a v2.pdf", 3)}


def held(indexed: dict[str, str], quarantined: str = "") -> Held:
    rows = [{"file_name": f"sub/{name}", "content_sha256": sha, "status": "indexed"} for name, sha in indexed.items()]
    if quarantined:
        rows.append({"file_name": quarantined, "content_sha256": "", "status": "quarantined"})
    return Held.of(rows)


def question(*files: str) -> GoldQuestion:
    return GoldQuestion("q", "Which?", True, evidence=tuple(GoldEvidence(name, 2) for name in files))


def stand(one: GoldQuestion, before: Held | None, now: Held) -> Placed:
    def place_now(name: str, page: int) -> Moved | None:
        return Moved(name, page + 5) if name in now.indexed else SUCCESSORS.get(name)

    (found,) = placed([one], before, now, place_now, deleted={"b.pdf"})
    return found


BEFORE = held({"a.pdf": "1", "b.pdf": "2"})


@pytest.mark.parametrize(
    ("files", "now", "standing", "names"),
    [
        (("a.pdf",), held({"a.pdf": "1"}), "asked", ["a.pdf"]),
        (("a.pdf",), held({"new name.pdf": "1"}), "asked", ["new name.pdf"]),
        (("a.pdf",), held({"b.pdf": "2"}), "gone", []),
        (("a.pdf",), held({"b.pdf": "2"}, quarantined="a.pdf"), "asked", ["a.pdf"]),
        (("a.pdf", "b.pdf"), held({"b.pdf": "2"}), "asked", ["b.pdf"]),
        (("c.pdf",), held({"c.pdf": "3"}), "new", ["c.pdf"]),
        (("d.pdf",), held({"c.pdf": "3"}), "unknown", []),
        ((), held({"c.pdf": "3"}), "unknown", []),
    ],
)
def test_where_the_evidence_is(files: tuple[str, ...], now: Held, standing: str, names: list[str]) -> None:
    found = stand(question(*files), BEFORE, now)
    assert found.standing == standing
    assert [evidence.file_name for evidence in found.now.evidence] == names
    assert len(found.before.evidence) == len(names)


def test_only_a_page_of_the_same_name_is_looked_for() -> None:
    assert stand(question("a.pdf"), BEFORE, held({"a.pdf": "9"})).now.evidence[0].page_number == 7
    assert stand(question("a.pdf"), BEFORE, held({"z.pdf": "1"})).now.evidence[0].page_number == 2
    assert stand(question("c.pdf"), BEFORE, held({"c.pdf": "3"})).now.evidence[0].page_number == 2
    row = replace(question("a.pdf"), evidence=(GoldEvidence("a.pdf", None, "Sheet", 4),))
    assert stand(row, BEFORE, BEFORE).now.evidence == row.evidence


def test_a_file_is_followed_into_its_successor() -> None:
    found = stand(question("a v1.pdf"), held({"a v1.pdf": "1"}), held({"a v2.pdf": "2"}))
    assert (found.standing, found.lost) == ("asked", ())
    assert found.now.evidence == (GoldEvidence("a v2.pdf", 3),)


@pytest.mark.parametrize(("name", "is_explained"), [("b.pdf", True), ("a.pdf", False)])
def test_what_is_gone_is_told_with_the_reason(name: str, is_explained: bool) -> None:
    found = stand(question(name), BEFORE, held({"z.pdf": "9"}))
    assert (found.standing, found.lost, found.is_explained) == ("gone", (f"{name}, which is gone",), is_explained)


def test_a_page_whose_text_is_gone_from_its_file_is_told() -> None:
    (found,) = placed([question("a.pdf")], BEFORE, held({"a.pdf": "9"}), lambda name, page: None)
    assert (found.standing, found.is_explained) == ("gone", True)
    assert found.lost == ("a.pdf, p. 2, whose text is gone from it",)


def test_without_a_version_before_all_is_new() -> None:
    assert stand(question("a.pdf"), None, BEFORE).standing == "new"
    assert stand(GoldQuestion("u", "?", False), None, BEFORE).standing == "new"
    assert stand(GoldQuestion("u", "?", False), BEFORE, BEFORE).standing == "asked"


@pytest.mark.parametrize(
    ("now", "pages"),
    [
        (PAGES, [1, 2, 3]),
        (["A new cover.", *PAGES], [2, 3, 4]),
        (PAGES[::-1], [3, 2, 1]),
        (["Disks are encrypted with AES today.", *PAGES[1:]], [1, 2, 3]),
        (["Nothing of it.", "Not a word."], [1, 2, 3]),  # too short to have replaced it
        (["Nothing of it.", "Not a word.", "It was written anew by other people with more to say."], [None] * 3),
        ([PAGES[1], PAGES[1]], [None, 2, None]),
    ],
)
def test_a_page_is_known_by_its_words(now: list[str], pages: list[int | None]) -> None:
    before = document_of(PAGES)
    assert [same_page(number, before, document_of(now)) for number in (1, 2, 3)] == pages


def test_an_empty_page_and_one_that_was_not_there_stay() -> None:
    before = document_of(["", "Words."])
    assert same_page(1, before, document_of(["Words.", "Words."])) == 1
    assert same_page(9, before, document_of(["Words."])) == 9


def test_a_page_is_found_in_the_document_that_has_most_of_it() -> None:
    before, other, successor = document_of(PAGES), document_of(["Nothing."]), document_of(["A cover.", *PAGES])
    assert page_in(2, before, [other, successor]) == (successor, 3)
    assert page_in(2, before, [other]) is None and page_in(2, before, []) is None
