"""`bidfolio` commands run in this process, and what they print."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.progress import Silent, show

MODELS = "TESTS_MODELS"
EMBEDDING = {"refresh", "evaluate", "answer", "ask", "demo"}


@dataclass(frozen=True)
class Ran:
    """The exit code and the output of a command."""

    exit_code: int
    out: str
    err: str

    @property
    def summary(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        loaded = json.loads(self.out)
        assert isinstance(loaded, dict)
        return loaded


Bidfolio = Callable[..., Ran]


@contextlib.contextmanager
def kept_environment() -> Iterator[None]:
    """Restore the environment at the end, whatever was changed in it."""
    before = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def link_models(home: Path) -> None:
    """Has the home what back ends made of the model's files, which costs some twenty seconds where it is made."""
    linked = home / "cache" / "models"
    if not linked.exists():
        linked.parent.mkdir(parents=True, exist_ok=True)
        linked.symlink_to(os.environ[MODELS])


def run_bidfolio(home: Path | str, *arguments: object) -> Ran:
    """`bidfolio --home HOME ARGUMENTS…` in this process, where its libraries are loaded already."""
    # Prefect closes all handlers of logs when it is first imported, and absl's, which comes with OpenVINO, then closes
    # its stream unless that is what stderr is: so before it is another.
    import prefect.main  # noqa: F401

    from flows.cli.main import main

    if EMBEDDING & set(arguments) and isinstance(home, Path):
        with contextlib.suppress(OSError):  # a home that cannot be is what some tests are about
            link_models(home)
    out, err = io.StringIO(), io.StringIO()
    with kept_environment(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["--home", str(home), *map(str, arguments)])
        except SystemExit as left:
            code = int(left.code or 0)
        finally:
            show(Silent())
    return Ran(code, out.getvalue(), err.getvalue())
