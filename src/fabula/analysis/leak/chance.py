"""How large StepGame is, and how much of a test set is in training by chance alone."""

from __future__ import annotations

from math import comb, factorial

from fabula.errors import FabulaError


def sample_space(k: int, entities: int = 26, directed: bool = True) -> int:
    """The number of different samples StepGame can draw for a chain of k sentences, before wording.

    The published formula, (k+1)! · C(n, k+1) · 16^k · k!/2 · 2 · C(k+1, 2), for n agents:

    - (k+1)! · C(n, k+1): which agents form the chain, in which order;
    - 16^k: for each link one of 8 steps, stated from either end ('A left of B', 'B right of A');
    - k!/2: the order of the sentences, halved since a chain read backwards is the same chain;
    - 2 · C(k+1, 2): which two agents are asked about, and in which order.

    Its values for 26 agents are 10,400 (k=1), 23,961,600 (k=2), 5.3e10 (k=3). With `directed`
    false, a relation and its inverse count as one, and a link has 8 values instead of 16: 5,200 for
    k=1, which is the number in print. With 10,000 samples each in training and test, most of the
    test set is then seen in training at k=1; see `expected_share`.
    """
    if k < 1 or entities < k + 1:
        raise FabulaError(f"a chain of {k} sentences among {entities} agents cannot be drawn.")
    agents = factorial(k + 1) * comb(entities, k + 1)
    links: int = (16 if directed else 8) ** k
    return agents * links * factorial(k) * 2 * comb(k + 1, 2) // 2


def expected_share(train: int, space: int) -> float:
    """The fraction of a test set that is in training by chance, both drawn uniformly from a
    space.
    """
    return 1 - (1 - 1 / space) ** train
