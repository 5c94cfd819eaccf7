"""The command line is a contract: its commands, its exit codes, its one JSON on stdout."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from openpyxl import Workbook

from configs.settings import load_settings
from flows.cli.main import build_parser
from tasks.index.locks import writing_lock
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.paths import ROOT
from tests.made.published import Published
from tests.made.questionnaires import write_question

COMMANDS = [
    "demo",
    "refresh",
    "answer",
    "inspect",
    "ask",
    "evaluate",
    "tune",
    "index",
    "replay",
    "trace",
    "purge",
    "gc",
    "sql",
    "serve",
]
ACTIONS = ["list", "check", "publish", "rollback"]
HEAVY = [
    "dask",
    "distributed",
    "duckdb",
    "great_expectations",
    "lancedb",
    "numpy",
    "pandas",
    "polars",
    "prefect",
    "pyarrow",
    "pydantic",
    "sentence_transformers",
    "sklearn",
    "spacy",
    "torch",
    "transformers",
    "unstructured",
]


def subcommands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str | None, argparse.ArgumentParser]]:
    """The name, the line in its parent's help, and the parser of each subcommand."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            lines = {choice.dest: choice.help for choice in action._choices_actions}
            for name, child in action.choices.items():
                yield name, lines.get(name), child


def test_the_commands_are_those_of_the_design() -> None:
    found = {name: parser for name, _, parser in subcommands(build_parser())}
    assert set(COMMANDS) <= set(found)
    assert {name for name, _, _ in subcommands(found["index"])} == set(ACTIONS)


def test_every_command_says_what_it_does() -> None:
    for name, line, parser in [*subcommands(build_parser()), *subcommands(index_parser())]:
        assert line and parser.description, name
        options = {option for action in parser._actions for option in action.option_strings}
        assert {"--home", "--profile", "--backend", "--json", "--help"} <= options, name
        for action in parser._actions:
            assert action.help or not action.option_strings, f"{name} {action.option_strings}"


def index_parser() -> argparse.ArgumentParser:
    return next(parser for name, _, parser in subcommands(build_parser()) if name == "index")


def test_the_api_key_is_a_secret_and_no_setting(bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIDFOLIO_OPENAI_API_KEY", "sk-not-to-be-seen")
    listed = bidfolio("index", "list", "--json")
    assert listed.exit_code == 0 and "sk-not-to-be-seen" not in listed.out + listed.err + repr(load_settings())


def test_a_prefect_server_that_is_away_is_said_at_once(
    bidfolio: Bidfolio, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    away = bidfolio("refresh", corpus)
    assert away.exit_code == 4 and "http://127.0.0.1:9/api" in away.err


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, _, _ in subcommands(build_parser()):
        assert re.search(rf"`(?:bidfolio )?{name}\b|bidfolio {name}\b", readme), name
    for name, _, _ in subcommands(index_parser()):
        assert re.search(rf"`(?:(?:bidfolio )?index )?{name}\b", readme), f"index {name}"


def test_help_imports_next_to_nothing() -> None:
    code = f"""
import contextlib, io, sys
from flows.cli.main import main
calls = [["--help"], *([name, "--help"] for name in {COMMANDS}), *(["index", name, "--help"] for name in {ACTIONS})]
for call in calls:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main(call)
    assert "usage: bidfolio" in out.getvalue(), call
print(*sorted(set({HEAVY}) & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("", "")


NEVER = (
    "torch transformers sentence_transformers sklearn unstructured dask distributed vllm scipy.stats._stats_py "
    "altair.vegalite lance_namespace_urllib3_client.api"
)
"""Packages that neither a flow's module nor a question imports, once the graphs of the models are there."""
UNUSED_BY_ASK = "prefect great_expectations pandas reportlab pypdfium2 overrides.overrides"


@pytest.mark.parametrize(
    ("flow", "unused", "most"),
    [
        ("ask", UNUSED_BY_ASK, 1100),
        ("refresh_look", "prefect great_expectations pandas lancedb", 900),
        ("refresh", "great_expectations prefect.server.api.server", 2300),
        ("answer", "great_expectations prefect.server.api.server", 2500),
    ],
)
def test_a_flow_imports_what_it_uses(flow: str, unused: str, most: int) -> None:
    found, count = imported(f"import flows.{flow}", unused, is_silent=True)
    assert found == "" and count <= most, count


def test_an_answered_question_has_imported_what_it_uses(published_once: Published) -> None:
    asking = f"""
from flows.cli.main import main
assert main(["--home", {str(published_once.home)!r}, "ask", "Are backups encrypted?"]) == 0
"""
    imported(asking, "")  # makes the graphs that are not there
    found, count = imported(asking, UNUSED_BY_ASK)
    assert found == "" and count <= 1300, count


def imported(code: str, unused: str, *, is_silent: bool = False) -> tuple[str, int]:
    """Those of NEVER and of ``unused`` that a process has imported when it has run ``code``, and the count of all."""
    code += f"""
import sys
print(*sorted(set({(NEVER + " " + unused).split()}) & set(sys.modules)))
print(len(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not (is_silent and done.stderr), done.stderr
    found, count = done.stdout.splitlines()[-2:]
    return found, int(count)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["refresh"],
        ["refresh", "a", "--no-such-option"],
        ["answer"],
        ["ask", "a?", "--generator", "magic"],
        ["index", "publish"],
        ["index", "nonsense"],
        ["purge", "--before", "yesterday"],
        ["serve", "--port", "many"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_wrong_usage(bidfolio: Bidfolio, arguments: list[str]) -> None:
    ran = bidfolio(*arguments)
    assert ran.exit_code == 2 and ran.out == "" and "usage: bidfolio" in ran.err


def test_no_command_shows_the_help(bidfolio: Bidfolio) -> None:
    ran = bidfolio()
    assert ran.exit_code == 2 and "usage: bidfolio" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "Why?", "--plan", "nope"], "there is no plan 'nope'; choose one of advanced, bidfolio, "),
        (["--profile", "nope", "index", "list"], "there is no profile 'nope'; choose one of "),
        (["--backend", "nope", "index", "list"], "'onnx' or 'fastest', not 'nope'"),
        (["ask", "  "], "the question is empty"),
        (["ask", "\udcff\udcfe"], "no text in UTF-8"),
        (["ask", "Why?"], "run `bidfolio refresh SOURCE --plan bidfolio` first"),
        (["index", "check"], "run `bidfolio refresh SOURCE --plan bidfolio` first"),
        (["index", "rollback"], "no corpus is published yet: run `bidfolio refresh SOURCE` first"),
        (["index", "publish", "abc"], "no corpus is published yet: run `bidfolio refresh SOURCE` first"),
        (["replay", "20260101T000000-abcdef"], "the audit log has no run '20260101T000000-abcdef' with answers; it is"),
        (["trace", "0123"], "the audit log has no answer '0123'"),
        (["purge"], "say what is to be purged: --run, --before,"),
        (["purge", "--run", "20260101T000000-abcdef"], "there is no run 20260101T000000-abcdef; the last are none"),
        (["purge", "--corpus", "nobody"], "there is no corpus 'nobody'; there are none"),
        (["purge", "--corpus", "a", "--asked-by", "b"], "leave the other options out"),
        (["sql", "SELECT nonsense"], "tables: documents, pages"),
        (["sql", "SELECT * FROM read_csv('/etc/passwd')"], "disabled by configuration"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_asked_wrongly_of_an_empty_home(bidfolio: Bidfolio, arguments: list[str], message: str) -> None:
    ran = bidfolio("--json", *arguments)
    assert (ran.exit_code, ran.out) == (2, "")
    assert ran.err.startswith("bidfolio: ") and message in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["refresh", "CORPUS", "--plan", "nope"], "there is no plan 'nope'"),
        (["refresh", "FOLDER/missing"], "there is no folder"),
        (["refresh", "FOLDER/empty"], "holds no document"),
        (["refresh", "FOLDER/other"], "holds no document"),
        (["refresh", "CORPUS/policy.pdf"], "there is no folder"),
        (["refresh", "CORPUS", "--corpus", "a/b"], "'a/b' cannot name a corpus"),
        (["answer", "FOLDER/list.xlsx"], "run `bidfolio refresh SOURCE --plan bidfolio` first"),
        (["evaluate", "FOLDER/gold.jsonl"], "no corpus is published yet"),
        (["evaluate", "FOLDER/missing.jsonl"], "there is no file"),
        (["evaluate"], "say what is measured"),
        (["evaluate", "FOLDER/gold.jsonl", "--page-finder"], "leave the gold set out"),
        (["evaluate", "FOLDER/gold.jsonl", "--plan", "rails", "--plan", "rails"], "two plans have one name"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_a_flow_is_asked_wrongly(
    prefect_server: None, bidfolio: Bidfolio, corpus: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "other" / ".hidden.txt").write_text("hidden", encoding="utf-8")
    write_question(tmp_path / "list.xlsx")
    (tmp_path / "gold.jsonl").write_text('{"id":"1","question":"A?","answerable":false}', encoding="utf-8")
    named = [item.replace("FOLDER", str(tmp_path)).replace("CORPUS", str(corpus)) for item in arguments]
    ran = bidfolio("--json", *named)
    assert (ran.exit_code, ran.out) == (2, "")
    assert message in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize("command", [["evaluate"], ["tune", "--confidence"]], ids=lambda command: " ".join(command))
def test_weights_that_are_not_there_are_told_before_anything_starts(
    bidfolio: Bidfolio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("BIDFOLIO_RERANK_CROSS_ENCODER", str(tmp_path / "gone"))
    (tmp_path / "gold.jsonl").write_text('{"id":"1","question":"A?","answerable":false}', encoding="utf-8")
    ran = bidfolio(*command, tmp_path / "gold.jsonl", "--plan", "rfp_chat")
    assert ran.exit_code == 2
    assert "'rfp_chat' reranks with the model in" in ran.err and "there is no such folder" in ran.err
    assert "starting" not in ran.err


def no_questionnaire(folder: Path) -> list[str]:
    return [str(folder / "missing.xlsx")]


def no_question_column(folder: Path) -> list[str]:
    book = Workbook()
    for row in (("Item", "Price"), ("Chair", 10), ("Table", 20)):
        book.active.append(row)
    book.save(folder / "prices.xlsx")
    return [str(folder / "prices.xlsx")]


def out_is_there(folder: Path) -> list[str]:
    (folder / "filled.xlsx").write_bytes(b"somebody's work")
    return [str(write_question(folder / "list.xlsx")), "--out", str(folder / "filled.xlsx")]


def default_out_is_there(folder: Path) -> list[str]:
    (folder / "list.answered.xlsx").write_bytes(b"somebody's work")
    return [str(write_question(folder / "list.xlsx"))]


def out_is_the_questionnaire(folder: Path) -> list[str]:
    return [str(write_question(folder / "list.xlsx")), "--out", str(folder / "list.xlsx"), "--overwrite"]


def out_in_no_folder(folder: Path) -> list[str]:
    return [str(write_question(folder / "list.xlsx")), "--out", str(folder / "missing" / "filled.xlsx")]


def no_server(folder: Path) -> list[str]:
    return [str(write_question(folder / "list.xlsx")), "--generator", "openai"]


def not_a_workbook(folder: Path) -> list[str]:
    (folder / "list.xlsx").write_bytes(b"not a workbook")
    return [str(folder / "list.xlsx")]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (no_questionnaire, "missing.xlsx"),
        (no_question_column, "prices.xlsx"),
        (not_a_workbook, "list.xlsx"),
        (out_is_there, "give --overwrite"),
        (default_out_is_there, "give --overwrite"),
        (out_is_the_questionnaire, "is the questionnaire itself"),
        (out_in_no_folder, "there is no folder"),
        (no_server, "set BIDFOLIO_OPENAI_BASE_URL"),
    ],
)
def test_what_answer_is_asked_wrongly(
    published_once: Published, tmp_path: Path, case: Callable[[Path], list[str]], message: str
) -> None:
    arguments = case(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    ran = run_bidfolio(published_once.home, "--json", "answer", *arguments)
    assert (ran.exit_code, ran.out) == (2, "")
    assert message in ran.err and "Traceback" not in ran.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_version_that_is_not_there_is_wrong_usage(published_once: Published) -> None:
    live = published_once.refreshed.summary["index_version"]
    ran = run_bidfolio(published_once.home, "index", "publish", "nope")
    assert ran.exit_code == 2 and f"there is no index version 'nope'; there are {live}" in ran.err
    ran = run_bidfolio(published_once.home, "index", "rollback")
    assert ran.exit_code == 2 and "no earlier version to go back to" in ran.err


def test_another_refresh_under_way_is_a_service_away(
    prefect_server: None, bidfolio: Bidfolio, home: Path, corpus: Path
) -> None:
    with writing_lock(str(home), "default"):
        ran = bidfolio("refresh", corpus)
    assert ran.exit_code == 4 and "another refresh is writing the corpus 'default'" in ran.err


def test_a_home_that_cannot_be_made_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    ran = run_bidfolio(tmp_path / "file" / "home", "index", "list")
    assert ran.exit_code == 2 and "choose another --home" in ran.err


UNREADABLE = """
import os, sys
from tasks.sources.listing import list_files
from tasks.errors import UsageError
list_files(sys.argv[1] + "/readable")
if os.geteuid() == 0:
    os.seteuid(65534)  # root may read everything
for name in ("folder", "within", "file"):
    try:
        print(*(file.refused for file in list_files(f"{sys.argv[1]}/{name}").files))
    except UsageError as error:
        print(error.exit_code, error)
os.seteuid(os.getuid())
os.chmod(sys.argv[1] + "/file/a.txt", 0o644)
(now,) = list_files(sys.argv[1] + "/file").files
print(now.refused, now.size_bytes)
"""


def test_a_folder_that_may_not_be_read_is_wrong_usage_and_a_file_is_refused() -> None:
    """A process of its own, as another user; and a folder outside pytest's, which that user could not enter."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        for name in ("readable", "folder", "within", "within/closed", "file"):
            (folder / name).mkdir()
            (folder / name / "a.txt").write_text("words", encoding="utf-8")
        (folder / "folder").chmod(0o000)
        (folder / "within" / "closed").chmod(0o000)
        (folder / "file" / "a.txt").chmod(0o000)
        done = subprocess.run(
            [sys.executable, "-c", UNREADABLE, made], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        for name in ("folder", "within/closed"):
            (folder / name).chmod(0o755)
    assert done.stderr == ""
    *folders, file, now = done.stdout.splitlines()
    assert [line[:25] for line in folders] == ["2 no permission to read " + made[:1]] * 2
    assert file == "a.txt: refused: no permission to read it: give this user the right to, and refresh again"
    assert now == " 5", "the next scan reads it"


def test_options_stand_before_and_after_the_command(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    before = run_bidfolio(home, "--home", other, "--json", "index", "list")
    after = run_bidfolio(home, "index", "list", "--json", "--home", other)
    assert before.exit_code == after.exit_code == 0
    assert json.loads(before.out) == json.loads(after.out) == {"versions": []}
    assert other.is_dir() and not home.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["index", "list"],
        ["sql", "SELECT file_name, reason, page_count FROM documents ORDER BY 1"],
        ["sql", "SELECT * FROM reviews_that_are_not_there"],
        ["ask", "Is all customer data at rest encrypted with AES-256?"],
        ["ask", "What is the gardener's favourite colour?"],
    ],
    ids=" ".join,
)
def test_json_is_one_object_on_stdout(published_once: Published, arguments: list[str]) -> None:
    ran = run_bidfolio(published_once.home, *arguments, "--json")
    if ran.exit_code:
        assert ran.out == "" and ran.err
        return
    assert isinstance(ran.summary, dict) and ran.out.count("\n") == 1


def test_a_person_reads_words_and_no_json(published_once: Published) -> None:
    ran = run_bidfolio(published_once.home, "index", "list")
    assert ran.exit_code == 0 and ran.out.startswith("* live ") and "{" not in ran.out
    ran = run_bidfolio(published_once.home, "sql", "SELECT count(*) AS documents FROM documents")
    assert ran.out.split() == ["documents", "---------", "3"]


@pytest.mark.parametrize(
    ("error", "exit_code", "said"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), 4, "Prefect's server has gone away"),
        (RuntimeError("odd"), 70, "this should not have happened"),
        (OSError(28, "No space left on device"), 2, "the disk is full ([Errno 28] No space left on device): make room"),
        (RuntimeError("lance error: IO: No space left on device (os error 28)"), 2, "the disk is full"),
        (OSError(30, "Read-only file system", "/home/audit"), 2, "/home/audit cannot be opened or written (Read-only"),
        (PermissionError(13, "Permission denied", "/home/lake"), 2, "give this user the right to, or choose another"),
    ],
)
def test_an_error_that_a_command_is_made_to_raise_is_told(
    bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch, error: Exception, exit_code: int, said: str
) -> None:
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr("flows.index.list_versions", failing)
    ran = bidfolio("index", "list")
    assert ran.exit_code == exit_code and said in ran.err
    assert ("Traceback" in ran.err) == (exit_code == 70)


@pytest.mark.parametrize("place", ["staging", "library", "index/commits"])
def test_a_file_in_the_place_of_a_folder_of_the_home_is_named(
    published: Published, bidfolio: Bidfolio, place: str
) -> None:
    shutil.rmtree(published.home / place, ignore_errors=True)
    (published.home / place).touch()
    ran = bidfolio("library", "import", published.documents / "past.csv")
    assert (ran.exit_code, "Traceback" in ran.err) == (2, False)
    assert f"{published.home / place} is a file where a folder belongs: move it away" in ran.err


def test_a_home_that_the_system_is_made_to_call_read_only_is_told_before_a_server_starts(
    bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("flows.prefect_server.environment.os.access", lambda *_: False)
    ran = bidfolio("refresh", tmp_path)
    assert ran.exit_code == 2 and "cannot write the home" in ran.err and "starting" not in ran.err


def test_the_environment_names_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from configs.settings import load_settings

    monkeypatch.setenv("BIDFOLIO_HOME", str(tmp_path / "from_environment"))
    assert load_settings().home == str(tmp_path / "from_environment")
    assert load_settings(home=str(tmp_path / "given")).home == str(tmp_path / "given")
    monkeypatch.delenv("BIDFOLIO_HOME")
    assert load_settings().home == os.path.join(os.getcwd(), ".bidfolio")


def test_what_the_end_of_the_interpreter_does_to_a_process_does_not_change_the_exit_code() -> None:
    code = """
import atexit, builtins, os, sys
import flows.cli.main

class AtTheEnd:
    def __del__(self, abort=os.abort):
        abort()

def main():
    builtins.kept_to_the_end = AtTheEnd()
    atexit.register(print, "tidied")
    print("done")
    return 3

flows.cli.main.main = main
sys.exit(flows.cli.main.run())
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "done\ntidied\n", "")
