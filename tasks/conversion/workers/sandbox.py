"""Sandboxed worker processes: each file is converted in a process with limits on time, memory and output.

A file that crashes its worker, hangs, or exceeds the limits is quarantined with that as its reason; the worker is
replaced and the others go on. Workers are programs of their own, not forks: modules loaded in this process (torch,
Prefect's threads) are not in them, and a Dask worker may start them, too.
"""

from __future__ import annotations

import json
import os
import platform
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tasks.conversion.document.serialization import CHANGED, CRASH, UNREAD, from_json, to_json
from tasks.conversion.files.members import Opened
from tasks.conversion.files.version import LOGIC_VERSION
from tasks.conversion.workers.cluster_conversion import NotRead
from tasks.conversion.workers.conversion_steps import Job, first_jobs
from tasks.errors import BidfolioError, ServiceAway, SourceChanged, Terminal, UsageError
from tasks.records import Quarantined, SourceFile

ROOT = Path(__file__).resolve().parents[3]
_BLOCK = 1 << 20
_RAISED: dict[str, type[BidfolioError]] = {error.__name__: error for error in (ServiceAway, SourceChanged, UsageError)}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one file: wall time, address space of its worker, and bytes of the converted document.

    The time starts anew with each page that OCR finishes: a long scan is healthy as long as pages get done.
    """

    seconds: float = 600.0
    memory_mb: int = 6144
    output_mb: int = 256

    def __str__(self) -> str:
        return f"limits of {self.seconds:g} s, {self.memory_mb} MB and {self.output_mb} MB of text"


class Helpers(NamedTuple):
    """External programs that the workers use where this machine has them: tesseract's language, and LibreOffice."""

    ocr_language: str = "eng"
    libreoffice: bool = False


class Sandbox:
    """A pool of worker processes. They start when they are needed and end with the context."""

    def __init__(self, workers: int, limits: Limits, helpers: Helpers) -> None:
        self._limits, self._helpers = limits, helpers
        self._count = workers
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._all: list[_Worker] = []

    def __enter__(self) -> Sandbox:
        self._all = [_Worker(self._limits, self._helpers) for _ in range(self._count)]
        for worker in self._all:
            self._idle.put(worker)
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.stop()

    def convert(self, files: Sequence[SourceFile]) -> Iterator[tuple[SourceFile, bytes]]:
        """Convert the files: yield each, as it gets done, with its document or the reason why there is none, as JSON;
        no files give none.

        The largest begin first, and a long PDF that is more than a process' share of them all is read by several.
        Raises ServiceAway where a file's store does not answer, UsageError where it may not be read, or a package that
        reading needs is missing.
        """
        ready = deque(first_jobs(files, self._count))
        outcomes: list[tuple[SourceFile, bytes]] = []
        with ThreadPoolExecutor(self._count) as threads:
            running: dict[Future[bytes], Job] = {}
            try:
                while ready or running or outcomes:
                    while ready and len(running) < self._count:
                        if not (job := ready.popleft()).is_over:
                            running[threads.submit(self._convert, job)] = job
                    # Yielded only now, so that the workers are busy while the caller handles the outcomes.
                    yield from outcomes
                    outcomes = []
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        job = running.pop(future)
                        following = job.go_on(future.result())
                        if isinstance(following, bytes):
                            outcomes.append((job.file, following))
                        else:
                            ready.extendleft(reversed(following))
            finally:
                # After an error, do not wait for the other workers.
                if running:
                    for worker in self._all:
                        worker.kill()
                for future in running:
                    future.cancel()

    @contextmanager
    def opened(self, file: SourceFile) -> Iterator[Opened]:
        """Open an archive or a mail: the documents in it, with their bytes in a folder that ends with the context.

        Raises SourceChanged where the file is not what the scan found, and the errors of :meth:`convert`.
        """
        with TemporaryDirectory(prefix="bidfolio-") as folder:
            worker = self._idle.get()
            try:
                answer = worker.convert(file, json.dumps({"file": asdict(file), "open": folder}).encode() + b"\n")
            except Terminal as error:
                opened = Opened([replace(file, path="", refused=str(error))], is_final=False)
            else:
                if answer.startswith(b'{"opened"'):
                    opened = Opened([SourceFile(**one) for one in json.loads(answer)["opened"]])
                else:
                    stopped = from_json(answer)
                    assert isinstance(stopped, Quarantined)
                    opened = Opened([replace(file, path="", refused=stopped.reason)], is_final=False)
            finally:
                self._idle.put(worker)
            yield opened

    def _convert(self, job: Job) -> bytes:
        worker = self._idle.get()
        try:
            return worker.convert(job.file, job.request)
        except SourceChanged as error:
            return to_json(job.file.refuse(str(error), CHANGED))
        except Terminal as error:
            return to_json(job.file.refuse(str(error), UNREAD))
        finally:
            self._idle.put(worker)


_kept = threading.local()


def convert_here(file: SourceFile, limits: Limits, helpers: Helpers, logic_version: str) -> bytes | NotRead:
    """Convert a file in this thread's worker process, as a cluster's worker does on request: its document, or the
    reason why there is none, as JSON; NotRead where reading it failed.

    The thread keeps its process for the next file; the process ends when the thread does, however that comes about.
    Raises UsageError where this machine has another version of the conversion than the requesting machine.
    """
    if logic_version != LOGIC_VERSION:
        raise UsageError(
            f"the Dask worker on {platform.node()} has another version of bidfolio: install this one there"
        )
    kept: tuple[Limits, Helpers, _Worker] | None = getattr(_kept, "worker", None)
    if kept is None or kept[:2] != (limits, helpers):
        if kept:
            kept[2].stop()
        kept = _kept.worker = (limits, helpers, _Worker(limits, helpers))
    try:
        return kept[2].convert(file, Job(file).request)
    except (SourceChanged, Terminal) as error:
        return NotRead(platform.node(), error)


class _Worker:
    """A worker process, started at its first file and again after each file that ended it."""

    def __init__(self, limits: Limits, helpers: Helpers) -> None:
        self._limits = limits
        arguments = os.getpid(), limits.memory_mb, helpers.ocr_language, int(helpers.libreoffice)
        self._arguments = [str(argument) for argument in arguments]
        self._process: subprocess.Popen[bytes] | None = None

    def convert(self, file: SourceFile, request: bytes) -> bytes:
        try:
            answer = self._ask(request)
        except _Stopped as stopped:
            self.stop()
            return to_json(file.refuse(f"{file.file_name}: refused: {stopped}", stopped.depends_on))
        if not answer.startswith(b'{"error"'):
            return answer[:-1]
        said = json.loads(answer)
        if said["error"] == "MemoryError":
            much = f"{self._limits.memory_mb} MB of memory (BIDFOLIO_CONVERSION_MEMORY_MB)"
            reason = f"{file.file_name}: refused: reading it takes more than {much}"
            return to_json(file.refuse(reason, str(self._limits)))
        raise _RAISED.get(said["error"], Terminal)(said["message"])

    def stop(self) -> None:
        """End the process and all that it started."""
        if self._process is None:
            return
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._process = None

    def kill(self) -> None:
        """Kill the process, even while a thread waits for its answer."""
        process = self._process
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def _ask(self, request: bytes) -> bytes:
        process = self._running()
        assert process.stdin and process.stdout
        until = time.monotonic() + self._limits.seconds
        parts: list[bytes] = []
        size = 0
        try:
            process.stdin.write(request)
            process.stdin.flush()
        except BrokenPipeError as error:
            raise _Stopped(f"the program that reads it crashed ({_how(process.wait())})", CRASH) from error
        while not parts or not parts[-1].endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                long = f"{self._limits.seconds:g} s (BIDFOLIO_CONVERSION_SECONDS)"
                raise _Stopped(f"reading it takes more than {long}", str(self._limits))
            part = os.read(process.stdout.fileno(), _BLOCK)
            if not part:
                raise _Stopped(f"the program that reads it crashed ({_how(process.wait())})", CRASH)
            if not parts and part.startswith(b"\n"):
                # A page was read by OCR.
                until = time.monotonic() + self._limits.seconds
                part = part.lstrip(b"\n")
                if not part:
                    continue
            parts.append(part)
            size += len(part)
            if size > self._limits.output_mb << 20:
                much = f"{self._limits.output_mb} MB of text (BIDFOLIO_CONVERSION_OUTPUT_MB)"
                raise _Stopped(f"it holds more than {much}", str(self._limits))
        return b"".join(parts)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tasks.conversion.workers.worker", *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # warnings of parsers; errors come as an answer
                env=os.environ | {"PYTHONPATH": path},
                start_new_session=True,
                bufsize=0,
            )
        return self._process


class _Stopped(Exception):
    """The worker gave no answer, for the reason in the message; ``depends_on`` is what could change that."""

    def __init__(self, message: str, depends_on: str) -> None:
        super().__init__(message)
        self.depends_on = depends_on


def _how(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"code {code}"
