"""One question answered through a real vLLM, in the environment that `infra/vllm/serve --prepare` makes."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.made.commands import Bidfolio
from tests.made.paths import ROOT

SERVE = ROOT / "infra" / "vllm" / "serve"
START_TIMEOUT_S = 420


def is_prepared() -> bool:
    folder = os.environ.get("BIDFOLIO_VLLM_HOME") or str(Path.home() / ".cache" / "bidfolio" / "vllm")
    return Path(folder, "venv", "bin", "python").exists()


@pytest.fixture
def vllm(tmp_path: Path) -> Iterator[str]:
    """The base URL of a vLLM with SmolLM2, stopped afterwards with all its processes."""
    if not is_prepared():
        pytest.skip("vLLM is not prepared: run infra/vllm/serve --prepare")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path / "vllm.log"
    with log.open("wb") as out:
        server = subprocess.Popen([SERVE, "--port", str(port)], stdout=out, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            assert server.poll() is None, log.read_text(errors="replace")[-3000:]
            assert time.monotonic() < deadline, log.read_text(errors="replace")[-3000:]
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)


@pytest.mark.llm
def test_a_question_is_answered_through_vllm(
    vllm: str, bidfolio: Bidfolio, corpus: Path, prefect_server: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bidfolio("refresh", corpus).exit_code == 0
    monkeypatch.setenv("BIDFOLIO_OPENAI_BASE_URL", vllm)
    monkeypatch.setenv("BIDFOLIO_OPENAI_MODEL", "smollm2")
    monkeypatch.setenv("BIDFOLIO_OPENAI_TIMEOUT_S", "240")
    asked = bidfolio("ask", "How long are backups of the production database kept?", "--generator", "openai", "--json")
    assert asked.exit_code == 0, asked.err
    said = asked.summary
    # A model of 135M parameters writes poorly: what is certain is that each reply is judged, and cited or declined.
    assert said["generator"] == "openai"
    assert said["decline_reason"] != "generator_failed", said["detail"]
    assert (said["answer"] is None) == (said["decline_reason"] is not None)
    if said["answer"]:
        assert said["citations"] and all(shown["quote"] for shown in said["citations"])
