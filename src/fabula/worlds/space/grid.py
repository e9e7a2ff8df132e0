"""The grid: relations are vectors, composed by addition.

A vector (x, y) is one whole number, x + y * STRIDE, so that composing is adding and inverting is
changing the sign. x grows to the right (east), y grows upwards (north). 'A r B' says that A lies r
from B. The convention of all stories here: a told relation is exactly one step on the grid, and
what is told to be left, right, above or below is aligned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

STRIDE = 1 << 20  # room for stories of half a million sentences in one line
_HALF = STRIDE >> 1


def vector(x: int, y: int) -> int:
    """The number of a vector."""
    return x + y * STRIDE


def xy(v: int) -> tuple[int, int]:
    """The vector of a number."""
    y = (v + _HALF) >> 20
    return v - (y << 20), y


_SIGNS = {
    (-1, 0): "left",
    (1, 0): "right",
    (0, 1): "above",
    (0, -1): "below",
    (-1, 1): "upper-left",
    (1, 1): "upper-right",
    (-1, -1): "lower-left",
    (1, -1): "lower-right",
    (0, 0): "overlap",
}
LABELS: tuple[str, ...] = tuple(_SIGNS.values())
"""The nine ways one thing can lie to another, distances aside."""
UNITS: dict[str, int] = {label: vector(*signs) for signs, label in _SIGNS.items() if any(signs)}
"""The eight relations a sentence can state."""
COMPASS: dict[str, int] = {
    "north": UNITS["above"],
    "south": UNITS["below"],
    "east": UNITS["right"],
    "west": UNITS["left"],
}
WORDS: Mapping[str, int] = {**UNITS, **COMPASS}
"""Every word for a relation."""
LETTERS: dict[int, str] = {v: word[0] for word, v in COMPASS.items()}
"""The way to go as a letter."""
INVERSE: dict[str, str] = {
    **{a: b for a, u in UNITS.items() for b, v in UNITS.items() if u == -v},
    **{a: b for a, u in COMPASS.items() for b, v in COMPASS.items() if u == -v},
}
SIDES = ("left", "right", "above", "below")
TRUTHS = {"yes": "yes", "no": "no"}


def label(v: int) -> str:
    """How something at this vector lies to the origin."""
    x, y = xy(v)
    return _SIGNS[(x > 0) - (x < 0), (y > 0) - (y < 0)]


def along(v: int, direction: int) -> int:
    """How far a vector goes in a direction along one axis."""
    x, y = xy(v)
    dx, dy = xy(direction)
    return x * dx + y * dy


class Grid:
    """The algebra of vectors, with the steps that may be told."""

    def __init__(self, steps: Sequence[int]) -> None:
        self.steps = tuple(steps)

    def compose(self, first: int, then: int) -> int | None:
        """The relation of A to C if A first B and B then C."""
        return first + then

    def invert(self, relation: int) -> int:
        """The relation of B to A."""
        return -relation


CARDINAL = Grid([UNITS[side] for side in SIDES])
KING = Grid(list(UNITS.values()))
