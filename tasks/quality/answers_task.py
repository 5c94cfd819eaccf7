"""Checks of a run's results: its answers and scores against their suites, its questions against earlier runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib import import_module

from configs.plans import Plan
from configs.settings import Settings
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.vector_cache import question_encoder
from tasks.embedding.models.dense import encode_with_tokens
from tasks.embedding.models.shards import Encoder, text_id
from tasks.errors import GateRefused
from tasks.quality.answer_frames import answer_frame, citation_frame, score_frame
from tasks.quality.drift import SILENT, Questionnaire, drift_findings, told_plainly
from tasks.quality.findings import Finding, finding_table
from tasks.records import Document
from tasks.references import Answered, Questions, Staged
from tasks.runtime.flow_run import add_table
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache

EARLIER_RUNS = 10
"""Number of earlier questionnaires to compare with, the most recent."""
MOST_RUNS = 200
"""Number of earlier runs that are searched for them."""


def prepare_checks() -> None:
    """Import Great Expectations, which takes seconds, where there is nothing else to do."""
    import_module("tasks.quality.suites")


@stage("check the answers of {answered.plan}")
def check_answers(
    questions: Questions, answered: Answered, version: Staged, run: Run, settings: Settings
) -> tuple[str, ...]:
    """Check a run's answers and citations against their suites; returns the messages of the warnings.

    All findings go to the table ``quality``. Raises GateRefused, which names the expectations that failed, so that no
    questionnaire is filled with such answers.
    """
    # Great Expectations takes seconds to import.
    from tasks.quality.suites import answer_suite, citation_suite, validate

    lake = Lake(settings.home)
    partition = {"run_id": answered.run_id, "plan": answered.plan}
    answers, citations = (lake.read(table, **partition).to_pylist() for table in ("answers", "citations"))
    cached = ConvertedCache(lake)
    documents = {one: cached.document(one) for one in {row["document_id"] for row in citations}}
    known = {one: found if isinstance(found, Document) else None for one, found in documents.items()}
    ids = frozenset(row["answer_id"] for row in answers)
    frames = {
        "answers": (
            answer_frame(answers, Counter(row["answer_id"] for row in citations)),
            answer_suite(questions.asked),
        ),
        "citations": (citation_frame(citations, ids, known), citation_suite()),
    }
    return _told(validate(frames), f"answers of {answered.plan}", version.corpus, run, settings)


@stage("check the scores")
def check_scores(plans: Sequence[str], corpus: str, run: Run, settings: Settings) -> tuple[str, ...]:
    """Check the scores of those plans against the suite ``scores``; returns and raises as :func:`check_answers`."""
    from tasks.quality.suites import score_suite, validate

    lake = Lake(settings.home)
    rows = [row for plan in plans for row in lake.read("scores", run_id=run.run_id, plan=plan).to_pylist()]
    return _told(validate({"scores": (score_frame(rows), score_suite())}), "scores", corpus, run, settings)


@stage("compare the questions with earlier ones")
def compare_questions(
    questions: Questions, answered: Answered, version: Staged, plan: Plan, run: Run, settings: Settings
) -> tuple[str, ...]:
    """Compare this run's questions with earlier questionnaires to the corpus; returns the messages of the warnings.

    All findings go to the table ``quality``. Drift is only a warning and refuses nothing.
    """
    lake = Lake(settings.home)
    now = _questionnaire(questions.run_id, answered.plan, plan, lake, settings)
    if now is None:
        return ()
    earlier: dict[frozenset[str], Questionnaire] = {}
    for run_id, name in _earlier(run, version.corpus, lake):
        if len(earlier) < EARLIER_RUNS and (found := _questionnaire(run_id, name, plan, lake, settings)):
            earlier.setdefault(found.texts, found)
    earlier.pop(now.texts, None)  # the same questionnaire, asked again
    findings = drift_findings(now, list(earlier.values()))
    _told(findings, "drift", version.corpus, run, settings)
    return tuple(told_plainly(one) for one in findings if one.failed)


def _told(findings: Sequence[Finding], what: str, corpus: str, run: Run, settings: Settings) -> tuple[str, ...]:
    """Record the findings; gives the warnings. Raises GateRefused, which names what failed that is critical."""
    lake = Lake(settings.home)
    identity = {**run.identity, "corpus": corpus}
    before = lake.read("quality", run_id=run.run_id).to_pylist()
    lake.write("quality", [*before, *(identity | asdict(one) for one in findings)], run_id=run.run_id)
    key = "drift" if what == "drift" else "checks"
    add_table(key, finding_table(findings), f"Checks of the {what}")
    failed = [one for one in findings if one.failed]
    if refused := [one.message for one in failed if one.severity == "critical"]:
        raise GateRefused(
            f"the {what} of run {run.run_id} did not pass, and nothing is made of them: {'. '.join(refused)}. They "
            "stay in the lake to be looked at. It is no fault of yours: a file of the home was changed, or bidfolio "
            "errs. Run the same command again; where it is refused again, delete the cache, refresh, and report it"
        )
    return tuple(one.message for one in failed)


def _earlier(run: Run, corpus: str, lake: Lake) -> Iterator[tuple[str, str]]:
    """The runs that answered questionnaires from the corpus before this one, the last first, each with its plan."""
    before = [run_id for run_id in lake.values("runs", "run_id") if run_id < run.run_id]
    for run_id in before[::-1][:MOST_RUNS]:
        for row in lake.read("runs", run_id=run_id).to_pylist():
            if (row["kind"], row["status"], row["corpus"]) == ("answer", "done", corpus):
                for plan in lake.values("answers", "plan", run_id=run_id):
                    yield run_id, plan


def _questionnaire(run_id: str, name: str, plan: Plan, lake: Lake, settings: Settings) -> Questionnaire | None:
    """The questions of a run, with the number the documents were silent on under the plan ``name``; None if none.

    Their vectors are those of ``plan``'s model.
    """
    asked = lake.read("questions", run_id=run_id).sort_by("question_index").to_pylist()
    if not asked:
        return None
    answers = lake.read("answers", run_id=run_id, plan=name).to_pylist()
    silent = sum(row["status"] == "declined" and row["decline_reason"] in SILENT for row in answers)
    encoder = Encoder(plan.embedding, *settings.machine)
    encode = question_encoder(encoder, encode_with_tokens, output_cache(settings.home)).dense
    questions = [row["question"] for row in asked]
    texts = frozenset(map(text_id, questions))
    return Questionnaire(questions, texts, encode(questions), silent)
