"""How far apart two sets of instances are: in their building blocks, and in how these combine.

As in distribution-based compositionality assessment, an instance has *atoms* (question kind, events
and tellings in its support) and one *compound* (all of them together). A split is hard but fair if
the compounds of test and training differ as much as possible while the atoms do not.

    divergence = 1 - sum over k of p_k^alpha * q_k^(1-alpha)       (Chernoff)

Here p is the training and q the test distribution. alpha is 0.5 for atoms, which should be alike,
and 0.1 for compounds, where it matters less how often training has what the test asks for than
whether it has it.

Promises:
1. The split of each compound follows from a sample of fixed size that recipe and seed determine, so
   instance i is the same on any number of workers.
2. A compound that did not occur in the sample goes to the first split, so it is never in a test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

ATOM_ALPHA = 0.5
COMPOUND_ALPHA = 0.1
PILOT = 2_000
"""Number of instances in the sample."""
ROUNDS = 8


class Divergences(NamedTuple):
    """Divergence of training and test, for atoms and for compounds."""

    atom_divergence: float
    compound_divergence: float


def chernoff(p: Mapping[str, float], q: Mapping[str, float], alpha: float) -> float:
    """1 minus the Chernoff coefficient of two distributions given by counts."""
    one, other = sum(p.values()), sum(q.values())
    if not one or not other:
        return 1.0
    common = 0.0
    for key, count in p.items():
        common += float((count / one) ** alpha * (q.get(key, 0) / other) ** (1 - alpha))
    return max(0.0, 1 - common)


def atoms_of(compounds: Mapping[str, float]) -> Counter[str]:
    """The number of occurrences of each atom in compounds named 'kind: A + B'."""
    atoms: Counter[str] = Counter()
    for compound, count in compounds.items():
        kind, _, composition = compound.partition(": ")
        for atom in (kind, *composition.split(" + ")):
            atoms[atom] += count  # type: ignore[assignment]
    return atoms


def divergences(train: Mapping[str, float], test: Mapping[str, float]) -> Divergences:
    """The divergences of atoms and of compounds between training and test."""
    return Divergences(
        round(chernoff(atoms_of(train), atoms_of(test), ATOM_ALPHA), 4),
        round(chernoff(train, test, COMPOUND_ALPHA), 4),
    )


def partition(compounds: Mapping[str, int], shares: Sequence[float]) -> list[set[str]]:
    """Disjoint sets of compounds, one per part, whose atoms are distributed as in the first part.

    Compounds are assigned greedily, the most frequent first; then single compounds move as long as
    that brings the atoms closer together. A part may be smaller than its share, since its instances
    are generated on demand, but by no more than half.
    """
    total = sum(compounds.values())
    order = sorted(compounds, key=lambda name: (-compounds[name], name))
    parts: list[dict[str, int]] = [{} for _ in shares]

    def cost() -> float:
        """Distance of the parts from the target."""
        sizes = [sum(part.values()) / total for part in parts]
        lacking = sum(
            max(0.0, share / 2 - size) + max(0.0, size - 1.5 * share)
            for size, share in zip(sizes, shares, strict=True)
        )
        first = atoms_of(parts[0])
        apart = [chernoff(first, atoms_of(part), ATOM_ALPHA) for part in parts[1:]]
        return 4 * lacking + sum(apart)

    def settle(name: str) -> int:
        """Move a compound to the part where it lowers the cost most."""
        costs = []
        for part in parts:
            part[name] = compounds[name]
            costs.append(cost())
            del part[name]
        best = costs.index(min(costs))
        parts[best][name] = compounds[name]
        return best

    home = {name: settle(name) for name in order}
    for _ in range(ROUNDS):
        before = dict(home)
        for name in order:
            del parts[home[name]][name]
            home[name] = settle(name)
        if home == before:
            break
    return [set(part) for part in parts]
