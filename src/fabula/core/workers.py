"""Worker processes: the one pool that generation, suites, verification and training use.

Promises:
1. Workers end with the process that started them, however that ends: killed, Ctrl-C, an error.
2. A worker that is killed is noticed within a second, at any moment, as LostWorkerError. (The
   standard pool only watches the processes it knew when it began to wait.)
3. Work is handed out as results are consumed: the queue is bounded, so memory stays flat.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from fabula.core.search import speak
from fabula.errors import FabulaError

if TYPE_CHECKING:  # slow to load, and needed only if there are workers
    from concurrent.futures import Future

S = TypeVar("S")
T = TypeVar("T")

AHEAD = 3  # queued items per worker
LOOK = 0.5  # seconds between two checks that all workers are alive


def cores() -> int:
    """Number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LostWorkerError(FabulaError):
    """A worker process was killed."""

    def __init__(self, more: str = "") -> None:
        super().__init__(
            "a worker process was killed, perhaps because memory ran out. Run the command "
            f"again, with fewer --workers if memory is short.{more}"
        )


class Workers:
    """A pool of worker processes.

    >>> with Workers(2) as workers:
    ...     list(workers.ordered(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    def __init__(self, count: int, prepare: Callable[..., None] | None = None, *args: Any) -> None:
        """`prepare` is called with `args` in every worker before its first task."""
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import get_context

        self.count = max(1, count)
        self._broken = BrokenProcessPool
        self._pool = ProcessPoolExecutor(self.count, get_context("spawn"), _begin, (prepare, args))
        self._processes = self._pool._processes  # these never change

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
        """End the workers; without `wait`, abort their current tasks."""
        if not wait:
            for process in list(self._processes.values()):
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # --- tasks ----------------------------------------------------------------------------------

    def submit(self, function: Callable[..., T], *args: Any) -> Future[T]:
        """Submit one task."""
        try:
            return self._pool.submit(function, *args)
        except self._broken:
            raise LostWorkerError from None

    def finished(
        self, running: set[Future[T]], timeout: float = LOOK
    ) -> tuple[set[Future[T]], set[Future[T]]]:
        """The tasks that are done, after at most `timeout` seconds, and the others."""
        from concurrent.futures import FIRST_COMPLETED, wait

        done, left = wait(running, timeout, FIRST_COMPLETED)
        if not done and not all(process.is_alive() for process in list(self._processes.values())):
            raise LostWorkerError
        return done, left

    def result(self, future: Future[T]) -> T:
        """The result of a task, once it is done."""
        while not future.done():
            self.finished({future})
        try:
            return future.result()
        except self._broken:
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
        """The results of all jobs, as they complete."""
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
    """The results of jobs as they complete; an error or Ctrl-C ends all of them."""
    with Workers(min(workers, len(jobs))) as pool:
        yield from pool.unordered(jobs)


# --- in a worker --------------------------------------------------------------------------------


def serve() -> None:
    """The first thing every worker does: leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    speak()
    Thread(target=_follow_parent, daemon=True).start()


def _begin(prepare: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    serve()
    if prepare is not None:
        prepare(*args)


def _follow_parent() -> None:
    """End with the parent: one that is killed cannot tell anybody, and the pool's pipes stay
    open.
    """
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
