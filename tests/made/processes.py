"""Child processes of a test, found by their command lines."""

from __future__ import annotations

from contextlib import suppress

import psutil

CONVERTER = "tasks.conversion.workers.worker"


def children_running(command: str, parent: psutil.Process | None = None, *, deep: bool = False) -> list[psutil.Process]:
    """The living children of ``parent`` (this process, where it is None) whose command line has ``command`` in it.

    ``deep`` adds their children, and so on. What has ended meanwhile, and is at most a zombie, is left out.
    """
    found = []
    with suppress(psutil.NoSuchProcess):  # A zombie's error is one of these, too.
        for child in (parent or psutil.Process()).children(recursive=deep):
            with suppress(psutil.NoSuchProcess):
                if command in " ".join(child.cmdline()):
                    found.append(child)
    return found
