"""Jobs in processes of their own, which end with this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from fabula.errors import FabulaError
from fabula.workers import serve

T = TypeVar("T")


def side_by_side(jobs: Sequence[Callable[[], T]], workers: int) -> Iterator[T]:
    """What jobs give, in the order in which they are done; an error or Ctrl-C ends all of them."""
    pool = ProcessPoolExecutor(min(workers, len(jobs)) or 1, get_context("spawn"), serve)
    waiting = [pool.submit(job) for job in jobs]
    running = list((pool._processes or {}).values())
    try:
        for done in as_completed(waiting):
            yield done.result()
    except BrokenProcessPool:
        raise FabulaError(
            "a process was killed, perhaps for want of memory; the same command goes on from what "
            "is done, with fewer --workers if need be."
        ) from None
    finally:  # those that are not done are not waited for
        left = not all(job.done() for job in waiting)
        for process in {*running, *(pool._processes or {}).values()} if left else ():
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
