"""Which instance is which kind: cells and their quotas.

A recipe's cells are dealt out in a fixed round, each as often as its share says and evenly spread,
so that the cell of instance i follows from i alone: no shared state, exact counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple, Protocol, TypeVar

from fabula.recipe.cells import ANY, Cell

LONGEST_ROUND = 10_000


class Shared(Protocol):
    """What has a share of the instances."""

    @property
    def share(self) -> float:
        """Relative number of instances."""


S = TypeVar("S", bound=Shared)


def deal(items: Sequence[S]) -> list[S]:
    """One round: every item as often as its share says, spread as evenly as can be."""
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
    """Which part instance i belongs to, and which of the part's own it is.

    Instances are dealt in units, so that what belongs together (the questions of a story) stays so.
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
    """Whether a question belongs to a cell, as far as its answer tells."""
    if cell.asks and query[0] not in cell.asks:
        return False
    return not cell.answers or ",".join(answer) in cell.answers


class Proof(NamedTuple):
    """What conditions on the proof of a question look at; what costs time only when asked for."""

    masks: Sequence[int]
    """Every support, best first."""
    told: int
    """Sentences told before the question."""
    concepts: Callable[[int], Sequence[str]]
    """The events and tellings of some sentences."""
    hops: Callable[[int], int]
    """How many links the proof in these sentences uses."""
    related: Callable[[int], int]
    """How many sentences outside these name whom or what the question is about."""


class Misfit(NamedTuple):
    """A condition that a question does not fulfil."""

    key: int
    """Which of CONDITIONS it is; they are looked at in this order."""
    reason: str
    """What was found instead."""


CONDITIONS = (
    "support_size", "supports", "recency", "reach", "distractors", "related_distractors",
    "requires", "forbids", "exactly", "distracted_by", "undistracted_by", "hops",
)  # fmt: skip


def misfit(cell: Cell, proof: Proof) -> Misfit | None:
    """What about its proof keeps a question out of a cell; None if it belongs."""
    masks, count = proof.masks, proof.told
    best = masks[0] if masks else 0
    size = best.bit_count()
    low, high = cell.support_size
    if not low <= size <= high:
        return Misfit(0, f"support of {size}")
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
            return Misfit(8, "not just the concepts asked for are in the support")
    if cell.distracted_by or cell.undistracted_by:
        others = set(proof.concepts(((1 << proof.told) - 1) << 1 & ~best))
        if not others.issuperset(cell.distracted_by):
            return Misfit(9, "a required concept is not among the distractors")
        if not others.isdisjoint(cell.undistracted_by):
            return Misfit(10, "a forbidden concept is among the distractors")
    return None
