"""`bidfolio inspect`: what is understood of a customer's questionnaire, without answering it."""

from __future__ import annotations

from configs.settings import Settings
from tasks.questionnaires.customers_file import ReadAs
from tasks.questionnaires.inspect_task import Inspected, inspect_file
from tasks.questionnaires.task import open_file


def inspect(
    path: str, settings: Settings, map_path: str = "", question_column: str = "", write_map: str = ""
) -> Inspected:
    """The report on a file, read as :func:`tasks.questionnaires.inspect_task.inspect_file` does."""
    read = open_file.fn(path, settings, ReadAs(map_path, question_column))
    return inspect_file.fn(path, read, write_map)
