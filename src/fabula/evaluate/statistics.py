"""Intervals, paired tests and correlations: small, exact where that is possible, no dependencies.

Promises:
1. Nothing here is random but the bootstrap, and that draws from a named stream: the same data give
   the same interval.
2. Questions of one story are not independent: resampling takes whole stories.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, comb, exp, isnan, lgamma, log, nan, sqrt, tanh
from typing import NamedTuple

from fabula.seeds import Draw, stream

Z = 1.959963984540054  # of 95 %
RESAMPLES = 1_000
MANY = 500
"""Stories beyond which the interval that resampling converges to is computed instead."""


class Interval(NamedTuple):
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(right: int, count: int) -> Interval:
    """A share with Wilson's interval, which stays within 0 and 1 and is honest for few cases."""
    if count == 0:
        return Interval(nan, 0.0, 1.0)
    share = right / count
    scale = 1 + Z * Z / count
    centre = (share + Z * Z / (2 * count)) / scale
    reach = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count)) / scale
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value that two models differ, from cases where just one is right."""
    count = only_first + only_second
    if count == 0:
        return 1.0
    few = min(only_first, only_second)
    if count < 1000:
        tail = sum(comb(count, k) for k in range(few + 1))
        return min(1.0, 2.0 * tail / float(2**count))
    return min(1.0, 2 * _tail(few, count))


def _tail(few: int, count: int) -> float:
    """The chance of at most so many heads, for counts whose power of two is no float."""
    term = exp(lgamma(count + 1) - lgamma(few + 1) - lgamma(count - few + 1) - count * log(2))
    total = 0.0
    for k in range(few, -1, -1):
        total += term
        term *= k / (count - k + 1)
        if term < total * 1e-17:
            break
    return total


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number (Holm): any of them below 0.05 may be believed."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [1.0] * len(p_values)
    worst = 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = worst
    return corrected


class Story(NamedTuple):
    """What came of the questions of one story."""

    value: float
    """Sum over its questions: right answers, or differences of two models."""
    questions: int


def bootstrap(stories: Sequence[Story], name: str = "") -> Interval:
    """The mean over questions with an interval by resampling whole stories."""
    total, count = sum(s.value for s in stories), sum(s.questions for s in stories)
    if count == 0:
        return Interval(nan, nan, nan)
    mean = total / count
    if len(stories) < 2:
        return Interval(mean, nan, nan)
    if len(stories) > MANY:
        reach = Z * _deviation(stories, mean, count)
        return Interval(mean, mean - reach, mean + reach)
    draw = stream("bootstrap", len(stories), name, count, "resample")
    values, counts = [s.value for s in stories], [s.questions for s in stories]
    means = sorted(_resampled(values, counts, draw) for _ in range(RESAMPLES))
    return Interval(mean, means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1])


def _deviation(stories: Sequence[Story], mean: float, count: int) -> float:
    """The standard error of a mean over questions that come in stories (a ratio estimator)."""
    size = len(stories)
    squares = sum((s.value - mean * s.questions) ** 2 for s in stories)
    return sqrt(squares * size / (size - 1)) / count


def _resampled(values: Sequence[float], counts: Sequence[int], draw: Draw) -> float:
    size = len(values)
    total = count = 0.0
    for _ in range(size):
        at = int(draw() * size)
        total += values[at]
        count += counts[at]
    return total / count


# --- do two lists of scores go together? ---------------------------------------------------------


def pearson(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Pearson's correlation with Fisher's interval."""
    count = len(first)
    if count < 2:
        return Interval(nan, nan, nan)
    mean1, mean2 = sum(first) / count, sum(second) / count
    both = sum((a - mean1) * (b - mean2) for a, b in zip(first, second, strict=True))
    spread = sqrt(sum((a - mean1) ** 2 for a in first) * sum((b - mean2) ** 2 for b in second))
    if spread == 0:
        return Interval(nan, nan, nan)
    r = max(-1.0, min(1.0, both / spread))
    if count < 4 or abs(r) == 1.0:
        return Interval(r, nan, nan)
    reach = Z / sqrt(count - 3)
    return Interval(r, tanh(atanh(r) - reach), tanh(atanh(r) + reach))


def kendall(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Kendall's tau-b, which allows for ties, with a bootstrap interval over the pairs."""
    tau = _tau(first, second)
    count = len(first)
    if count < 4 or isnan(tau):
        return Interval(tau, nan, nan)
    draw = stream("bootstrap", count, "kendall", 0, "resample")
    found = []
    for _ in range(RESAMPLES):
        chosen = [int(draw() * count) for _ in range(count)]
        again = _tau([first[i] for i in chosen], [second[i] for i in chosen])
        if not isnan(again):
            found.append(again)
    found.sort()
    if not found:
        return Interval(tau, nan, nan)
    return Interval(tau, found[int(0.025 * len(found))], found[int(0.975 * len(found)) - 1])


def _tau(first: Sequence[float], second: Sequence[float]) -> float:
    agree = tied1 = tied2 = pairs = 0
    for i in range(len(first)):
        for j in range(i):
            a = (first[i] > first[j]) - (first[i] < first[j])
            b = (second[i] > second[j]) - (second[i] < second[j])
            agree += a * b
            tied1 += a == 0
            tied2 += b == 0
            pairs += 1
    scale = sqrt((pairs - tied1) * (pairs - tied2))
    return agree / scale if scale else nan
