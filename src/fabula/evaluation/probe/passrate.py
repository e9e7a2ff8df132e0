"""A model of the pass rate: regularised logistic regression with a term for every cell.

Single conditions are main effects, pairs are pairwise terms; each weight has a normal prior, so
this is ridge regression and, at the same time, a Gaussian process whose kernel counts shared cells.
It is fitted in the space of the questions asked (hundreds), not of the weights (a thousand and
more), by Newton steps from the last fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

LEVEL, MAIN, PAIR = 1.5, 0.6, 0.3
"""Prior standard deviations, in logits: of the overall level, of main effects, of pairs."""
STEPS = 2
"""Newton steps per fit; each fit starts from the previous one."""


class PassRate:
    """Fits the pass rate, and draws weights from the (Laplace) posterior."""

    def __init__(self, sizes: list[int]) -> None:
        """`sizes`: the number of conditions of each term."""
        import numpy as np

        self._spread = np.array([MAIN if size == 1 else PAIR for size in sizes], dtype=np.float32)
        self._terms: Any = np.zeros((0, len(sizes)), dtype=np.float32)
        self._kernel: Any = np.zeros((0, 0))
        self._right: Any = np.zeros(0)
        self._logits: Any = np.zeros(0)

    def add(self, terms: Any, right: Any) -> None:
        """Add answered questions: the cells they are in, and whether the answer was right."""
        import numpy as np

        new = terms.astype(np.float32)
        scaled = new * self._spread**2
        across = scaled @ self._terms.T + LEVEL**2
        within = scaled @ new.T + LEVEL**2
        self._kernel = np.block([[self._kernel, across.T], [across, within]]).astype(np.float64)
        self._terms = np.concatenate([self._terms, new])
        self._right = np.concatenate([self._right, right])
        self._logits = np.concatenate([self._logits, np.zeros(len(new))])
        self._fit()

    def _fit(self) -> None:
        """Newton's method for the mode of the posterior (Rasmussen and Williams, algorithm 3.1)."""
        import numpy as np

        kernel, logits = self._kernel, self._logits
        for _ in range(STEPS):
            rate = 1 / (1 + np.exp(-logits))
            weight = np.maximum(rate * (1 - rate), 1e-4)
            root = np.sqrt(weight)
            inner = np.eye(len(logits)) + root[:, None] * kernel * root
            target = weight * logits + self._right - rate
            solved = np.linalg.solve(inner, root * (kernel @ target))
            logits = np.clip(kernel @ (target - root * solved), -12, 12)
        self._logits = logits

    def draws(self, count: int, random: np.random.Generator) -> tuple[Any, Any]:
        """Weights from the posterior, and the level that goes with each: (terms, draws), (draws).

        Draws from the prior are corrected by the observations (Matheron's rule).
        """
        import numpy as np

        weights = random.standard_normal((len(self._spread), count)).astype(np.float32)
        weights *= self._spread[:, None]
        level = random.standard_normal(count) * LEVEL
        if not len(self._logits):
            return weights, level
        rate = 1 / (1 + np.exp(-self._logits))
        weight = np.maximum(rate * (1 - rate), 1e-4)
        target = self._logits + (self._right - rate) / weight
        noise = random.standard_normal((len(target), count)) / np.sqrt(weight)[:, None]
        gap = target[:, None] - (self._terms @ weights + level) - noise
        root = np.sqrt(weight)
        inner = np.eye(len(target)) + root[:, None] * self._kernel * root
        solved = root[:, None] * np.linalg.solve(inner, root[:, None] * gap)
        weights += (self._spread**2)[:, None] * (self._terms.T @ solved.astype(np.float32))
        return weights, level + LEVEL**2 * solved.sum(0)
