"""A postponed module is run when something is asked of it, once, and is whole then."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.made.paths import ROOT

BEGIN = """
import sys
from tasks.runtime.postponed_import import postpone_import
assert postpone_import("no_such_module") is None and postpone_import("sys") is None
assert postpone_import("xml.dom") is not None and postpone_import("xml.dom") is None
import xml, xml.dom
assert "xml.dom.domreg" not in sys.modules
"""


@pytest.mark.parametrize("use", ["xml.dom.Node", "from xml.dom import Node", "import xml.dom.minidom"])
def test_it_is_run_when_it_is_used(use: str) -> None:
    code = f"{BEGIN}\n{use}\nassert xml.dom.Node.ELEMENT_NODE == 1 and 'xml.dom.domreg' in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
