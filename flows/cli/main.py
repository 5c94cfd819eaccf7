"""The command line, `bidfolio COMMAND`: it parses options, calls a flow, prints, and returns an exit code.

0 done; 1 done with some items failed; 2 wrong usage or configuration; 3 refused by a quality gate; 4 a needed
service is away; 70 an unforeseen error. A command's libraries are imported when it runs, so that `--help`
answers at once.
"""

from __future__ import annotations

import argparse
import atexit
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from flows.cli import (
    ask_command,
    evaluation_command,
    gold_command,
    inspect_command,
    library_command,
    record_commands,
    refresh_command,
    review_command,
    tuning_command,
)
from flows.cli.options import Command, add_scope, adder, scope_of, tell_undated
from flows.cli.output.printing import counted, report, tell_warnings

if TYPE_CHECKING:
    from configs.settings import Settings

UNEXPECTED = 70
"""The exit code for unforeseen errors, EX_SOFTWARE of sysexits.h."""


def run() -> int:
    """Run `bidfolio` as a program: it leaves no process behind, not even when it is killed."""
    from flows.prefect_server.watch import watch

    code: list[int] = []
    atexit.register(_leave, code)  # registered first, called last
    watch()
    signal.signal(signal.SIGTERM, _stopped)
    code.append(main())
    return code[0]


def _stopped(*_: object) -> None:
    """Handle SIGTERM like Ctrl-C. `timeout` and service managers send it twice: to the command,
    and to all its processes.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _leave(code: Sequence[int]) -> None:
    """End the process with the command's exit code, without shutting the interpreter down.

    Threads of libraries that return to it during shutdown abort the process now and then, when everything is done and
    printed.
    """
    if code:
        with suppress(OSError, ValueError):  # the reader of the pipe has left
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if not hasattr(options, "command"):
        parser.print_help()
        return 2
    from configs.settings import load_settings
    from flows.cli import error_remedies, home_state
    from flows.cli.output import progress
    from flows.prefect_server import environment
    from tasks.errors import BidfolioError, UsageError
    from tasks.progress import show

    command: Command = options.command
    try:
        settings = load_settings(**{name: getattr(options, name, None) for name in ("home", "profile", "backend")})
        environment.prepare(settings)
        show(progress.for_this_terminal())
        home_state.look_at(settings)
        code = command(options, settings)
        sys.stdout.flush()
        return code
    except BidfolioError as error:
        print(f"bidfolio: {error}", file=sys.stderr)
        home_state.tell_damage(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader of stdout has left (`| head`): print nothing, and keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("bidfolio: interrupted; run the same command again to go on", file=sys.stderr)
        return 130
    except Exception as error:
        if (told := error_remedies.last_words(error)) is not None:
            print(f"bidfolio: {told[0]}", file=sys.stderr)
            return told[1]
        if home_state.tell_damage(error):
            return UsageError.exit_code
        traceback.print_exc()
        print("bidfolio: this should not have happened (above: where it did); nothing done is lost", file=sys.stderr)
        return UNEXPECTED
    except BaseException as error:
        # Prefect raises it on SIGTERM during a run; its class is not imported, since `--help` must be fast.
        if type(error).__name__ != "TerminationSignal":
            raise
        print("bidfolio: stopped; run the same command again to go on", file=sys.stderr)
        return 143


def build_parser() -> argparse.ArgumentParser:
    """The parser of every command, without importing any of them."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument(
        "--home", metavar="DIR", help="where bidfolio keeps its files (default: $BIDFOLIO_HOME, ./.bidfolio)"
    )
    common.add_argument("--profile", metavar="NAME", help="settings of configs/profiles/NAME.yaml")
    common.add_argument("--backend", metavar="NAME", help="what runs models that a plan leaves to the machine")
    common.add_argument("--json", action="store_true", help="one JSON summary on stdout, everything else on stderr")
    parser = argparse.ArgumentParser(
        prog="bidfolio",
        description="Answers questionnaires from a company's own documents, with the page behind every answer.",
        parents=[common],
    )
    add = adder(parser.add_subparsers(title="commands", metavar="COMMAND"), common)

    add("demo", _demo, "a sample corpus is indexed and two sample questionnaires are answered")

    refresh_command.add_commands(add)

    answer = add(
        "answer",
        _answer,
        "answer a customer's questionnaire (XLSX, ODS, XLS, CSV, DOCX) or a tender in free text (PDF, DOCX, MD)",
    )
    answer.add_argument("file", metavar="FILE")
    answer.add_argument(
        "--out", metavar="FILE", help="the filled copy, or a tender's compliance matrix (default: beside FILE)"
    )
    answer.add_argument("--overwrite", action="store_true", help="replace files that are there")
    answer.add_argument(
        "--fill",
        choices=["answered", "proposed"],
        default="answered",
        help="write a yes or no where it is answered (default), or also where it is proposed as likely",
    )
    answer.add_argument(
        "--evidence",
        choices=["file", "inline", "none"],
        default="file",
        help="quote, page and status of each answer: in NAME.evidence.xlsx beside the filled copy (default), in "
        "columns of the filled copy itself, or nowhere",
    )
    answer.add_argument("--report", action="store_true", help="write NAME.report.html, every answer with its page, too")
    inspect_command.add_reading(answer)
    _add_answering(answer)

    inspect_command.add_commands(add)

    ask = add("ask", _ask, "answer one question, or go on with a conversation")
    ask_command.add_options(ask)
    _add_answering(ask)

    review_command.add_commands(add)

    evaluation_command.add_options(add("evaluate", _evaluate, "measure plans against a gold set"))

    gold_command.add_commands(add, common)

    library_command.add_commands(add, common)

    tuning_command.add_options(add("tune", _tune, "learn from the corpus' own questions, and keep it where it helps"))

    index = add("index", _index_list, "list, check, publish or roll back index versions")
    add_action = adder(index.add_subparsers(title="actions", metavar="ACTION"), common)
    for name, action, help_text in (
        ("list", _index_list, "every version, and which one is live"),
        ("check", _index_check, "hold the live version against its quality suites"),
        ("publish", _index_publish, "make a version live"),
        ("rollback", _index_rollback, "make the version before it live again"),
    ):
        added = add_action(name, action, help_text)
        if name == "publish":
            added.add_argument("version", metavar="V")
        if name != "list":
            added.add_argument("--plan", default="bidfolio", help="the recipe whose index it is (default: bidfolio)")
            added.add_argument("--corpus", help="the corpus (default: the only one)")

    record_commands.add_commands(add)

    sql = add("sql", _sql, "query the lake's tables with DuckDB")
    sql.add_argument("query", metavar="SELECT")

    serve = add("serve", _serve, "Prefect's server and UI, the deployments, and questions over HTTP, on this machine")
    serve.add_argument("--port", type=int, default=4200, help="the UI's port (default: 4200)")
    serve.add_argument("--ask-port", type=int, default=4210, help="the port for questions (default: 4210)")
    return parser


def _add_answering(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plan", default="bidfolio", help="the recipe (default: bidfolio)")
    parser.add_argument(
        "--generator", choices=["extractive", "openai", "chain"], help="who drafts (default: as the plan says)"
    )
    parser.add_argument("--corpus", help="the corpus to answer from (default: the only one)")
    add_scope(parser)


def _demo(options: argparse.Namespace, settings: Settings) -> int:
    from flows.cli.preflight import server_ready
    from flows.prefect_server.configured import may_be_configured

    is_watched = may_be_configured()
    with server_ready():
        from flows.demo import run_demo
        from tasks.quality.answers_task import prepare_checks

        prepare_checks()

    summary = run_demo(settings, is_watched=is_watched)
    return report(options, summary, _demo_lines(summary))


def _answer(options: argparse.Namespace, settings: Settings) -> int:
    from flows.cli.preflight import check_answer, check_map, server_ready

    check_answer(options.file, options.plan, settings)
    check_map(options.map)
    from tasks.retrieval.queries.scope import Scope

    Scope.of(**scope_of(options))
    with server_ready():
        from flows.answer import answer_questionnaire
        from tasks.quality.answers_task import prepare_checks

        prepare_checks()

    summary = answer_questionnaire(
        options.file,
        options.out,
        options.plan,
        options.generator or "as the plan says",
        options.corpus,
        options.overwrite,
        **scope_of(options),
        fill=options.fill,
        evidence=options.evidence,
        map=options.map,
        question_column=options.question_column,
        report=options.report,
    )
    tell_undated(summary)
    tell_warnings(summary["warnings"])
    lines = [_answer_line(summary), *(f"ran with {one}" for one in summary["deviations"])]
    lines += [f"every answer with its page: {summary['report']}"] if summary["report"] else []
    return report(options, summary, lines, int(bool(summary["failed"])))


def _ask(options: argparse.Namespace, settings: Settings) -> int:
    said, lines = ask_command.ask(options, settings)
    tell_warnings(said.get("warnings", ()))
    return report(options, said, lines, int(said.get("status") == "failed"))


def _evaluate(options: argparse.Namespace, _settings: Settings) -> int:
    summary, lines = evaluation_command.evaluate(options)
    tell_warnings(summary.get("warnings", ()))
    report(options, summary, lines)
    return _failures(summary)


def _tune(options: argparse.Namespace, settings: Settings) -> int:
    summary, lines = tuning_command.tune(options, settings)
    report(options, summary, lines)
    return _failures(summary)


def _failures(summary: dict[str, Any]) -> int:
    """Print the plans with failed answers to stderr; returns the exit code, 1 where there are any."""
    failed = summary.get("failed", {})
    for name, count in failed.items():
        why = summary.get("first_failures", {}).get(name)
        first = f" (the first: {why})" if why else ""
        print(f"bidfolio: {name}: {count} answers failed, and are scored nowhere: run it again{first}", file=sys.stderr)
    return 1 if failed else 0


def _index_list(options: argparse.Namespace, settings: Settings) -> int:
    from flows.index import list_versions

    found = list_versions(settings)
    lines = [
        f"{'  old' if row['is_old'] else '* live' if row['live'] else '':7}{row['index_version']}  {row['corpus']}  "
        f"{row['plan']}  {row['documents']} documents, {row['chunks']} chunks"
        f"{', with an adapter' if row['adapter'] else ''}"
        for row in found
    ]
    if any(row["is_old"] for row in found):
        lines.append("old: of an earlier recipe of a plan, which no plan in use reads; `bidfolio gc` removes it")
    return report(options, {"versions": found}, lines or ["no index yet: run `bidfolio refresh SOURCE`"])


def _index_check(options: argparse.Namespace, settings: Settings) -> int:
    from flows.index import check_live

    checked = check_live(options.plan, options.corpus, settings)
    said = f"version {checked['index_version']} of {checked['corpus']}: every expectation holds"
    return report(options, checked, [said])


def _index_publish(options: argparse.Namespace, settings: Settings) -> int:
    from flows.index import publish_version

    done = publish_version(options.version, options.plan, options.corpus, settings)
    return report(options, done, _live_lines(done))


def _index_rollback(options: argparse.Namespace, settings: Settings) -> int:
    from flows.index import roll_back

    done = roll_back(options.plan, options.corpus, settings)
    return report(options, done, _live_lines(done))


def _sql(options: argparse.Namespace, settings: Settings) -> int:
    from flows.home.sql import run_query

    columns, rows = run_query(options.query, settings)
    from flows.cli.output.tables import table_lines

    return report(options, {"columns": columns, "rows": rows}, table_lines(columns, rows))


def _serve(options: argparse.Namespace, settings: Settings) -> int:
    from flows.serve import serve

    return serve(settings, options.port, options.ask_port)


def _demo_lines(summary: dict[str, Any]) -> list[str]:
    answered = map(_answer_line, summary["questionnaires"])
    return [summary["refresh_in_words"], *answered, f"ask something: infra/bidfolio ask {summary['example']!r}"]


def _live_lines(done: dict[str, Any]) -> list[str]:
    lines = [f"live is now {done['index_version']}"]
    if not done["lake_pages_restored"]:
        lines.append("the tables pages, elements and lines stay as they were: another bidfolio converted that version")
    return lines


def _answer_line(summary: dict[str, Any]) -> str:
    asked = f", {summary['unexpanded']} asked as they stand" if summary["unexpanded"] else ""
    response = f" and {summary['response']}" if summary["response"] else ""
    evidence = f", evidence in {summary['evidence']}" if summary["evidence"] else ""
    return (
        f"{counted(summary['questions'], 'question')}: {summary['answered']} answered, "
        f"{summary['needs_review']} to review, {summary['declined']} declined, {summary['failed']} failed{asked}, "
        f"in {summary['seconds']:.1f} s → {summary['out']}{response}{evidence}"
    )
