"""Worker processes: the one pool that generation, suites, verification and training use.

Promises:
1. Workers end with the process that started them, however that ends: killed, Ctrl-C, an error.
2. A worker that is killed is noticed within a second, at whatever moment, as LostWorkerError. (The
   standard pool watches only the processes it knew when it began to wait.)
3. Work is handed out as it is taken: what waits is bounded, so memory stays flat.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

from fabula.core.search import speak
from fabula.errors import FabulaError

S = TypeVar("S")
T = TypeVar("T")

AHEAD = 3  # items that wait for each worker
LOOK = 0.5  # seconds between two looks at whether all workers live


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LostWorkerError(FabulaError):
    """A worker process was killed."""

    def __init__(self, more: str = "") -> None:
        super().__init__(
            "a worker process was killed, perhaps for lack of memory. Run the command again, with "
            f"fewer --workers if memory is short.{more}"
        )


class Workers:
    """A pool of worker processes.

    >>> with Workers(2) as workers:
    ...     list(workers.ordered(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    def __init__(self, count: int, prepare: Callable[..., None] | None = None, *args: Any) -> None:
        """`prepare` is called with `args` in every worker before its first work."""
        self.count = max(1, count)
        self._pool = ProcessPoolExecutor(self.count, get_context("spawn"), _begin, (prepare, args))
        self._processes = self._pool._processes  # all there ever are

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(wait=kind is None)

    def close(self, wait: bool = True) -> None:
        """End the workers; without `wait`, in the middle of what they do."""
        if not wait:
            for process in list(self._processes.values()):
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # --- work -----------------------------------------------------------------------------------

    def submit(self, function: Callable[..., T], *args: Any) -> Future[T]:
        """Hand out one piece of work."""
        try:
            return self._pool.submit(function, *args)
        except BrokenProcessPool:
            raise LostWorkerError from None

    def finished(
        self, running: set[Future[T]], timeout: float = LOOK
    ) -> tuple[set[Future[T]], set[Future[T]]]:
        """Those that are done, after at most `timeout` seconds, and the others."""
        done, left = wait(running, timeout, FIRST_COMPLETED)
        if not done and not all(process.is_alive() for process in list(self._processes.values())):
            raise LostWorkerError
        return done, left

    def result(self, future: Future[T]) -> T:
        """What a piece of work gives, when it is done."""
        while not future.done():
            self.finished({future})
        try:
            return future.result()
        except BrokenProcessPool:
            raise LostWorkerError from None

    def ordered(self, function: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """The results for all items, in their order."""
        waiting: deque[Future[T]] = deque()
        for item in items:
            waiting.append(self.submit(function, item))
            if len(waiting) > AHEAD * self.count:
                yield self.result(waiting.popleft())
        while waiting:
            yield self.result(waiting.popleft())

    def unordered(self, jobs: Iterable[Callable[[], T]]) -> Iterator[T]:
        """The results of all jobs, as they get done."""
        running: set[Future[T]] = set()
        coming = iter(jobs)
        while True:
            for job in coming:
                running.add(self.submit(job))
                if len(running) > AHEAD * self.count:
                    break
            if not running:
                return
            done, running = self.finished(running)
            for future in done:
                yield self.result(future)


def run_jobs(jobs: Sequence[Callable[[], T]], workers: int) -> Iterator[T]:
    """The results of jobs as they get done; an error or Ctrl-C ends all of them."""
    with Workers(min(workers, len(jobs))) as pool:
        yield from pool.unordered(jobs)


# --- in a worker --------------------------------------------------------------------------------


def serve() -> None:
    """Leave Ctrl-C to the parent, and end with it: what every worker does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    speak()
    Thread(target=_follow_parent, daemon=True).start()


def _begin(prepare: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    serve()
    if prepare is not None:
        prepare(*args)


def _follow_parent() -> None:
    """A parent that is killed cannot tell anybody, and the pool's pipes stay open."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
