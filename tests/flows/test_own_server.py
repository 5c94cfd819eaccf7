"""A command with a temporary server of its own, ended as a terminal and as a service manager do it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, write_corpus


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_that_a_command_started_ends_it_in_words(number: signal.Signals, tmp_path: Path) -> None:
    write_corpus(tmp_path / "documents")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "flows.cli", "--home", str(tmp_path / "home"), "refresh", tmp_path / "documents"],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert running.stderr is not None
    told = []
    for line in running.stderr:
        told.append(line)
        if line.startswith("Converting documents"):
            os.killpg(running.pid, number)
    assert running.wait() == 130, told
    running.stderr.close()
    assert told[-1] == "bidfolio: interrupted; run the same command again to go on\n"
