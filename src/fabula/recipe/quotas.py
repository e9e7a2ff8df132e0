"""Assigns instances to cells, so that quotas are filled exactly.

A recipe's cells are dealt out in a fixed round, each as often as its share says and evenly spread,
so the cell of instance i follows from i alone: no shared state, exact counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple, Protocol, TypeVar

from fabula.recipe.cells import ANY, UNBOUNDED, Cell

LONGEST_ROUND = 10_000
SOME = (1, UNBOUNDED)


class Shared(Protocol):
    """Anything with a share of the instances."""

    @property
    def share(self) -> float:
        """Relative number of instances."""


S = TypeVar("S", bound=Shared)


def deal(items: Sequence[S]) -> list[S]:
    """One round: every item as often as its share says, spread as evenly as possible."""
    items = [item for item in items if item.share > 0]
    shares = [Fraction(item.share).limit_denominator(1000) for item in items]
    total = sum(shares)
    parts = [share / total for share in shares]
    length = min(lcm(*(part.denominator for part in parts)), LONGEST_ROUND)
    turns = []
    for order, part in enumerate(parts):
        count = max(1, round(part * length))
        turns += [((turn + Fraction(1, 2)) / count, order) for turn in range(count)]
    return [items[order] for _, order in sorted(turns)]


class Rota:
    """Maps instance i to its part, and to its index in that part.

    Instances are dealt in units, so that the questions of a story stay together.
    """

    def __init__(self, round_: Sequence[str], unit: int) -> None:
        self.unit = unit
        self._round = list(round_)
        self._count: Counter[str] = Counter()
        self._rank = []
        for name in self._round:
            self._rank.append(self._count[name])
            self._count[name] += 1

    def locate(self, index: int) -> tuple[str, int]:
        """The part of an instance, and its index in that part."""
        unit, rest = divmod(index, self.unit)
        turn, at = divmod(unit, len(self._round))
        name = self._round[at]
        return name, (turn * self._count[name] + self._rank[at]) * self.unit + rest


def fits_answer(cell: Cell, query: tuple[str, ...], answer: tuple[str, ...]) -> bool:
    """Whether a question fits a cell, judging by its answer."""
    if cell.asks and query[0] not in cell.asks:
        return False
    return not cell.answers or ",".join(answer) in cell.answers


class Proof(NamedTuple):
    """The measurements that conditions on a proof need; expensive ones are computed on demand."""

    masks: Sequence[int]
    """Every support, best first."""
    told: int
    """Number of sentences before the question."""
    concepts: Callable[[int], Sequence[str]]
    """The events and tellings of some sentences."""
    hops: Callable[[int], int]
    """The number of links in the proof that these sentences give."""
    related: Callable[[int], int]
    """The number of sentences outside these that mention the subject of the question."""
    roles: Callable[[int], Sequence[str]]
    """The role of each sentence if these are the support."""


class Misfit(NamedTuple):
    """A condition that a question does not meet."""

    key: int
    """Its index in CONDITIONS, which are checked in this order."""
    reason: str
    """The value found instead."""


CONDITIONS = (
    "support_size", "supports", "recency", "reach", "distractors", "related_distractors",
    "requires", "forbids", "exactly", "distracted_by", "undistracted_by", "hops", "sentences",
    "noise",
)  # fmt: skip


def beyond_size(cell: Cell) -> bool:
    """Whether a cell has conditions on a proof other than on the size of its best support."""
    return cell.supports != SOME or any(getattr(cell, k) not in (ANY, ()) for k in CONDITIONS[2:])


def misfit(cell: Cell, proof: Proof) -> Misfit | None:
    """The condition that keeps a question out of a cell; None if it fits."""
    masks, count = proof.masks, proof.told
    best = masks[0] if masks else 0
    size = best.bit_count()
    low, high = cell.support_size
    if not low <= size <= high:
        return Misfit(0, f"support of {size}")
    if cell.sentences != ANY and not cell.sentences[0] <= count <= cell.sentences[1]:
        return Misfit(12, f"a story of {count} sentences")
    low, high = cell.supports
    if masks and not low <= len(masks) <= high:
        return Misfit(1, f"{len(masks)} alternative supports")
    measured = (
        (cell.recency, count + 1 - best.bit_length(), "the support ends {} sentences back"),
        (cell.reach, count - (best & -best).bit_length() + 1, "the support begins {} back"),
        (cell.distractors, count - size, "{} distractors"),
    )
    for key, (bounds, value, said) in enumerate(measured, 2):
        if bounds != ANY and not bounds[0] <= value <= bounds[1]:
            return Misfit(key, said.format(value))
    low, high = cell.hops
    if (low, high) != ANY and not low <= (value := proof.hops(best)) <= high:
        return Misfit(11, f"{value} hop{'s' * (value != 1)}")
    low, high = cell.related_distractors
    if (low, high) != ANY and not low <= (value := proof.related(best)) <= high:
        return Misfit(5, f"{value} related distractors")
    return _misfit_of_concepts(cell, best, proof)


def _misfit_of_concepts(cell: Cell, best: int, proof: Proof) -> Misfit | None:
    if cell.requires or cell.forbids or cell.exactly:
        composition = set(proof.concepts(best))
        if not composition.issuperset(cell.requires):
            return Misfit(6, "a required concept is not in the support")
        if not composition.isdisjoint(cell.forbids):
            return Misfit(7, "a forbidden concept is in the support")
        if cell.exactly and composition != set(cell.exactly):
            return Misfit(8, "the support has other concepts than the required ones")
    if cell.distracted_by or cell.undistracted_by:
        others = set(proof.concepts(((1 << proof.told) - 1) << 1 & ~best))
        if not others.issuperset(cell.distracted_by):
            return Misfit(9, "a required concept is not among the distractors")
        if not others.isdisjoint(cell.undistracted_by):
            return Misfit(10, "a forbidden concept is among the distractors")
    if cell.noise and not set(proof.roles(best)).issuperset(cell.noise):
        return Misfit(13, "a required kind of noise is missing")
    return None
