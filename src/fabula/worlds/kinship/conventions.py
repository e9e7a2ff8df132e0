"""Which conventions an answer about kin relies on.

    married-parents  the parents of every child are married to each other. Without it a son's mother
                     need not be one's wife
    shared-children  husband and wife have all their children in common, and nobody marries twice.
                     Without it a father's wife need not be the mother, nor a wife's son one's own
    full-siblings    children who have one parent in common have both in common. The first two imply
                     it, so no answer relies on it alone; it still holds where one of them is given up
    by-blood         uncles, aunts, nephews and nieces are related by blood: the husband of an aunt is
                     not an uncle. Without it he may be one, in the story and in the answer

An answer relies on a convention if it does not follow from the story with that one given up and the
others kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.worlds.base import Query
from fabula.worlds.kinship.algebra import CONVENTIONS, UNKNOWN, fold_without
from fabula.worlds.kinship.reading import BY_MARRIAGE, KinReading, words_of
from fabula.worlds.kinship.recipe import KinshipRecipe

SIBLINGS, BY_BLOOD = "full-siblings", "by-blood"


def in_force(recipe: KinshipRecipe) -> tuple[str, ...]:
    """The conventions that answers of a recipe may rely on."""
    return (*CONVENTIONS, SIBLINGS, *([BY_BLOOD] if recipe.asks.get("kin") else []))


def relies(
    reading: KinReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
) -> tuple[str, ...]:
    """The conventions without which the answer does not follow."""
    words = words_of(query[0])
    relation = words.relation_of[answer[0]][0]
    chains = [
        [words.mask[edge.relation] for edge in route.path]
        for route in reading.routes(query)
        if route.relation == relation
    ]
    found = []
    for convention in CONVENTIONS:
        places = (fold_without(convention, chain) for chain in chains)
        if not any(place != UNKNOWN and words.named(place) == relation for place in places):
            found.append(convention)
    if query[0] != BY_MARRIAGE:
        finding = reading.find((BY_MARRIAGE, *query[1:]))
        if finding is None or finding.answer != answer:
            found.append(BY_BLOOD)
    return tuple(found)
