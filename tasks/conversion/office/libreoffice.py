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
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" \
oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" \
oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value>\
</prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyName" oor:op="fuse">\
<value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value>\
</prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyName" oor:op="fuse">\
<value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value>\
</prop></item>
</oor:items>
"""
"""LibreOffice settings for untrusted files: no macros run, no linked content is fetched, the proxy leads nowhere."""


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
        (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS, encoding="utf-8")
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
