"""Adapter to LibreOffice: renders Word files to PDF, for their pages, and converts workbooks. One process a file."""

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
    program = _program()
    return partial(_convert, program, source="document.docx", target="document.pdf") if program else None


def find_workbook_converter() -> Callable[[bytes, str], bytes | None] | None:
    """Return a function that converts the bytes of a workbook, whose suffix it is given (".ods", ".xls"), to those of
    an XLSX file; None without LibreOffice.

    The function returns None in the same cases as that of :func:`find_renderer`, and for a file with a password.
    """
    program = _program()
    if program is None:
        return None
    return lambda data, suffix: _convert(program, data, source=f"workbook{suffix}", target="workbook.xlsx")


_FILTERS = {"document.pdf": "pdf:writer_pdf_Export", "workbook.xlsx": "xlsx:Calc MS Excel 2007 XML"}


def _program() -> str | None:
    return shutil.which("soffice") or shutil.which("libreoffice")


def _convert(program: str, data: bytes, *, source: str, target: str) -> bytes | None:
    with tempfile.TemporaryDirectory(prefix="bidfolio-soffice-") as name:
        folder = Path(name)
        profile = folder / "profile"
        (profile / "user").mkdir(parents=True)
        (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS, encoding="utf-8")
        # In a folder of its own: a source of the target's name would be taken for the target.
        (folder / "source").mkdir()
        given = folder / "source" / source
        given.write_bytes(data)
        quiet = ("--headless", "--norestore", "--nolockcheck")
        wanted = ("--convert-to", _FILTERS[target], "--outdir", str(folder), str(given))
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
        made = folder / target
        return made.read_bytes() if made.is_file() else None
