from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr

from tasks.statistics.estimates import mean
from tasks.tuning.grid_analysis import (
    OBJECTIVES,
    TIE_BREAKER,
    TRIAD,
    Gridded,
    analysis,
    best_first,
    compared_levels,
    correlations,
    held_out,
    objective_figure,
)

CELLS = list(product(("off", "on"), ("1", "2", "3")))
ALL = np.ones(80, np.bool_)
OWN = [f"question {at}" for at in range(80)]
LEVELS = {"rerank": [cell[0] for cell in CELLS], "sources": [cell[1] for cell in CELLS]}


def gridded(gain: float, questions: int = 80, objective: str = "correctness") -> Gridded:
    """A grid in which "on" makes so much more right, sources nothing, and the triad knows of it; of the plan to beat as
    much is right as with "off".
    """
    draw = np.random.default_rng(4)
    ease = draw.random((questions, 1))
    is_on = np.array([[cell[0] == "on" for cell in CELLS]])
    known: NDArray[np.float64] = (draw.random((questions, len(CELLS))) < 0.6 * ease + gain * is_on).astype(float)
    nothing = np.full(known.shape, np.nan)
    figures = dict.fromkeys((*OBJECTIVES, *TRIAD, TIE_BREAKER), nothing)
    figures |= {name: 0.5 * ease + 0.1 * known + 0.05 * draw.random(known.shape) for name in TRIAD}
    figures[objective] = known
    to_beat = {objective: (draw.random(questions) < 0.6 * ease[:, 0]).astype(float)}
    return Gridded(
        figures,
        dict.fromkeys(OBJECTIVES, nothing[:, 0]) | to_beat,
        LEVELS,
        np.ones(questions, np.bool_),
        OWN[:questions],
    )


def test_what_matters_is_found_and_what_does_not_is_not() -> None:
    rerank, sources = analysis(gridded(0.4))
    assert rerank["factor"] == "rerank" and rerank["p_holm"] < 0.001 and rerank["by_runs"]["p"] < 0.01
    assert sources["factor"] == "sources" and sources["p"] > 0.05 and sources["p_holm"] == sources["p"]
    assert rerank["partial_eta2"] > 10 * sources["partial_eta2"]
    means, pairs = compared_levels(gridded(0.4))
    assert [(row["factor"], row["level"]) for row in means] == [
        ("rerank", "off"),
        ("rerank", "on"),
        *(("sources", level) for level in "123"),
    ]
    assert len(pairs) == 1 + 3
    off_on = pairs[0]
    assert off_on["levels"] == ["off", "on"] and off_on["difference"] == pytest.approx(
        means[0]["mean"] - means[1]["mean"]
    )
    assert off_on["p_holm"] == pytest.approx(4 * off_on["p"]), "corrected for the pairs of all factors"
    assert all(pair["p_holm"] > 0.05 for pair in pairs[1:])


def test_the_best_beats_the_plan_in_use_where_it_was_not_chosen() -> None:
    judged = held_out(gridded(0.4))
    assert judged.beats and judged.difference.n == 80
    assert all(CELLS[at][0] == "on" for at in judged.chosen)
    assert held_out(gridded(0.4)) == judged, "the same questions, the same halves"


def test_errors_are_clustered_where_questions_are_of_one_document() -> None:
    grid = gridded(0.4)
    alone = objective_figure(grid)
    of_ten = Gridded(grid.figures, grid.to_beat, LEVELS, ALL, [f"document {at // 8}" for at in range(80)])
    values = grid.in_use
    assert alone["value"] == pytest.approx(values.mean()) and alone["n"] == 80
    assert alone["standard_error"] == mean(values.tolist()).standard_error
    assert objective_figure(of_ten)["standard_error"] == mean(values.tolist(), of_ten.clusters).standard_error
    assert objective_figure(grid, 3)["value"] == pytest.approx(grid.values[:, 3].mean())
    by_ten, by_question = held_out(of_ten).difference, held_out(grid).difference
    assert by_ten.told() == by_question.told()
    assert by_ten.standard_error != by_question.standard_error


def test_what_one_document_carries_is_no_more_than_chance_by_documents() -> None:
    grid = gridded(0.4)
    of_four = held_out(Gridded(grid.figures, grid.to_beat, LEVELS, ALL, [f"document {at // 20}" for at in range(80)]))
    assert of_four.difference.p is not None and of_four.difference.p < 0.05, "by questions"
    # All four favour it: of the 16 ways to change sides only this one and its mirror image go as far.
    assert of_four.difference.p_clustered == pytest.approx(2 / 16)
    in_one = held_out(Gridded(grid.figures, grid.to_beat, LEVELS, ALL, ["document"] * 80))
    assert in_one.difference.p_clustered == 1.0, "one document tells nothing of others"


def test_the_best_of_many_that_are_alike_does_not() -> None:
    """By the questions that chose it, it would: that is what the other half is for."""
    draw = np.random.default_rng(2)
    values = (draw.random((60, 300)) < 0.5).astype(float)
    figures = dict.fromkeys((*OBJECTIVES, *TRIAD, TIE_BREAKER), values)
    grid = Gridded(
        figures, dict.fromkeys(figures, values[:, 0]), {"one": [str(at) for at in range(300)]}, ALL[:60], OWN[:60]
    )
    best = best_first(grid)[0]
    assert values[:, best].mean() - values[:, 0].mean() > 0.15
    assert not held_out(grid).beats


def test_of_equals_the_one_with_the_better_ranks_comes_first_then_the_earlier() -> None:
    grid = gridded(0.0)
    equal = np.ones((80, 6))
    ranks = np.tile([0.1, 0.3, 0.2, 0.3, np.nan, 0.0], (80, 1))
    same = Gridded(
        {**grid.figures, "correctness": equal, TIE_BREAKER: ranks}, grid.to_beat, LEVELS, grid.answerable, OWN
    )
    assert best_first(same) == [1, 3, 2, 0, 4, 5]


def test_what_is_not_known_is_left_out_and_counted() -> None:
    grid = gridded(0.4)
    known = grid.figures["correctness"].copy()
    known[:5] = np.nan
    some = Gridded({**grid.figures, "correctness": known}, grid.to_beat, LEVELS, grid.answerable, OWN)
    assert int(some.scored.sum()) == 75 and held_out(some).difference.n == 75
    assert analysis(some)[0]["df_error"] == 74


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_objective_is_the_first_that_is_known(objective: str) -> None:
    grid = gridded(0.4, objective=objective)
    assert grid.objective == objective
    assert (correlations(grid) is None) == (objective == "embedding_triad"), "nothing to hold it against"


def test_what_cannot_be_answered_does_not_choose_alone() -> None:
    """Whoever declines all would be best at it."""
    grid = gridded(0.4)
    answers, declines = [0.5, 0.5, 0.3, 0.3, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    answerable = np.arange(80) < 60
    correctness = np.where(answerable[:, None], np.nan, declines)
    rouge = np.where(answerable[:, None], answers, np.nan)
    to_beat = {"correctness": correctness[:, 0], "rouge1_recall": rouge[:, 0]}
    figures = {**grid.figures, "correctness": correctness, "rouge1_recall": rouge}
    some = Gridded(figures, to_beat, LEVELS, answerable, OWN)
    assert some.objective == "rouge1_recall" and some.scored.all()
    assert some.values.mean(axis=0).tolist() == pytest.approx([0.375, 0.375, 0.475, 0.475, 0.25, 0.25])
    assert best_first(some)[:2] == [2, 3], "it answers, and declines what cannot be answered"
    few = np.where(np.arange(80)[:, None] < 20, rouge, np.nan)
    assert Gridded({**figures, "rouge1_recall": few}, to_beat, LEVELS, answerable, OWN).objective == "embedding_triad"
    none = Gridded(figures, to_beat, LEVELS, ~ALL, OWN)
    assert none.objective == "embedding_triad"


def test_what_the_plan_in_use_failed_at_is_left_out() -> None:
    grid = gridded(0.4)
    failed = grid.to_beat["correctness"].copy()
    failed[:7] = np.nan
    some = Gridded(grid.figures, {**grid.to_beat, "correctness": failed}, LEVELS, ALL, OWN)
    assert held_out(some).difference.n == 73


def test_the_triad_is_held_against_what_is_known_over_questions_and_over_configurations() -> None:
    grid = gridded(0.4)
    found = correlations(grid)
    assert found is not None
    known, triad = grid.figures["correctness"], grid.figures["embedding_triad"]
    for over, axis, count in (("over_questions", 1, 80), ("over_configurations", 0, 6)):
        said = found[over]["embedding_triad"]
        one, other = known.mean(axis=axis), triad.mean(axis=axis)
        assert said["n"] == count and said["pearson"] == pytest.approx(pearsonr(one, other).statistic)
        assert said["spearman"] == pytest.approx(spearmanr(one, other).statistic)
        assert said["pearson_p"] == pytest.approx(pearsonr(one, other).pvalue)
    assert found["over_questions_with_a_page"]["embedding_triad"]["n"] == 0, "none is given"
    ranks = np.where(np.arange(80)[:, None] < 30, 1.0, np.nan) * np.ones((1, 6))
    some = correlations(Gridded({**grid.figures, TIE_BREAKER: ranks}, grid.to_beat, LEVELS, grid.answerable, OWN))
    assert some is not None
    of_pages = pearsonr(known[:30].mean(axis=1), triad[:30].mean(axis=1))
    assert some["over_questions_with_a_page"]["embedding_triad"]["pearson"] == pytest.approx(of_pages.statistic)
    constant = Gridded(
        {**grid.figures, "groundedness": np.ones(known.shape)}, grid.to_beat, LEVELS, grid.answerable, OWN
    )
    told = correlations(constant)
    assert told is not None and told["over_questions"]["groundedness"]["pearson"] is None


@pytest.mark.parametrize("questions", [1, 2])
def test_of_hardly_any_questions_nothing_is_recommended(questions: int) -> None:
    grid = gridded(1.0, questions)
    assert not held_out(grid).beats and len(best_first(grid)) == 6
    assert len(analysis(grid)) == 2
