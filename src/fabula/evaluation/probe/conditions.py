"""The search space: conditions on measured features, and the cells they form.

A *condition* is one statement about an instance that a recipe cell can make (`asks`, `requires`, a
range of `hops` …) or that a setting of the recipe makes (`language`). A *cell* here is one
condition or two together.

Promises:
1. Every cell can be written as keys of a recipe cell, plus settings of the recipe if these vary.
2. Conditions that select the same instances are kept once, in their simplest form.
3. The space depends only on the rows it is built from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from fabula.recipe.cells import UNBOUNDED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

WORDS = ("asks", "requires", "answers", "misleads", "noise", "distracted_by")
"""Keys of a cell that name words, simplest first."""
NUMBERS = (
    "support_size", "hops", "supports", "recency", "reach", "sentences", "distractors",
    "related_distractors",
)  # fmt: skip
"""Keys of a cell that are ranges."""
LEVELS = (0.5, 0.25, 0.1)
"""Fractions of the instances that a range should select."""
COMMONEST = 12
"""Maximum number of words of a key that become conditions."""
RAREST = 12
"""Minimum number of instances of the pool in a cell."""
LARGEST = 0.75
"""A cell with a larger fraction of the pool is the rule rather than an exception."""
SAME = 0.97
"""Overlap (intersection over union) above which two cells count as the same."""


class Row(NamedTuple):
    """The measured features of one instance."""

    words: Mapping[str, frozenset[str]]
    """For each key of WORDS, the words that apply."""
    numbers: Mapping[str, int]
    """The value of each key of NUMBERS; keys that the instance lacks are left out."""
    settings: Mapping[str, Any] = {}
    """Settings of the recipe that vary between the instances of a pool."""


@dataclass(frozen=True)
class Condition:
    """One statement about an instance."""

    key: str
    """A key of WORDS or NUMBERS, or a setting of the recipe."""
    word: str = ""
    low: int = 0
    high: int = UNBOUNDED
    value: Any = None
    """The value of a setting."""

    def holds(self, row: Row) -> bool:
        """Whether it is true of an instance."""
        if self.key in WORDS:
            return self.word in row.words.get(self.key, ())
        if self.key in NUMBERS:
            found = row.numbers.get(self.key)
            return found is not None and self.low <= found <= self.high
        return bool(row.settings.get(self.key) == self.value)

    def __str__(self) -> str:
        if self.key in WORDS:
            return f"{self.key} {self.word}"
        if self.key not in NUMBERS:
            return f"{self.key} = {self.value}"
        if self.high == UNBOUNDED:
            return f"{self.key} ≥ {self.low}"
        return f"{self.key} {self.low}-{self.high}" if self.low else f"{self.key} ≤ {self.high}"


class Cell(NamedTuple):
    """Conditions that hold together."""

    conditions: tuple[Condition, ...]

    def holds(self, row: Row) -> bool:
        """Whether an instance is in it."""
        return all(condition.holds(row) for condition in self.conditions)

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of a recipe cell that select it."""
        found: dict[str, Any] = {}
        for each in self.conditions:
            if each.key in WORDS:
                found[each.key] = sorted({*found.get(each.key, ()), each.word})
            elif each.key in NUMBERS:
                low, high = found.get(each.key, (0, UNBOUNDED))
                found[each.key] = [max(low, each.low), min(high, each.high)]
        return found

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the recipe that select it."""
        return {c.key: c.value for c in self.conditions if c.key not in (*WORDS, *NUMBERS)}

    def __str__(self) -> str:
        return ", ".join(map(str, self.conditions))


class Space:
    """Cells, and the instances of a pool that are in them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """The space of a pool; later rows are added by `extend`."""
        import numpy as np

        conditions = _conditions(rows)
        single = _matrix(conditions, rows)
        kept = _distinct(single, RAREST)
        conditions, single = [conditions[at] for at in kept], single[:, kept]
        pairs = list(combinations(range(len(conditions)), 2))
        first, second = (np.array([pair[at] for pair in pairs], dtype=int) for at in (0, 1))
        both = single[:, first] & single[:, second]
        common = np.flatnonzero((both.sum(0) >= RAREST) & _narrower(single, both, first, second))
        members = np.concatenate([single, both[:, common]], axis=1)
        kept = _distinct(members, RAREST)
        self.conditions = conditions
        self._pairs = [
            (at, at) if at < len(conditions) else pairs[common[at - len(conditions)]] for at in kept
        ]
        self.cells = [Cell(tuple(conditions[at] for at in sorted({*pair}))) for pair in self._pairs]
        self.members: Bools = members[:, kept]
        """Pool by cells: who is in what."""

    def extend(self, rows: Sequence[Row]) -> None:
        """Add instances to the pool."""
        import numpy as np

        single = _matrix(self.conditions, rows)
        first, second = (np.array([pair[at] for pair in self._pairs], dtype=int) for at in (0, 1))
        self.members = np.concatenate([self.members, single[:, first] & single[:, second]])

    @property
    def sizes(self) -> list[int]:
        """How many conditions each cell has."""
        return [len(cell.conditions) for cell in self.cells]


def _conditions(rows: Sequence[Row]) -> list[Condition]:
    """The statements that are true of some of the instances, simplest first."""
    found: list[Condition] = []
    for key in sorted({key for row in rows for key in row.settings}):
        values = {repr(row.settings.get(key)): row.settings.get(key) for row in rows}
        found += [Condition(key, value=values[name]) for name in sorted(values)]
    for key in WORDS:
        counts = Counter(word for row in rows for word in row.words.get(key, ()))
        common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:COMMONEST]
        found += [Condition(key, word) for word, _ in common]
        if key == "requires":  # after what is asked and used comes how much of it
            for number in NUMBERS[:3]:
                found += _ranges(number, rows)
    for number in NUMBERS[3:]:
        found += _ranges(number, rows)
    return found


def _ranges(key: str, rows: Sequence[Row]) -> list[Condition]:
    """Upper and lower ranges of a number that select about the shares of LEVELS."""
    values = sorted(row.numbers[key] for row in rows if key in row.numbers)
    if not values or values[0] == values[-1]:
        return []
    found = []
    for level in LEVELS:
        least = values[min(len(values) - 1, round((1 - level) * len(values)))]
        most = values[max(0, round(level * len(values)) - 1)]
        if least > values[0]:
            found.append(Condition(key, low=least))
        if most < values[-1] and level < max(LEVELS):  # the lower half is the upper's complement
            found.append(Condition(key, high=most))
    return list(dict.fromkeys(found))


def _matrix(conditions: Sequence[Condition], rows: Sequence[Row]) -> Bools:
    """Rows by conditions."""
    import numpy as np

    found = np.zeros((len(rows), len(conditions)), dtype=bool)
    numbers = {
        key: np.array([row.numbers.get(key, -1) for row in rows], dtype=np.int64)
        for key in {condition.key for condition in conditions} & {*NUMBERS}
    }
    for at, condition in enumerate(conditions):
        if condition.key in numbers:
            values = numbers[condition.key]
            found[:, at] = (values >= 0) & (values >= condition.low) & (values <= condition.high)
        else:
            found[:, at] = [condition.holds(row) for row in rows]
    return found


def _narrower(single: Bools, both: Bools, first: Any, second: Any) -> Any:
    """Which pairs select noticeably less than each of their conditions alone."""
    counts, pairs = single.sum(0), both.sum(0)
    least = counts[first].clip(max=counts[second])
    return pairs < SAME * least


def _distinct(members: Bools, rarest: int) -> list[int]:
    """The columns that are neither too rare nor too common, nor the same as one before."""
    import numpy as np

    counts = members.sum(0)
    size = len(members)
    usable = np.flatnonzero((counts >= rarest) & (counts <= LARGEST * size))
    columns = members[:, usable].astype(np.float32)
    overlap = columns.T @ columns
    sizes = counts[usable].astype(np.float32)
    same = overlap >= SAME * (sizes[:, None] + sizes[None, :] - overlap)
    kept: list[int] = []
    dropped = np.zeros(len(usable), dtype=bool)
    for at in range(len(usable)):
        if not dropped[at]:
            kept.append(int(usable[at]))
            dropped[at + 1 :] |= same[at, at + 1 :]
    return kept
