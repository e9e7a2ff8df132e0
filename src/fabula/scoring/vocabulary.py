"""The vocabulary of a recipe: words that answer some question, if not the one that was asked.

If the question is what Bill gave to Daniel and the reply is 'kitchen', it is an answer, and a wrong
one. So a reply that gives none of the answers to its question is parsed once more, over all words
of the recipe: its entities, and the answers to all question kinds that it asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import orjson

from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.recipe.collection import Collection
from fabula.recipe.loading import load_again
from fabula.recipe.model import Recipe
from fabula.scoring.answers import Answers, said, vocabulary
from fabula.world import WORLDS

MADE = ("recipe", "file", "part", "changes", "dialect", "language", "cipher")
"""The keys of a provenance that determine the vocabulary of a recipe."""


def wide(instance: Instance) -> Answers:
    """Everything in the vocabulary of the recipe, as answers."""
    made = instance.provenance
    known = _words(orjson.dumps({key: made[key] for key in MADE if key in made}))
    told = {word for facts in instance.facts for fact in facts for word in fact[1:]}
    words = said(instance, sorted({*known, *told, *instance.query[1:]}))
    every = tuple(sorted({*words, *(instance.choices or ())}))
    return Answers("one", *vocabulary(every), instance)


@lru_cache(maxsize=64)
def _words(made: bytes) -> frozenset[str]:
    """The words of a recipe; empty if it cannot be found, e.g. a user's file that is elsewhere."""
    provenance = orjson.loads(made)
    try:
        recipe = load_again(provenance)
    except FabulaError:
        return frozenset()
    if isinstance(recipe, Collection):
        recipes = [recipe.members.get(provenance.get("part", ""), recipe)]
    else:
        recipes = [recipe]
    return frozenset(word for each in recipes for word in _of(each))


def _of(recipe: Recipe) -> Iterator[str]:
    world = WORLDS.get(recipe.world)
    for kind in recipe.kinds() if world else ():
        assert world is not None
        yield from world.choices(recipe, (kind,)) or ()
    yield from _names(getattr(recipe, "entities", None))
    for key in ("names", "people", "animals", "groups", "things"):  # of the smaller worlds
        yield from _names(getattr(recipe, key, None))


def _names(value: Any) -> Iterator[str]:
    """All texts within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _names(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _names(each)
    elif hasattr(value, "model_dump"):
        yield from _names(value.model_dump())
