"""`bidfolio answer`: a customer's questionnaire comes back filled, each answer with its page, or declined."""

from __future__ import annotations

from typing import Any, Literal

from prefect import flow

from configs.plans import Plan, load_plan
from configs.settings import load_settings
from tasks.answering.task import draft_answers
from tasks.artifacts import record_answers
from tasks.questionnaires.task import check_out, fill_file, read_questions_of_file
from tasks.retrieval.task import find_live, retrieve_hits
from tasks.runs import start_run

Generator = Literal["as the plan says", "extractive", "openai"]


@flow(name="answer-questionnaire", flow_run_name="answer {file}")
def answer_questionnaire(
    file: str,
    out: str | None = None,
    plan: str = "bidfolio",
    generator: Generator = "as the plan says",
    corpus: str | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Answers the questionnaire `file` from the published documents and writes a filled copy.

    Parameters:
        file: path of the XLSX or CSV that the customer sent
        out: path of the filled copy; beside the original where it is empty
        plan: the recipe to answer with
        generator: who drafts: `extractive` quotes verbatim, `openai` asks the configured model server
        corpus: the corpus to answer from; may be empty where there is only one
        overwrite: replace a filled copy that is there already
    """
    run, settings = start_run(), load_settings()
    recipe = with_generator(load_plan(plan), generator)
    target = check_out(file, out, overwrite=overwrite)
    version = find_live(recipe, corpus, settings)
    questions = read_questions_of_file(file, run, settings)
    retrieved = retrieve_hits(questions, version, recipe, run, settings)
    answered = draft_answers(questions, retrieved, recipe, run, settings)
    fill_file(file, target, answered, settings)
    summary = {
        "run_id": run.run_id,
        "questions": questions.count,
        "answered": answered.answered,
        "declined": answered.declined,
        "needs_review": answered.needs_review,
        "failed": answered.failed,
        "index_version": version.index_version,
        "out": target,
        "seconds": round(run.seconds, 3),
    }
    record_answers(run, file, answered, version, summary, settings)
    return summary


def with_generator(plan: Plan, generator: Generator) -> Plan:
    """The plan, drafting with ``generator`` where one is named."""
    if generator == "as the plan says":
        return plan
    return plan.model_copy(update={"answering": plan.answering.model_copy(update={"generator": generator})})
