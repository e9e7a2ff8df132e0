"""The meaning of position words, written a second time for verification.

A mistake in the tables of grid.py, which stories are told and read with, must not verify itself.
The two procedures of verification, placing.py and the logic program, share this table.
"""

from __future__ import annotations

Signs = tuple[int, int, int]

_ACROSS = {"left": -1, "right": 1}
_UPRIGHT = {"upper": 1, "lower": -1, "above": 1, "below": -1}
DEPTH = {"front": 1, "behind": -1}


def _offset(word: str) -> Signs:
    """The meaning of a word such as 'upper-left-front', component by component."""
    parts = word.split("-")
    return (
        sum(_ACROSS.get(part, 0) for part in parts),
        sum(_UPRIGHT.get(part, 0) for part in parts),
        sum(DEPTH.get(part, 0) for part in parts),
    )


_PAGE = (
    "left", "right", "above", "below", "upper-left", "upper-right", "lower-left", "lower-right",
)  # fmt: skip
LABELS = (*_PAGE, *DEPTH, *(f"{word}-{depth}" for word in _PAGE for depth in DEPTH), "overlap")
OFFSETS = {
    **{word: _offset(word) for word in LABELS if word != "overlap"},
    "north": (0, 1, 0),
    "south": (0, -1, 0),
    "east": (1, 0, 0),
    "west": (-1, 0, 0),
}
LETTERS = {(0, 1, 0): "n", (0, -1, 0): "s", (1, 0, 0): "e", (-1, 0, 0): "w"}
SIDES = (
    "left", "right", "above", "below", "front", "behind", "north", "south", "east", "west",
)  # fmt: skip


def step_word(signs: Signs) -> str:
    """The step in this direction, as a word."""
    x, y, z = signs
    words = {1: "up", -1: "down"}.get(y), {1: "right", -1: "left"}.get(x)
    return "-".join([word for word in (*words, {1: "front", -1: "back"}.get(z)) if word])


def _regions() -> dict[str, list[Signs]]:
    """For each word, the sign patterns it stands for."""
    found = {"overlap": [(0, 0, 0)]}
    for word, (x, y, z) in OFFSETS.items():
        if word in SIDES:
            found[f"directly-{word}"] = [(x, y, z)]
            found[word] = [
                (x or a, y or b, z or c)
                for a in ((0,) if x else (-1, 0, 1))
                for b in ((0,) if y else (-1, 0, 1))
                for c in ((0,) if z else (-1, 0, 1))
            ]
        else:
            found[word] = [(x, y, z)]
    return found


REGIONS = _regions()


def opposite(word: str) -> str:
    """The word for the same position seen from the other side."""
    x, y, z = OFFSETS[word]
    compass = word in ("north", "south", "east", "west")
    back = (-x, -y, -z)
    return next(
        w
        for w, offset in OFFSETS.items()
        if offset == back and (w in ("north", "south", "east", "west")) == compass
    )
