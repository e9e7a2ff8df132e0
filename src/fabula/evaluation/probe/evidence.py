"""How strong the evidence is that a cell is weak.

Two accounts of the replies are compared: one pass rate for all, or one inside a cell and a higher
one elsewhere. All rates have flat priors, so that the evidence is a ratio of beta functions, exact
and quick for a thousand cells at once. Which questions were asked does not matter to it, only how
they were answered: questions may be chosen by earlier replies.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma
from typing import Any, NamedTuple

PRIOR_WEAK = 0.5
"""Prior probability that there is a weak cell at all."""


class Evidence(NamedTuple):
    """The evidence about each cell."""

    log_odds: Any
    """Log odds that the cell is the weak one against that there is none, prior included."""
    inside: Any
    """The pass rate in each cell (posterior mean)."""
    outside: Any
    """The pass rate elsewhere."""
    count: Any
    """Number of replies in each cell."""

    def chances(self) -> tuple[Any, float]:
        """The probability of each cell being the weak one, and that there is none."""
        import numpy as np

        top = max(0.0, float(self.log_odds.max(initial=0.0)))
        cells = np.exp(self.log_odds - top)
        none = exp(-top)
        total = float(cells.sum()) + none
        return cells / total, none / total


@lru_cache(maxsize=16)
def _log_gammas(count: int) -> Any:
    """log Γ of 0 … count (that of 0 is not used)."""
    import numpy as np

    return np.array([0.0, *(lgamma(n) for n in range(1, count + 1))])


def evidence(members: Any, right: Any, prior: Any) -> Evidence:
    """The evidence of replies.

    Args:
        members: replies by cells, whether a reply is in a cell.
        right: whether each reply is right.
        prior: the prior probability of each cell, given that there is a weak one.
    """
    import numpy as np

    table = _log_gammas(1024 * (1 + (len(right) + 3) // 1024))

    def log_beta(a: Any, b: Any) -> Any:
        return table[a] + table[b] - table[a + b]

    count = members.sum(0, dtype=np.int64)
    good = (right.astype(np.float32) @ members.astype(np.float32)).round().astype(np.int64)
    bad = count - good
    all_good = int(right.sum())
    all_bad = len(right) - all_good
    inside = (good + 1) / (count + 2)
    outside = (all_good - good + 1) / (len(right) - count + 2)
    factor = (
        log_beta(good + 1, bad + 1)
        + log_beta(all_good - good + 1, all_bad - bad + 1)
        - log_beta(all_good + 1, all_bad + 1)
    )
    spread = np.sqrt(
        inside * (1 - inside) / (count + 3) + outside * (1 - outside) / (len(right) - count + 3)
    )
    lower = np.maximum(_normal((outside - inside) / spread), 1e-12)
    # the prior has the cell below the rest: twice the density, on half of the square
    log_odds = factor + np.log(2 * lower) + np.log(prior) + np.log(PRIOR_WEAK / (1 - PRIOR_WEAK))
    return Evidence(log_odds, inside, outside, count)


def _normal(z: Any) -> Any:
    """The standard normal distribution function, to three digits (Page's approximation)."""
    import numpy as np

    return 1 / (1 + np.exp(-np.clip(z * (1.5976 + 0.070566 * z * z), -40, 40)))


def fisher(right: int, count: int, other_right: int, other_count: int) -> float:
    """The exact one-sided p-value that the first group is right less often than the other."""
    total, good = count + other_count, right + other_right
    if not count or not other_count:
        return 1.0
    scale = _choose(total, count)
    low = max(0, count - (total - good))
    return min(
        1.0,
        sum(
            exp(_choose(good, k) + _choose(total - good, count - k) - scale)
            for k in range(low, right + 1)
        ),
    )


def _choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
