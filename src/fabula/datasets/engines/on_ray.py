"""Runs a plan on Ray: on an existing cluster, or on a temporary one on this machine.

Each shard is a task that writes its own file and reports its progress; no data pass through this
process. Ray itself retries tasks whose worker or machine is lost.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from fabula.datasets.engines.plan import Plan, Shard
from fabula.datasets.engines.shard import Job, Tick, steps
from fabula.datasets.engines.store import Made, Store
from fabula.errors import MissingExtraError, OutputError

RETRIES = 3
REPORTED = 5  # pieces between progress reports: each report costs a millisecond


def on_ray(
    plan: Plan,
    todo: Sequence[Shard],
    store: Store,
    tick: Tick,
    workers: int | None = None,
    address: str | None = None,
) -> Generator[Made, None, None]:
    """Make the shards as Ray tasks, in the order of completion."""
    ray = _ray()
    if not store.shared:
        raise OutputError(
            f"{store.target}: memory is not shared; choose a folder that all machines can access."
        )
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address, workers)
    task = ray.remote(max_retries=RETRIES, num_cpus=1)(_make_shard)
    plan_there, store_there = ray.put(plan), ray.put(store)
    running: dict[Any, str] = {}
    coming = iter(todo)
    try:
        # one more than Ray runs at a time, so that no worker waits for this process
        cpus = int(ray.cluster_resources().get("CPU", 1))
        most = workers if workers and workers < cpus else cpus + 1
        while True:
            while len(running) < most and (shard := next(coming, None)) is not None:
                running[task.remote(plan_there, store_there, shard)] = shard.file
            if not running:
                return
            ready, _ = ray.wait(list(running), timeout=0.5)
            for stream in ready:
                step = _next(ray, stream, running[stream], store)
                if isinstance(step, Made):
                    del running[stream]
                    yield _seen(step, store)
                else:
                    tick(step)
    finally:
        for stream in running:
            ray.cancel(stream)
        if ours:
            ray.shutdown()


def _seen(made: Made, store: Store) -> Made:
    if store.made(made.file) is None:
        raise OutputError(
            f"{store.target}: a file written by a machine of the cluster is not visible here; "
            "choose a folder that all machines share, or a URL such as s3://bucket/folder."
        )
    return made


def _next(ray: Any, stream: Any, file: str, store: Store) -> Any:
    try:
        return ray.get(next(stream))
    except ray.exceptions.RayTaskError as error:
        raise error.cause if isinstance(error.cause, Exception) else error from None
    except (ray.exceptions.RayError, StopIteration) as error:
        raise OutputError(
            f"{store.target}: the worker of {file} was lost {RETRIES + 1} times: "
            f"{str(error).splitlines()[0] if str(error) else type(error).__name__}. Finished "
            "files are kept: the same command resumes."
        ) from None


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError(
            "the engine 'ray' needs Ray, which is not installed: pip install 'fabula[ray]'"
        ) from None
    return ray


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    import logging

    try:
        if address is None:
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
            )
        else:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise OutputError(
            f"--address {address}: no Ray cluster answers there: {str(error).splitlines()[0]}"
        ) from None


# --- in a worker --------------------------------------------------------------------------------


_jobs: dict[str, Job] = {}
"""The current job of this worker, by the digest of its plan, so that it is set up only once."""


def _make_shard(plan: Plan, store: Store, shard: Shard) -> Iterator[int | Made]:
    """Make and write a shard; yields counts of instances, and finally the result."""
    if plan.digest not in _jobs:
        _jobs.clear()
        _jobs[plan.digest] = Job.of(plan)
    job = _jobs[plan.digest]
    count = 0
    for number, step in enumerate(steps(store, job.format, shard, job.pieces(shard)), 1):
        if isinstance(step, Made):
            yield count
            yield step
            return
        count += step
        if number % REPORTED == 0:
            yield count
            count = 0
