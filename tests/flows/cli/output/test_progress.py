"""What a person sees of a run that goes on."""

from __future__ import annotations

import pytest

from flows.cli.output.progress import Bars, PlainLines


def test_what_keeps_a_run_waiting_is_told_on_a_line_of_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    PlainLines(lines.append).tell("the server is busy")
    Bars().tell("the server is busy")
    said = capsys.readouterr()
    assert lines == ["bidfolio: the server is busy"] and (said.out, said.err) == ("", f"{lines[0]}\n")
