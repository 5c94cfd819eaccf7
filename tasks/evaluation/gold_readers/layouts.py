"""Layouts of gold sets: the list of readers, and the import of a file in any of their layouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.evaluation.gold_readers import public_sets
from tasks.evaluation.gold_readers.questionnaire import is_questionnaire, read_answers
from tasks.evaluation.gold_readers.source import Imported, Source, open_source


class Reader(NamedTuple):
    """Reader of a layout, which it recognises by a file's content.

    ``read`` raises KeyError, TypeError or ValueError for content that is not in the layout.
    """

    recognises: Callable[[Source], bool]
    read: Callable[[Source], Imported]


READERS: Mapping[str, Reader] = {
    "rag-mini-wikipedia": Reader(
        # An index column that pandas has left is ignored.
        lambda file: (
            file.has_columns("id", "question", "answer")
            and all(name in ("id", "question", "answer") or name.startswith("__index") for name in file.rows[0])
        ),
        public_sets.read_rag_mini_wikipedia,
    ),
    "rag-mini-bioasq": Reader(
        lambda file: file.has_columns("question", "relevant_passage_ids"), public_sets.read_rag_mini_bioasq
    ),
    "squad": Reader(lambda file: file.has_list("data", "paragraphs"), public_sets.read_squad),
    "bioasq": Reader(lambda file: file.has_list("questions", "body", "type"), public_sets.read_bioasq),
    "financebench": Reader(lambda file: file.has_columns("financebench_id", "question"), public_sets.read_financebench),
    "llamaindex": Reader(
        lambda file: file.has_list("examples", "query", "reference_answer"), public_sets.read_llamaindex
    ),
    "questionnaire": Reader(is_questionnaire, read_answers),
}
"""Readers in the order in which they are tried: a CSV file of the first could pass for a questionnaire."""
LAYOUTS = tuple(READERS)


def import_gold(
    path: str, layout: str | None, passages: str | None, drafts: Set[str] = frozenset()
) -> tuple[str, Imported]:
    """Import a gold set; returns the name of its layout, given or recognised, and the questions read.

    ``drafts`` are the keys of drafts that a questionnaire may hold
    (:func:`tasks.questionnaires.completed.drafts.draft_key`).
    Raises UsageError for a file that cannot be read, has no known layout or not the named one, or has no question.
    """
    source = replace(open_source(path, passages), drafts=drafts)
    if source.is_empty:
        raise UsageError(f"there is nothing in {path}")
    name = layout or next((name for name, one in READERS.items() if one.recognises(source)), "")
    if name not in READERS:
        if source.has_columns("id", "question", "answerable"):
            raise UsageError(f"{path} is a gold set already: `bidfolio evaluate {path}`")
        raise UsageError(f"{path} is in no layout that is known ({', '.join(LAYOUTS)}): name it with --layout")
    try:
        found = READERS[name].read(source)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # Python's message on a wrong type does not help whoever has the file.
        said = str(error) if type(error) is ValueError else "it is made otherwise"
        said = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else said
        raise UsageError(f"{path} is not in the layout {name}: {said}") from error
    if not found.questions:
        reasons = "; ".join(f"{count} {reason}" for reason, count in found.left_out.most_common())
        raise UsageError(f"{path} gives no question{': ' if reasons else ''}{reasons}")
    return name, found
