"""Questionnaires of many shapes, each with the questions that a proposal writer would answer in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.made.questionnaire_layouts import caiq, hecvat, sig
from tests.made.questionnaire_layouts.form import Asked, Layout

__all__ = ["MAKERS", "Asked", "Layout", "questionnaire_layouts"]

MAKERS: tuple[Callable[[], Layout], ...] = (
    sig.many_tabs,
    caiq.cloud_controls,
    hecvat.university,
)


def questionnaire_layouts() -> Iterator[Layout]:
    """Make each layout in turn."""
    for make in MAKERS:
        yield make()
