"""Reader of completed questionnaires: answers that a person has given count as right."""

from __future__ import annotations

from collections import defaultdict

from tasks.errors import UsageError
from tasks.evaluation.gold_readers.source import WORKBOOKS, Imported, Source
from tasks.questionnaires.completed.completed_rows import read_completed
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.records import GoldQuestion, Verdict, content_id

CONTRADICTED = "rows whose question another row answers with another verdict"


def is_questionnaire(source: Source) -> bool:
    """Recognise any workbook, and a CSV file that has a column of questions and a column for answers."""
    if source.path.suffix.lower() in WORKBOOKS:
        return True
    if source.path.suffix.lower() != ".csv" or source.has_columns("relevant_passage_ids"):
        return False
    try:
        sheets = read_questionnaire(source.path.read_bytes(), source.path.name).sheets
    except UsageError:
        return False
    return any(sheet.answer_column is not None or sheet.answered_rows for sheet in sheets)


def read_answers(source: Source) -> Imported:
    """Read the answered questions, without evidence: the page that an answer was taken from is unknown.

    The file is held out, since it would answer its own questions. Answers that bidfolio drafted and nobody has approved
    are left out, as bidfolio would be measured against itself; so is a question that several rows answer with different
    verdicts, since one of them is wrong.
    """
    name = source.path.name
    completed = read_completed(source.path.read_bytes(), name, source.drafts)
    found = Imported(left_out=completed.left_out)
    verdicts: dict[str, set[Verdict]] = defaultdict(set)
    for row in completed.rows:
        verdicts[row.question.casefold()] |= {row.verdict} if row.verdict else set()
    for row in completed.rows:
        if len(verdicts[row.question.casefold()]) > 1:
            found.left_out[CONTRADICTED] += 1
            continue
        found.add(
            GoldQuestion(
                content_id("question", name, row.question_id),
                row.question,
                answerable=True,
                answer=row.answer,
                verdict=row.verdict,
                questionnaire=name,
                held_out=(name,),
            )
        )
    return found
