"""Questionnaires of many shapes, each with the questions that a proposal writer would answer in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.made.questionnaire_layouts import (
    assessments,
    caiq,
    exports,
    french,
    german,
    grids,
    hecvat,
    hidden,
    iberian,
    investors,
    loose,
    outlines,
    packs,
    printed,
    sig,
    stacked,
    tenders,
    text_files,
    two_languages,
)
from tests.made.questionnaire_layouts.form import Asked, Layout

__all__ = ["MAKERS", "Asked", "Layout", "questionnaire_layouts"]

MAKERS: tuple[Callable[[], Layout], ...] = (
    sig.many_tabs,
    caiq.cloud_controls,
    hecvat.university,
    assessments.prompts,
    assessments.reviewers,
    investors.due_diligence,
    tenders.matrix,
    tenders.two_tables,
    tenders.side_by_side,
    german.criteria,
    german.quantities,
    french.requirements,
    iberian.spanish,
    iberian.portuguese,
    two_languages.in_columns,
    two_languages.in_cells,
    stacked.stacked,
    stacked.sheet_each,
    loose.bare_column,
    loose.several_in_a_cell,
    loose.by_product,
    grids.ticked_grid,
    grids.far_corner,
    packs.onboarding,
    packs.partly_answered,
    packs.with_examples,
    hidden.hidden_parts,
    printed.pages,
    printed.scores,
    text_files.western,
    text_files.many_lines,
    text_files.tabs,
    exports.portal,
    exports.shared_strings,
    exports.composed,
    exports.check_boxes,
    exports.cards,
    outlines.indented,
    outlines.tall_rows,
    outlines.wide_mappings,
    outlines.headless,
)


def questionnaire_layouts() -> Iterator[Layout]:
    """Make each layout in turn."""
    for make in MAKERS:
        yield make()
