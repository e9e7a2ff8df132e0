"""Which conventions an answer about kin relies on.

    married-parents  the parents of every child are married to each other. Without it a son's mother
                     need not be one's wife
    shared-children  husband and wife have all their children in common, and nobody marries twice.
                     Without it a father's wife need not be the mother, nor a wife's son one's own
    full-siblings    children who have one parent in common have both in common. The first two
                     imply it, so no answer relies on it alone; without one of them it still holds
    by-blood         uncles, aunts, nephews and nieces are related by blood: the husband of an aunt
                     is not an uncle. Without it he may be one, in the story and in the answer

An answer relies on a convention if, without that one and with all others, it does not follow from
the story. Conclusions are derived along chains of facts; if several chains settle something only
together, it counts as open (one answer in some hundreds, where noise leads around the chain).

This is the algebra of algebra.py with a weaker `join`. If the parents of a child need not be
married, there is one more step: N, the other parent of one's children if the two are not married.
By the other conventions N is not married at all, and has no other children. If couples need not
share their children, nothing is known about a spouse's children and a parent's spouse.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fabula.world.base import Query
from fabula.world.kinship.algebra import UNKNOWN, Composition, join
from fabula.world.kinship.reading import BY_MARRIAGE, KinReading, words_of
from fabula.world.kinship.recipe import KinshipRecipe

MARRIED, SHARED = "married-parents", "shared-children"
SIBLINGS, BY_BLOOD = "full-siblings", "by-blood"


def in_force(recipe: KinshipRecipe) -> tuple[str, ...]:
    """The conventions that answers of a recipe may rely on."""
    return (MARRIED, SHARED, SIBLINGS, *([BY_BLOOD] if recipe.asks.get("kin") else []))


def relies(
    reading: KinReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
) -> tuple[str, ...]:
    """The conventions without which the answer does not follow."""
    words = words_of(query[0])
    meant = words.mask[words.relation_of[answer[0]][0]]
    chains = [route.steps for route in reading.routes(query)]
    found = []
    for convention, law in WITHOUT.items():
        places = UNKNOWN
        for chain in chains:
            places &= law.fold(chain)
        if places == UNKNOWN or not places or places & ~meant:
            found.append(convention)
    if query[0] != BY_MARRIAGE and reading.alone((BY_MARRIAGE, *query[1:]), -1) != answer:
        found.append(BY_BLOOD)
    return tuple(found)


@cache
def _unmarried(first: str, second: str) -> frozenset[str]:
    """`join` if the parents of a child need not be married."""
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
"""Two steps that equal one."""


@cache
def _unshared(first: str, second: str) -> set[str] | None:
    """`join` if couples need not share their children and people may marry again."""
    if not first or not second:
        return {first + second}
    pair, start, rest = first[-1] + second[0], first[:-1], second[1:]
    if pair in ("PM", "MC", "MM"):
        return None
    if pair in ("PC", "SS", "CP"):
        found = _unshared(start, rest)
        return None if found is None else found | {start + ("M" if pair == "CP" else "S") + rest}
    return join(first, second)


WITHOUT = {MARRIED: Composition(_unmarried), SHARED: Composition(_unshared)}
"""The compositions that remain without a convention."""
