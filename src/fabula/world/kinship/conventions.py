"""Which conventions an answer about kin relies on.

    married-parents  the parents of every child are married to each other. Without it a son's mother
                     need not be one's wife
    shared-children  husband and wife have all their children in common, and nobody marries twice.
                     Without it a father's wife need not be the mother, nor a wife's son one's own
    full-siblings    children who have one parent in common have both in common. The first two
                     imply it, so no answer relies on it alone; without one of them it still holds
    by-blood         uncles, aunts, nephews and nieces are related by blood: the husband of an aunt
                     is not an uncle. Without it he may be one, in the story and in the answer

An answer relies on a convention if it does not follow from the story with that one given up and the
others kept. What follows is looked for along chains of facts; where several chains settle something
only together, it counts as open (one answer in some hundreds, where noise leads around the chain).

It is the algebra of algebra.py with a weaker `join`. Where the parents of a child need not be
married, there is one more step: N, the other parent of one's children to whom one is not married.
By the other conventions N is not married at all, and has no other children. Where couples need not
share their children, what is known of a spouse's children and of a parent's spouse is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from fabula.world.base import Query
from fabula.world.kinship.algebra import LONGEST, join
from fabula.world.kinship.reading import BY_MARRIAGE, KinReading, words_of
from fabula.world.kinship.recipe import KinshipRecipe

MARRIED, SHARED = "married-parents", "shared-children"
SIBLINGS, BY_BLOOD = "full-siblings", "by-blood"

Places = frozenset[str] | None
"""Where somebody may be (see algebra.py); None: anywhere."""


def in_force(recipe: KinshipRecipe) -> tuple[str, ...]:
    """The conventions that answers of a recipe may rely on."""
    return (MARRIED, SHARED, SIBLINGS, *([BY_BLOOD] if recipe.asks.get("kin") else []))


def relies(
    reading: KinReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
) -> tuple[str, ...]:
    """The conventions without which the answer does not follow."""
    words = words_of(query[0])
    relation = words.relation_of[answer[0]][0]
    meant = {name: frozenset(found.places) for name, found in words.relations.items()}
    chains = [[meant[edge.relation] for edge in route.path] for route in reading.routes(query)]
    found = []
    for convention in (MARRIED, SHARED):
        places: Places = None
        for chain in chains:
            allowed = _fold(convention, chain)
            if allowed is not None:
                places = allowed if places is None else places & allowed
        if not places or not places <= meant[relation]:
            found.append(convention)
    if query[0] != BY_MARRIAGE:
        finding = reading.find((BY_MARRIAGE, *query[1:]))
        if finding is None or finding.answer != answer:
            found.append(BY_BLOOD)
    return tuple(found)


def _fold(convention: str, chain: Sequence[Places]) -> Places:
    """Where the last of a chain may be, seen from the first: what all ways to bracket it allow."""
    spans: list[list[Places]] = [list(chain)]  # by length, then by start
    for size in range(1, len(chain)):
        row: list[Places] = []
        for start in range(len(chain) - size):
            whole: Places = None
            for cut in range(size):
                first, second = spans[cut][start], spans[size - cut - 1][start + cut + 1]
                if first is not None and second is not None:
                    found = _compose(convention, first, second)
                    if found is not None:
                        whole = found if whole is None else whole & found
            row.append(whole)
        spans.append(row)
    return spans[-1][0]


@lru_cache(maxsize=200_000)
def _compose(convention: str, first: frozenset[str], second: frozenset[str]) -> Places:
    """Where the third of three different people may be."""
    weaker = JOIN[convention]
    found: set[str] = set()
    for one in first:
        for two in second:
            places = weaker(one, two)
            if places is None:
                return None
            found |= places
    found.discard("")
    return None if any(len(place) > LONGEST for place in found) else frozenset(found)


@cache
def _unmarried(first: str, second: str) -> frozenset[str]:
    """`join` where the parents of a child need not be married."""
    if not first or not second:
        return frozenset({first + second})
    pair, start, rest = first[-1] + second[0], first[:-1], second[1:]
    if pair in ("NM", "MN"):  # whoever is married has all children with the spouse
        return frozenset()
    if pair in ("NN", "MM"):
        return _unmarried(start, rest)
    if pair in REPLACED:
        return frozenset({start + REPLACED[pair] + rest})
    if pair in ("PC", "SS"):
        return _unmarried(start, rest) | {start + "S" + rest}
    if pair == "CP":
        return _unmarried(start, rest) | {start + "M" + rest, start + "N" + rest}
    return frozenset({first + second})


REPLACED = {"PM": "P", "PN": "P", "SP": "P", "MC": "C", "NC": "C", "CS": "C"}
"""Two steps that are the same as one."""


@cache
def _unshared(first: str, second: str) -> set[str] | None:
    """`join` where couples need not share their children and people may marry again."""
    if not first or not second:
        return {first + second}
    pair, start, rest = first[-1] + second[0], first[:-1], second[1:]
    if pair in ("PM", "MC", "MM"):
        return None
    if pair in ("PC", "SS", "CP"):
        found = _unshared(start, rest)
        return None if found is None else found | {start + ("M" if pair == "CP" else "S") + rest}
    return join(first, second)


JOIN: dict[str, Callable[[str, str], set[str] | frozenset[str] | None]] = {
    MARRIED: _unmarried,
    SHARED: _unshared,
}
