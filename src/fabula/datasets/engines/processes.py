"""Runs a plan in this process or in several, with the same bytes.

If there are many shards, each worker makes whole shards; if there are few, the workers make the
pieces and this process writes them in order. A lost worker (killed, out of memory) is replaced, and
only its unfinished shards are made again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fabula.core.workers import AHEAD, LostWorkerError, Workers
from fabula.datasets.engines.plan import Plan, Shard
from fabula.datasets.engines.shard import Job, Piece, Tick, write_shard
from fabula.datasets.engines.store import Made, Store
from fabula.errors import OutputError

if TYPE_CHECKING:
    from concurrent.futures import Future

SHARDS_EACH = 4  # with at least this many shards per worker, workers make whole shards
LOSSES = 3  # pools that may break in a row without finishing any shard


def inline(
    plan: Plan, todo: Sequence[Shard], store: Store, tick: Tick
) -> Generator[Made, None, None]:
    """Make the shards in this process, one after another."""
    job = Job.of(plan)
    for shard in todo:
        yield write_shard(store, job.format, shard, job.pieces(shard), tick)


def processes(
    plan: Plan, todo: Sequence[Shard], store: Store, tick: Tick, workers: int
) -> Generator[Made, None, None]:
    """Make the shards with several processes, in the order of completion."""
    asked = sum(shard.stop - shard.start for shard in todo)
    if workers <= 1 or asked <= max((shard.step for shard in todo), default=0):
        yield from inline(plan, todo, store, tick)
        return
    whole = store.shared and len(todo) >= SHARDS_EACH * workers
    left = {shard.file: shard for shard in todo}
    losses = 0
    while left:
        crew = _Crew(plan, store, tick, workers)
        finished = False
        try:
            for made in (crew.shards if whole else crew.pieces)(list(left.values())):
                del left[made.file]
                losses = 0
                yield made
            finished = True
        except LostWorkerError:
            losses += 1
            if losses >= LOSSES:
                raise OutputError(
                    f"{store.target}: worker processes were killed {losses} times, perhaps because "
                    "memory ran out; try fewer --workers. Finished files are kept: the "
                    "same command resumes."
                ) from None
        finally:  # on Ctrl-C or an error, do not wait for unfinished work
            crew.dismiss(finished)


class _Crew:
    """A pool of workers for one plan."""

    def __init__(self, plan: Plan, store: Store, tick: Tick, workers: int) -> None:
        from multiprocessing import get_context

        self._ticks: Any = get_context("spawn").SimpleQueue()
        self._plan, self._store, self._tick, self._workers = plan, store, tick, workers
        self._counted: dict[str, int] = {}
        # other processes must not write to a store that they cannot see
        theirs = store if store.shared else None
        self._pool = Workers(workers, _employ, plan, theirs, self._ticks)

    def shards(self, todo: Sequence[Shard]) -> Iterator[Made]:
        """Whole shards, each made and written by one worker."""
        coming = iter(todo)
        running: set[Future[Made]] = set()
        try:
            while True:
                for shard in coming:
                    running.add(self._pool.submit(_make_shard, shard))
                    if len(running) > 2 * self._workers:
                        break
                if not running:
                    return
                done, running = self._pool.finished(running, timeout=0.2)
                self._count()
                for future in done:
                    made = self._pool.result(future)
                    self._counted.pop(made.file, None)
                    yield made
        except LostWorkerError:
            self._count()
            self._tick(-sum(self._counted.values()))
            raise

    def _count(self) -> None:
        while not self._ticks.empty():
            file, count = self._ticks.get()
            self._counted[file] = self._counted.get(file, 0) + count
            self._tick(count)

    def pieces(self, todo: Sequence[Shard]) -> Iterator[Made]:
        """Shards written by this process, from pieces made by the workers."""
        style = Job.of(self._plan).format
        waiting: deque[Future[Piece]] = deque()
        ranges = ((shard.split, start, stop) for shard in todo for start, stop in shard.pieces())
        counted = 0

        def ahead() -> None:  # bounded, so that memory stays flat
            for split, start, stop in ranges:
                waiting.append(self._pool.submit(_make_piece, split, start, stop))
                if len(waiting) > AHEAD * self._workers:
                    return

        def ready(shard: Shard) -> Iterator[Piece]:
            for _ in shard.pieces():
                ahead()
                yield self._pool.result(waiting.popleft())

        def tick(count: int) -> None:
            nonlocal counted
            counted += count
            self._tick(count)

        for shard in todo:
            counted = 0
            try:
                yield write_shard(self._store, style, shard, ready(shard), tick)
            except LostWorkerError:
                self._tick(-counted)
                raise

    def dismiss(self, wait: bool) -> None:
        """End the workers; without `wait`, abort their current tasks."""
        self._pool.close(wait)


# --- in a worker --------------------------------------------------------------------------------

_here: tuple[Job, Store | None, Any] | None = None


def _employ(plan: Plan, store: Store | None, ticks: Any) -> None:
    global _here  # noqa: PLW0603  one job per worker process
    _here = (Job.of(plan), store, ticks)


def _make_piece(split: str, start: int, stop: int) -> Piece:
    assert _here is not None
    return _here[0].piece(split, start, stop)


def _make_shard(shard: Shard) -> Made:
    assert _here is not None
    job, store, ticks = _here
    assert store is not None
    return write_shard(
        store, job.format, shard, job.pieces(shard), lambda count: ticks.put((shard.file, count))
    )
