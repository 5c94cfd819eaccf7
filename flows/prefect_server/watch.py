"""Watchdog: no process that a command started outlives it, however the command ends.

Prefect's temporary server is a process of its own, which ends with the command that started it, but not where that is
killed. A small process waits for the command's end and then stops the remaining processes.
"""

from __future__ import annotations

import os
import secrets
import signal

MARK = "BIDFOLIO_COMMAND"
GRACE_S = 5.0


def watch() -> None:
    """Start the watchdog: from now on, child processes are stopped when this process ends.

    Call it before threads start.
    """
    mark = os.environ[MARK] = secrets.token_hex(8)
    # Neither end is inherited by a program that is started: when this process is gone, the pipe has no writer.
    reader, writer = os.pipe()
    if os.fork():
        os.close(reader)
        return
    os.close(writer)
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # a reader of the command's output must see its end
        os.dup2(nowhere, stream)
    os.read(reader, 1)
    try:
        stop_marked(mark)
    finally:
        os._exit(0)


def stop_marked(mark: str) -> None:
    """Stop every process that was started with ``mark`` in its environment."""
    import psutil

    left: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark:
                process.terminate()
                left.append(process)
        except psutil.Error:
            continue
    for process in psutil.wait_procs(left, timeout=GRACE_S)[1]:
        process.kill()
