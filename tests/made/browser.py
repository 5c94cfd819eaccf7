"""A Chromium without a window, driven by the DevTools protocol."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_S = 60.0


class Browser:
    """One page of a browser."""

    def __init__(self, socket: Connection) -> None:
        self._socket = socket
        self._last = 0
        self.asked_for: list[str] = []
        """The addresses that the page has asked for."""
        self.complaints: list[str] = []
        """Errors that the page threw, and requests that its policy refused."""
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command, and return the browser's reply."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE_S))
            if message.get("id") == self._last:
                assert "error" not in message, message
                found: dict[str, Any] = message["result"]
                return found
            event, told = message.get("method"), message.get("params", {})
            if event == "Network.requestWillBeSent":
                self.asked_for.append(told["request"]["url"])
            elif event == "Runtime.exceptionThrown":
                self.complaints.append(told["exceptionDetails"]["text"])
            elif event == "Log.entryAdded" and told["entry"]["level"] == "error":
                self.complaints.append(told["entry"]["text"])

    def run(self, script: str) -> Any:
        """The value of an expression in the page, once it is there."""
        told = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def until(self, script: str) -> Any:
        """The value of an expression once it is true."""
        end = time.monotonic() + PATIENCE_S
        while not (found := self.run(script)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.1)
        return found

    def open(self, url: str, width: int = 900, height: int = 1000, *, dark: bool = False) -> None:
        """Goes to an address."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Page.navigate", url=url)
        self.until(f"document.readyState === 'complete' && location.href.startsWith({json.dumps(url)})")

    def press(self, key: str, code: int) -> None:
        """Presses a key."""
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                **({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}),
            )

    def type(self, text: str) -> None:
        """Types into what has the focus."""
        self.send("Input.insertText", text=text)

    def picture(self, path: Path) -> None:
        """A PNG of what is seen."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in ``folder``; the test is skipped where none is installed."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no browser is here ({', '.join(NAMES)})")
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run"]
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]
    log = folder / "browser.log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [program, *arguments, *quiet, f"--user-data-dir={folder / 'profile'}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        end = time.monotonic() + PATIENCE_S
        while not (found := re.search(r"ws://(127\.0\.0\.1:\d+)/", log.read_text(errors="replace"))):
            assert process.poll() is None and time.monotonic() < end, log.read_text(errors="replace")
            time.sleep(0.1)
        pages = httpx.get(f"http://{found[1]}/json/list", timeout=30).json()
        address = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        # A browser that is short of processors answers no ping in time, and does all the same what it is told.
        with connect(address, max_size=None, ping_interval=None) as socket:
            yield Browser(socket)
    finally:
        process.terminate()
        process.wait(timeout=30)
