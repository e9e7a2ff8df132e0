"""What every process that works for another one does first."""

from __future__ import annotations

import os
import signal
from multiprocessing import parent_process
from threading import Thread

from fabula.core.search import speak


def serve() -> None:
    """Leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    speak()
    Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    """Killed, a parent can tell nobody, and the pool's pipes stay open."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
