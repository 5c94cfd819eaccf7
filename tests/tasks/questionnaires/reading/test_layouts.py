"""Layouts made by others than the reader's author: what is asked is found, what is not is left."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tests.made.layout_scores import score
from tests.made.questionnaire_layouts import MAKERS, Layout

LEAST = 0.98


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: f"{make.__module__.rpartition('.')[2]}.{make.__name__}")
def test_a_layout_s_questions_are_found_with_the_places_of_their_answers(make: Callable[[], Layout]) -> None:
    layout = make()
    found = score(layout, read_questionnaire(layout.data, layout.file_name))
    assert (found.missed, found.wrong, found.misplaced) == ((), (), ())


def test_precision_and_recall_over_all_layouts() -> None:
    layouts = [make() for make in MAKERS]
    scores = [score(layout, read_questionnaire(layout.data, layout.file_name)) for layout in layouts]
    right = sum(one.right for one in scores)
    assert right / (right + sum(len(one.wrong) for one in scores)) >= LEAST
    assert right / (right + sum(len(one.missed) for one in scores)) >= LEAST
