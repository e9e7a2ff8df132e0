"""Which of several supports of the same size comes first: the one a person would give.

    1 Mary went to the park.    2 Mary dropped the apple.
    3 Sandra took the apple.    4 Sandra discarded the apple.

    Where is Sandra?  park, by {1, 2, 3} and by {1, 2, 4}.

Both are proofs: a thing stays in one place until its holder moves, so whoever takes it there or
lets go of it there is there. But {1, 2, 4} has a *gap*: Sandra lets go of a thing that, according
to these sentences, was lying on the ground. A gap is wherever somebody takes what somebody else
has, or lets go of what they do not have, according to the support alone. The first sentence about a
thing is never a gap.

Promise: supports are ordered by size, then by the number of gaps, then the latest first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.core.supports import numbers_of
from fabula.world.base import Fact

LYING = ""  # the holder of a thing that nobody has
LETTING_GO = ("drop", "give", "put", "lay")


def gaps(facts: Mapping[int, Sequence[Fact]], mask: int) -> int:
    """How often a thing changes hands without a sentence of the support that says so."""
    holders: dict[str, str] = {}
    found = 0
    for number in numbers_of(mask):
        for fact in facts[number]:
            kind = fact[0]
            if kind == "grab":
                found += holders.get(fact[2], LYING) not in (LYING, fact[1])
                holders[fact[2]] = fact[1]
            elif kind == "take":
                found += holders.get(fact[2], fact[3]) != fact[3]
                holders[fact[2]] = fact[1]
            elif kind in LETTING_GO:
                found += holders.get(fact[2], fact[1]) != fact[1]
                holders[fact[2]] = LYING if kind == "drop" else fact[3]
    return found


def arranged(facts: Mapping[int, Sequence[Fact]], masks: list[int]) -> list[int]:
    """The supports in the promised order, given by size and latest first."""
    sizes = [mask.bit_count() for mask in masks]
    if len(set(sizes)) == len(sizes):
        return masks
    keys = [
        (size, gaps(facts, mask), place)
        for place, (size, mask) in enumerate(zip(sizes, masks, strict=True))
    ]
    return [masks[place] for _, _, place in sorted(keys)]
