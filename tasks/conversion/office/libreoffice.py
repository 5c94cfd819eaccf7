"""Adapter to LibreOffice: renders a Word file to PDF, so that its pages are known. One process for each file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

TIME_LIMIT_S = 120
_SCRIPTING, _NETWORK = "Office.Common/Security/Scripting", "Inet/Settings"
_SETTINGS = (
    (_SCRIPTING, "BlockUntrustedRefererLinks", "true"),
    (_SCRIPTING, "DisableMacrosExecution", "true"),
    (_NETWORK, "ooInetProxyType", "2"),
    (_NETWORK, "ooInetHTTPProxyName", "127.0.0.1"),
    (_NETWORK, "ooInetHTTPProxyPort", "9"),
    (_NETWORK, "ooInetHTTPSProxyName", "127.0.0.1"),
    (_NETWORK, "ooInetHTTPSProxyPort", "9"),
)
"""LibreOffice settings for untrusted files: no macros run, no linked content is fetched, the proxy leads nowhere."""
_REGISTRY = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">\n'
    + "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{value}</value></prop></item>\n"
        for path, name, value in _SETTINGS
    )
    + "</oor:items>\n"
)


def find_renderer() -> Callable[[bytes], bytes | None] | None:
    """Return a function that renders the bytes of a DOCX file to those of a PDF; None without LibreOffice.

    The function returns None where LibreOffice fails, or takes more than two minutes; then it is killed with all
    processes that it started.
    """
    program = shutil.which("soffice") or shutil.which("libreoffice")
    return partial(_render, program) if program else None


def _render(program: str, data: bytes) -> bytes | None:
    with tempfile.TemporaryDirectory(prefix="bidfolio-soffice-") as name:
        folder = Path(name)
        profile = folder / "profile"
        (profile / "user").mkdir(parents=True)
        (profile / "user" / "registrymodifications.xcu").write_text(_REGISTRY, encoding="utf-8")
        source = folder / "document.docx"
        source.write_bytes(data)
        quiet = ("--headless", "--norestore", "--nolockcheck")
        wanted = ("--convert-to", "pdf:writer_pdf_Export", "--outdir", str(folder), str(source))
        command = [program, f"-env:UserInstallation={profile.as_uri()}", *quiet, *wanted]
        none = subprocess.DEVNULL
        # soffice is a script that starts the actual program: in a process group of their own, both can be ended.
        process = subprocess.Popen(command, stdin=none, stdout=none, stderr=none, start_new_session=True)
        try:
            process.wait(TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        made = folder / "document.pdf"
        return made.read_bytes() if made.is_file() else None
