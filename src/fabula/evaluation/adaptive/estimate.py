"""Accuracy on a recipe from chosen questions, with its standard error; and which to ask next.

The pass rate of a model is a logistic regression with few terms: its ability, how steeply it falls
with the calibrated difficulty, and the model's own strengths and weaknesses by question kind and
concept, each with a prior from the calibration. The accuracy is the mean of the pass rate over a
reference sample of the recipe, so asking hard or easy questions does not move it.

Promises:
1. The standard error includes the uncertainty of all terms, and the size of the sample.
2. Some of the questions are drawn at random. If their replies contradict the regression, the
   estimate is the mean of the regression plus their difference from it (a difference estimator),
   which is unbiased whatever the model is like, with its own, larger error.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from fabula.core.instance import Instance
from fabula.evaluation.adaptive.scale import Scale, terms_of
from fabula.evaluation.statistics import Interval

if TYPE_CHECKING:
    import numpy as np

LEVEL = 4.0
"""Prior standard deviation of the ability: uninformative."""
SLOPE, OWN, BAND, BANDS = 0.9, 0.25, 0.5, 5
"""Minimum prior standard deviations, in logits: of the steepness, of a model's own effect of a
feature, and of a band of difficulties or a step in a number; and the number of bands.
"""
RANDOM = 0.2
"""Fraction of the questions that are drawn at random."""
START = 32
"""Questions at the start that are all drawn at random, to see whether difficulty matters at all."""
DOUBT = 2.6
"""Mean residual of these, in standard errors, beyond which the regression is rejected."""
LEAST = 60
"""Minimum number of questions for an estimate."""
SAVED = 0.28
"""Share of the questions of a random sample that are asked in any case: an error that is estimated
from few replies is sometimes far too small, and stopping there would bias the accuracy."""
CAUTION = 1.2
"""Factor on the error of the regression: the moment to stop depends on the error itself, and the
normal approximation is overconfident with so few replies. Determined by simulation.
"""


class Estimate(NamedTuple):
    """The estimate of a model's accuracy."""

    accuracy: float
    error: float
    """The standard error."""
    doubted: bool
    """Whether the replies contradict the regression: it only assists the random sample."""

    @property
    def interval(self) -> Interval:
        """The accuracy with its 95% interval."""
        reach = 1.96 * self.error
        return Interval(
            self.accuracy, max(0.0, self.accuracy - reach), min(1.0, self.accuracy + reach)
        )


class Estimator:
    """Estimates an accuracy, and chooses the questions for it."""

    def __init__(self, scale: Scale, pool: Sequence[Instance], random: np.random.Generator) -> None:
        """`pool`: instances as the recipe draws them: the reference sample, and the questions to
        choose from.
        """
        import numpy as np

        tables = [terms_of(one) for one in pool]
        own = {
            term: number for number, term in enumerate(sorted({t for row in tables for t in row}))
        }
        values = np.zeros((len(pool), len(own)))
        for row, table in enumerate(tables):
            for term, value in table.items():
                values[row, own[term]] = value
        steps = _steps(values)
        values = values[:, values.std(0) > 1e-6]
        values = (values - values.mean(0)) / np.maximum(values.std(0), 0.4)
        hard = np.array([scale.difficulty(one) for one in pool])
        edges = np.quantile(hard, np.linspace(0, 1, BANDS + 1)[1:-1])
        bands = np.eye(BANDS)[np.searchsorted(edges, hard)] - 1 / BANDS
        self._design = np.concatenate(
            [np.ones((len(pool), 1)), -hard[:, None], values, bands, steps], axis=1
        )
        spreads = [LEVEL, max(scale.slope, SLOPE), *([max(scale.spread, OWN)] * values.shape[1]),
                   *([BAND] * (BANDS + steps.shape[1]))]  # fmt: skip
        self._prior = 1 / np.array(spreads) ** 2
        self._mean = np.zeros(len(spreads))
        self._mean[1] = 1.0
        self._weights = self._mean.copy()
        self._covariance: Any = np.diag(1 / self._prior)
        self._random = random
        self._asked: list[int] = []
        self._right: list[bool] = []
        self._sampled: list[int] = []
        self._doubted = False
        self._free = np.ones(len(pool), dtype=bool)

    @property
    def asked(self) -> int:
        """The number of replies."""
        return len(self._asked)

    def choose(self, count: int) -> list[int]:
        """The next questions: those that lower the error most, and some at random."""
        import numpy as np

        chosen: list[int] = []
        rate = 1 / (1 + np.exp(-self._design @ self._weights))
        weight = np.maximum(rate * (1 - rate), 1e-6)
        target = (weight[:, None] * self._design).mean(0)
        covariance = self._covariance.copy()
        for _ in range(count):
            free = np.flatnonzero(self._free)
            if not len(free):
                break
            early = len(self._asked) + len(chosen) < START
            if early or self._doubted or self._random.random() < RANDOM:
                best = int(self._random.choice(free))
                self._sampled.append(best)
            else:
                some = free if len(free) <= 500 else self._random.choice(free, 500, replace=False)
                rows = self._design[some] @ covariance
                gain = weight[some] * (rows @ target) ** 2
                gain /= 1 + weight[some] * (rows * self._design[some]).sum(1)
                best = int(some[int(gain.argmax())])
            self._free[best] = False
            chosen.append(best)
            row = covariance @ self._design[best]
            covariance -= weight[best] * np.outer(row, row) / (
                1 + weight[best] * float(row @ self._design[best]))  # fmt: skip
        return chosen

    def learn(self, chosen: Sequence[int], right: Sequence[bool | None]) -> None:
        """Add replies; None stands for a missing reply."""
        for at, good in zip(chosen, right, strict=True):
            if good is not None:
                self._asked.append(at)
                self._right.append(good)
        self._fit()

    def _fit(self) -> None:
        import numpy as np

        rows = self._design[self._asked]
        right = np.array(self._right, dtype=float)
        weights = self._weights
        for _ in range(6):
            rate = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
            slope = rows.T @ (right - rate) - self._prior * (weights - self._mean)
            curve = (rows * (rate * (1 - rate))[:, None]).T @ rows + np.diag(self._prior)
            step = np.linalg.solve(curve, slope)
            weights = weights + step * min(1.0, 3 / max(float(np.abs(step).max()), 1e-9))
        self._weights = weights
        self._covariance = np.linalg.inv(curve)

    def enough(self, found: Estimate, se: float) -> bool:
        """Whether to stop: the error is reached, and not by the luck of a few replies."""
        rate = min(max(found.accuracy, 0.02), 0.98)
        least = max(LEAST, SAVED * rate * (1 - rate) / se**2)
        return found.error <= se and self.asked >= least

    def estimate(self) -> Estimate:
        """The accuracy on the recipe so far."""
        import numpy as np

        size = len(self._design)
        logits = self._design @ self._weights
        # the mean over the posterior, not at its mode: a rate near 1 can only be lower
        spread = (self._design @ self._covariance * self._design).sum(1)
        mean = 1 / (1 + np.exp(-logits / np.sqrt(1 + np.pi * spread / 8)))
        rate = 1 / (1 + np.exp(-logits))
        target = ((rate * (1 - rate))[:, None] * self._design).mean(0)
        reference = float(mean.var()) / size
        accuracy = float(mean.mean())
        error = sqrt(CAUTION**2 * float(target @ self._covariance @ target) + reference)
        known = dict(zip(self._asked, self._right, strict=True))
        sampled = [at for at in self._sampled if at in known]
        if len(sampled) >= 12:
            gaps = np.array([known[at] - mean[at] for at in sampled])
            expected = float(np.sqrt((mean[sampled] * (1 - mean[sampled])).sum())) / len(gaps)
            if not self._doubted and self.asked >= LEAST:
                self._doubted = abs(float(gaps.mean())) > DOUBT * max(expected, 0.01)
            if self._doubted:
                noise = max(float(gaps.std(ddof=1)) / sqrt(len(gaps)), 0.5 / len(gaps))
                total = min(1.0, max(0.0, accuracy + float(gaps.mean())))
                return Estimate(total, sqrt(noise**2 + reference), True)
        return Estimate(accuracy, error, False)


def _steps(values: Any) -> Any:
    """For each number, whether it is above its median and above its upper quartile.

    A model can fail from some length or distance on; a straight line would not follow that.
    """
    import numpy as np

    found = []
    for column in values.T:
        if len(np.unique(column)) > 3:
            for level in (0.5, 0.75):
                above = column > np.quantile(column, level)
                if 0.05 < above.mean() < 0.95:
                    found.append(above - above.mean())
    return np.stack(found, axis=1) if found else np.zeros((len(values), 0))
