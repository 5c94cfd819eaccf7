from __future__ import annotations

import pytest

from configs.retrieval import Feedback, Rerank, Retrieval
from tasks.retrieval.finding import find_hits
from tasks.retrieval.first_stage import cached_search
from tasks.retrieval.first_stage.cached_search import RememberingIndex
from tests.made.expansions import PAGES, RANKED, SCALED, asked, index_of, models

QUESTIONS = asked("Is there a logbook for each automobile?", "Are backups restored?", "", "Who tests?")


def plans() -> list[Retrieval]:
    """Three rankings of each of two first stages, and one of each that asks something else."""
    found = []
    for lists in (SCALED, RANKED):
        plan = Retrieval.model_validate(lists)
        found += [
            plan,
            plan.model_copy(update={"rerank": Rerank(by="bi_encoder", depth=2)}),
            plan.model_copy(update={"top_k": 2, "one_hit_per_page": True}),
            plan.model_copy(update={"expand": Feedback(by="feedback", chunks=1, count=3)}),
        ]
    return found


def test_the_hits_are_the_same_and_each_first_stage_is_scored_once() -> None:
    index = index_of(PAGES)
    remembering = RememberingIndex(index)
    for plan in plans():
        assert find_hits(QUESTIONS, remembering, plan, models()) == find_hits(QUESTIONS, index, plan, models())
    assert remembering.scored == 4, "of each first stage the questions, and what is asked in their place"
    assert remembering.remembered == 6, "of each the two others, and what feedback reads"


def test_lists_that_differ_are_scored_anew_and_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_search, "MOST_BYTES", 1)
    index, (scaled, *_, ranked) = RememberingIndex(index_of(PAGES)), plans()[:5]
    for plan in (scaled, ranked, ranked, scaled):
        find_hits(QUESTIONS, index, plan, models())
    assert (index.scored, index.remembered) == (3, 1)
    monkeypatch.undo()
    other = scaled.model_copy(update={"lists": (scaled.lists[0].model_copy(update={"alpha": 0.3}), scaled.lists[1])})
    find_hits(QUESTIONS, index, other, models())
    find_hits(asked("Who tests?"), index, scaled, models())
    assert (index.scored, index.remembered) == (5, 1)
