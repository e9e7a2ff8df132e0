"""The grid: relations are vectors of two or three components, composed by addition.

A vector (x, y, z) is packed into one integer, its components BITS bits apart, so that composing is
adding and inverting is changing the sign. x grows to the right (east), y upwards (north), z towards
the viewer. A flat story is the plane z = 0, so a word means the same in both: 'above' is one up, on
the page or in height. 'A r B' says that A lies r from B.

By convention, a stated relation is exactly one step on the grid in every story unless it names a
number of steps, and there is no offset along an axis that is not named.

A *region* is the meaning of a word in a question or denial, ignoring distances, as a sign for each
axis (None: any):

    left            (-1, None, None)  anywhere further left; likewise for all six sides
    directly-left   (-1, 0, 0)        further left in the same row
    upper-left      (-1, 1, 0)        further left and further up; likewise for all four diagonals
    overlap         (0, 0, 0)         in the same place
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

BITS = 20  # room for stories of half a million sentences in one line
_HALF = 1 << (BITS - 1)
_REMEMBERED = 1 << 16  # vectors whose label is cached, so that memory stays flat

Signs = tuple[int, int, int]
Region = tuple[int | None, int | None, int | None]


def vector(x: int, y: int, z: int = 0) -> int:
    """A vector, packed."""
    return x + (y << BITS) + (z << 2 * BITS)


def xyz(v: int) -> Signs:
    """The components of a packed vector."""
    z = (v + (_HALF << BITS)) >> 2 * BITS
    v -= z << 2 * BITS
    y = (v + _HALF) >> BITS
    return v - (y << BITS), y, z


# --- words --------------------------------------------------------------------------------------

_FLAT = {
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
_STEPS = {
    "left": "left",
    "right": "right",
    "above": "up",
    "below": "down",
    "upper-left": "up-left",
    "upper-right": "up-right",
    "lower-left": "down-left",
    "lower-right": "down-right",
}


def _deepened(word: str, depth: str) -> str:
    return f"{word}-{depth}" if word else depth


_DEEP: dict[Signs, str] = {
    (x, y, z): _deepened("" if word == "overlap" else word, "front" if z > 0 else "behind")
    for z, ((x, y), word) in product((1, -1), _FLAT.items())
}
_SIGNS: dict[Signs, str] = {**{(x, y, 0): word for (x, y), word in _FLAT.items()}, **_DEEP}


class Space(NamedTuple):
    """A grid of two or three dimensions, in words."""

    dimensions: int
    labels: tuple[str, ...]
    """All relations of one thing to another, ignoring distances; 'overlap' last."""
    units: dict[str, int]
    """The relations that a sentence can state, one step each."""
    sides: tuple[str, ...]
    """Relations along one axis."""
    tested: tuple[str, ...]
    """Regions for yes-no questions and denials."""
    listed: tuple[str, ...]
    """Regions for 'which' questions."""


FLAT_SIDES = ("left", "right", "above", "below")
SIDES = (*FLAT_SIDES, "front", "behind")
DIAGONALS = ("upper-left", "upper-right", "lower-left", "lower-right")
LABELS: tuple[str, ...] = tuple(_FLAT.values())
"""The nine relations of one thing to another on the page, ignoring distances."""
_ALL = {label: vector(*signs) for signs, label in _SIGNS.items() if any(signs)}
UNITS: dict[str, int] = {label: _ALL[label] for label in LABELS[:-1]}
"""The eight relations that a sentence of a flat story can state."""

PATTERNS: dict[str, Region] = {
    (f"directly-{word}" if word in FLAT_SIDES else word): (x, y, 0)
    for (x, y), word in _FLAT.items()
}
"""The regions with one sign pattern: those that flat stories deny and ask about."""

PLANE = Space(2, LABELS, UNITS, FLAT_SIDES, tuple(PATTERNS), (*FLAT_SIDES, *DIAGONALS))
# 'to the upper left' leaves the depth open, so a deep story asks along one axis at a time
ROOM = Space(3, (*_ALL, "overlap"), _ALL, SIDES, (*SIDES, "overlap"), SIDES)
SPACES = {space.dimensions: space for space in (PLANE, ROOM)}

COMPASS: dict[str, int] = {
    "north": UNITS["above"],
    "south": UNITS["below"],
    "east": UNITS["right"],
    "west": UNITS["left"],
}
WORDS: Mapping[str, int] = {**_ALL, **COMPASS}
"""Every word for a relation."""
LETTERS: dict[int, str] = {v: word[0] for word, v in COMPASS.items()}
"""The direction to go, as a letter."""
INVERSE: dict[str, str] = {
    word: next(other for other, v in group.items() if v == -unit)
    for group in (_ALL, COMPASS)
    for word, unit in group.items()
}


def _anywhere(direction: int) -> Region:
    x, y, z = xyz(direction)
    return x or None, y or None, z or None


def _opposite(region: Region) -> Region:
    x, y, z = (None if sign is None else -sign for sign in region)
    return x, y, z


REGIONS: dict[str, Region] = {
    **{word: _anywhere(WORDS[word]) for word in (*SIDES, *COMPASS)},
    **PATTERNS,
}
"""Every word for a region."""
FACING: dict[str, str] = {
    word: next(w for w in (*SIDES, *PATTERNS) if REGIONS[w] == _opposite(REGIONS[word]))
    for word in (*SIDES, *PATTERNS)
}
"""A region that can be denied, as seen from the other side."""
WAYS: dict[int, str] = {
    v: _deepened(
        _STEPS.get(label.removesuffix("-front").removesuffix("-behind"), ""),
        {1: "front", -1: "back"}[xyz(v)[2]],
    )
    if xyz(v)[2]
    else _STEPS[label]
    for label, v in _ALL.items()
}
"""The direction to go, as a word."""


# --- properties of vectors ----------------------------------------------------------------------


@lru_cache(_REMEMBERED)
def label(v: int) -> str:
    """The relation of something at this vector to the origin."""
    x, y, z = xyz(v)
    return _SIGNS[(x > 0) - (x < 0), (y > 0) - (y < 0), (z > 0) - (z < 0)]


def along(v: int, direction: int) -> int:
    """How far a vector extends in a direction along one axis."""
    return sum(a * b for a, b in zip(xyz(v), xyz(direction), strict=True))


@lru_cache(_REMEMBERED)
def lies(v: int, region: Region) -> bool:
    """Whether something at this vector lies in a region of the origin."""
    return all(
        sign is None or (value > 0) - (value < 0) == sign
        for value, sign in zip(xyz(v), region, strict=True)
    )


def length(v: int) -> int:
    """The number of steps of a vector, straight or diagonal."""
    return max(map(abs, xyz(v)))


@cache
def parted(v: int) -> tuple[int, int]:
    """A stated vector as a direction and a number of steps."""
    count = length(v)
    return v // count, count


# --- the algebra --------------------------------------------------------------------------------


class Grid:
    """The algebra of vectors, with the steps that sentences may state."""

    def __init__(self, steps: Sequence[int]) -> None:
        self.steps = tuple(steps)

    def compose(self, first: int, then: int) -> int | None:
        """The relation of A to C, given `first` from A to B and `then` from B to C."""
        return first + then

    def invert(self, relation: int) -> int:
        """The relation of B to A."""
        return -relation


CARDINAL = Grid([UNITS[side] for side in FLAT_SIDES])
KING = Grid(list(UNITS.values()))


@cache
def stretched(low: int, high: int, dimensions: int = 2) -> Grid:
    """The grid on which a sentence states `low` to `high` steps in one direction."""
    if high == 1 and dimensions == 2:
        return KING
    units = SPACES[dimensions].units.values()
    return Grid([unit * count for count in range(low, high + 1) for unit in units])
