"""What `ask` prints for a person; that it answers is for the tests of the main road and of HTTP."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from configs.settings import Settings
from flows.ask import Asking, Desk
from flows.cli.ask_command import CHECKED, UNCHECKED, WITHDRAWN, Terminal, add_options, ask, lines_of
from flows.cli.options import add_scope
from tasks.answering.drafts.draft import OnText
from tests.made.commands import Bidfolio

CITED: dict[str, Any] = {
    "file_name": "guide.pdf",
    "section_path": "Operations > Backups",
    "page_number": 8,
    "sheet_name": None,
    "row_number": None,
    "quote": "Copies are kept for 35 days.",
    "place": "guide.pdf, § Backups, p. 8",
}
SAID: dict[str, Any] = {
    "question": "For how long?",
    "asked_as": "For how long?",
    "answer": "35 days.",
    "status": "answered",
    "verdict": None,
    "confidence_label": "high",
    "decline_reason": None,
    "detail": "",
    "citations": [CITED],
    "deviations": [],
}


def test_a_text_that_came_while_it_was_written_is_not_said_again(capsys: pytest.CaptureFixture[str]) -> None:
    quote = "  “Copies are kept for 35 days.” [guide.pdf, § Backups, p. 8]"
    terminal = Terminal()
    for piece in ("35 ", "days."):
        terminal.write(piece)
    assert lines_of(SAID, terminal.close()) == [CHECKED, quote, "Confidence: high."]
    assert capsys.readouterr().out == f"{UNCHECKED}\n35 days.\n"
    assert lines_of(SAID, Terminal().close()) == ["35 days.", quote, "Confidence: high."]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_a_terminal_is_shown_what_is_not_checked(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask_desk(_desk: Desk, _asking: Asking, on_text: OnText | None) -> dict[str, Any]:
        if on_text is not None:
            on_text("36 days.")
        return SAID | {"scope": {"undated": 0}}

    monkeypatch.setattr("flows.ask.Desk.ask", ask_desk)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    options = argparse.ArgumentParser()
    add_options(options)
    add_scope(options)
    given = options.parse_args(["For how long?"])
    for name in ("plan", "generator", "corpus"):
        setattr(given, name, None)
    _, lines = ask(given, Settings())
    shown = capsys.readouterr().out
    assert ("36 days." in shown) == (WITHDRAWN in lines) == is_terminal and "35 days." in lines


def test_a_draft_that_does_not_stand_is_withdrawn() -> None:
    declined = SAID | {"answer": None, "status": "declined", "decline_reason": "unsupported", "detail": "no support"}
    lines = lines_of(declined, "36 days.")
    assert lines[:2] == [WITHDRAWN, "No answer: no support."]
    assert lines_of(SAID, "36 days.")[:2] == [WITHDRAWN, "35 days."]
    assert lines_of(declined)[0] == "No answer: no support."


def test_a_decline_reads_in_paragraphs_without_the_name_of_its_reason() -> None:
    fact = "no exact date found; the closest text is “x; y” [p. 8]"
    detail = f"the documents do not settle it; {fact}; look in: a.pdf, p. 2; b.pdf"
    declined = SAID | {"answer": None, "status": "declined", "decline_reason": "weak_evidence", "detail": detail}
    assert lines_of(declined)[:4] == [
        "No answer: the documents do not settle it.",
        "No exact date found; the closest text is “x; y” [p. 8].",
        "Look in: a.pdf, p. 2; b.pdf.",
        "The closest passage:",
    ]


def test_what_a_person_should_know_of_an_answer_stands_below_it() -> None:
    fallback = SAID | {"detail": "drafted by the fallback extractive, as openai: the key was refused"}
    assert lines_of(fallback)[-1] == "Note: drafted by the fallback extractive, as openai: the key was refused."
    assert not any(line.startswith("Note") for line in lines_of(SAID))


def test_a_verdict_stands_before_its_confidence() -> None:
    said = SAID | {"verdict": "not_applicable", "confidence_label": "medium"}
    assert lines_of(said)[-1] == "Verdict: not applicable; confidence: medium."


def test_neither_question_nor_session_is_wrong_usage(bidfolio: Bidfolio) -> None:
    for arguments, said in (([], "no question"), (["--session", "../up"], "cannot name a session")):
        ran = bidfolio("ask", *arguments)
        assert (ran.exit_code, ran.out) == (2, "") and said in ran.err
    shown = bidfolio("--json", "ask", "--session", "never-begun")
    assert shown.summary == {"session": "never-begun", "turns": []}
    told = bidfolio("ask", "--session", "never-begun")
    assert told.out == "Nothing has been asked in the conversation 'never-begun' yet.\n"
