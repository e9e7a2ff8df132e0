"""The grid: relations are vectors, composed by addition.

A vector (x, y) is one whole number, x + y * STRIDE, so that composing is adding and inverting is
changing the sign. x grows to the right (east), y grows upwards (north). 'A r B' says that A lies r
from B. The convention of all stories here: a told relation is exactly one step on the grid unless a
number of steps is told with it, and what is told to be left, right, above or below is aligned.

A *region* is what a word asks or denies, distances aside, as a sign for each axis (None: any):

    left            (-1, None)   anywhere further left, in whatever row; so for all four sides
    directly-left   (-1, 0)      further left in the same row
    upper-left      (-1, 1)      further left and further up; so for all four diagonals
    overlap         (0, 0)       in the same place
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

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
DIAGONALS = ("upper-left", "upper-right", "lower-left", "lower-right")

Region = tuple[int | None, int | None]

PATTERNS: dict[str, Region] = {
    (f"directly-{word}" if word in SIDES else word): signs for signs, word in _SIGNS.items()
}
"""The regions of one sign pattern: what can be denied, and asked of agents."""
REGIONS: dict[str, Region] = {
    **{word: (xy(v)[0] or None, xy(v)[1] or None) for word, v in WORDS.items()},
    **PATTERNS,
}
"""Every word for a region."""
FACING: dict[str, str] = {
    a: b
    for a, (ax, ay) in PATTERNS.items()
    for b, (bx, by) in PATTERNS.items()
    if ((ax or 0) + (bx or 0), (ay or 0) + (by or 0)) == (0, 0)
}
"""A pattern as seen from the other side."""
WAYS: dict[int, str] = {
    UNITS["left"]: "left",
    UNITS["right"]: "right",
    UNITS["above"]: "up",
    UNITS["below"]: "down",
    UNITS["upper-left"]: "up-left",
    UNITS["upper-right"]: "up-right",
    UNITS["lower-left"]: "down-left",
    UNITS["lower-right"]: "down-right",
}
"""The way to go as a word."""


def label(v: int) -> str:
    """How something at this vector lies to the origin."""
    x, y = xy(v)
    return _SIGNS[(x > 0) - (x < 0), (y > 0) - (y < 0)]


def along(v: int, direction: int) -> int:
    """How far a vector goes in a direction along one axis."""
    x, y = xy(v)
    dx, dy = xy(direction)
    return x * dx + y * dy


def lies(v: int, region: Region) -> bool:
    """Whether something at this vector lies in a region of the origin."""
    return all(
        sign is None or (value > 0) - (value < 0) == sign
        for value, sign in zip(xy(v), region, strict=True)
    )


def covers(denied: Region, shift: int, asked: Region) -> bool:
    """Whether a region, moved by a vector, holds all of another."""
    return all(map(_covers, denied, xy(shift), asked))


def _covers(denied: int | None, shift: int, asked: int | None) -> bool:
    if denied is None or asked is None:
        return denied is None
    if denied == 0:
        return asked == 0 and shift == 0
    # what is denied begins one step beyond the shift and goes on for ever
    return shift * denied <= (0 if asked == denied else -1) and asked in (denied, 0)


def length(v: int) -> int:
    """How many steps a vector takes, straight or diagonal."""
    return max(map(abs, xy(v)))


@cache
def parted(v: int) -> tuple[int, int]:
    """A told vector as a direction and a number of steps."""
    count = length(v)
    return v // count, count


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


@cache
def stretched(low: int, high: int) -> Grid:
    """The grid on which a sentence tells so many steps in one of the eight directions."""
    if high == 1:
        return KING
    return Grid([unit * count for count in range(low, high + 1) for unit in UNITS.values()])
