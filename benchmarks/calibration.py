"""The unit of every figure: one run of a fixed loop of pure Python.

Work per loop instead of per second: a slow or busy machine slows both, so figures from different
machines can be compared. Loop and work are timed in turns, in processor time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from random import Random
from statistics import median
from time import process_time


def loop() -> dict[int, int]:
    """The unit: random numbers, a dictionary and strings."""
    draw, seen, told = Random(1), dict[int, int](), list[str]()
    for i in range(300_000):
        k = int(draw.random() * 997)
        seen[k] = seen.get(k, 0) ^ i
        told.append("%d went to the %d." % (k, i & 7))  # noqa: UP031  (part of the unit)
        if len(told) > 999:
            told = []
    return seen


def seconds(work: Callable[[], object]) -> float:
    """Processor time of some work."""
    start = process_time()
    work()
    return process_time() - start


def per_loop(rounds: Iterable[Callable[[], int]]) -> float:
    """Units of work per loop: the median of rounds, each of which returns how much it did."""
    rates = []
    for work in rounds:
        gc.collect()  # work may leave that to us
        unit, start = seconds(loop), process_time()
        done = work()
        rates.append(done * unit / (process_time() - start))
    return median(rates)
