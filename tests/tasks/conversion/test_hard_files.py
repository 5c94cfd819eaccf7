"""The files of public reports in tests/data/hard are read as a person reads them."""

from __future__ import annotations

import pytest

from tests.made.conversions import convert_bytes
from tests.made.hard_files import FOLDER, HARD_FILES, HardFile, Place, ReadPage, faults


@pytest.mark.parametrize("file", HARD_FILES, ids=lambda file: file.name)
def test_a_hard_file_is_read_rightly(file: HardFile) -> None:
    document = convert_bytes(file.name, (FOLDER / file.name).read_bytes())
    pages = [ReadPage(document.text[page.start : page.end], page.page_number, page.label) for page in document.pages]
    assert faults(file, pages) == []


def test_the_folder_has_these_files_and_no_others() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(file.name for file in HARD_FILES)
    assert len({file.case for file in HARD_FILES}) == 13


def test_each_fault_is_named() -> None:
    file = HardFile("a.pdf", "", bytes, ("one two", "three", "four"), ("five",), Place("one", 2, "i"))
    assert faults(file, [ReadPage("Cover", 1), ReadPage("One | one-two\nthree, four.", 2, "i")]) == []
    assert faults(file, [ReadPage("three one two fi-ve three", 1)]) == [
        "has “three” twice",
        "lacks “four”",
        "gives page 1 for 2",
    ]
    assert faults(file, [ReadPage("three one two five four", 2)]) == [
        "has “three” too early",
        "has “five”",
        "gives no label for page 2, which is printed as i",
    ]
    assert faults(file, [ReadPage("one two three four")]) == ["gives no page"]
