"""A command in a terminal of some columns: what it writes, as a person would see it come."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from select import select

PATIENCE = 120  # seconds without a word after which it hangs
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")


def on_terminal(arguments: Sequence[str], columns: int = 80, keys: str = "") -> list[str]:
    """All lines that `fabula …` shows, those that are overwritten later too."""
    child, terminal = pty.fork()
    if child == 0:
        source = str(Path(__file__).parents[1] / "src")
        paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
        theirs = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(paths)}
        for name in ("COLUMNS", "LINES"):
            theirs.pop(name, None)
        # when it begins, the terminal has its size: a byte says so
        os.read(0, 1)
        os.execve(sys.executable, [sys.executable, "-m", "fabula", *arguments], theirs)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    os.write(terminal, f"\n{keys}".encode())
    heard = b""
    while select([terminal], [], [], PATIENCE)[0]:
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        heard += more
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, heard.decode(errors="replace")
    text = _ESCAPE.sub("", heard.decode(errors="replace"))
    return [line for line in re.split(r"[\r\n]+", text) if line.strip()]
