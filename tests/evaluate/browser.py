"""A headless Chromium that is told what to do and says what it did: nothing is guessed by time.

with Browser() as browser: browser.open(page, width=390, dark=True)

It is spoken to in its own protocol, over two pipes: a message is JSON with a zero byte at its end.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import signal
import tempfile
from pathlib import Path
from select import select
from types import TracebackType
from typing import Any

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
           "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
           "--disable-component-update", "--disable-sync",
           "--remote-debugging-pipe")  # fmt: skip
PATIENCE = 300  # seconds without a word after which it hangs
COMPLAINTS = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


class Browser:
    """One browser with one page."""

    def __init__(self) -> None:
        assert PROGRAM is not None
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # the browser reads from 3 and writes to 4, wherever the pipes happen to be here
        far = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (theirs_in, theirs_out)]
        self._process = os.posix_spawn(
            PROGRAM,
            [PROGRAM, *OPTIONS, f"--user-data-dir={self._home.name}", "about:blank"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, far[0], 3),
                (os.POSIX_SPAWN_DUP2, far[1], 4),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setpgroup=0,
        )
        for each in (theirs_in, theirs_out, *far):
            os.close(each)
        self._number, self._read, self._session = 0, b"", ""
        self.complaints: list[dict[str, Any]] = []
        """All that came to the console, and every error."""

    def __enter__(self) -> Browser:
        target = self.say("Target.createTarget", url="about:blank")["targetId"]
        attached = self.say("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.say(f"{domain}.enable")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._out)
        os.close(self._in)
        os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        self._home.cleanup()

    def say(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command; what it results in."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (heard := self._hear()).get("id") != self._number:
            pass
        assert "error" not in heard, heard["error"]
        found: dict[str, Any] = heard["result"]
        return found

    def _hear(self, event: str = "") -> dict[str, Any]:
        """The next message; the next of an event, if one is named."""
        while True:
            while b"\0" not in self._read:
                assert select([self._in], [], [], PATIENCE)[0], "the browser is silent"
                more = os.read(self._in, 1 << 16)
                assert more, "the browser is gone"
                self._read += more
            message, _, self._read = self._read.partition(b"\0")
            heard: dict[str, Any] = json.loads(message)
            if heard.get("method") in COMPLAINTS:
                self.complaints.append(heard["params"])
            if not event or heard.get("method") == event:
                return heard

    def open(self, page: Path, width: int, height: int = 900, dark: bool = False) -> None:
        """Show a page as a screen so wide does, when it has loaded."""
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.say("Emulation.setEmulatedMedia", features=[colours])
        self.say("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 600)  # fmt: skip
        self.say("Page.navigate", url=page.as_uri())
        self._hear("Page.loadEventFired")

    def run(self, code: str) -> Any:
        """The value of some JavaScript, when all that it waits for has come."""
        said = self.say("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def point(self, x: float, y: float, click: bool = False) -> None:
        """Move the mouse to a place of the screen, and click there."""
        self.say("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased") if click else ():
            self.say("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press and release a key."""
        for kind in ("rawKeyDown", "keyUp"):
            self.say("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def picture(self, whole: bool = True) -> bytes:
        """What is to be seen, as PNG."""
        said = self.say("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(said["data"])
