"""How far two sets of instances are apart: in what they are made of, and in how it is combined.

As in distribution-based compositionality assessment: an instance has *atoms* (kind of question,
events and tellings in its support) and one *compound* (all of them together). A split is hard and
fair if the compounds of test and training differ as much as can be while the atoms do not.

    divergence = 1 - sum over k of p_k^alpha * q_k^(1-alpha)       (Chernoff)

with p the training and q the test distribution; alpha is 0.5 for atoms, which should be alike, and
0.1 for compounds, where it matters less how often training has what the test asks for than
whether it has it.

Promises:
1. Which compound goes to which split follows from a sample of fixed size that recipe and seed
   determine, so instance i is the same on any number of workers.
2. A compound that the sample did not have goes to the first split: it is no test of anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

ATOM_ALPHA = 0.5
COMPOUND_ALPHA = 0.1
PILOT = 2_000
"""Instances in the sample."""
ROUNDS = 8


class Divergences(NamedTuple):
    """How far training and test are apart."""

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
    """How often each atom occurs, of compounds named 'kind: A + B'."""
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
    """The compounds that each part gets: none twice, and the atoms of every part as in the first.

    Compounds are dealt out, the commonest first, each to where it does most good; then single ones
    change places as long as that brings the atoms closer. A part may be smaller than its share, as
    its instances are made to order, but not by more than half.
    """
    total = sum(compounds.values())
    order = sorted(compounds, key=lambda name: (-compounds[name], name))
    parts: list[dict[str, int]] = [{} for _ in shares]

    def cost() -> float:
        """How far the parts are from what they should be."""
        sizes = [sum(part.values()) / total for part in parts]
        lacking = sum(
            max(0.0, share / 2 - size) + max(0.0, size - 1.5 * share)
            for size, share in zip(sizes, shares, strict=True)
        )
        first = atoms_of(parts[0])
        apart = [chernoff(first, atoms_of(part), ATOM_ALPHA) for part in parts[1:]]
        return 4 * lacking + sum(apart)

    def settle(name: str) -> int:
        """Put a compound where it does most good."""
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
