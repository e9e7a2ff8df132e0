"""Which instance is which kind: cells and their quotas.

A recipe's cells are dealt out in a fixed round, each as often as its share says and evenly spread,
so that the cell of instance i follows from i alone: no shared state, exact counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from fabula.recipe import Cell

LONGEST_ROUND = 10_000


def deal(cells: Sequence[Cell]) -> list[Cell]:
    """One round: every cell as often as its share says, spread as evenly as can be."""
    cells = [cell for cell in cells if cell.share > 0]
    if not cells:
        return [Cell()]
    shares = [Fraction(cell.share).limit_denominator(1000) for cell in cells]
    total = sum(shares)
    parts = [share / total for share in shares]
    length = lcm(*(part.denominator for part in parts))
    if length > LONGEST_ROUND:
        length = LONGEST_ROUND
    turns = []
    for order, part in enumerate(parts):
        count = max(1, round(part * length))
        turns += [((turn + Fraction(1, 2)) / count, order) for turn in range(count)]
    return [cells[order] for _, order in sorted(turns)]


def fits_answer(cell: Cell, query: tuple[str, ...], answer: tuple[str, ...]) -> bool:
    """Whether a question belongs to a cell, as far as its answer tells."""
    if cell.asks and query[0] not in cell.asks:
        return False
    return not cell.answers or ",".join(answer) in cell.answers


def misfit(cell: Cell, masks: Sequence[int], composition: Sequence[str]) -> str:
    """What about its supports keeps a question out of a cell; empty if it belongs."""
    size = masks[0].bit_count() if masks else 0
    low, high = cell.support_size
    if not low <= size <= high:
        return f"support of {size}"
    low, high = cell.supports
    if masks and not low <= len(masks) <= high:
        return f"{len(masks)} alternative supports"
    if cell.requires and not set(cell.requires) <= set(composition):
        return "a required concept is not in the support"
    if cell.forbids and set(cell.forbids) & set(composition):
        return "a forbidden concept is in the support"
    return ""
