"""The pool of worker processes."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from fabula.core.workers import run_jobs
from fabula.errors import FabulaError


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _wrong() -> None:
    raise FabulaError("wrong")


def _asleep() -> None:
    signal.pause()


def test_a_killed_process_is_not_waited_for() -> None:
    with pytest.raises(FabulaError, match="a worker process was killed"):
        list(run_jobs([_asleep, _killed], 2))


def test_an_error_ends_the_others() -> None:
    with pytest.raises(FabulaError, match="wrong"):
        list(run_jobs([_asleep, _wrong, _asleep], 2))


def test_all_are_done() -> None:
    assert sorted(run_jobs([partial(int, n) for n in range(5)], 2)) == [0, 1, 2, 3, 4]
