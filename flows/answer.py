"""`bidfolio answer`: a customer's questionnaire comes back filled, each answer with its page, or declined."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from prefect import flow

from configs.plans import load_plan
from configs.settings import load_settings
from flows.cli.output.progress import log_where_unseen
from flows.prefect_server.form_types import Generator, MayBeEmpty, PatternList, PlanName, named, titled, with_generator
from flows.review import report_beside
from tasks.answering.overlapped_drafting import overlaps_drafting
from tasks.answering.task import draft_answers, find_and_draft, load_for_asking
from tasks.chat.task import condense_cells
from tasks.quality.answers_task import check_answers, compare_questions
from tasks.questionnaires.customers_file import ReadAs
from tasks.questionnaires.reading.layout import EvidencePlace, Fill
from tasks.questionnaires.task import check_out, fill_file, read_questions_of_file
from tasks.retrieval.plan_fallbacks import as_answered
from tasks.retrieval.queries.scope import Scope
from tasks.retrieval.task import find_live, find_scope, retrieve_hits
from tasks.runtime.artifacts import failure_recorded, open_run, record_answers


@flow(name="answer-questionnaire", flow_run_name=named("answer", "file"), on_running=[log_where_unseen])
def answer_questionnaire(
    file: Annotated[str, titled("Questionnaire")],
    out: Annotated[MayBeEmpty, titled("Filled copy")] = "",
    plan: PlanName = "bidfolio",
    generator: Annotated[Generator, titled("Who drafts")] = "as the plan says",
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
    overwrite: Annotated[bool, titled("Replace the filled copy")] = False,
    files: Annotated[PatternList, titled("Only these files")] = None,
    folders: Annotated[PatternList, titled("Only these folders")] = None,
    tags: Annotated[PatternList, titled("Only these tags")] = None,
    kinds: Annotated[PatternList, titled("Only these kinds")] = None,
    since: Annotated[MayBeEmpty, titled("Only since")] = "",
    until: Annotated[MayBeEmpty, titled("Only until")] = "",
    fill: Annotated[Fill, titled("Which yes and no is filled in")] = "answered",
    evidence: Annotated[EvidencePlace, titled("Where the evidence goes")] = "file",
    map: Annotated[MayBeEmpty, titled("Map of the columns")] = "",
    question_column: Annotated[MayBeEmpty, titled("Column of the questions")] = "",
    report: Annotated[bool, titled("Write a report with the pages")] = False,
) -> dict[str, Any]:
    """Answers the questionnaire `file` from the published documents and writes a filled copy, with its evidence.

    Parameters:
        file: Path of the customer's file, on the machine that answers: XLSX, XLSM, XLTX, ODS, XLS, CSV or DOCX with
            places for answers, or a tender in free text (PDF, DOCX, Markdown, HTML), answered in a compliance matrix.
        out: Path of the filled copy. Empty: beside the questionnaire, as NAME.answered.xlsx, .csv or .docx; for a
            tender NAME.compliance.xlsx, with NAME.response.docx beside it.
        plan: The recipe to answer with.
        generator: "extractive" quotes the documents word for word; "openai" asks the configured model server; "chain"
            asks it and, where it fails or is slow, the next of the configured order.
        corpus: Name of the documents to answer from. May stay empty where there is only one corpus.
        overwrite: On: a filled copy and an evidence workbook that are there already are replaced. Off: they stay, and
            the run fails.
        files: Patterns of the documents to answer from, such as *.pdf or past/**. Empty: all.
        folders: Folders, archives or mails to answer from, each with all in it; beside what the files name.
        tags: Names of patterns in the settings; beside what files and folders name.
        kinds: Of these, only documents of such kinds: pdf, docx, sheet, mail …
        since: Of these, only documents of that day or later, as YYYY-MM-DD.
        until: Of these, only documents of that day or earlier, as YYYY-MM-DD.
        fill: "answered" writes a yes or no into the customer's cell where it is sure enough to be sent; "proposed" also
            where a person still has to look and it is likely: from the plan's answering.verdicts.filled_from on.
        evidence: "file" writes a workbook beside the filled copy, NAME.evidence.xlsx, with quote, page and status of
            each answer, and leaves the customer's file with answers alone; "inline" adds columns with them to the
            filled copy; "none" writes the filled copy alone.
        map: Path of a YAML file that names the sheets' columns, as `bidfolio inspect FILE --write-map` writes it.
            Empty: they are found by themselves.
        question_column: Letter or title of the column of the questions, where they are not found by themselves.
        report: On: every answer with its page and the quote marked, in one HTML file beside the filled copy,
            NAME.report.html. `bidfolio review RUN --report` writes it at any time.
    """
    settings = load_settings()
    scope = Scope.of(files, folders, tags, kinds, since, until)
    run = open_run("answer", plan, file, corpus, settings, str(scope))
    with failure_recorded(run, settings):
        asked = with_generator(load_plan(plan), generator)
        recipe, deviations = as_answered(asked, settings.rerank, settings.openai)
        read_as = ReadAs(map or "", question_column or "")
        targets = check_out(
            file,
            out,
            recipe,
            settings,
            overwrite=overwrite,
            scope=run.scope,
            fill=fill,
            evidence=evidence,
            read_as=read_as,
        )
        version = find_live(recipe, corpus or None, settings)
        scoped = find_scope(scope, version, settings)
        questions = read_questions_of_file(file, run, settings, read_as)
        questions = condense_cells(questions, partial(load_for_asking, version, recipe, settings, scope), run, settings)
        if overlaps_drafting(recipe):
            retrieved, answered = find_and_draft(questions, version, recipe, run, settings, deviations, scope=scope)
        else:
            retrieved = retrieve_hits(questions, version, recipe, run, settings, scope=scope)
            answered = draft_answers(questions, retrieved, recipe, run, settings, deviations)
        warnings = questions.warnings + retrieved.warnings + answered.warnings
        warnings += check_answers(questions, answered, version, run, settings)
        index = version.index_version
        written = fill_file(
            file, targets, questions, answered, recipe, run, index, settings, fill, evidence, read_as, report=report
        )
        warnings += written.warnings
        warnings += compare_questions(questions, answered, version, recipe, run, settings)
        summary = {
            "run_id": run.run_id,
            "questions": questions.asked,
            "answered": answered.answered,
            "declined": answered.declined,
            "needs_review": answered.needs_review,
            "failed": answered.failed,
            "unexpanded": retrieved.unexpanded,
            "deviations": deviations,
            "index_version": index,
            "scope": scope.to_json() | scoped._asdict() if scoped else None,
            "warnings": list(warnings),
            "questionnaire": str(Path(file).absolute()),
            "questionnaire_sha256": questions.content_sha256,
            "map": str(Path(map).absolute()) if map else "",
            "question_column": question_column or "",
            "out": written.out,
            "evidence": written.evidence,
            "response": written.response,
            "report": None,
            "seconds": round(run.seconds, 3),
        }
        record_answers(run, answered, version, summary, settings)
    return summary | report_beside(run.run_id, summary, settings) if report else summary
