"""Intervals, paired tests and correlations: small, exact where possible, no dependencies.

Questions about one story are not independent, so the story is the unit of every interval and test:
- the interval of a fraction is Wilson's, for the effective number of cases (design effect);
- the test of a difference flips the signs of whole stories; with one question per story it is
  McNemar's exact test.

Promises:
1. Nothing here is random except the interval of Kendall's tau, which draws from a named stream: the
   same data give the same interval.
2. If no two questions share a story, the intervals and tests are the usual ones for single cases.
3. With ten questions per story and no difference, the test rejects in about 5% of cases at the 5%
   level, and 95% intervals contain the true value in about 95% (a test simulates both).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import atanh, comb, erfc, exp, isnan, lgamma, log, nan, sqrt, tanh
from typing import NamedTuple

from fabula.core.seeds import stream

Z = 1.959963984540054  # for 95%
RESAMPLES = 1_000
EXACT = 4_000_000
"""Maximum number of steps for an exact p-value; beyond, the normal approximation is as good."""


class Interval(NamedTuple):
    """An estimate with its 95% interval."""

    value: float
    low: float
    high: float


def wilson(right: float, count: float) -> Interval:
    """A fraction of independent cases with Wilson's interval, which stays within 0 and 1."""
    if count == 0:
        return Interval(nan, 0.0, 1.0)
    share = right / count
    scale = 1 + Z * Z / count
    centre = (share + Z * Z / (2 * count)) / scale
    reach = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count)) / scale
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value that two models differ, from cases where only one is right."""
    count = only_first + only_second
    if count == 0:
        return 1.0
    few = min(only_first, only_second)
    if count < 1000:
        tail = sum(comb(count, k) for k in range(few + 1))
        return min(1.0, 2.0 * tail / float(2**count))
    return min(1.0, 2 * _tail(few, count))


def _tail(few: int, count: int) -> float:
    """The probability of at most k heads, for counts whose power of two exceeds a float."""
    term = exp(lgamma(count + 1) - lgamma(few + 1) - lgamma(count - few + 1) - count * log(2))
    total = 0.0
    for k in range(few, -1, -1):
        total += term
        term *= k / (count - k + 1)
        if term < total * 1e-17:
            break
    return total


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number (Holm): those below 0.05 are significant."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [1.0] * len(p_values)
    worst = 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = worst
    return corrected


class Story(NamedTuple):
    """The outcomes of the questions of one story."""

    value: float
    """Sum over its questions: correct answers, or differences of two models."""
    questions: int


def share(stories: Sequence[Story]) -> Interval:
    """The fraction of correct answers, with an interval that accounts for shared stories."""
    right, count = sum(s.value for s in stories), sum(s.questions for s in stories)
    worth = effective(stories)
    value, low, high = wilson(right / count * worth if count else 0, worth)
    return Interval(right / count if count else value, low, high)


def effective(stories: Sequence[Story]) -> float:
    """The number of independent cases that the questions of these stories are worth.

    It is between the number of stories (if the questions of each are all right or all wrong) and
    that of questions. The variance between stories is estimated, so few of them are worth even
    less, by the quantile of t (Korn and Graubard 1998; with Wilson's interval, Dean and Pagano
    2015).
    """
    count, most = sum(s.questions for s in stories), sum(s.questions**2 for s in stories)
    if most == count:  # no story has two
        return float(count)
    if len(stories) < 2:
        return 1.0
    mean = sum(s.value for s in stories) / count
    alone = mean * (1 - mean) / count
    # if all are right, or none, nothing is known about the agreement within a story
    effect = _deviation(stories, mean, count) ** 2 / alone if alone > 0 else most / count
    worth = count / min(max(effect, 1.0), most / count)
    return max(1.0, worth * (Z / _student(len(stories) - 1)) ** 2)


def _student(freedom: int) -> float:
    """The 97.5% quantile of t: the Cornish-Fisher expansion, good from three degrees of freedom
    on.
    """
    if freedom < 3:
        return (12.706205, 4.302653)[freedom - 1]
    z, n = Z, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


def sign_flip(differences: Iterable[int]) -> float:
    """The two-sided p-value that two models differ, from the difference in each story.

    If the models are alike, the difference of a story might as well have the other sign. The
    p-value is the fraction of all choices of signs whose sum is as far from zero as the observed
    one: computed exactly, by adding story after story to the distribution of the sum.
    """
    found = [difference for difference in differences if difference]
    sizes = [abs(difference) for difference in found]
    total, most = abs(sum(found)), sum(sizes)
    if total == 0:
        return 1.0
    if max(sizes) == 1:
        return mcnemar((most - total) // 2, (most + total) // 2)
    if len(sizes) * most > EXACT:
        # the sums are twice the common divisor apart: half of that for continuity
        return erfc(max(0.0, total - 1) / sqrt(2 * sum(size * size for size in sizes)))
    chances = [1.0]  # of the sum of the sizes with a plus sign
    for size, number in sorted(Counter(sizes).items()):
        for _ in range(number):
            pad = [0.0] * size
            chances = [(a + b) / 2 for a, b in zip(chances + pad, pad + chances, strict=True)]
    # as far from zero: the plus signs add up to at most (most - total) / 2, or the mirror of that
    return min(1.0, 2 * sum(chances[: (most - total) // 2 + 1]))


def difference(stories: Sequence[Story]) -> Interval:
    """The mean difference over questions, with an interval by stories (cluster-robust, with t).

    It is at least as wide as if a single question had come out differently, so that a few cases
    without any difference do not look like certainty.
    """
    total, count = sum(s.value for s in stories), sum(s.questions for s in stories)
    if count == 0:
        return Interval(nan, nan, nan)
    mean = total / count
    if len(stories) < 2:
        return Interval(mean, nan, nan)
    reach = _student(len(stories) - 1) * max(_deviation(stories, mean, count), 1 / count)
    return Interval(mean, max(-1.0, mean - reach), min(1.0, mean + reach))


def _deviation(stories: Sequence[Story], mean: float, count: int) -> float:
    """The standard error of a mean over questions clustered in stories (a ratio estimator)."""
    size = len(stories)
    squares = sum((s.value - mean * s.questions) ** 2 for s in stories)
    return sqrt(squares * size / (size - 1)) / count


# --- correlations of two lists of scores ---------------------------------------------------------


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
