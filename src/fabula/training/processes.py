"""Jobs in processes of their own, which end with this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from fabula.core.workers import serve
from fabula.errors import FabulaError

T = TypeVar("T")


def side_by_side(jobs: Sequence[Callable[[], T]], workers: int) -> Iterator[T]:
    """What jobs give, in the order in which they are done; an error or Ctrl-C ends all of them."""
    pool = ProcessPoolExecutor(min(workers, len(jobs)) or 1, get_context("spawn"), serve)
    processes = pool._processes  # all there ever are
    try:
        left = {pool.submit(job) for job in jobs}
        while left:
            done, left = wait(left, timeout=1, return_when=FIRST_COMPLETED)
            # the pool itself does not notice if the one it began last is killed at once
            if not done and not all(process.is_alive() for process in list(processes.values())):
                raise BrokenProcessPool
            for each in done:
                yield each.result()
    except BrokenProcessPool:
        raise FabulaError(
            "a process was killed, perhaps for want of memory; the same command goes on from what "
            "is done, with fewer --workers if need be."
        ) from None
    finally:  # those that are not done are not waited for
        for process in list(processes.values()):
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
